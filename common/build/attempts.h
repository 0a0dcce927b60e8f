#ifndef WEIR_ATTEMPTS_H
#define WEIR_ATTEMPTS_H

/*
 * What build_read() leaves open.  Several task records of one id are attempts
 * at the task, or parts of what is known about an attempt: execlog-parse writes
 * an event that comes late as a record of its own.
 *
 * - On each host the starts and ends of an id are paired in the order of time:
 *   an end gets the earliest start since the end before it or, if there is
 *   none, the `deployed`.
 * - If a task was both run and taken from the cache, the run counts.
 * - Records that pairing leaves empty get TASK_SUPERSEDED.
 * - Attempts beyond the first are numbered, in the order of their ends.
 * - Of start, end and elapsed time the third follows from the other two; an
 *   elapsed time below 0 (clock skew) becomes 0 and is counted.
 * - A build without a valid extent of its own gets that of its tasks.
 *
 * The result does not depend on the order of the records.  The sum of all
 * elapsed times fits an int64_t, with room to spare; if it would not, the
 * program ends.
 */
struct build;

void build_resolve_attempts(struct build *);

#endif
