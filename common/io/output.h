#ifndef WEIR_OUTPUT_H
#define WEIR_OUTPUT_H

#include <stdbool.h>

#include "common/base/buf.h"

/*
 * A filter's output.  Append whole records to buf and call output_done() after
 * each: it writes the buffer when it is large enough, or at once if flush_each
 * is set.  A write that fails ends the program with EXIT_FATAL.
 *
 * With a path, a temporary file beside it is written, and output_close()
 * renames it: the file is complete or absent, whatever happens.  An existing
 * path that is not a regular file (a device, a pipe) is written directly.
 */
struct output {
	struct buf buf;
	bool flush_each;
	int fd;
	const char *name;
	char *target, *temporary;	/* NULL when written directly */
};

void output_open(struct output *, const char *path);	/* NULL is stdout */
void output_flush(struct output *);
void output_close(struct output *);

enum { OUTPUT_SIZE = 256 * 1024 };

static inline void
output_done(struct output *o)
{
	if (o->buf.len >= OUTPUT_SIZE || o->flush_each)
		output_flush(o);
}

#endif
