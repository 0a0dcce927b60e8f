/* dag-simulate - simulates how a number of workers completes a graph */

#include <stdlib.h>

#include "common/base/heap.h"
#include "common/base/mem.h"
#include "common/base/num.h"
#include "common/build/dag-simulate.h"
#include "common/build/dag.h"

/*
 * List scheduling, as an event simulation: time jumps from the end of one
 * vertex to the next end.  Vertices that have become ready by then go into a
 * heap, from which idle workers take the one with the longest remaining path.
 *
 * The values in the heaps are vertices, or their ranks if the graph has them:
 * then no call is needed to decide a tie.
 */
struct simulation {
	const struct dag *d;
	const struct dag_schedule *how;
	uint32_t *n_unfinished;	/* by vertex: deps that have not ended */
	struct heap running;	/* key: the time at which the vertex ends */
	struct crew *crews;	/* that of the build, and one of each pool */
	size_t n_crews;
	uint32_t *changed;	/* crews that may start something */
	size_t n_changed;
	uint32_t *waiting;	/* crews that could use a worker of another */
	size_t n_waiting;
	bool *keeps;		/* by vertex: its worker is kept for another;
				   NULL if there are no pools */
	struct group {
		uint64_t n_running;
		struct heap waiting;	/* ready, but the limit is reached */
	} *groups;
	int64_t now;		/* since the start, in the unit of weights */
};

/* Workers, and the vertices that they start. */
struct crew {
	uint64_t n_idle, n_running;
	uint64_t n_lent;	/* workers that it has from the lender */
	bool has_released;	/* a worker, just now */
	uint32_t lender;	/* the crew whose idle workers it may use, too,
				   or INDEX_NONE */
	struct heap ready;	/* key: the vertex, if in_order; else minus the
				   length of the longest path from it to an
				   end, including its weight; if it reaches no
				   end, minus its weight */
	/* Only if in_order: vertices that have become ready too late for this
	   pass over all of them, the first one that is not passed yet, and one
	   that waits for a worker, or INDEX_NONE. */
	struct heap passed;
	uint32_t next, held;
	bool is_passed;		/* all of a pass is started */
	bool has_changed, is_waiting;
};

/*
 * A counting sort of the edges by dependency, like make_rows() in dag.c, which
 * explains the offsets.
 */
static void
reverse_edges(struct dag *d)
{
	uint32_t *row = mem_zero(d->n + 2, sizeof *row);

	d->dependent = mem_resize(NULL, d->n_edges, sizeof *d->dependent);
	for (size_t i = 0; i < d->n_edges; i++)
		row[d->dep[i] + 2]++;
	for (size_t v = 2; v <= d->n + 1; v++)
		row[v] += row[v - 1];
	for (uint32_t v = 0; v < d->n; v++)
		for (uint32_t i = d->row[v]; i < d->row[v + 1]; i++)
			d->dependent[row[d->dep[i] + 1]++] = v;
	d->dependent_row = row;
}

static void
push(const struct simulation *s, struct heap *h, int64_t key, uint32_t v)
{
	heap_push(h, key, s->d->rank != NULL ? s->d->rank[v] : v);
}

/* Removes the first item; its value is a vertex. */
static struct heap_item
pop(const struct simulation *s, struct heap *h)
{
	struct heap_item item = heap_pop(h);

	if (s->d->rank != NULL)
		item.value = s->d->by_rank[item.value];
	return item;
}

static struct crew *
crew_of(const struct simulation *s, uint32_t v)
{
	const struct dag_pools *pools = s->how->pools;

	return &s->crews[pools->n == 0 || pools->of[v] == INDEX_NONE ? 0 :
	    1 + pools->of[v]];
}

/* Whether the vertex gets the worker of another, which was kept for it. */
static bool
is_heir(const struct simulation *s, uint32_t v)
{
	return s->keeps != NULL && s->how->pools->worker_of[v] != INDEX_NONE;
}

