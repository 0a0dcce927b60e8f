#pragma once

/*
 * Completes a build that builds_next() has returned.  Several task records with
 * the same id are attempts at the task, or parts of what is known about an
 * attempt: execlog-parse writes an event that comes late as a record of its
 * own.
 *
 * - On each host the starts and ends of an id are paired in the order of time:
 *   an end gets the earliest start since the previous end.  If there is none,
 *   it gets the earliest deployment (the event before the start) since the
 *   previous end or, if there is none either, a start that an earlier end did
 *   not get.  Equal events of records with a uid are one event.
 * - If an attempt that ran has ended, records from the cache do not count.
 *   Otherwise the earliest of them counts.
 * - Records that do not count, or that pairing leaves without times, get
 *   TASK_SUPERSEDED.  If all records of an id were only deployed
 *   (TASK_QUEUED), the first counts.
 * - The attempts are numbered in the order of their ends.
 * - If two of start, end and elapsed time are known, the third is computed.  An
 *   elapsed time below 0 (clock skew) becomes 0 and is counted in n_skewed.
 * - If no `build` record gives a valid start and end of the build, the build
 *   begins with the earliest time of its tasks and ends with the latest.
 *
 * weir-records(5), "Attempts", has the complete rules.  The result does not
 * depend on the order of the records.
 *
 * If the sum of all elapsed times exceeds a quarter of INT64_MAX, the program
 * ends with a message, so that callers can add a few such sums without overflow
 * checks.
 */
struct build;

void build_resolve_attempts(struct build *);
