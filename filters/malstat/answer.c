/* answer - the costliest operations, and how the cores are used */

#include <stdlib.h>
#include <string.h>

#include "common/mem.h"
#include "filters/malstat/answer.h"

static const struct trace *sorted;	/* qsort has no context */

static int
compare_names(sym a, sym b)
{
	return a == b ? 0 : intern_cmp(&sorted->names, a, b);
}

static int
compare_operations(const void *a, const void *b)
{
	const struct operation *x = a, *y = b;

	if (x->kind != y->kind)
		return (int)x->kind - (int)y->kind;
	if (x->kind == KIND_WORK && x->self_us != y->self_us)
		return x->self_us > y->self_us ? -1 : 1;
	return compare_names(x->name, y->name);
}

/* Adds up instances by kind and operation; work comes first. */
static void
add_operations(struct answer *a, const struct scope *s)
{
	const struct trace *t = a->trace;
	struct operation *list = NULL, *o;
	static uint32_t *place;		/* by operation and kind */
	size_t n_places = t->names.n * N_KINDS, p;
	const struct instance *i;
	int64_t total_us;
	size_t n = 0, cap = 0;

	/* Made once: queries may be many, and names as well. */
	if (place == NULL)
		place = memset(mem_resize(NULL, n_places, sizeof *place), 0xff,
		    n_places * sizeof *place);
	for (size_t k = 0; k < s->n_instances; k++) {
		i = &t->instances[s->instances[k]];
		/* A call has the name of its plan. */
		p = (size_t)i->operation * N_KINDS + i->kind;
		if (place[p] == MAP_NONE) {
			list = mem_grow(list, &cap, n + 1, sizeof *list);
			place[p] = (uint32_t)n;
			list[n++] = (struct operation){ .name = i->operation,
			    .kind = i->kind };
		}
		o = &list[place[p]];
		total_us = i->end_us - i->start_us;
		o->n++;
		o->total_us += total_us;
		o->self_us += i->self_us;
		if (total_us > o->most_us)
			o->most_us = total_us;
	}
	for (size_t k = 0; k < n; k++)
		place[(size_t)list[k].name * N_KINDS + list[k].kind] =
		    MAP_NONE;
	if (n > 0)
		qsort(list, n, sizeof *list, compare_operations);
	a->operations = list;
	while (a->n_operations < n &&
	    list[a->n_operations].kind == KIND_WORK)
		a->busy_us += list[a->n_operations++].self_us;
	a->containers = list + a->n_operations;
	a->n_containers = n - a->n_operations;
}

/* Most self time first; then session, tag, pc and start, and all else. */
static int
compare_costs(const void *a, const void *b)
{
	const struct instance *x = &sorted->instances[*(const uint32_t *)a];
	const struct instance *y = &sorted->instances[*(const uint32_t *)b];
	const struct execution *p = &sorted->executions[x->execution];
	const struct execution *q = &sorted->executions[y->execution];
	int64_t at[][2] = { { y->self_us, x->self_us },
	    { trace_compare_sessions(sorted, p->session, q->session), 0 },
	    { p->tag, q->tag }, { x->pc, y->pc },
	    { x->start_us, y->start_us },
	    { trace_compare_executions(sorted, x->execution, y->execution),
	    0 }, { x - y, 0 } };

	for (size_t i = 0; i < sizeof at / sizeof *at; i++)
		if (at[i][0] != at[i][1])
			return at[i][0] < at[i][1] ? -1 : 1;
	return 0;
}

static void
rank_instances(struct answer *a, const struct scope *s)
{
	uint32_t i;

	a->costliest = mem_resize(NULL, s->n_instances,
	    sizeof *a->costliest);
	for (size_t k = 0; k < s->n_instances; k++) {
		i = s->instances[k];
		if (a->trace->instances[i].kind == KIND_WORK)
			a->costliest[a->n_work++] = i;
	}
	if (a->n_work > 0)
		qsort(a->costliest, a->n_work, sizeof *a->costliest,
		    compare_costs);
}