static void
mark_changed(struct simulation *s, struct crew *c)
{
	if (c->has_changed)
		return;
	c->has_changed = true;
	s->changed[s->n_changed++] = (uint32_t)(c - s->crews);
}

static void
queue(struct simulation *s, uint32_t v, int64_t key)
{
	struct crew *c = crew_of(s, v);

	push(s, s->how->in_order && v < c->next ? &c->passed : &c->ready, key,
	    v);
	mark_changed(s, c);
}

/*
 * Starts v, or queues it for a worker.  Call it when all dependencies of v have
 * ended.
 */
static void
make_ready(struct simulation *s, uint32_t v)
{
	const struct dag *d = s->d;
	int64_t remaining = d->weight[v] + (d->tail[v] > 0 ? d->tail[v] : 0);

	if (s->how->needs_no_worker[v] || is_heir(s, v))
		push(s, &s->running, s->now + d->weight[v], v);
	else
		queue(s, v, s->how->in_order ? v : -remaining);
}

/* The limited group of a vertex that needs a worker; NULL if there is none. */
static struct group *
group_of(const struct simulation *s, uint32_t v)
{
	const struct dag_limits *limits = s->how->limits;

	return limits->n == 0 || limits->of[v] == INDEX_NONE ? NULL :
	    &s->groups[limits->of[v]];
}

/* Whether a worker is idle that a crew may use. */
static bool
has_worker(const struct simulation *s, const struct crew *c)
{
	return c->n_idle > 0 || (c->lender != INDEX_NONE &&
	    s->crews[c->lender].n_idle > 0);
}

/* Gives a ready vertex to an idle worker, or makes it wait for its group. */
static void
start(struct simulation *s, struct crew *c, struct heap_item item)
{
	struct group *group = group_of(s, item.value);

	if (group != NULL && group->n_running ==
	    s->how->limits->most[group - s->groups]) {
		push(s, &group->waiting, item.key, item.value);
		return;
	}
	if (group != NULL)
		group->n_running++;
	c->n_running++;
	if (c->n_idle > 0) {
		c->n_idle--;
	} else {
		s->crews[c->lender].n_idle--;
		c->n_lent++;
	}
	push(s, &s->running, s->now + s->d->weight[item.value], item.value);
}

/* Returns false if a crew can start nothing now. */
static bool
start_longest(struct simulation *s, struct crew *c)
{
	if (!has_worker(s, c) || c->ready.n == 0)
		return false;
	start(s, c, pop(s, &c->ready));
	return true;
}

/* Whether nothing is ready that a crew could start in this pass. */
static bool
has_nothing(const struct crew *c)
{
	return c->held == INDEX_NONE && c->ready.n == 0;
}

/*
 * GNU make passes over all targets in their order.  If it meets a ready one and
 * no worker is idle, it waits for a worker, and goes on from there: what has
 * become ready meanwhile, and is before it, waits for the next pass.  After a
 * pass it waits until something ends.  Returns false if it starts nothing now.
 */
static bool
start_in_order(struct simulation *s, struct crew *c)
{
	struct heap empty;

	if (has_nothing(c)) {
		empty = c->ready;
		c->ready = c->passed;
		c->passed = empty;
		c->next = 0;
		c->is_passed = c->n_running > 0;
	}
	if (c->is_passed || has_nothing(c))
		return false;
	if (c->held == INDEX_NONE) {
		c->held = pop(s, &c->ready).value;
		c->next = c->held + 1;
	}
	if (!has_worker(s, c))
		return false;
	start(s, c, (struct heap_item){ c->held, c->held });
	c->held = INDEX_NONE;
	return true;
}

/* How soon a make takes a worker: 0 is the first. */
static int
slowness(const struct crew *c)
{
	return c->held == INDEX_NONE ? 2 : c->has_released;
}

/*
 * Whether crew a starts something before crew b does.  Of makes, those that
 * wait for a worker are the first, but not if they have released it themselves,
 * which takes them some time; those that have to pass over their targets are
 * the last.
 */
