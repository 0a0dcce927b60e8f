#pragma once

#include "filters/malstat/cores.h"

/* Sets n_threads of the same array, in the same time. */
void cores_count_threads(struct cores *, size_t n, const struct trace *,
    const struct scope *);
