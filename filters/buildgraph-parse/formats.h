#ifndef BUILDGRAPH_FORMATS_H
#define BUILDGRAPH_FORMATS_H

#include "common/frame/format.h"

/*
 * The formats of build graphs.  A new format is a source file of its own, its
 * functions declared here, and a line in the table in formats.c.
 */
extern const struct input_format formats[];

struct format_options {
	const char *deps_file;	/* ninja: what `ninja -t deps` printed; NULL */
};

/* Each reader emits `node` records; see weir-records(5). */
bool ya_detect(struct input *);
void ya_read(struct filter *, const struct format_options *);
extern const char *const ya_keys[];

void ninja_read(struct filter *, const struct format_options *);

#endif
