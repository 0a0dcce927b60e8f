#ifndef CALLGRAPH_FOLD_FORMATS_H
#define CALLGRAPH_FOLD_FORMATS_H

#include "common/frame/filter.h"
#include "filters/callgraph-fold/stacks.h"

/* Each writes the stacks with the exclusive values of a measure. */
void put_folded(struct filter *, const struct stacks *, unsigned measure);
void put_speedscope(struct filter *, const struct stacks *, unsigned measure);
void put_callgrind(struct filter *, const struct stacks *, unsigned measure);

#endif
