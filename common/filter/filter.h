#ifndef WEIR_FILTER_H
#define WEIR_FILTER_H

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

/* What a filter declares about itself. */
struct about {
	const char *operands;	/* for the usage line: "[file ...]" */
	const char *purpose;	/* one sentence for --help */
	const char *reads;	/* what it reads, for a user at a terminal:
				   "a build graph"; NULL: no file */
	const char *const *keys;	/* keys to declare (rec.h) if the
					   input is a stream of records, or
					   NULL */
	const struct input_format *formats;	/* for --help (format.h), or
						   NULL */
	bool reports;		/* has the options --text and --json */
	bool is_command;	/* the operands are a command and its options */
};

struct filter {
	struct input input;
	struct output out;
	struct span current;	/* the line or value that is being processed */
	uint64_t current_line;	/* the line on which it begins, from 1 */
	struct buf key;		/* filter_member(): a JSON string */
	bool text;		/* write a report instead of records */
	bool rejected;		/* input was rejected: the exit status is 1,
				   except with --tolerate */
	bool answered_no;	/* filter_answer_no(): the exit status is 1 */
	bool truncated;		/* a stream of records had no end record, or a
				   needed file (filter_read_next()) was empty:
				   do not commit; the exit status is 2 */
	bool met_foreign;	/* a file was rejected, with the name of the
				   filter that reads it: a message that nothing
				   came would only repeat that */
	const char *reads;	/* of struct about */
	bool keeps_rejects;	/* --rejects was given */
	uint64_t max_record;	/* --max-record, the limit of a line or value */
	bool in_file;		/* a file is open; set by filter_next_file() */
	bool reads_each;	/* filter_read_each() was called */
	int64_t n_records;	/* written; filter_emit() counts them */

	/* Private to filter.c, filter-read.c and filter-reject.c. */
	bool strict, partial;	/* --strict, --partial */
	bool gave_up;		/* the rest of this file has been rejected */
	bool reads_records, writes_records;
	bool got_input;		/* a line or value that is not blank has come;
				   set back to false after a needed file */
	bool got_nothing;	/* a stream of records was empty */
	bool first_is_needed;	/* the current or next file is of
				   filter_read_first(), or of
				   filter_read_next() with is_needed */
	struct boundaries boundaries;	/* of the input */
	int64_t n_rejected;	/* by this filter and, according to their end
				   records, by those that wrote its input */
	int64_t n_faults;	/* of these, those that are not single lines or
				   values: --tolerate does not apply */
	char **operands, **files;
	size_t n_operands;
	struct recio *recio;
	struct output rejects;	/* the --rejects file */
	struct message *messages;	/* an entry for each format string */
	size_t n_messages, messages_cap;
};

/*
 * Reads the options and opens the output.  about and options must be static.
 * Exits after --help and --version, and on a usage error.
 */
void filter_begin(struct filter *, const struct about *, const struct opt *,
    int argc, char **argv);

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
 * The next line that is not blank; over-long and truncated lines are rejected.
 * filter_line() returns false at the end of the last file, filter_file_line()
 * at the end of the current file.
 */
bool filter_line(struct filter *, struct line *);
bool filter_file_line(struct filter *, struct line *);

/* Reads a line or value as a record; NULL if it was rejected. */
struct rec *filter_record(struct filter *, struct span);

/*
 * The next line that is a record; other lines are rejected, and begin and end
 * records are consumed.  NULL at the end of the input: look at `truncated` then
 * before anything is committed.  The record is valid until the next call.
 */
struct rec *filter_next(struct filter *);

/*
 * Consumes a begin or end record (boundary.h); returns whether it is one.
 * Needed only with filter_record(): filter_next() calls it.
 */
bool filter_consume_boundary(struct filter *, const struct rec *);

/*
 * For a filter that commits before the end of the input: filter_n_begun() is
 * the number of streams that have begun, filter_have_ended() returns whether n
 * streams have ended or --partial was given.  What was read while n streams had
 * begun is complete when n have ended.
 */
int64_t filter_n_begun(const struct filter *);
bool filter_have_ended(const struct filter *, int64_t n);

/*
 * Opens the next file; false after the last.  Needed with filter_file_line(),
 * filter_value() and filter_object(): filter_line() and filter_next() open
 * files by themselves.
 */
bool filter_next_file(struct filter *);

/*
 * For a file that is one JSON document: its next value (scan.h).  False if no
 * value begins here, or if the rest of the file had to be rejected.
 * filter_object() also reads the value as a record.  It sets the record to
 * NULL, but returns true, if only this value was rejected.
 */
bool filter_value(struct filter *, struct span *value);
bool filter_object(struct filter *, struct rec **);

/*
 * The next value of a file that is either a stream of records, as
 * scan_is_stream() says when nothing has been read yet, or a sequence of JSON
 * documents on any number of lines.  False at the end of the file.
 */
bool filter_file_value(struct filter *, bool is_stream, struct span *value);

/*
 * For the callback of scan_each() that reads a member: consumes its key and the
 * colon.  Returns the key's index among names, which end with NULL; their
 * number if it is none of them; NO_MEMBER if there is no key or no colon.  The
 * key is in f->key until the next call.
 */
enum { NO_MEMBER = -1 };

int filter_member(struct filter *, const char *const *names);

/*
 * Rejects `current`: prints the reason with file and line, copies `current` to
 * the --rejects file, and ends the program under --strict.  After ten messages
 * with the same format string, further ones are only counted.
 */
void filter_reject(struct filter *, const char *fmt, ...) PRINTF_LIKE(2, 3)
    COLD;

/*
 * Like filter_reject(), but for a fault without a position, such as a cycle in
 * a graph: copies nothing to the --rejects file, and --tolerate does not apply.
 */
void filter_fail(struct filter *, const char *fmt, ...) PRINTF_LIKE(2, 3) COLD;

/*
 * Answers a yes-or-no question, such as whether a budget is kept, with no:
 * prints why, and makes the exit status 1.  Nothing was wrong with the input:
 * --strict does not apply, and the end record does not mention it.
 */
void filter_answer_no(struct filter *, const char *why) COLD;

/*
 * Reports why nothing was written, if nothing was.  This is a fault if input
 * was rejected, so that --tolerate does not accept a file of another kind, and
 * a warning otherwise.
 */
void filter_expect_records(struct filter *, const char *why);

/*
 * Rejects the bytes that were consumed last, `before`, and the rest of the
 * file.  Does nothing if filter_value() has already rejected the rest.
 */
void filter_reject_rest(struct filter *, struct span before, const char *why);

/*
 * For a file that cannot be read in this format at all: ends the program or,
 * after filter_read_each(), rejects the bytes that were consumed last,
 * `before`, and the rest of the file.  why: "is a log of version 9".
 */
void filter_refuse(struct filter *, struct span before, const char *why) COLD;

/*
 * Warns of something in the input that is not rejected; after
 * filter_read_each() the warning names the file.  After ten warnings with the
 * same format string, further ones are only counted.
 */
void filter_warn(struct filter *, const char *fmt, ...) PRINTF_LIKE(2, 3) COLD;

/* The same for what is true of one file: the warning always names it. */
void filter_warn_file(struct filter *, const char *fmt, ...) PRINTF_LIKE(2, 3)
    COLD;

/* Returns false and rejects the line if it has a NUL byte or is not UTF-8. */
bool filter_check_text(struct filter *, const struct line *);

/*
 * Declares that the output is not a stream of records, so that it gets no begin
 * and end records.  Call it before anything is written.  Not needed for reports
 * (`text`), which never have them.
 */
void filter_write_text(struct filter *);

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

#endif
