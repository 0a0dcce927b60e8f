#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/mem.h"
#include "common/stats/values.h"

/*
 * A series of points, the oldest first, and what is measured of its stretches.
 * A place is the number of points before it.  Start with { 0 }; later calls
 * reuse the memory.
 */
struct series {
	const double *x;
	size_t n;
	double greatest;	/* point */
	double tick;		/* the smallest difference of two unequal
				   points; 0 if all are equal */
	double jump;		/* no difference of neighbours that is greater
				   is usual */

	uint32_t *ranks;	/* of a point: its place in the order of the
				   values, equal ones by age */
	uint32_t *points;	/* by rank */
	double *costs;		/* of the last series_find_costs() */
	double *residuals;	/* of the points from their levels */

	/* Private: room for each point. */
	double *sorted, *room;
	uint64_t *keys, *bits, *used;
	uint32_t *places;
	struct link {
		uint32_t previous, next;
	} *links;
	struct arena arena;
};

/* A stretch that is divided at a place. */
struct place {
	size_t from, at, to;
};

/* The points after a place against those before it. */
struct contrast {
	double before, after;	/* medians */
	double p_ranks;
	double z;		/* of the ranks, in standard deviations */
	double sigma;		/* of the noise around the medians */
};

/* Begins a series of n > 0 points, each at least 0 and at most 1e300. */
void series_begin(struct series *, const double *points, size_t n);
void series_release(struct series *);

/* The ranks of n points from one on, in order; valid until the next call. */
const uint64_t *series_order(struct series *, size_t from, size_t n);

/* The median of the points [from, to). */
double series_median(struct series *, size_t from, size_t to);

struct contrast series_compare(struct series *, struct place);

/* The standard deviation of the noise around a segment's median. */
double series_sigma(struct series *, size_t from, size_t to);

/* D: a difference of medians in standard errors. */
double series_size(double difference, double error, struct place);

/*
 * Is the difference of the levels right before and after a place one that no
 * dependence explains?  `nearer`: of two middle values after it the nearer one
 * is the level.
 */
bool series_jumps(struct series *, struct place, bool nearer);

/* Of two middle values of n points the one nearer to a level. */
double series_nearer_median(struct series *, size_t from, size_t n,
    double level);

/*
 * Sets costs[k] for the places k of a stretch, from 0 on: the sum of the
 * distances of the points on both sides from the medians of their sides.
 */
void series_find_costs(struct series *, size_t from, size_t to);

/* Sets the residuals of the points [from, to) from their level. */
void series_set_level(struct series *, size_t from, size_t to, double level);

/*
 * By how much neighbours that are alike make errors greater than those of
 * independent points: f, from all residuals around the levels of `segments`.
 * Sets *phi to their autocorrelation.
 */
double series_find_factor(struct series *, size_t segments, double *phi);

/* Figures that are this near count as equal where the definition says so. */
#define NOT_WORSE (1 + 1e-9)