static int
compare_times(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static void
add_time(struct cores *c, size_t threads, int64_t us)
{
	while (c->n_with <= threads) {
		c->with_us = mem_resize(c->with_us, c->n_with + 1,
		    sizeof *c->with_us);
		c->with_us[c->n_with++] = 0;
	}
	c->with_us[threads] += us;
}

/*
 * Walks over the ends of pieces, which are of one session and clipped to the
 * time of the cores: how long did so many work at once?
 */
static void
count_threads(struct cores *c, const struct piece *p, size_t n)
{
	int64_t *from = mem_resize(NULL, n, sizeof *from);
	int64_t *to = mem_resize(NULL, n, sizeof *to), now = c->from_us, next;
	size_t kept = 0, begun = 0, ended = 0;

	for (size_t i = 0; i < n; i++) {
		from[kept] = p[i].from_us > c->from_us ? p[i].from_us :
		    c->from_us;
		to[kept] = p[i].to_us < c->to_us ? p[i].to_us : c->to_us;
		if (from[kept] >= to[kept])
			continue;
		c->busy_us += to[kept] - from[kept];
		kept++;
	}
	if (kept > 0) {
		qsort(from, kept, sizeof *from, compare_times);
		qsort(to, kept, sizeof *to, compare_times);
	}
	while (ended < kept) {
		next = begun < kept && from[begun] < to[ended] ?
		    from[begun] : to[ended];
		add_time(c, begun - ended, next - now);
		now = next;
		while (ended < kept && to[ended] == now)
			ended++;
		while (begun < kept && from[begun] == now)
			begun++;
	}
	add_time(c, 0, c->to_us - now);
	free(from);
	free(to);
}

static sym
session_of(const struct trace *t, uint32_t instance)
{
	return t->executions[t->instances[instance].execution].session;
}

/* Where in the scope the instances of each lane begin, and one more. */
static void
find_ranges(struct answer *a, const struct scope *s)
{
	const struct instance *i = a->trace->instances;
	size_t cap = 0;

	for (size_t k = 0; k <= s->n_instances; k++) {
		if (k > 0 && k < s->n_instances &&
		    i[s->instances[k]].lane == i[s->instances[k - 1]].lane)
			continue;
		a->ranges = mem_grow(a->ranges, &cap, a->n_ranges + 1,
		    sizeof *a->ranges);
		a->ranges[a->n_ranges++] = k;
	}
	a->n_ranges--;
}

/* The first of [low, high) that begins at a time or later. */
static size_t
first_from(const struct answer *a, const struct scope *s, size_t low,
    size_t high, int64_t us)
{
	size_t middle;

	while (low < high) {
		middle = (low + high) / 2;
		if (a->trace->instances[s->instances[middle]].start_us < us)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Has the lane, [first, last), work that lies within the cores' time? */
static bool
works(const struct answer *a, const struct scope *s, size_t first,
    size_t last, const struct cores *c)
{
	const struct instance *i;

	for (size_t k = first_from(a, s, first, last, c->from_us); k < last;
	    k++) {
		i = &a->trace->instances[s->instances[k]];
		if (i->start_us > c->to_us)
			return false;
		if (i->kind == KIND_WORK && i->end_us <= c->to_us)
			return true;
	}
	return false;
}

static size_t
count_lanes(const struct answer *a, const struct scope *s,
    const struct cores *c)
{
	size_t n = 0;

	for (size_t r = 0; r < a->n_ranges; r++)
		n += session_of(a->trace, s->instances[a->ranges[r]]) ==
		    c->session && works(a, s, a->ranges[r], a->ranges[r + 1],
		    c);
	return n;
}

/* The pieces of a session: they stand together. */
static const struct piece *
pieces_of(const struct answer *a, const struct scope *s, sym session,
    size_t *n)
{
	const struct piece *p = s->pieces, *end = p + s->n_pieces, *first;

	while (p < end && session_of(a->trace, p->instance) != session)
		p++;
	first = p;
	while (p < end && session_of(a->trace, p->instance) == session)
		p++;
	*n = (size_t)(p - first);
	return first;
}

static struct cores *
add_cores(struct cores **list, size_t *n, sym session, int64_t from_us,
    int64_t to_us, uint32_t block)
{
	if ((*n & (*n - 1)) == 0)	/* twice as many, each time */
		*list = mem_resize(*list, *n == 0 ? 1 : 2 * *n, sizeof **list);
	(*list)[*n] = (struct cores){ .session = session, .from_us = from_us,
	    .to_us = to_us, .block = block };
	return &(*list)[(*n)++];
}

static void
find_sessions(struct answer *a, const struct scope *s)
{
	const struct instance *i;
	struct cores *c;
	sym session;

	for (size_t k = 0; k < s->n_instances; k++) {
		i = &a->trace->instances[s->instances[k]];
		session = session_of(a->trace, s->instances[k]);
		for (c = a->sessions; c < a->sessions + a->n_sessions &&
		    c->session != session; c++)
			;
		if (c == a->sessions + a->n_sessions)
			c = add_cores(&a->sessions, &a->n_sessions, session,
			    i->start_us, i->end_us, MAP_NONE);
		if (i->start_us < c->from_us)
			c->from_us = i->start_us;
		if (i->end_us > c->to_us)
			c->to_us = i->end_us;
	}
}

static void
find_blocks(struct answer *a, const struct scope *s)
{
	const struct instance *i;

	for (size_t k = 0; k < s->n_instances; k++) {
		i = &a->trace->instances[s->instances[k]];
		if (i->kind == KIND_DATAFLOW)
			add_cores(&a->blocks, &a->n_blocks,
			    session_of(a->trace, s->instances[k]),
			    i->start_us, i->end_us, s->instances[k]);
	}
}

/* Sums of the beginnings, or ends, of pieces up to each. */
struct sums {
	int64_t *at;
	__int128 *up_to;
	size_t n;
};

static void
sum_up(struct sums *s, const struct piece *p, size_t n, bool ends)
{
	__int128 sum = 0;

	s->at = mem_resize(NULL, n, sizeof *s->at);
	s->up_to = mem_resize(NULL, n + 1, sizeof *s->up_to);
	s->n = n;
	for (size_t i = 0; i < n; i++)
		s->at[i] = ends ? p[i].to_us : p[i].from_us;
	if (n > 0)
		qsort(s->at, n, sizeof *s->at, compare_times);
	for (size_t i = 0; i < n; i++) {
		s->up_to[i] = sum;
		sum += s->at[i];
	}
	s->up_to[n] = sum;
}

/* For all that are before us: how long ago they were, added up. */
static __int128
since(const struct sums *s, int64_t us)
{
	size_t low = 0, high = s->n, middle;

	while (low < high) {
		middle = (low + high) / 2;
		if (s->at[middle] < us)
			low = middle + 1;
		else
			high = middle;
	}
	return (__int128)us * (__int128)low - s->up_to[low];
}

/* The busy time of all blocks of a session, from one look at its pieces. */
static void
measure_blocks(struct answer *a, const struct scope *s, sym session)
{
	struct sums begun, ended;
	const struct piece *p;
	struct cores *c;
	size_t n;

	p = pieces_of(a, s, session, &n);
	sum_up(&begun, p, n, false);
	sum_up(&ended, p, n, true);
	for (c = a->blocks; c < a->blocks + a->n_blocks; c++)
		if (c->session == session)
			c->busy_us = (int64_t)(since(&begun, c->to_us) -
			    since(&ended, c->to_us) -
			    since(&begun, c->from_us) +
			    since(&ended, c->from_us));
	free(begun.at);
	free(begun.up_to);
	free(ended.at);
	free(ended.up_to);
}

static void
measure_session(struct answer *a, const struct scope *s, struct cores *c)
{
	const struct piece *p;
	size_t n;

	p = pieces_of(a, s, c->session, &n);
	count_threads(c, p, n);
	c->n_threads = count_lanes(a, s, c);
	measure_blocks(a, s, c->session);
}

void
answer_make(struct answer *a, const struct trace *t, const struct scope *s)
{
	*a = (struct answer){ .trace = t, .root = s->root,
	    .n_instances = s->n_instances };
	sorted = t;
	add_operations(a, s);
	rank_instances(a, s);
	find_ranges(a, s);
	find_sessions(a, s);
	find_blocks(a, s);
	for (size_t i = 0; i < a->n_sessions; i++)
		measure_session(a, s, &a->sessions[i]);
	for (size_t i = 0; i < a->n_blocks; i++)
		a->blocks[i].n_threads = count_lanes(a, s, &a->blocks[i]);
}

void
answer_release(struct answer *a)
{
	for (size_t i = 0; i < a->n_sessions; i++)
		free(a->sessions[i].with_us);
	for (size_t i = 0; i < a->n_blocks; i++)
		free(a->blocks[i].with_us);
	free(a->sessions);
	free(a->blocks);
	free(a->operations);
	free(a->costliest);
	free(a->ranges);
}
