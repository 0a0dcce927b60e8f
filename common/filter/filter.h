#pragma once

#include "common/filter/boundary.h"
#include "common/filter/opt.h"
#include "common/io/input.h"
#include "common/io/output.h"
#include "common/json/json.h"
#include "common/json/rec.h"

struct input_format;

/*
 * What all filters have in common: options, input, the handling of bad input,
 * output and exit status.
 *
 *	filter_begin(&f, &about, options, argc, argv);
 *	while ((rec = filter_next(&f)) != NULL)
 *		...
 *	return filter_end(&f);
 */

enum { ABOUT_EXAMPLES = 2 };

/*
 * What a filter writes to standard output.  A stream of records has begin and
 * end records (boundary.h).  A document, which another filter reads, has none;
 * but if there is none, because the filter failed, a begin record without an
 * end record takes its place, so that the reader notices.
 */
enum output_kind { OUTPUT_RECORDS, OUTPUT_DOCUMENT, OUTPUT_TEXT };

/* What a filter declares about itself. */
struct about {
	const char *name;	/* if a kind of file is its own (foreign.h): a
				   program can be renamed */
	const char *operands;	/* for the usage line: "[file ...]" */
	const char *purpose;	/* one sentence for --help */
	const char *examples[ABOUT_EXAMPLES];	/* for --help: usual commands */
	const char *reads;	/* what it reads, for a user at a terminal:
				   "a build graph"; NULL: no file */
	const char *const *keys;	/* keys to declare (rec.h) if the
					   input is a stream of records, or
					   NULL */
	const struct input_format *const *formats;	/* for --help
						   (format.h), or NULL */
	bool reads_python;	/* they may be documents that Python wrote:
				   recio_accept_python() */
	bool reports;		/* has the options --text and --json */
	enum output_kind (*output)(void);	/* by the options; NULL: always
					   OUTPUT_RECORDS */
	bool is_command;	/* the operands are a command and its options */
};

/*
 * Without --max-record, a line may have FILTER_LINE_MAX bytes: what is longer
 * is not a log.  A record of a stream that a filter began, or a document, may
 * have FILTER_RECORD_MAX: it is as long as what it was made from.
 */
#define FILTER_LINE_MAX (UINT64_C(64) << 20)
#define FILTER_RECORD_MAX (UINT64_C(1) << 32)

/* For filter.c and filter-read.c: what is read, and how far. */
struct reading {
	const char *name, *what;	/* about.name and .reads */
	char **operands, **files;
	size_t n_operands;
	bool records;		/* they are a stream of records */
	struct recio *recio;
	struct boundaries boundaries;
	bool partial;		/* --partial */
	bool needs_whole;	/* filter_need_whole() was called */
	bool limit_is_given;	/* --max-record */
	bool each;		/* filter_read_each() was called */
	bool got_input;		/* a line or value of this file that is not
				   blank has come */
	bool got_nothing;	/* a stream of records was empty */
	bool is_cut;		/* `current` is the last line of a file, and has
				   no newline */
	bool first_is_needed;	/* the current or next file is of
				   filter_read_first(), or of
				   filter_read_next() with is_needed */
	bool is_stream;		/* filter_next_document(): this file is one */
	struct buf key;		/* filter_member(): a JSON string */
};

/* For filter.c and filter-reject.c: what was rejected. */
struct rejecting {
	struct output file;	/* --rejects */
	bool is_kept;		/* --rejects was given */
	bool strict;		/* --strict */
	bool tolerate;		/* --tolerate */
	bool gave_up;		/* the rest of this file has been rejected */
	bool met_foreign;	/* a file was rejected, with the name of the
				   filter that reads it: a message that nothing
				   came would only repeat that */
	int64_t n;		/* by this filter and, according to their end
				   records, by those that wrote its input */
	int64_t n_faults;	/* of these, those that are not single lines or
				   values: --tolerate does not apply */
	struct message *messages;	/* an entry for each format string */
	size_t n_messages, messages_cap;
};

