#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "common/stats/splits.h"

/*
 * What the splits of a series amount to: its levels, its changes, and whether
 * it is worse today than it was.  weir-statistics(7) has the definition.
 */

/* What decides; common to all series. */
struct yardstick {
	double effect;			/* smaller changes do not count: a
					   ratio */
	bool more;			/* more is better */
	bool exact;			/* there is no noise */
};

/* A level, and the step to it from the one before. */
struct level {
	double value;
	size_t from, to;	/* its segment */
	size_t at;		/* its first point */
	size_t first, last;	/* plausible values of it */
	double p;		/* of the step; NAN if it is only suspected */
	double size;		/* D; NAN if it grows */
	bool grows;		/* it is the second level of a segment */
	double sigma;		/* the noise in its segment */
};

/* The newest points look different, but too few to be proven. */
struct newest {
	size_t n;		/* 0: they do not; one is but a note */
	double before, after;
	double size;		/* D */
};

enum state { STATE_SAME, STATE_DEGRADED, STATE_IMPROVED, STATE_SUSPECTED };

/* The state today.  The rest is set if it is not the same. */
struct today {
	enum state state;
	double before, after;
	struct level *steps;	/* those for the worse, or for the better */
	size_t n_steps;
	double p;		/* the least of theirs; NAN: none is proven */
	bool is_repairing;	/* degraded, but the newest points are not */
};

/* Start with { 0 }; later calls reuse the memory. */
struct levels {
	const double *points;
	size_t n_points;
	struct splits splits;	/* not if values are exact */
	struct level *list;	/* of the whole history */
	size_t n;
	size_t n_accepted;	/* of them, those whose step is accepted, and
				   the first */
	struct newest newest;
	struct today today;
	double visible;		/* V: the smallest effect that would have been
				   seen with 80 % had it lasted ten points, a
				   ratio of the last level; NAN: none */
	struct arena room;	/* private, and that of the lists */
};

/* Fewer points can never show a change, unless they are exact. */
enum { POINTS_MIN = 14 };

/* Finds the levels of n > 0 points, each at least 0 and at most 1e300. */
void levels_find(struct levels *, const double *points, size_t n,
    const struct yardstick *);

/*
 * Sets the state today.  accepted: how many points are before the newest commit
 * that is accepted, with all before it; 0: none is.
 */
void levels_judge(struct levels *, const struct yardstick *, size_t accepted);

/* Is the difference from u to v at least the effect, either way? */
bool levels_differ(const struct yardstick *, double u, double v);

/* Has a later level undone the step to the i-th level? */
bool levels_is_past(const struct levels *, const struct yardstick *, size_t i);

void levels_release(struct levels *);
