#ifndef WEIR_ATTEMPTS_H
#define WEIR_ATTEMPTS_H

/*
 * Completes what build_read() has read.  Several task records with the same id
 * are attempts at the task, or parts of what is known about an attempt:
 * execlog-parse writes an event that comes late as a record of its own.
 *
 * - On each host the starts and ends of an id are paired in the order of time:
 *   an end gets the earliest start since the previous end or, if there is none,
 *   the earliest `deployed` since then.
 * - If an attempt that ran has ended, records from the cache do not count.
 * - Records that do not count, or that pairing leaves without times, get
 *   TASK_SUPERSEDED.
 * - The attempts are numbered in the order of their ends.
 * - Of start, end and elapsed time the third follows from the other two; an
 *   elapsed time below 0 (clock skew) becomes 0 and is counted.
 * - A build without a valid extent of its own gets that of its tasks.
 *
 * weir-records(5), "Attempts", has the complete rules.  The result does not
 * depend on the order of the records.
 *
 * If the sum of all elapsed times exceeds a quarter of INT64_MAX, the program
 * ends with a message, so that callers can add times without overflow checks.
 */
struct build;

void build_resolve_attempts(struct build *);

#endif
