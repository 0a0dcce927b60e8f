#pragma once

#include "common/filter/filter.h"
#include "filters/callgraph-stat/answer.h"

/*
 * Write as text what the functions of emit.h write as records.  The headings of
 * a profile and of changes have the program's totals, as emit_program() does.
 */
void report_profile(const struct answer *, struct filter *);
void report_changes(const struct answer *, struct filter *);
void report_calls(const struct answer *, struct filter *, uint32_t function);

/* Says that the times are rough, if they are. */
void report_roughness(const struct answer *, struct buf *);
void report_callers(const struct answer *, struct filter *, uint32_t function);
