#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "common/base/mem.h"

/*
 * Where the level of a series of points changes, the oldest first: splits that
 * divide the series into segments.
 *
 * Candidates come from rank scans of windows of all lengths.  Each moves to
 * where the absolute deviations from the medians of both sides are least.  Then
 * the weakest are removed until every split has different ranks on both sides
 * and, if neighbouring points are alike, medians that differ by several
 * standard errors.
 */

/* This many points are on each side of a split, unless it is given. */
enum { SPLIT_SIDE = 4 };

/* The least size of a split or of what is suspected, if points depend. */
#define SPLIT_SIZE_MIN 5.0

/* The greatest p of a split, times the number of points. */
#define SPLIT_P_MAX 0.01

struct split {
	size_t at;		/* how many points are before it */
	bool is_given;		/* neither moved nor removed */
	double before, after;	/* medians of the segments on both sides */
	double p;		/* of such a difference by chance, times the
				   number of points of the series; at most 1 */
	double sigma;		/* the standard deviation of the noise */
	double size;		/* of the difference, in standard errors; may
				   be infinite */
	size_t first, last;	/* the plausible places */
};

/* Start with { 0 }; later calls reuse the memory. */
struct splits {
	struct split *list;	/* by place */
	size_t n;
	double level;		/* the median of the last segment */
	double phi;		/* autocorrelation of the residuals */
	double factor;		/* of standard errors, for that; 1 or more */
	double quantum;		/* the least sigma: the smallest difference of
				   two values; 0 if the factor is 1 */
	struct arena room;	/* private, and that of the list */
};

void splits_release(struct splits *);

/*
 * Finds the splits of n points, each at least 0 and at most 1e300.  n_given
 * places, ascending and within 1 .. n - 1, are splits in any case.
 */
void splits_find(struct splits *, const double *points, size_t n,
    const size_t *given, size_t n_given);

/*
 * The least p that ranks can have with b of n points after a split: 2 divided
 * by the number of ways to choose them.
 */
double splits_least_p(size_t n, size_t b);

/*
 * The standard deviation of normal noise, from n deviations of one or two
 * segments without the greatest tenth.  Sorts the deviations.
 */
double splits_sigma(double *deviations, size_t n, size_t segments);

/* A difference of two medians in standard errors, as in struct split. */
double splits_size(double difference, double sigma, size_t before,
    size_t after);
