#ifndef WEIR_OUTPUT_H
#define WEIR_OUTPUT_H

#include <stdbool.h>

#include "common/base/buf.h"

/*
 * Where a filter writes.  Append whole records to buf and call output_done()
 * after each: it writes when enough is there, or at once if flush_each.  A
 * write that fails is fatal.
 *
 * With a path, a temporary beside it takes the bytes and is renamed by
 * output_close(): the file is whole or absent, whatever happens.  What exists
 * and is no regular file (a device, a pipe) is written directly.
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

enum { OUTPUT_ENOUGH = 256 * 1024 };

static inline void
output_done(struct output *o)
{
	if (o->buf.len >= OUTPUT_ENOUGH || o->flush_each)
		output_flush(o);
}

#endif
