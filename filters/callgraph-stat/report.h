#ifndef CALLGRAPH_STAT_REPORT_H
#define CALLGRAPH_STAT_REPORT_H

#include "common/frame/filter.h"
#include "filters/callgraph-stat/answer.h"

/* The answers of emit.h as text; the headings have the program's totals. */
void report_profile(const struct answer *, struct filter *);
void report_changes(const struct answer *, struct filter *);
void report_calls(const struct answer *, struct filter *, uint32_t function);

#endif