static bool
is_first(const struct simulation *s, const struct crew *a, const struct crew *b)
{
	const struct dag *d = s->d;
	const struct heap_item *x, *y;

	if (s->how->in_order && slowness(a) != slowness(b))
		return slowness(a) < slowness(b);
	if (has_nothing(a) || has_nothing(b))
		return has_nothing(b);
	if (s->how->in_order)
		return (a->held != INDEX_NONE ? a->held :
		    a->ready.items[0].key) < (b->held != INDEX_NONE ?
		    b->held : b->ready.items[0].key);
	x = &a->ready.items[0];
	y = &b->ready.items[0];
	return x->key != y->key ? x->key < y->key : d->rank != NULL ?
	    x->value < y->value :
	    d->compare(d->context, x->value, y->value) < 0;
}

static void
start_all(struct simulation *s)
{
	struct crew *c;
	size_t first;

	while (s->n_changed > 0) {
		first = 0;
		for (size_t i = 1; i < s->n_changed; i++)
			if (is_first(s, &s->crews[s->changed[i]],
			    &s->crews[s->changed[first]]))
				first = i;
		c = &s->crews[s->changed[first]];
		if ((s->how->in_order ? start_in_order : start_longest)(s, c))
			continue;
		s->changed[first] = s->changed[--s->n_changed];
		c->has_changed = false;
		c->has_released = false;
		if (c->lender != INDEX_NONE && !has_nothing(c) &&
		    !c->is_waiting) {
			c->is_waiting = true;
			s->waiting[s->n_waiting++] = (uint32_t)(c - s->crews);
		}
	}
}

/* A crew has an idle worker, which it or another may use. */
static void
offer_worker(struct simulation *s, uint32_t from)
{
	struct crew *c;

	s->crews[from].n_idle++;
	mark_changed(s, &s->crews[from]);
	for (size_t i = s->n_waiting; i-- > 0;) {
		c = &s->crews[s->waiting[i]];
		if (c->lender != from)
			continue;
		c->is_waiting = false;
		s->waiting[i] = s->waiting[--s->n_waiting];
		mark_changed(s, c);
	}
}

/*
 * If all that is left waits for workers that are kept for others, as no real
 * build does, one is added; false if nothing is left.
 */
static bool
add_worker(struct simulation *s)
{
	struct crew *c;

	for (size_t i = 0; i < s->n_crews; i++) {
		c = &s->crews[i];
		if (has_nothing(c) && c->passed.n == 0)
			continue;
		c->is_passed = false;
		offer_worker(s, (uint32_t)i);
		return true;
	}
	return false;
}

/* Of the group of a vertex that has ended another may run. */
static void
leave_group(struct simulation *s, uint32_t v)
{
	struct group *group = group_of(s, v);
	struct heap_item item;

	if (group == NULL)
		return;
	group->n_running--;
	if (group->waiting.n == 0)
		return;
	item = pop(s, &group->waiting);
	queue(s, item.value, item.key);
}

static void
release_worker(struct simulation *s, uint32_t v)
{
	struct crew *c = crew_of(s, v);
	uint32_t from;

	if (s->how->needs_no_worker[v])
		return;
	if (!is_heir(s, v))
		leave_group(s, v);
	mark_changed(s, c);
	if (s->keeps != NULL && s->keeps[v])
		return;
	c->n_running -= c->n_running > 0;
	c->has_released = true;
	c->is_passed = false;
	/* Its own one stays at work as long as it has others. */
	from = c->n_lent > 0 ? c->lender : (uint32_t)(c - s->crews);
	c->n_lent -= c->n_lent > 0;
	offer_worker(s, from);
}

/*
 * Ends all vertices that are due now.  Vertices that become ready as a result
 * end in the same call if they take no time and need no worker.
 */
