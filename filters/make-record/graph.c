/* graph - what the targets of makes wait for */

#include <stdlib.h>

#include "common/base/sort.h"
#include "filters/make-record/graph.h"

static uint32_t
find_target(const struct graph *g, sym path, uint32_t make)
{
	const uint32_t pair[] = { path, make };

	return intern_find(&g->keys, span_bytes(pair, sizeof pair));
}

uint32_t
graph_target(struct graph *g, sym path, uint32_t make)
{
	const uint32_t pair[] = { path, make };
	sym key = intern_add(&g->keys, span_bytes(pair, sizeof pair));
	struct target *t;

	if (key < g->n_targets)
		return key;
	g->targets = mem_grow(g->targets, &g->targets_cap, g->n_targets + 1,
	    sizeof *g->targets);
	t = &g->targets[g->n_targets++];
	*t = (struct target){ .path = path, .make = make, .next = INDEX_NONE,
	    .start_us = INT_UNKNOWN, .end_us = INT_UNKNOWN,
	    .previous = INDEX_NONE, .first_line = INDEX_NONE,
	    .last_line = INDEX_NONE, .first_name = INDEX_NONE,
	    .last_name = INDEX_NONE, .also = INDEX_NONE,
	    .first_also = INDEX_NONE, .next_also = INDEX_NONE };
	if (make == INDEX_NONE)
		return key;
	if (g->makes[make].first_target == INDEX_NONE)
		g->makes[make].first_target = key;
	else
		g->targets[g->makes[make].last_target].next = key;
	g->makes[make].last_target = key;
	return key;
}

void
graph_init(struct graph *g, const char *id, struct span command,
    int64_t start_us, int64_t end_us, int status)
{
	*g = (struct graph){ .n_lines = 1 };
	intern_init(&g->texts);
	intern_init(&g->keys);
	g->lines = mem_grow(NULL, &g->lines_cap, 1, sizeof *g->lines);
	g->lines[0] = (struct recipe_line){
	    .id = intern_add(&g->texts, span_str(id)),
	    .target = graph_target(g, intern_add(&g->texts, command),
	    INDEX_NONE), .start_us = start_us, .end_us = end_us,
	    .status = status, .next = INDEX_NONE };
}

static void
add_name(struct graph *g, uint32_t target, sym path, uint32_t barrier)
{
	struct target *t = &g->targets[target];
	uint32_t index = (uint32_t)g->n_names;

	g->names = mem_grow(g->names, &g->names_cap, g->n_names + 1,
	    sizeof *g->names);
	g->names[g->n_names++] = (struct name){ path, INDEX_NONE, barrier,
	    INDEX_NONE };
	if (t->first_name == INDEX_NONE)
		t->first_name = index;
	else
		g->names[t->last_name].next = index;
	t->last_name = index;
}

void
graph_add_name(struct graph *g, uint32_t target, sym path)
{
	add_name(g, target, path, INDEX_NONE);
	g->targets[target].has_wait |= path == SYM_NONE;
}

void
graph_add_also(struct graph *g, uint32_t target, uint32_t other)
{
	struct target *o = &g->targets[other];

	if (other == target || o->also != INDEX_NONE)
		return;
	o->also = target;
	o->next_also = g->targets[target].first_also;
	g->targets[target].first_also = other;
}

/* Whether a target ended before another one did, in one order of them all. */
static bool
ended_before(const struct graph *g, uint32_t a, uint32_t b)
{
	int64_t a_us = g->targets[a].end_us, b_us = g->targets[b].end_us;

	return a_us != b_us ? a_us < b_us : a < b;
}

/* The target whose recipe has made a target, or else that itself. */
static uint32_t
find_recipe(const struct graph *g, uint32_t target)
{
	uint32_t also = target == INDEX_NONE ? INDEX_NONE :
	    g->targets[target].also;

	return also != INDEX_NONE && !target_has_run(&g->targets[target]) &&
	    target_has_run(&g->targets[also]) ? also : target;
}

/*
 * The target that a target waits for because of a prerequisite: that of the
 * same make, or else the one that another make had finished last when this one
 * began; INDEX_NONE if neither ran.
 */
