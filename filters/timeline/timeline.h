#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/intern.h"
#include "common/base/mem.h"
#include "common/base/text.h"

struct buf;
struct build;
struct path_step;
struct picture;
struct pictures;
struct task;

/* --- axis.c -------------------------------------------------------------- */

/*
 * The time between two ticks of an axis for wall_us > 0: round, and such that
 * there are 4 to 10 ticks.
 */
int64_t axis_step(int64_t wall_us);

/* Writes the label of a tick; all of an axis have the same unit. */
void axis_label(struct buf *, int64_t us, int64_t wall_us);

/* --- picture.c ----------------------------------------------------------- */

/*
 * What a timeline shows, without where: for each build its tasks in lanes, its
 * hosts and its critical path.  Two writers draw it: svg.c and page.c.  All
 * times are relative to the start of the build.
 */

/* A lane has tasks of one class, because each uses a resource of its own. */
enum lane_class { LANE_RUN, LANE_COPY, LANE_PREPARE, N_LANE_CLASSES };

/*
 * What is known of a task but not drawn.  Its texts are escaped and truncated
 * for people, as all texts of pictures are, and live as long as the pictures;
 * "" if unknown.
 */
struct bar_text {
	struct span id;		/* "ID", or "ID#2" for the second attempt */
	struct span name;	/* of an instruction: what it does */
	struct span target;
	int64_t slack_us;	/* or INT_UNKNOWN */
	uint32_t attempt, n_attempts;	/* 1 of 1 if it was not retried; 0 if
					   the number is not known */
};

struct bar {			/* a task with a start and an end */
	int64_t start_us, end_us;	/* start <= end */
	int64_t waiting_us;	/* of a step: before it; or INT_UNKNOWN */
	int64_t potential_us;	/* of a step; or INT_UNKNOWN */
	uint32_t lane;
	uint32_t step;		/* its number on the critical path, or 0 */
	uint32_t text;		/* index in texts, or INDEX_NONE: it is not
				   one of the longest */
	uint32_t type;		/* a number of pictures.types */
	bool is_cached, has_failed;
};

static inline int64_t
bar_length_us(const struct bar *bar)
{
	return bar->end_us - bar->start_us;
}

struct lane {
	uint32_t host;
	enum lane_class class;
	uint32_t n_slots;	/* how many lanes were merged into it, 1 if
				   none: then its tasks do not overlap */
	size_t first, n;	/* bars, at least one */
};

struct picture {
	const char *run;	/* NULL if the build has no name */
	int64_t wall_us;	/* > 0 */
	int64_t path_us;	/* the sum of the steps of the path */
	int64_t busy_us;	/* the sum of all tasks */
	uint32_t n_running_max;	/* tasks at one time */
	uint64_t n_left_out;	/* tasks without a start or an end */
	bool has_path;
	bool has_threads;	/* the hosts are threads */

	struct bar *bars;	/* by lane, and in a lane by start */
	size_t n_bars;
	struct bar_text *texts;
	size_t n_texts, texts_cap;
	struct span *hosts;	/* the names of hosts or threads, in their
				   order; "" if the build has neither */
	size_t n_hosts;
	struct lane *lanes;	/* in the order of hosts, from the top */
	size_t n_lanes;
	uint32_t *path;		/* bars, in the order of the steps */
	size_t n_path;
};

/* What a picture calls its hosts. */
static inline const char *
picture_place(const struct picture *p)
{
	return p->has_threads ? "thread" : "host";
}

/*
 * A type of tasks: a rule, an extension, or a kind.  The types with most time
 * have a color of their own, all others have the last.
 */
enum { N_COLORS = 7 };

struct pictures {
	struct picture *list;
	size_t n, cap;
	int64_t wall_us;	/* of the longest */
	struct intern types;
	struct type {
		int64_t busy_us;
		unsigned color;	/* index in picture_colors; set by
				   pictures_rank() */
	} *type_list;		/* by number of types */
	size_t types_cap;
	bool merges_marked;	/* there are too many steps and failed tasks
				   to draw each; set by pictures_rank() */
	struct arena arena;
};

/* The keys of tasks that pictures_add() needs as kept keys (build.h). */
extern const char *const picture_keys[];

extern const unsigned picture_colors[N_COLORS];		/* 0xRRGGBB */

void pictures_init(struct pictures *);
void pictures_release(struct pictures *);

/*
 * Adds the picture of a build whose attempts are resolved, with the steps of
 * its path.  Texts are kept for the n_texts longest tasks, for failed ones and
 * for the steps.  The build may be freed afterwards.
 */
void pictures_add(struct pictures *, struct build *,
    const struct path_step *steps, size_t n_steps, size_t n_texts);

/* Gives colors to the types.  Call it once, when all builds are added. */
void pictures_rank(struct pictures *);

/* --- clusters.c ---------------------------------------------------------- */

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

/* --- page-data.c --------------------------------------------------------- */

/*
 * The tasks of one build as JSON, which the script of a page draws.  If there
 * are too many, the most important ones are listed and the others are merged
 * with their neighbors.
 */

struct page_data {
	const struct pictures *all;
	const struct picture *p;
	uint32_t *ranked;	/* the bars that have texts, the most important
				   first */
	size_t n_ranked;
	uint32_t *place;	/* by bar: its number among those that are
				   listed, or INDEX_NONE */
	struct intern strings;	/* what the script shows */
	uint32_t *order;	/* by symbol of strings: its rank */
	uint32_t *type_place;	/* by type: its number, or INDEX_NONE */
	sym *types;		/* those of the tasks that are listed */
	size_t n_types;
	int64_t unit_us;	/* all times are multiples of it */
	struct cluster *merged;	/* of tasks that are not listed */
	size_t n_merged, merged_cap;
};

void page_data_init(struct page_data *, const struct pictures *,
    const struct picture *);
void page_data_release(struct page_data *);

/* Writes the data as a script element, and sets `place`. */
void page_data_put(struct buf *, struct page_data *);

/* The texts of a bar that has some. */
static inline const struct bar_text *
page_data_text(const struct page_data *d, size_t bar)
{
	return &d->p->texts[d->p->bars[bar].text];
}

/* --- page.c -------------------------------------------------------------- */

/* For how many tasks of a build pictures_add() should keep the texts. */
enum { PAGE_TASKS_MAX = 50000 };

/*
 * Writes a page of HTML that shows the pictures: an SVG element, which the
 * caller has written, and for each build the critical path, the longest tasks
 * and the data for a script, which draws the tasks in place of the SVG so that
 * they can be zoomed and searched.  The page loads nothing, and its content
 * security policy allows no other script.
 *
 * The data takes at most about 1 MB: if there are too many tasks, those on the
 * path, those that failed and the longest are listed, and the others are merged
 * with their neighbors.  An SVG of more than 800 kB is left out, so the page
 * has less than 2 MB.
 */
void page_put(struct buf *, const struct pictures *, struct span svg);

/* --- strip.c ------------------------------------------------------------- */

/*
 * Draws how many tasks ran at each time, stacked by color: from left to right
 * in tenths of a pixel, and `height` high for the most that ran at once.
 */
void strip_put(struct buf *, const struct pictures *, const struct picture *,
    int64_t left, int64_t top, int64_t right, int64_t height);

/* --- svg.c --------------------------------------------------------------- */

/*
 * Writes the pictures as one SVG element, one below the other on one scale of
 * time, with about bars_max bars at most: what is narrower is merged until
 * there are not more.
 */
void svg_put(struct buf *, const struct pictures *, size_t bars_max);
