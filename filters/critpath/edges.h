#pragma once

#include "filters/critpath/answer.h"

/*
 * For each dependency along the first path, what the build would save without
 * it.  The answer must have a path.
 */
void edges_emit(const struct answer *, struct filter *);

/* Only the dependencies that save something, the largest saving first. */
void edges_report(const struct answer *, struct buf *);
