#ifndef WEIR_CHANGES_H
#define WEIR_CHANGES_H

#include <stdbool.h>
#include <stddef.h>

/*
 * All changes of level in a series of values, the oldest first.
 *
 * A stretch of the series is scanned (rankscan.h) in windows of its length,
 * half of it, a quarter ..., so that a change which was later reverted is
 * found at both ends.  The stretch is split at the change in the shortest
 * window, and both parts are searched in the same way.
 *
 * Neighbouring values of a series are often alike (autocorrelation), which a
 * scan mistakes for changes.  If the residuals show it, the search is done
 * again with thresholds that are greater by a factor.
 */
struct change_point {
	size_t at;	/* the index of the first value after the change */
	double p;	/* of the window, times the number of windows */
	size_t window;	/* the length of the window in which it was found */
};

/* Start with { 0 }; later calls reuse the memory. */
struct changes {
	struct change_point *list;	/* by position */
	size_t n, cap;
	double phi;		/* autocorrelation of the residuals */
	double factor;		/* of the thresholds */
	double p;		/* the least p of all windows of the series */
	struct changes_room *room;	/* private */
};

void changes_release(struct changes *);

/*
 * Finds the changes of at least min_effect, a ratio of the medians minus 1.
 * The values must be finite and not negative.
 */
void changes_find(struct changes *, const double *values, size_t n,
    double min_effect);

/* Is the difference of two medians at least this ratio of the first? */
static inline bool
changes_is_effect(double before, double after, double min_effect)
{
	double difference = after > before ? after - before : before - after;

	return difference > 0 && difference >= min_effect * before;
}

#endif
