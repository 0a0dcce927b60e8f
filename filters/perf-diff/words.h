#ifndef PERF_DIFF_WORDS_H
#define PERF_DIFF_WORDS_H

#include "filters/perf-diff/answer.h"

/* How reports and pictures name keys, numbers and commits. */

/* "slower" or "quicker" for times, "worse" or "better" for anything else. */
const char *words_comparative(const struct answer *, const struct change *);

/* The uid and, in parentheses, the other parts in which keys differ. */
void words_key(struct buf *, const struct answer *, uint32_t key);

/* A value with its unit, "12.35 ms"; 12345 us is "12.35 ms", too. */
void words_value(struct buf *, const struct answer *, uint32_t key,
    double value);

/* "+5.0 %", or "from 0" if there is no ratio. */
void words_effect(struct buf *, const struct change *);

/* The first digits of a commit's id; the date of a position, if known. */
void words_id(struct buf *, struct span id);
void words_date(struct buf *, const struct answer *, size_t position);

/* The sentence that answers the question, without its full stop. */
void words_sentence(const struct answer *, struct buf *);

/* The series of a key. */
const struct series *words_series(const struct answer *, uint32_t key);

#endif
