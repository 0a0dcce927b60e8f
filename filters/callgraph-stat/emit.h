#ifndef CALLGRAPH_STAT_EMIT_H
#define CALLGRAPH_STAT_EMIT_H

#include "common/frame/filter.h"
#include "filters/callgraph-stat/answer.h"

/* All write `stat` records: one for each entry of the profile's level. */
void emit_profile(const struct answer *, struct filter *);

/* One for each entry that has changed since the run before. */
void emit_changes(const struct answer *, struct filter *);

/* A function, its callers and its callees. */
void emit_calls(const struct answer *, struct filter *, uint32_t function);

/* The whole program; before: also with its values in the run before. */
void emit_program(const struct answer *, struct filter *, bool before);

#endif
