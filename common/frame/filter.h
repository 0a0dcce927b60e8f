#ifndef WEIR_FILTER_H
#define WEIR_FILTER_H

#include "common/frame/opt.h"
#include "common/io/input.h"
#include "common/io/output.h"
#include "common/json/json.h"
#include "common/json/rec.h"

struct input_format;

/*
 * The frame of every filter: options, input, the treatment of bad input, output
 * and exit status.
 *
 *	filter_begin(&f, &about, options, argc, argv);
 *	while ((rec = filter_next(&f)) != NULL)
 *		...
 *	return filter_end(&f);
 */
struct about {
	const char *operands;	/* of the usage line: "[file ...]" */
	const char *purpose;	/* one sentence for --help */
	const char *const *keys;	/* declared ones (rec.h), or NULL */
	const struct input_format *formats;	/* for --help: what it reads
						   (format.h), or NULL */
	bool reports;		/* has --text and --json */
	bool is_command;	/* the operands are a command and its options */
};

struct filter {
	struct input input;
	struct output out;
	struct span place;	/* what filter_reject() rejects, e.g. a line */
	uint64_t place_line;	/* the number of the line on which it begins */
	bool text;		/* write a report instead of records */
	bool rejected;		/* some input was: the exit status is 1 */
	bool keeps_rejects;	/* --rejects was given */
	uint64_t max_record;	/* bytes of the longest line or value */
	bool in_file;		/* filter_next_file() has opened one */

	/* Private to filter.c. */
	bool gave_up;		/* the rest of this file has been rejected */
	char **operands, **files;
	size_t n_operands;
	struct recio *recio;
	struct output rejects;
	struct message *messages;	/* by format */
	size_t n_messages, messages_cap;
};

/*
 * Reads the options and opens the output.  The tables must be static.  Exits
 * after --help and --version, and for wrong usage.
 */
void filter_begin(struct filter *, const struct about *, const struct opt *,
    int argc, char **argv);

/*
 * Declares the keys of records, for a filter that learns only from its input
 * which it is going to read.  Call it before the first record, and without
 * keys in struct about.
 */
void filter_declare_keys(struct filter *, const char *const *keys);

/*
 * Removes the first operand from the files to read and returns it; NULL if
 * there is none.  Call it before reading.
 */
const char *filter_operand(struct filter *);

/*
 * filter_read_first() adds a file before those of the command line; call it
 * before reading.  filter_read_next() adds one after all of them have been
 * read.
 */
void filter_read_first(struct filter *, const char *path);
void filter_read_next(struct filter *, const char *path);

/*
 * The next line that is not blank; over-long lines are rejected.  False at the
 * end of all files, or of this one (filter_file_line).
 */
bool filter_line(struct filter *, struct line *);
bool filter_file_line(struct filter *, struct line *);

/* Reads a line or value as a record; NULL if it was rejected. */
struct rec *filter_record(struct filter *, struct span);

/*
 * The next line that is a record; other lines are rejected.  NULL at the end of
 * the input.  Borrowed until the next call.
 */
struct rec *filter_next(struct filter *);

/*
 * Opens the next file, for filters that do not read lines: filter_line() and
 * filter_next() open files by themselves.  False after the last.
 */
bool filter_next_file(struct filter *);

/*
 * For a file that is one JSON document: its next value (scan.h).  False where
 * no value begins, or if the rest of the file had to be rejected.
 * filter_object() reads the value as a record, which is NULL if it was
 * rejected.
 */
bool filter_value(struct filter *, struct span *value);
bool filter_object(struct filter *, struct rec **);

/*
 * Rejects the rest of this file, and the bytes `before`, which were consumed
 * from it last.  Does nothing if filter_value() has rejected the rest already.
 */
void filter_reject_rest(struct filter *, struct span before, const char *why);

/*
 * Rejects the input at place: prints why, with the file and line, writes it to
 * the file of --rejects, and ends the program under --strict.  After ten
 * messages with one format, further ones are only counted.
 */
void filter_reject(struct filter *, const char *fmt, ...) PRINTF_LIKE(2, 3)
    COLD;

/* Rejects a line with a NUL byte or bytes that are not UTF-8. */
bool filter_check_text(struct filter *, const struct line *);

/* As filter_reject() for a fault without a place in the input: a cycle. */
void filter_fail(struct filter *, const char *fmt, ...) PRINTF_LIKE(2, 3) COLD;

/*
 * The buffer to which a record is written.  filter_emit() is called when the
 * record is complete.
 */
static inline struct buf *
filter_out(struct filter *f)
{
	return &f->out.buf;
}

static inline void
filter_emit(struct filter *f)
{
	output_done(&f->out);
}

/*
 * Begins a record of a type, or a `stat` record with a name, in that buffer;
 * the caller adds members and ends it.
 */
struct buf *filter_begin_record(struct filter *, const char *type);
struct buf *filter_begin_stat(struct filter *, const char *name);
void filter_end_record(struct filter *);

/* Closes the input and output, and returns the exit status. */
int filter_end(struct filter *);

#endif