static uint32_t
find_maker(const struct graph *g, uint32_t target, sym path)
{
	const struct target *t = &g->targets[target];
	uint32_t same = find_recipe(g, find_target(g, path, t->make));
	uint32_t found = INDEX_NONE;

	if (same != INDEX_NONE && same != target &&
	    target_is_known(&g->targets[same]) &&
	    (!target_has_run(t) || !target_has_run(&g->targets[same]) ||
	    ended_before(g, same, target)))
		return same;
	if (!target_has_run(t))
		return INDEX_NONE;
	for (uint32_t i = g->newest[path]; i != INDEX_NONE;
	    i = g->targets[i].previous)
		if (g->targets[i].make != t->make &&
		    g->targets[i].end_us <= t->start_us &&
		    (found == INDEX_NONE || ended_before(g, found, i)))
			found = i;
	return found;
}

/* --- lines --- */

static void
add_times(struct graph *g, const struct recipe_line *line)
{
	struct target *t = &g->targets[line->target];
	struct make *m;

	t->start_us = time_earlier(t->start_us, line->start_us);
	t->end_us = time_later(t->end_us, line->end_us);
	if (t->make == INDEX_NONE)
		return;
	m = &g->makes[t->make];
	m->start_us = time_earlier(m->start_us, line->start_us);
	m->end_us = time_later(m->end_us, line->end_us);
}

static void
link_line(struct graph *g, uint32_t index)
{
	struct recipe_line *line = &g->lines[index];
	struct target *t = &g->targets[line->target];

	if (line->is_function)
		return;
	if (t->first_line == INDEX_NONE) {
		t->first_line = index;
		t->previous = g->newest[t->path];
		t->number = t->previous == INDEX_NONE ? 1 :
		    g->targets[t->previous].number + 1;
		g->newest[t->path] = line->target;
	} else {
		g->lines[t->last_line].next = index;
	}
	t->last_line = index;
	add_times(g, line);
}

/* With -n, or if make ignores all lines, a target has only functions. */
static void
link_function(struct graph *g, uint32_t index)
{
	struct recipe_line *line = &g->lines[index];
	struct target *t = &g->targets[line->target];

	if (!line->is_function || !target_has_run(t))
		return;
	line->next = t->first_line;
	t->first_line = index;
	add_times(g, line);
}

/* --- targets that did not run --- */

/*
 * Gives an id to each target that did not run, but leads to one that did: what
 * waits for it waits for that.  Goes from the targets that ran to those that
 * have them as prerequisites.
 */
static void
find_leading_targets(struct graph *g)
{
	struct user { uint32_t target, next; } *users;
	uint32_t *first_user, *stack, t, u;
	size_t n_users = 0, n_stack = 0;

	users = mem_resize(NULL, g->n_names + 1, sizeof *users);
	first_user = mem_ones(g->n_targets + 1, sizeof *first_user);
	stack = mem_resize(NULL, g->n_targets + 1, sizeof *stack);
	for (t = 0; t < g->n_targets; t++) {
		if (target_has_run(&g->targets[t])) {
			stack[n_stack++] = t;
			continue;
		}
		for (uint32_t i = g->targets[t].first_name; i != INDEX_NONE;
		    i = g->names[i].next) {
			u = find_recipe(g, find_target(g, g->names[i].path,
			    g->targets[t].make));
			if (u == INDEX_NONE)
				continue;
			users[n_users] = (struct user){ t, first_user[u] };
			first_user[u] = (uint32_t)n_users++;
		}
	}

	while (n_stack > 0)
		for (u = first_user[stack[--n_stack]]; u != INDEX_NONE;
		    u = users[u].next) {
			struct target *user = &g->targets[users[u].target];

			if (target_is_known(user))
				continue;
			user->number = 1;
			stack[n_stack++] = users[u].target;
		}
	free(users);
	free(first_user);
	free(stack);
}

