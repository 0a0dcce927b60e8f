#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/intern.h"
#include "common/base/mem.h"

/*
 * What a timeline shows, without where: for each build its tasks in lanes, its
 * hosts and its critical path.  Two writers draw it: svg.c and page.c.  All
 * times are relative to the start of the build.
 */
struct build;
struct path_step;
struct task;

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
