#pragma once

#include <stddef.h>

#include "common/stats/series.h"

/*
 * Where the level of a series changes: splits that divide it into segments.
 *
 * Candidates come from rank scans of windows of all lengths.  Each moves to
 * where the absolute deviations from the medians of both sides are least.  Then
 * the weakest are removed until ranks and medians on both sides of each differ
 * by more than chance and dependence explain.  Then the segments are searched
 * again.  weir-statistics(7) has the definition.
 */

/* This many points are on each side of a split. */
enum { SPLIT_SIDE = 4 };

/* The greatest p of a split, times the number of points. */
#define SPLIT_P_MAX 0.01

struct split {
	size_t at;		/* how many points are before it */
	size_t first, last;	/* the plausible places */
	struct contrast c;	/* of the segments on both sides */
	bool jumps, at_edge;
	double p;		/* of such a difference by chance, times the
				   number of points of the series; at most 1 */
	double size;		/* D: of the difference, in standard errors; may
				   be infinite */

	/* Private: the places for which costs and contrast are known. */
	struct place placed, compared;
};

/* Start with { 0 }; later calls reuse the memory. */
struct splits {
	struct series series;
	struct split *list;	/* by place */
	size_t n;
	double phi;		/* autocorrelation of the residuals, which are
				   those of the segments now */
	double factor;		/* f: of standard errors, for that */
};

/*
 * Finds the splits of n > 0 points, each at least 0 and at most 1e300.  The
 * list lives in the arena; series_release() frees the rest.
 */
void splits_find(struct splits *, const double *points, size_t n,
    struct arena *);