static void
end_due(struct simulation *s)
{
	const struct dag *d = s->d;
	uint32_t v;

	while (s->running.n > 0 && s->running.items[0].key == s->now) {
		v = pop(s, &s->running).value;
		release_worker(s, v);
		for (uint32_t i = d->dependent_row[v];
		    i < d->dependent_row[v + 1]; i++)
			if (--s->n_unfinished[d->dependent[i]] == 0)
				make_ready(s, d->dependent[i]);
	}
}

/*
 * The crew whose workers a pool shares, from number 0: that of the pool in
 * whose place it works, unless that shares others, too.
 */
static uint32_t
find_lender(const struct dag_pools *pools, uint32_t pool)
{
	uint32_t outer = pool;

	/* More steps than pools would be a cycle. */
	for (size_t i = 0; i < pools->n && outer != INDEX_NONE; i++) {
		if (pools->sizes[outer] > 0)
			return outer == pool ? INDEX_NONE : 1 + outer;
		outer = pools->outer[outer];
	}
	return 0;
}

static void
make_crews(struct simulation *s)
{
	const struct dag_pools *pools = s->how->pools;
	const struct heap empty = s->running;

	s->n_crews = 1 + pools->n;
	s->crews = mem_resize(NULL, s->n_crews, sizeof *s->crews);
	s->changed = mem_resize(NULL, s->n_crews, sizeof *s->changed);
	s->waiting = mem_resize(NULL, s->n_crews, sizeof *s->waiting);
	s->crews[0] = (struct crew){ .n_idle = s->how->workers,
	    .lender = INDEX_NONE, .ready = empty, .passed = empty,
	    .held = INDEX_NONE };
	for (uint32_t i = 0; i < pools->n; i++) {
		s->crews[1 + i] = s->crews[0];
		s->crews[1 + i].n_idle = pools->sizes[i] > 0 ?
		    pools->sizes[i] : 1;
		s->crews[1 + i].lender = find_lender(pools, i);
	}
}

static void
begin(struct simulation *s)
{
	const struct dag *d = s->d;
	const struct dag_schedule *how = s->how;

	s->running = (struct heap){ .compare = d->rank != NULL ? NULL :
	    d->compare, .context = d->context };
	s->groups = mem_zero(how->limits->n, sizeof *s->groups);
	for (size_t i = 0; i < how->limits->n; i++)
		s->groups[i].waiting = s->running;
	make_crews(s);
	if (how->pools->n > 0) {
		s->keeps = mem_zero(d->n, sizeof *s->keeps);
		for (uint32_t v = 0; v < d->n; v++)
			if (is_heir(s, v))
				s->keeps[how->pools->worker_of[v]] = true;
	}
	s->n_unfinished = mem_resize(NULL, d->n, sizeof *s->n_unfinished);
	for (uint32_t v = 0; v < d->n; v++)
		s->n_unfinished[v] = d->row[v + 1] - d->row[v];
}

static void
release(struct simulation *s)
{
	free(s->n_unfinished);
	free(s->keeps);
	free(s->changed);
	free(s->waiting);
	heap_release(&s->running);
	for (size_t i = 0; i < s->n_crews; i++) {
		heap_release(&s->crews[i].ready);
		heap_release(&s->crews[i].passed);
	}
	free(s->crews);
	for (size_t i = 0; i < s->how->limits->n; i++)
		heap_release(&s->groups[i].waiting);
	free(s->groups);
}

int64_t
dag_simulate(struct dag *d, const struct dag_schedule *how)
{
	struct simulation s = { .d = d, .how = how };

	if (d->dependent == NULL)
		reverse_edges(d);
	begin(&s);
	for (uint32_t v = 0; v < d->n; v++)
		if (s.n_unfinished[v] == 0)
			make_ready(&s, v);
	do {
		end_due(&s);
		start_all(&s);
		if (s.running.n > 0)
			s.now = s.running.items[0].key;
	} while (s.running.n > 0 || add_worker(&s));
	release(&s);
	return s.now;
}
