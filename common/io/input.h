#ifndef WEIR_INPUT_H
#define WEIR_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { INPUT_PADDING = 64 };

/*
 * The bytes of files or of standard input, file by file.  A file that starts
 * with gzip's magic is decompressed; one that is compressed in another way ends
 * the program with a message that says how to read it.  A byte order mark at
 * the start of a file is skipped.
 *
 * The bytes that have been read but not consumed are [at, end), and do not move
 * until the next input_more().  Code that processes blocks may access
 * INPUT_PADDING bytes past end, whose values are undefined.  A file that cannot
 * be opened or read ends the program.
 */
struct input {
	const char *at, *end;	/* the caller advances at */
	const char *name;	/* of the current file, "<stdin>" for stdin */
	uint64_t line;		/* consumed lines of this file; callers that do
				   not use input_line() count them */
	uint64_t bytes_read;	/* from all files, before decompression */
	uint64_t bytes_total;	/* the sum of the sizes of all files, set when
				   the first is opened; 0 if any is unknown */
	const char *damage;	/* why this file ends too early, or NULL */

	void (*on_read)(const struct input *);	/* after each read, or NULL */

	/* Private to input.c. */
	char *const *files;
	size_t n_files, next_file;
	int fd;
	bool eof;
	char *data;
	size_t cap;
	struct inflater *inflater;
};

/* files is borrowed; no file, or "-", means standard input. */
void input_init(struct input *, char *const *files, size_t n);
void input_release(struct input *);

/* Opens the next file; false after the last. */
bool input_next_file(struct input *);

/*
 * Appends more of this file at end, and may move [at, end).  False at the end
 * of the file; damage is then set if it ends too early.
 */
bool input_more(struct input *);

/*
 * A line, valid until the next is read.  full_len counts the newline and a CR
 * before it; len does not.
 */
struct line {
	const char *p;
	size_t len, full_len;
	bool too_long;		/* p is its beginning: call input_rest() */
};

/*
 * The next line of this file, truncated to limit bytes; false at the end of the
 * file.  Blank lines are counted and skipped.
 */
bool input_line(struct input *, size_t limit, struct line *);

/*
 * After a line that is too long: the rest of it, in pieces.  False after the
 * last.
 */
bool input_rest(struct input *, struct line *piece);

#endif
