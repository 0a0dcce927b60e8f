#pragma once

#include "filters/perf-diff/results.h"

/*
 * What reports and pictures say of keys, changes and commits.  The texts live
 * as long as the results.
 */

/* Formats a text. */
const char *say(const struct results *, const char *fmt, ...)
    PRINTF_LIKE(2, 3);

/* The uid and, in parentheses, the other parts in which keys differ. */
const char *say_key(const struct results *, uint32_t key);

/* A value with its unit, "12.35 ms"; 12345 us is "12.35 ms", too. */
const char *say_value(const struct results *, uint32_t key, double value);

/*
 * "+5.0 %", or "from 0" if there is no ratio; of a key on one side only its
 * share of that side.
 */
const char *say_effect(const struct results *, const struct change *);

/* "slower" or "quicker" for times, "worse" or "better" for anything else. */
const char *say_comparative(const struct results *, const struct change *);

/* The first digits of a commit's id, or another id. */
const char *say_id(const struct results *, struct span id);

/* The id of a commit, its date, and its subject and author; "" if unknown. */
const char *say_commit(const struct results *, size_t position);
const char *say_date(const struct results *, size_t position);
const char *say_subject(const struct results *, size_t position);

/*
 * The sentence that answers the question, and what else must be known before it
 * is believed; without the full stop, "" where it does not apply.
 */
const char *say_sentence(const struct results *, enum sentence);
