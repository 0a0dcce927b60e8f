#pragma once

#include "filters/timeline/picture.h"

/*
 * Divides the bars of a lane into those that are drawn by themselves and into
 * clusters: short bars close to each other, which are drawn as one.  So the
 * number of bars that are drawn depends on the width of the picture, and not on
 * the number of tasks.
 */
struct cluster {
	const struct bar *single;	/* if it is a bar by itself */
	uint64_t n;			/* else how many bars */
	int64_t start_us, end_us;
	int64_t busy_us;		/* the sum of the bars */
	int64_t color_us[N_COLORS];	/* the same by color */
	uint32_t lane;
};

/* A walk through the bars of a lane; next is 0 at first. */
struct clusters {
	const struct pictures *all;
	const struct picture *p;
	const struct lane *lane;
	int64_t unit_us;		/* shorter bars are merged */
	size_t next;
};

/*
 * Steps of the path and failed tasks are drawn on top of all others, and are
 * not merged; unless there are so many of them that the short ones must be.
 */
static inline bool
bar_is_marked(const struct pictures *all, const struct bar *bar,
    int64_t unit_us)
{
	return (bar->step > 0 || bar->has_failed) && (!all->merges_marked ||
	    bar->end_us - bar->start_us >= unit_us);
}

/* Adds a bar to a cluster, which is { 0 } at first. */
void cluster_add(struct cluster *, const struct pictures *, const struct bar *);

/* The next cluster or single bar from the left; false after the last. */
bool clusters_next(struct clusters *, struct cluster *);

/*
 * The number of bars that are drawn for all pictures.  Sets *n_merged to the
 * number of tasks that are in clusters.
 */
size_t clusters_count(const struct pictures *, int64_t unit_us,
    uint64_t *n_merged);

/* The color with the most time. */
unsigned cluster_color(const struct cluster *);

/* How busy the lane was, from 35 to 100 %; n_slots tasks may run at once. */
int cluster_opacity(const struct cluster *, uint32_t n_slots);