/* Numbers those targets after the ones with the same path that ran. */
static void
number_leading_targets(struct graph *g)
{
	uint32_t *last = mem_resize(NULL, g->texts.n + 1, sizeof *last);
	struct target *t;

	for (size_t i = 0; i < g->texts.n; i++)
		last[i] = g->newest[i] == INDEX_NONE ? 0 :
		    g->targets[g->newest[i]].number;
	for (size_t i = 0; i < g->n_targets; i++) {
		t = &g->targets[i];
		if (target_is_known(t) && !target_has_run(t))
			t->number = ++last[t->path];
	}
	free(last);
}

/* --- order within a make --- */

static int
compare_starts(const void *a, const void *b, void *graph)
{
	const struct graph *g = graph;
	const struct target *x = &g->targets[*(const uint32_t *)a];
	const struct target *y = &g->targets[*(const uint32_t *)b];

	return cmp_i64(x->start_us, y->start_us);
}

/* .NOTPARALLEL: each target waits for the one before it. */
static void
link_serial(struct graph *g, const struct make *m)
{
	uint32_t *order = NULL;
	size_t n = 0, cap = 0;

	for (uint32_t t = m->first_target; t != INDEX_NONE;
	    t = g->targets[t].next)
		if (target_has_run(&g->targets[t])) {
			order = mem_grow(order, &cap, n + 1, sizeof *order);
			order[n++] = t;
		}
	sort_with(order, n, sizeof *order, compare_starts, g);
	for (size_t i = 1; i < n; i++)
		if (g->targets[order[i - 1]].end_us <=
		    g->targets[order[i]].start_us)
			graph_add_name(g, order[i],
			    g->targets[order[i - 1]].path);
	free(order);
}

/* Sets the makers of names, and which targets others of their make await. */
static void
find_makers(struct graph *g)
{
	const struct target *t = g->targets;
	uint32_t maker;

	for (uint32_t i = 0; i < g->n_targets; i++, t++) {
		if (!target_is_known(t))
			continue;
		for (uint32_t n = t->first_name; n != INDEX_NONE;
		    n = g->names[n].next) {
			if (g->names[n].path == SYM_NONE)
				continue;
			maker = find_maker(g, i, g->names[n].path);
			g->names[n].maker = maker;
			if (maker != INDEX_NONE &&
			    g->targets[maker].make == t->make)
				g->targets[maker].is_awaited = true;
		}
	}
}

/* A set of targets, those that some names lead to. */
struct reached {
	uint32_t *items;
	size_t n, cap;
	uint32_t *mark_of;	/* by target */
	uint32_t mark;		/* of this set */
};

static void
add_reached(struct graph *g, struct reached *r, uint32_t owner, uint32_t t)
{
	if (t == INDEX_NONE || r->mark_of[t] == r->mark ||
	    g->targets[t].make != g->targets[owner].make)
		return;
	r->mark_of[t] = r->mark;
	r->items = mem_grow(r->items, &r->cap, r->n + 1, sizeof *r->items);
	r->items[r->n++] = t;
}

/* Adds what the targets from number `from` on wait for, and so on. */
static void
add_all_reached(struct graph *g, struct reached *r, size_t from)
{
	for (size_t i = from; i < r->n; i++)
		for (uint32_t k = g->targets[r->items[i]].first_name;
		    k != INDEX_NONE; k = g->names[k].next)
			add_reached(g, r, r->items[i], g->names[k].maker);
}

/*
 * The targets that .WAIT separates: make considers those after it, and what
 * they wait for, only when those before it are done.  What had begun earlier,
 * for another target, did not wait.
 */
