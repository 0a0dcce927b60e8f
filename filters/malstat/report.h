#pragma once

#include "filters/malstat/emit.h"

/* Write the answer and the summary of emit.h as text. */
void costs_report(const struct costs *, struct filter *, uint64_t top);
void summary_report(const struct trace *, struct filter *);
