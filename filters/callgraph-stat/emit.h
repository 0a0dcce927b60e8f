#pragma once

#include "common/filter/filter.h"
#include "filters/callgraph-stat/answer.h"

/* All of these functions write `stat` records. */

/* One for each entry of the profile's level. */
void emit_profile(const struct answer *, struct filter *);

/* One for each entry that differs between the two runs. */
void emit_changes(const struct answer *, struct filter *);

/* One for a function, and one for each call site where it is called or calls
   another. */
void emit_calls(const struct answer *, struct filter *, uint32_t function);

/* Only its callers. */
void emit_callers(const struct answer *, struct filter *, uint32_t function);

/* The whole program; before: with its values in the earlier run as well. */
void emit_program(const struct answer *, struct filter *, bool before);
