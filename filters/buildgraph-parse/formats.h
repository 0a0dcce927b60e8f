#ifndef BUILDGRAPH_FORMATS_H
#define BUILDGRAPH_FORMATS_H

struct filter;

/*
 * The two kinds of build graph.  Each reader takes the filter's whole input,
 * of which the first file has begun, and emits `node` records
 * (weir-records(5)).
 */
void ya_read(struct filter *);
extern const char *const ya_keys[];

/* deps_file, which may be NULL, holds what `ninja -t deps` prints. */
void ninja_read(struct filter *, const char *deps_file);

#endif
