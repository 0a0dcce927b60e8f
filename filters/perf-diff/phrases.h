#ifndef PERF_DIFF_PHRASES_H
#define PERF_DIFF_PHRASES_H

#include "filters/perf-diff/results.h"

/* How reports and pictures name keys, numbers and commits. */

/* "slower" or "quicker" for times, "worse" or "better" for anything else. */
const char *phrases_comparative(const struct results *, const struct change *);

/* The uid and, in parentheses, the other parts in which keys differ. */
void phrases_key(struct buf *, const struct results *, uint32_t key);

/* A value with its unit, "12.35 ms"; 12345 us is "12.35 ms", too. */
void phrases_value(struct buf *, const struct results *, uint32_t key,
    double value);

/* "+5.0 %", or "from 0" if there is no ratio. */
void phrases_effect(struct buf *, const struct change *);

/* The first digits of a commit's id, or another id; a date, if it is known. */
void phrases_id(struct buf *, struct span id);
void phrases_date(struct buf *, const struct results *, size_t position);

/* The subject and the author of a commit, as far as they are known. */
void phrases_subject(struct buf *, const struct results *, size_t position);

/*
 * The change with this verdict that cost most, in the unit of the total; NULL
 * if there is none.
 */
const struct change *phrases_headline(const struct results *, enum verdict);

/* The sentence that answers the question, without its full stop. */
void phrases_sentence(const struct results *, struct buf *);

/*
 * What else must be known before an answer is believed, each a sentence without
 * its full stop; nothing where it does not apply.
 */
enum note { NOTE_NEAREST, NOTE_GONE, NOTE_UNITS, NOTE_MACHINES,
    NOTE_UNJUDGED, NOTE_DEPENDENT, NOTE_ORDER, NOTE_MORE, N_NOTES };
void phrases_note(const struct results *, struct buf *, enum note);

#endif
