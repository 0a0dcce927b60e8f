#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "common/stats/splits.h"

/*
 * The changes in a series of points, the oldest first: steps of at least an
 * effect, small steps that add up to it, and growth within a segment.
 */
enum change_kind { CHANGE_STEP, CHANGE_GROWTH, CHANGE_GRADUAL, CHANGE_NEWEST };

struct change_point {
	enum change_kind kind;
	size_t at;		/* the index of the first point after it */
	size_t first, last;	/* plausible values of `at` */
	bool is_accepted;
	double before, after;	/* levels */
	double p;		/* times the number of points, at most 1 */
	double size;		/* of a step (splits.h), else NAN */
	size_t n_before, n_after;	/* points of a step's segments, or 0 */
	size_t n_steps;		/* of a gradual change, */
	const struct change_point *steps;	/* and they */
};

/* What is between two splits. */
struct segment {
	size_t at, n;		/* its points */
	double level, sigma;	/* their median, and the noise around it */
};

/* Start with { 0 }; later calls reuse the memory. */
struct changes {
	struct change_point *list;	/* by place */
	size_t n;
	struct splits splits;		/* on which they are based */
	struct segment *segments;	/* if values are exact, between changes
					   and without noise */
	size_t n_segments;

	/* The newest points look different, but too few to be proven, so that
	   it has no p; n_after is 0 if there are none.  One alone is no more
	   than a note. */
	struct change_point newest;

	/* The smallest effect that would have been seen with a probability of
	   80 % if it had lasted ten points, a ratio of the last level; NAN if
	   there is none. */
	double visible;

	struct arena room;		/* private, and that of the lists */
};

void changes_release(struct changes *);

/*
 * Finds the changes of n > 0 points (splits.h) that reach min_effect, a ratio.
 * accepted are the indexes of the first points at or after accepted changes,
 * ascending and within 1 .. n - 1.
 */
void changes_find(struct changes *, const double *points, size_t n,
    const size_t *accepted, size_t n_accepted, double min_effect);

/*
 * The same if the values are exact: each difference from the level after the
 * last change counts if it is also greater than what usually comes and goes.
 * If no step reaches the effect by itself, those since that level are one
 * gradual change, to which all that follow in the same direction belong.
 */
void changes_find_exact(struct changes *, const double *points, size_t n,
    const size_t *accepted, size_t n_accepted, double min_effect);

/* Is the difference of two levels at least this ratio of the first? */
static inline bool
changes_is_effect(double before, double after, double min_effect)
{
	double difference = after > before ? after - before : before - after;

	return difference > 0 &&
	    difference >= min_effect * before * (1 - 1e-9);
}