static void
link_barriers(struct graph *g, uint32_t target, struct reached *r)
{
	uint32_t first = g->targets[target].first_name, number = 0;
	uint32_t barrier = INDEX_NONE;
	int64_t end_us = INT_UNKNOWN;
	size_t n_before = 0;
	struct target *t;

	r->mark++;
	r->n = 0;
	for (uint32_t i = first;; i = g->names[i].next) {
		if (i != INDEX_NONE && g->names[i].path != SYM_NONE) {
			add_reached(g, r, target, g->names[i].maker);
			continue;
		}
		if (i != INDEX_NONE && g->names[i].barrier != INDEX_NONE)
			continue;

		add_all_reached(g, r, n_before);
		for (size_t k = n_before; k < r->n; k++) {
			t = &g->targets[r->items[k]];
			if (barrier != INDEX_NONE && target_has_run(t) &&
			    t->start_us >= end_us)
				add_name(g, r->items[k], SYM_NONE, barrier);
		}
		if (i == INDEX_NONE)
			return;
		for (; n_before < r->n; n_before++) {
			t = &g->targets[r->items[n_before]];
			if (target_has_run(t))
				end_us = time_later(end_us, t->end_us);
		}
		g->barriers = mem_grow(g->barriers, &g->barriers_cap,
		    g->n_barriers + 1, sizeof *g->barriers);
		barrier = (uint32_t)g->n_barriers++;
		g->barriers[barrier] = (struct barrier){ target, ++number,
		    first, i };
	}
}

static void
link_all_barriers(struct graph *g)
{
	struct reached r = { 0 };

	r.mark_of = mem_zero(g->n_targets, sizeof *r.mark_of);
	for (uint32_t t = 0; t < g->n_targets; t++)
		if (g->targets[t].has_wait)
			link_barriers(g, t, &r);
	free(r.mark_of);
	free(r.items);
}

/* --- makes --- */

static int
compare_makes(const void *a, const void *b, void *graph)
{
	const struct graph *g = graph;
	const struct make *x = &g->makes[*(const uint32_t *)a];
	const struct make *y = &g->makes[*(const uint32_t *)b];

	return x->owner != y->owner ? cmp_u64(x->owner, y->owner) :
	    cmp_i64(x->start_us, y->start_us);
}

/*
 * Whether a make shares the workers of the one whose recipe runs it: if that
 * one runs a single job, it would share them, if that one had more.
 */
static bool
shares_workers(const struct make *m, const struct make *parent,
    const struct target *owner)
{
	if (m->jobserver != 0 || m->n_jobs == 0)
		return m->jobserver == parent->jobserver || m->n_jobs == 0;
	if (m->has_own_jobs || parent->jobserver != 0)
		return false;
	return owner->shares_jobserver || !owner->has_rule || m->shares_fifo;
}

/* Links makes to the targets whose recipes run them. */
static void
link_makes(struct graph *g)
{
	uint32_t *line_of = mem_ones(g->texts.n + 1, sizeof *line_of);
	const struct target *owner;
	struct make *m;

	for (size_t i = 0; i < g->n_lines; i++)
		line_of[g->lines[i].id] = (uint32_t)i;
	g->ran = mem_resize(NULL, g->n_makes + 1, sizeof *g->ran);
	for (size_t i = 0; i < g->n_makes; i++) {
		m = &g->makes[i];
		m->owner = line_of[m->line] == INDEX_NONE ? 0 :
		    g->lines[line_of[m->line]].target;
		owner = &g->targets[m->owner];
		m->shares_workers = owner->make == INDEX_NONE ||
		    shares_workers(m, &g->makes[owner->make], owner);
		if (m->start_us != INT_UNKNOWN)
			g->ran[g->n_ran++] = (uint32_t)i;
	}
	sort_with(g->ran, g->n_ran, sizeof *g->ran, compare_makes, g);
	free(line_of);
}

static void
group_makes(struct graph *g)
{
	struct group *group = NULL;
	struct target *owner;
	struct make *m;

	for (size_t i = 0; i < g->n_ran; i++) {
		m = &g->makes[g->ran[i]];
		owner = &g->targets[m->owner];
		m->number = owner->n_groups == 0 ? 1 :
		    g->makes[g->ran[i - 1]].number + 1;
		if (owner->n_groups == 0 || m->start_us >= group->end_us) {
			g->groups = mem_grow(g->groups, &g->groups_cap,
			    g->n_groups + 1, sizeof *g->groups);
			group = &g->groups[g->n_groups];
			*group = (struct group){ m->start_us, m->end_us,
			    (uint32_t)i, 0 };
			if (owner->n_groups++ == 0)
				owner->first_group = (uint32_t)g->n_groups;
			g->n_groups++;
		}
		group->n++;
		group->end_us = time_later(group->end_us, m->end_us);
		m->group = owner->n_groups - 1;
	}
}

