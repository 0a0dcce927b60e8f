#ifndef WEIR_FILTER_H
#define WEIR_FILTER_H

#include "common/frame/opt.h"
#include "common/io/input.h"
#include "common/io/output.h"
#include "common/json/json.h"
#include "common/json/rec.h"

/*
 * The frame of every filter: its options, its input, what happens to bad
 * input, its output and its exit status.
 *
 *	filter_begin(&f, &about, options, argc, argv);
 *	while ((rec = filter_next(&f)) != NULL)
 *		...
 *	return filter_end(&f);
 */
struct about {
	const char *operands;	/* of the usage line: "[file ...]" */
	const char *purpose;	/* one sentence for --help */
	const char *const *keys;	/* for records: declared keys, or NULL */
	bool reports;		/* has --text and --json */
	bool is_command;	/* the operands are one, with its options */
};

struct filter {
	struct input input;
	struct output out;
	struct span place;	/* what filter_reject() rejects: a line, ... */
	uint64_t place_line;	/* ... and the line it begins at */
	bool text;		/* a report is wanted, not records */
	bool rejected;		/* something was: the status will say so */
	bool keeps_rejects;	/* --rejects */
	uint64_t max_record;	/* bytes: whatever is longer is rejected */
	bool in_file;		/* filter_next_file() has begun one */

	/* The rest is filter.c's own. */
	bool gave_up;		/* the rest of this file has been rejected */
	char **operands, **files;
	size_t n_operands;
	struct recio *recio;
	struct output rejects;
	struct kind *kinds;	/* of messages */
	size_t n_kinds, kinds_cap;
};

/*
 * Reads the options, which must be static, and opens the output.  Exits for
 * --help, --version and wrong usage.
 */
void filter_begin(struct filter *, const struct about *, const struct opt *,
    int argc, char **argv);

/*
 * Takes the first operand, which then is no file to read; NULL if there is
 * none.  Call it before reading.
 */
const char *filter_operand(struct filter *);

/*
 * Reads path before the files of the command line (call it before reading),
 * or path alone when all of them have been read.
 */
void filter_read_first(struct filter *, const char *path);
void filter_read_next(struct filter *, const char *path);

/*
 * The next line that is not blank and not too long; false at the end of all
 * files, or (filter_file_line) of this one.
 */
bool filter_line(struct filter *, struct line *);
bool filter_file_line(struct filter *, struct line *);

/* A line or value as a record; NULL if it was rejected. */
struct rec *filter_record(struct filter *, struct span);

/*
 * The next record: the next line that is one.  Others are rejected.  NULL at
 * the end.  It lives until the next call.
 */
struct rec *filter_next(struct filter *);

/*
 * Begins the next file without reading it, for text that is no lines;
 * filter_line() and filter_next() do so by themselves.  False after the last.
 */
bool filter_next_file(struct filter *);

/*
 * For a file that is one JSON document: the next value of it (scan.h), whole;
 * false where no value begins, or the rest of the file had to be rejected.
 * filter_reject_rest() gives up a file, for the reason it is told, unless
 * filter_value() has done so; before is what was consumed of it already.
 */
bool filter_value(struct filter *, struct span *value);

/* The same as a record; NULL if it was rejected. */
bool filter_object(struct filter *, struct rec **);
void filter_reject_rest(struct filter *, struct span before, const char *why);

/*
 * What stands at place is bad input: says why, with file and line; keeps it
 * for --rejects; ends the program under --strict.  After ten messages of one
 * kind, that is of one format, the rest are counted.
 */
void filter_reject(struct filter *, const char *fmt, ...) PRINTF_LIKE(2, 3)
    COLD;

/* As filter_reject() for what has no place in the input: a cycle. */
void filter_fail(struct filter *, const char *fmt, ...) PRINTF_LIKE(2, 3) COLD;

/*
 * The buffer to write one record to.  filter_emit() when it is whole; it is
 * on its way to the output then.
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
 * A record of a type in that buffer, or a `stat` record of a name; the caller
 * adds its members between begin and end.
 */
struct buf *filter_begin_record(struct filter *, const char *type);
struct buf *filter_begin_stat(struct filter *, const char *name);
void filter_end_record(struct filter *);

/* Closes all that was opened and returns the exit status. */
int filter_end(struct filter *);

#endif
