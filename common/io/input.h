#ifndef WEIR_INPUT_H
#define WEIR_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { INPUT_PADDING = 64 };

/*
 * FILE... or standard input as one stream of bytes, gunzipped on the way:
 * what starts with gzip's magic is inflated, other compressions are fatal
 * with a hint.  A byte order mark at the start of a file is skipped.
 *
 * The bytes at hand are [at, end); they stay where they are until the next
 * input_more().  Whoever reads in blocks may read INPUT_PADDING bytes behind
 * them, which mean nothing.  A file that cannot be opened or read is fatal.
 */
struct input {
	const char *at, *end;	/* the caller moves at as it consumes */
	const char *name;	/* of the current file, "<stdin>" for stdin */
	uint64_t line;		/* the caller counts, from 1 a file */
	uint64_t bytes_read;	/* from the files, before inflating */
	uint64_t bytes_total;	/* sum of their sizes, from the first file on;
				   0 if one is unknown */
	const char *damage;	/* why this file's bytes end early, or NULL */

	void (*on_read)(const struct input *);	/* after each read, or NULL */

	/* The rest is input.c's own. */
	char *const *files;
	size_t n_files, next_file;
	int fd;
	bool eof;
	char *data;
	size_t cap;
	struct inflater *inflater;
};

/* files is borrowed; none means standard input, as does "-". */
void input_init(struct input *, char *const *files, size_t n);
void input_release(struct input *);

/* Begins the next file; false after the last. */
bool input_next_file(struct input *);

/*
 * Reads more of this file behind end, moving [at, end) if it must.  False if
 * there is no more; damage then says whether that was too early.
 */
bool input_more(struct input *);

/*
 * The next line of this file, without its newline.  full_len counts the
 * newline and the CR before it, which len does not.
 */
struct line {
	const char *p;
	size_t len, full_len;
	bool too_long;		/* only the beginning; input_rest() follows */
};

/* Lines of white space only are counted and skipped.  False at the end. */
bool input_line(struct input *, size_t limit, struct line *);

/* The rest of a line that was too long, in pieces; false after the last. */
bool input_rest(struct input *, struct line *piece);

#endif
