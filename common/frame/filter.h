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
struct about {
	const char *operands;	/* of the usage line: "[file ...]" */
	const char *purpose;	/* one sentence for --help */
	const char *const *keys;	/* keys to declare (rec.h), or NULL */
	const struct input_format *formats;	/* for --help: what it reads
						   (format.h), or NULL */
	bool reports;		/* has --text and --json */
	bool is_command;	/* the operands are a command and its options */
};

struct filter {
	struct input input;
	struct output out;
	struct span current;	/* the line or value that is being processed */
	uint64_t current_line;	/* the line on which it begins, from 1 */
	bool text;		/* write a report instead of records */
	bool rejected;		/* some input was, so the exit status is 1 */
	bool keeps_rejects;	/* --rejects was given */
	uint64_t max_record;	/* bytes of the longest line or value */
	bool in_file;		/* filter_next_file() has opened one */

	/* Private to filter.c. */
	bool gave_up;		/* the rest of this file has been rejected */
	char **operands, **files;
	size_t n_operands;
	struct recio *recio;
	struct output rejects;
	struct message *messages;	/* one for each format string */
	size_t n_messages, messages_cap;
};

/*
 * Reads the options and opens the output.  about and options must be static.
 * Exits after --help and --version, and on a usage error.
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
 * filter_read_first() inserts a file before those of the command line; call it
 * before reading.  filter_read_next() reads one more file; call it when all
 * others have been read.
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
 * Opens the next file; false after the last.  Needed with filter_file_line(),
 * filter_value() and filter_object(): filter_line() and filter_next() open
 * files by themselves.
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
 * Rejects `before`, which are the bytes that were consumed last, and the rest
 * of the file.  Does nothing if filter_value() has rejected the rest already.
 */
void filter_reject_rest(struct filter *, struct span before, const char *why);

/*
 * Rejects `current`: prints the reason with file and line, copies `current` to
 * the --rejects file, and ends the program under --strict.  After ten messages
 * with the same format string, further ones are only counted.
 */
void filter_reject(struct filter *, const char *fmt, ...) PRINTF_LIKE(2, 3)
    COLD;

/* Rejects a line with a NUL byte or bytes that are not UTF-8; false then. */
bool filter_check_text(struct filter *, const struct line *);

/*
 * The same for a fault that has no position in the input, such as a cycle in a
 * graph.
 */
void filter_fail(struct filter *, const char *fmt, ...) PRINTF_LIKE(2, 3) COLD;

/*
 * The buffer to which records are written.  Call filter_emit() after each
 * complete record; filter_end_record() does so.
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
 * buffer and return it; the caller adds members and calls filter_end_record().
 */
struct buf *filter_begin_record(struct filter *, const char *type);
struct buf *filter_begin_stat(struct filter *, const char *name);
void filter_end_record(struct filter *);

/* Closes the input and output, and returns the exit status. */
int filter_end(struct filter *);

#endif
