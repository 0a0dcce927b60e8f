#pragma once

#include "common/filter/filter.h"
#include "filters/callgraph-fold/stacks.h"

/*
 * Each writes the stacks in one format, with the values of a measure that is
 * exclusive (without callees): CALLS, SELF_NS or SAMPLES.
 */
void put_folded(struct filter *, const struct stacks *, unsigned measure);
void put_speedscope(struct filter *, const struct stacks *, unsigned measure);
void put_callgrind(struct filter *, const struct stacks *, unsigned measure);
