#pragma once

#include "filters/malstat/emit.h"

/* Writes queries as text: a table has at most `top` of them. */
void queries_report(const struct queries *, const struct costs *,
    struct filter *, uint64_t top);
