#ifndef CALLGRAPH_STAT_EMIT_H
#define CALLGRAPH_STAT_EMIT_H

#include "common/frame/filter.h"
#include "filters/callgraph-stat/answer.h"

/* The entries of the profile's level as `stat` records. */
void emit_profile(const struct answer *, struct filter *);

/* What has changed since the run before. */
void emit_changes(const struct answer *, struct filter *);

/* A function, its callers and its callees. */
void emit_calls(const struct answer *, struct filter *, uint32_t function);

/* The program as a whole; before: with the values of the run before. */
void emit_program(const struct answer *, struct filter *, bool before);

#endif
