#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buf.h"

enum { INPUT_PADDING = 64 };

/*
 * The bytes of files or of standard input, file by file.  A file that starts
 * with the magic of gzip or zstd is decompressed; one that is compressed in
 * another way ends the program with a message that says how to read it.  A byte
 * order mark at the start of a file is skipped.
 *
 * The bytes that have been read but not consumed are [at, end), and do not move
 * until the next input_more().  Code that processes blocks may access
 * INPUT_PADDING bytes past end, whose values are undefined.  A file that cannot
 * be opened or read ends the program, unless `survives` is set and the machine
 * has not failed.
 */
struct input {
	const char *at, *end;	/* the caller advances at */
	const char *name;	/* of the current file, "<stdin>" for stdin */
	uint64_t line;		/* consumed lines of this file; callers that do
				   not use input_line() advance it */
	uint64_t bytes_read;	/* from all files, before decompression */
	uint64_t bytes_total;	/* the sum of the sizes of all files, set when
				   the first is opened; 0 if any is unknown */
	const char *damage;	/* why this file ends too early, or NULL */
	const char *misnamed;	/* why its name is not true, or NULL: it was
				   read as it is, but perhaps is not whole */
	bool survives;		/* a file that cannot be opened or read ends
				   there, and is marked as unreadable */
	bool unreadable;	/* damage is what cannot be done, and why */

	void (*on_read)(const struct input *);	/* after each read, or NULL */
	int opened;		/* the next file is already open as this
				   descriptor, which input_next_file() takes
				   over; -1: open it by its path */

	/* Private to input.c. */
	char *const *files;
	size_t n_files, next_file;
	int fd;
	bool eof;
	struct buf failure;	/* the text of damage if unreadable */
	char *data;
	size_t cap;
	struct packed *packed;	/* NULL before a compressed file */
};

/* files is borrowed; no file, or "-", means standard input. */
void input_init(struct input *, char *const *files, size_t n);
void input_release(struct input *);

/* Whether the next file is standard input, and that is a terminal. */
bool input_next_is_terminal(const struct input *);

/* Opens the next file; false after the last. */
bool input_next_file(struct input *);

/*
 * Appends more of this file at end, and may move [at, end).  False at the end
 * of the file; damage is then set if it ends too early.
 */
bool input_more(struct input *);

/*
 * When this file was last written, in microseconds since 1970 in UTC;
 * INT_UNKNOWN if it is not a regular file.
 */
int64_t input_modified_us(const struct input *);

/*
 * A line, valid until the next is read.  full_len counts the newline and a CR
 * before it; len does not.
 */
struct line {
	const char *p;
	size_t len, full_len;
	bool too_long;		/* p is only the beginning of the line:
				   call input_rest() */
};

/*
 * The next line of this file, truncated to limit bytes; false at the end of the
 * file.  Blank lines are counted and skipped.
 */
bool input_line(struct input *, size_t limit, struct line *);

/*
 * The rest of a line that is too long, in pieces: the next one with each call.
 * False after the last.
 */
bool input_rest(struct input *, struct line *piece);
