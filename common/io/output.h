#ifndef WEIR_OUTPUT_H
#define WEIR_OUTPUT_H

#include <stdbool.h>

#include "common/base/buf.h"

/*
 * The output of a filter.  Append whole records to buf and call output_done()
 * after each: it writes the buffer when it is large enough, or at once if
 * flush_each is set.  A write that fails ends the program with EXIT_FATAL.
 *
 * If a path is given, the output goes to a temporary file in the same folder,
 * which output_close() renames: whatever happens, the file is complete, or it
 * is as it was before.  If the path is a device or a pipe, the output is
 * written to it directly.
 */
struct output {
	struct buf buf;
	bool flush_each;
	int fd;
	const char *name;
	char *target, *temporary;	/* paths; NULL if written directly */
};

/* path is borrowed; NULL is standard output. */
void output_open(struct output *, const char *path);
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
