#ifndef MALSTAT_CORES_H
#define MALSTAT_CORES_H

#include "filters/malstat/scope.h"

/* How the cores are used in a session, or in one dataflow block of it. */
struct cores {
	uint32_t session;
	uint32_t block;		/* an instance; INDEX_NONE: the whole session */
	int64_t start_us, end_us;
	int64_t busy_us;	/* work of all threads */
	int64_t idle_us, serial_us;	/* with no thread, one thread working */
	int64_t *histogram_us;	/* [k]: how long exactly k threads worked */
	size_t n_levels;	/* of it; 0: none, see cores.c */
	size_t n_threads;	/* with a work instance wholly inside */
};

/*
 * Both take one session and its blocks, whose session, block, start_us and
 * end_us are set; scope is all that the session has.  cores_measure() sets the
 * times, cores_count_threads() n_threads.  O(n log n), however blocks overlap.
 */
void cores_measure(struct cores *, size_t n, const struct scope *);
void cores_count_threads(struct cores *, size_t n, const struct trace *,
    const struct scope *);

static inline int64_t
cores_wall_us(const struct cores *c)
{
	return c->end_us - c->start_us;
}

#endif
