#ifndef WEIR_FILTER_H
#define WEIR_FILTER_H

#include "common/frame/opt.h"
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
	const char *const *keys;	/* keys to declare (rec.h), or NULL */
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
	bool text;		/* write a report instead of records */
	bool rejected;		/* input was rejected: the exit status is 1 */
	bool keeps_rejects;	/* --rejects was given */
	uint64_t max_record;	/* --max-record, the limit of a line or value */
	bool in_file;		/* filter_next_file() has opened a file */

	/* Private to filter.c. */
	bool gave_up;		/* the rest of this file has been rejected */
	char **operands, **files;
	size_t n_operands;
	struct recio *recio;
	struct output rejects;
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
 * Declares keys, for a filter that has none in struct about because the keys
 * depend on the format of the input.  Call it before the first record.
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
 * all have been read.  path is borrowed until filter_end().
 */
void filter_read_first(struct filter *, const char *path);
void filter_read_next(struct filter *, const char *path);

/*
 * The next line that is not blank; over-long lines are rejected.  filter_line()
 * returns false at the end of the last file, filter_file_line() at the end of
 * the current file.
 */
bool filter_line(struct filter *, struct line *);
bool filter_file_line(struct filter *, struct line *);

/* Reads a line or value as a record; NULL if it was rejected. */
struct rec *filter_record(struct filter *, struct span);

/*
 * The next line that is a record; other lines are rejected.  NULL at the end of
 * the input.  The record is valid until the next call.
 */
struct rec *filter_next(struct filter *);

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
 * Rejects `current`: prints the reason with file and line, copies `current` to
 * the --rejects file, and ends the program under --strict.  After ten messages
 * with the same format string, further ones are only counted.
 */
void filter_reject(struct filter *, const char *fmt, ...) PRINTF_LIKE(2, 3)
    COLD;

/*
 * Reports a fault without a position, such as a cycle in a graph, in the same
 * way, but copies nothing to the --rejects file.
 */
void filter_fail(struct filter *, const char *fmt, ...) PRINTF_LIKE(2, 3) COLD;

/*
 * Rejects the bytes that were consumed last, `before`, and the rest of the
 * file.  Does nothing if filter_value() has already rejected the rest.
 */
void filter_reject_rest(struct filter *, struct span before, const char *why);

/* Returns false and rejects the line if it has a NUL byte or is not UTF-8. */
bool filter_check_text(struct filter *, const struct line *);

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

/* Closes the input and output, and returns the exit status. */
int filter_end(struct filter *);

#endif
