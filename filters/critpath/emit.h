#pragma once

#include "filters/critpath/answer.h"

/* Begins a record of a run: its type and, if it has a name, `run`. */
struct buf *emit_begin(const struct build *, struct filter *, const char *type);

/*
 * Emit the steps of the paths as records, and their summaries.  If `all` is
 * true, every task of the network with its slack and drag precedes the steps.
 */
void answer_emit_steps(const struct answer *, struct filter *, bool all);
void answer_emit_summaries(const struct answer *, struct filter *);
