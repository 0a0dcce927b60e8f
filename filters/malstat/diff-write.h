#pragma once

#include "filters/malstat/diff.h"

struct filter;

/* Writes records (weir-records(5)), or text with at most `top` instructions. */
void diff_emit(const struct diff *, struct filter *);
void diff_report(const struct diff *, struct filter *, uint64_t top);
