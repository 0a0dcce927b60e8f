#ifndef EXECLOG_FORMATS_H
#define EXECLOG_FORMATS_H

#include <stdbool.h>

#include "common/frame/format.h"

/*
 * The formats of execution logs.  A new format is a source file of its own,
 * its functions declared here, and a line in the table in formats.c.
 */
extern const struct input_format formats[];

struct format_options {
	bool all_outputs;	/* ninja: the last record of every output */
};

/*
 * Each reader emits `task` records and, after them, a `build` record; see
 * weir-records(5).
 */
void distbuild_read(struct filter *, const struct format_options *);

bool local_detect(struct input *);
void local_read(struct filter *, const struct format_options *);
extern const char *const local_keys[];

bool ninja_detect(struct input *);
void ninja_read(struct filter *, const struct format_options *);

#endif
