#ifndef MALSTAT_CORES_H
#define MALSTAT_CORES_H

#include "filters/malstat/scope.h"

/* How the cores are used in a session, or in one dataflow block of it. */
struct cores {
	uint32_t session;
	uint32_t block;		/* an instance; INDEX_NONE: the whole session */
	int64_t start_us, end_us;
	int64_t busy_us;	/* work of all threads */
	int64_t idle_us, serial_us;	/* while no thread, or one, worked */
	int64_t *histogram_us;	/* [k]: how long exactly k threads worked */
	size_t n_levels;	/* its length; 0: no histogram, see cores.c */
	size_t n_threads;	/* that have a work instance wholly inside */
};

/*
 * Both functions take an array of one session and its n - 1 blocks, whose
 * session, block, start_us and end_us the caller has set, and a scope of
 * exactly this session.  cores_measure() sets the other times and the
 * histogram, which the caller frees; cores_count_threads() sets n_threads.  For
 * m instances and blocks the time is O(m log m), however blocks overlap.
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
