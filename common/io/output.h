#pragma once

#include <stdbool.h>

#include "common/base/buf.h"

/*
 * The output of a filter.  Append whole records to buf, and call output_done()
 * after each.  A write that fails, for example because the disk is full, ends
 * the program with EXIT_FATAL.
 *
 * If a path is given, the output goes to a temporary file in the same folder,
 * which output_close() renames to the path: whatever happens, the file at the
 * path is either complete or unchanged.  If the path is a symbolic link, this
 * holds for the file that it leads to.  If it is a device or a pipe, the output
 * is written to it directly.
 */
struct output {
	struct buf buf;
	bool flush_each;
	int fd;
	const char *name;		/* for messages */
	char *target, *temporary;	/* paths; NULL if the output is
					   written directly */
};

/* path is borrowed until output_close(); NULL means standard output. */
void output_open(struct output *, const char *path);

/* Whether both replace the same file: the output of one would be lost. */
bool output_is_same_file(const struct output *, const struct output *);

/*
 * Opens a temporary file without a name, in $TMPDIR or /tmp.  Read it from fd
 * after output_flush().
 */
void output_open_spool(struct output *);

/* Writes the buffer and empties it. */
void output_flush(struct output *);

/*
 * Renames the temporary file now, so that the output can be read while it is
 * being written.
 */
void output_publish(struct output *);

/* Flushes and closes the output, and frees the buffer. */
void output_close(struct output *);

/*
 * Like output_close(), but the file at the path stays as it was: the output is
 * not complete.  Standard output, a device or a pipe gets what there is.
 */
void output_abandon(struct output *);

enum { OUTPUT_SIZE = 256 * 1024 };

/*
 * One record is complete: flushes if the buffer is large enough, or if
 * flush_each is set.
 */
static inline void
output_done(struct output *o)
{
	if (o->buf.len >= OUTPUT_SIZE || o->flush_each)
		output_flush(o);
}
