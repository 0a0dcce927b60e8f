#ifndef BUILDGRAPH_FORMATS_H
#define BUILDGRAPH_FORMATS_H

#include "common/filter/format.h"

/*
 * The formats of build graphs.  filters/execlog-parse/formats.h lists what a
 * new format needs; here it needs the same, with this filter's files, page and
 * tests.
 */
extern const struct input_format formats[];

struct format_options {
	const char *deps_file;	/* ninja: the output of `ninja -t deps`, or
				   NULL */
};

/*
 * Each reader emits `node` records; see weir-records(5).  A format that reads
 * JSON has an array of the keys that it uses.
 */
bool ya_detect(struct input *);
void ya_read(struct filter *, const struct format_options *);
extern const char *const ya_keys[];

bool dbt_detect(struct input *);
void dbt_read(struct filter *, const struct format_options *);
extern const char *const dbt_keys[];

void ninja_read(struct filter *, const struct format_options *);

#endif