/* Lines that start at the same time are in the order of the log. */
static int
compare_lines(const void *a, const void *b)
{
	const struct recipe_line *x = a, *y = b;

	return x->start_us != y->start_us ? cmp_i64(x->start_us, y->start_us) :
	    cmp_u64(x->id, y->id);
}

void
graph_link(struct graph *g)
{
	/* A make that is started may log its first line before that of its
	   parent is logged. */
	sort(g->lines, g->n_lines, sizeof *g->lines, compare_lines);
	g->newest = mem_ones(g->texts.n + 1, sizeof *g->newest);
	for (size_t i = 0; i < g->n_lines; i++)
		link_line(g, (uint32_t)i);
	for (size_t i = 0; i < g->n_lines; i++)
		link_function(g, (uint32_t)i);
	find_leading_targets(g);
	number_leading_targets(g);
	for (size_t i = 0; i < g->n_makes; i++)
		if (g->makes[i].is_serial)
			link_serial(g, &g->makes[i]);
	find_makers(g);
	link_all_barriers(g);
	link_makes(g);
	group_makes(g);
}

/* --- the order of make --- */

/* A target whose prerequisites or makes are visited. */
struct visit {
	uint32_t target;
	uint32_t name;		/* the next of its names */
	uint32_t part;		/* the next of its parts */
	uint32_t make, of_make;	/* in the group before that part: the make, an
				   index of graph.ran, and its next target */
};

/* What a visit leads to next, or INDEX_NONE: its next part is reached. */
static uint32_t
next_of(const struct graph *g, struct visit *v)
{
	const struct target *t = &g->targets[v->target];
	const struct group *group;
	uint32_t found;

	while (v->name != INDEX_NONE) {
		const struct name *name = &g->names[v->name];

		v->name = name->next;
		if (name->maker != INDEX_NONE)
			return name->maker;
	}
	if (v->part == 0)
		return INDEX_NONE;
	group = &g->groups[t->first_group + v->part - 1];
	for (;;) {
		while (v->of_make == INDEX_NONE &&
		    v->make < group->first + group->n)
			v->of_make = g->makes[g->ran[v->make++]].first_target;
		if (v->of_make == INDEX_NONE)
			return INDEX_NONE;
		found = v->of_make;
		v->of_make = g->targets[found].next;
		if (target_is_known(&g->targets[found]) &&
		    !g->targets[found].is_awaited)
			return found;
	}
}

/* The targets that graph_walk() is in the middle of, and those it has met. */
struct walk {
	struct visit *stack;
	size_t n;
	bool *is_visited;
};

static void
visit(const struct graph *g, struct walk *w, uint32_t target)
{
	if (w->is_visited[target])
		return;
	w->is_visited[target] = true;
	w->stack[w->n++] = (struct visit){ target,
	    g->targets[target].first_name, 0, 0, INDEX_NONE };
}

void
graph_walk(const struct graph *g, void (*on_part)(void *context,
    uint32_t target, uint32_t part), void *context)
{
	struct walk w = {
	    .stack = mem_resize(NULL, g->n_targets, sizeof *w.stack),
	    .is_visited = mem_zero(g->n_targets, sizeof *w.is_visited) };
	const struct target *t;
	struct visit *top;
	uint32_t next;

	for (uint32_t first = 0; first < g->n_targets; first++) {
		visit(g, &w, first);
		while (w.n > 0) {
			top = &w.stack[w.n - 1];
			next = next_of(g, top);
			if (next != INDEX_NONE) {
				visit(g, &w, next);
				continue;
			}
			t = &g->targets[top->target];
			if (target_has_run(t))
				on_part(context, top->target, top->part);
			if (top->part == t->n_groups)
				w.n--;
			else
				top->make = g->groups[t->first_group +
				    top->part++].first;
		}
	}
	free(w.is_visited);
	free(w.stack);
}
