#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "common/base/intern.h"

/*
 * The targets of all makes of a build, what they wait for, and when their
 * recipes ran.  log.c fills it in from the log of library/recorder.c.
 */

/* A process that runs a recipe line, or a $(shell) in one. */
struct recipe_line {
	sym id;
	uint32_t target;
	bool is_function;	/* $(shell) */
	int64_t start_us, end_us;	/* INT64_MAX if it did not end */
	int64_t cpu_us;
	int status;		/* as in wait(2) */
	uint32_t next;		/* line of the target, or INDEX_NONE */
};

/* A make process that ran a line.  Its times are those of its lines. */
struct make {
	sym line;		/* the id of the line that runs it */
	sym directory;
	bool is_serial;		/* .NOTPARALLEL */
	/* Of the jobs that it runs at once. */
	uint64_t jobserver;	/* which one it has, or 0 */
	uint32_t n_jobs;	/* -j; 0: no limit */
	bool has_own_jobs;	/* it was run with -j */
	bool shares_fifo;	/* its jobserver, if it had one, would be a
				   fifo, which every make shares */
	bool has_load_limit;	/* -l */
	bool shares_workers;	/* with the one that runs it */
	uint32_t owner;		/* the target of that line */
	uint32_t group;		/* of the owner, from 0 */
	uint32_t number;	/* among all makes of the owner, from 1 */
	uint32_t first_target, last_target;
	int64_t start_us, end_us;
};

/*
 * Makes that a recipe runs and that overlap in time.  Groups divide a recipe
 * into parts: before the first group, between groups, and after the last.
 */
struct group {
	int64_t start_us, end_us;
	uint32_t first, n;	/* the makes, in graph.ran */
};

/* A prerequisite, or the end of a group of them: see struct barrier. */
struct name {
	sym path;		/* SYM_NONE: .WAIT, or `barrier` */
	uint32_t maker;		/* what is waited for because of the path, or
				   INDEX_NONE: see find_maker() */
	uint32_t barrier;	/* or INDEX_NONE */
	uint32_t next;		/* name of the target, or INDEX_NONE */
};

/* .WAIT among the prerequisites of a target. */
struct barrier {
	uint32_t target;
	uint32_t number;	/* of this .WAIT, from 1 */
	uint32_t first, end;	/* the names before it */
};

/* A target of one make. */
struct target {
	sym path;
	uint32_t make;
	uint32_t next;		/* target of the make, or INDEX_NONE */
	uint32_t number;	/* among those with this path that ran or lead
				   to one that did, from 1; 0: it is neither */
	uint32_t previous;	/* one with this path that ran, or INDEX_NONE */
	uint32_t first_line, last_line;	/* INDEX_NONE if nothing ran */
	int64_t start_us, end_us;	/* of the lines */
	uint32_t first_name, last_name;
	bool has_rule;		/* the names are those of make's rules */
	bool shares_jobserver;	/* its recipe runs make as $(MAKE) or by + */
	uint32_t also;		/* its recipe is that of this target, or
				   INDEX_NONE */
	uint32_t first_also, next_also;	/* the targets of this recipe */
	uint32_t first_group, n_groups;
	bool has_wait;		/* .WAIT is among the names */
	bool is_awaited;	/* by another target of the make */
};

struct graph {
	struct intern texts;	/* paths and ids */
	struct intern keys;	/* targets, by path and make */
	struct target *targets;	/* the first is the command, with no make */
	struct make *makes;
	struct recipe_line *lines;
	struct name *names;
	struct barrier *barriers;
	struct group *groups;
	uint32_t *ran;		/* the makes that ran a line, by owner and
				   start */
	size_t n_targets, n_makes, n_lines, n_names, n_barriers, n_groups,
	    n_ran;
	size_t targets_cap, makes_cap, lines_cap, names_cap, barriers_cap,
	    groups_cap;
	uint32_t *newest;	/* by path: the last target that ran */
};

/* With the command, as the line with this id, which runs the first makes. */
void graph_init(struct graph *, const char *id, struct span command,
    int64_t start_us, int64_t end_us, int status);

/* The target with a path in a make; adds it if it is new. */
uint32_t graph_target(struct graph *, sym path, uint32_t make);

/* SYM_NONE for .WAIT. */
void graph_add_name(struct graph *, uint32_t target, sym path);

/* Links makes, lines and targets when all of the log has been read. */
void graph_link(struct graph *);

/* Whether a line of its recipe ran. */
static inline bool
target_has_run(const struct target *t)
{
	return t->first_line != INDEX_NONE;
}

/* Whether the target ran, or leads to one that did: only those have an id. */
static inline bool
target_is_known(const struct target *t)
{
	return t->number > 0;
}

/* Says that the recipe of a target also makes another one. */
void graph_add_also(struct graph *, uint32_t target, uint32_t other);

/*
 * Calls a function for each part of each target that ran, in the order in which
 * a make without parallel jobs would run them: the prerequisites of a target in
 * their order, then its first part, then the makes after that, and so on.
 */
void graph_walk(const struct graph *, void (*on_part)(void *context,
    uint32_t target, uint32_t part), void *context);