struct filter {
	struct input input;
	struct output out;
	struct span current;	/* the line or value that is being processed */
	uint64_t current_line;	/* the line on which it begins, from 1 */
	uint64_t max_record;	/* the limit of a line or value here */
	int64_t n_records;	/* written; filter_emit() counts them */
	bool text;		/* write a report instead of records */
	enum output_kind output;	/* a report is OUTPUT_TEXT */
	bool in_file;		/* a file is open; set by filter_next_file() */
	bool rejected;		/* input was rejected: the exit status is 1,
				   except with --tolerate */
	bool answered_no;	/* filter_answer_no(): the exit status is 1 */
	bool cannot_answer;	/* filter_cannot_answer(): it is 2 */
	bool undecided;		/* filter_leave_undecided(): it is 2, unless
				   answered_no */
	bool truncated;		/* a stream of records had no end or no begin
				   record, or a needed file (filter_read_next())
				   was empty: do not commit; the exit status is
				   2 */
	unsigned lacks;		/* what is missing (lacks.h): see
				   filter_note_lacks() */
	unsigned run_lacks;	/* the same since filter_take_lacks() */
	struct reading reading;
	struct rejecting rejecting;
};

/*
 * Reads the options, opens the output and writes its begin record, before
 * anything else is opened: a filter that then fails leaves a stream without an
 * end.  So does a usage error if standard output is a pipe.  about and options
 * must be static.  Exits after --help and --version, and on a usage error.
 */
void filter_begin(struct filter *, const struct about *, const struct opt *,
    int argc, char **argv);

/*
 * The two parts of filter_begin(), for a filter that has something to do before
 * the output is opened: only the first part exits on a usage error.
 */
void filter_read_options(const struct about *, const struct opt *, int argc,
    char **argv);
void filter_open(struct filter *, const struct about *, int argc, char **argv);

/* For struct about: the output is never a stream of records. */
enum output_kind filter_writes_text(void);

/*
 * Declares keys in place of those in struct about, for a filter whose keys
 * depend on its options or on the format of the input.  Call it before the
 * first record, or the first of that format.
 */
void filter_declare_keys(struct filter *, const char *const *keys);

/*
 * Removes the first operand from the files to read and returns it; NULL if
 * there is none.  Call it before reading.
 */
const char *filter_operand(struct filter *);

/*
 * Add a file to those of the command line: filter_read_first() before them,
 * called before anything is read; filter_read_next() after them, called when
 * all have been read.  A file is needed if there is no answer without it; the
 * file of filter_read_first() always is.  If a needed file is empty, the input
 * counts as truncated, except with --partial.  path is borrowed until
 * filter_end().
 */
void filter_read_first(struct filter *, const char *path);
void filter_read_next(struct filter *, const char *path, bool is_needed);

/*
 * Makes each file an input of its own: at the end of a file filter_line(),
 * filter_next() and filter_next_file() behave as at the end of the input, and
 * the next filter_next_file() opens the next file.  A file that cannot be read
 * is reported as bad input and does not end the program.  Call it before
 * reading.
 */
void filter_read_each(struct filter *);

/*
 * The buffer to which records are written.  Call filter_emit() after each
 * complete record, unless filter_end_record() has ended it.
 */
static inline struct buf *
filter_out(struct filter *f)
{
	return &f->out.buf;
}

static inline void
filter_emit(struct filter *f)
{
	f->n_records++;
	output_done(&f->out);
}

/*
 * Begin a record of a type, or a `stat` record with a name, in the output
 * buffer, and return the buffer.  The caller adds members to it and calls
 * filter_end_record().
 */
struct buf *filter_begin_record(struct filter *, const char *type);
struct buf *filter_begin_stat(struct filter *, const char *name);
void filter_end_record(struct filter *);

/*
 * Writes the end record, closes the input and output, and returns the exit
 * status.  If the input was truncated, there is no end record, and an output
 * file (-o) is abandoned.
 */
int filter_end(struct filter *);
