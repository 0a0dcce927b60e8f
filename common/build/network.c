/* network - makes the graph of the tasks and dependencies of a build */

#include <stdlib.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/err.h"
#include "common/base/num.h"
#include "common/base/search.h"
#include "common/base/sort.h"
#include "common/build/build-names.h"
#include "common/build/network.h"
#include "common/filter/filter-reject.h"
#include "common/filter/filter.h"

static int
compare_vertices(const void *context, uint32_t a, uint32_t b)
{
	const struct network *net = context;
	const struct task *x = network_task(net, a);
	const struct task *y = network_task(net, b);

	if (x != NULL && y != NULL)
		return build_compare_tasks(net->build, x, y);
	return intern_cmp(&net->build->names, network_id(net, a),
	    network_id(net, b));
}

sym
network_id(const struct network *net, uint32_t vertex)
{
	const struct task *t = network_task(net, vertex);

	return t != NULL ? t->id :
	    net->placeholders[net->task_of[vertex] - net->build->n_tasks];
}

int64_t
network_end_us(const struct network *net, uint32_t vertex)
{
	const struct task *t = network_task(net, vertex);

	return t->end_us == INT_UNKNOWN && net->until_us != NULL ?
	    net->until_us[vertex] : t->end_us;
}

void
network_put_id(const struct network *net, uint32_t vertex, struct buf *b)
{
	const struct task *t = network_task(net, vertex);

	if (t != NULL)
		build_put_id(net->build, t, b);
	else
		buf_str(b, intern_str(&net->build->names,
		    network_id(net, vertex)));
}

void
network_put_name(const struct network *net, uint32_t vertex, struct buf *b)
{
	const struct task *t = network_task(net, vertex);
	struct span name;

	if (t != NULL) {
		build_put_name(net->build, t, b);
		return;
	}
	name = build_name_of_id(net->build, network_id(net, vertex));
	buf_add(b, name.p, name.n);
}

/*
 * A prepare task among those of a worker, or of all workers of its host, and
 * the longest of these that ended no later.
 */
struct prepare {
	uint64_t group;		/* see group_of() */
	int64_t end_us;		/* INT_UNKNOWN, if not known, is the first */
	uint32_t vertex, longest;
	uint32_t n;		/* in the first of a host: how many it has */
};

static uint64_t
group_of(sym host, uint32_t worker)
{
	return (uint64_t)host << 32 | worker;
}

/*
 * What is needed only until all edges are made, such as indexes of the vertices
 * by id and by host.
 *
 * The vertices of an id, one for each attempt, are a linked list.  A link is
 * INDEX_NONE, or twice the index of a vertex, plus one if another link follows.
 * Nearly all ids have one vertex: without the low bit, each id would cost a
 * cache miss only to find that no other vertex follows.
 */
struct draft {
	struct network *net;
	uint32_t *first_of;	/* by symbol: the first link of the id */
	struct vertex {
		uint32_t next;	/* the next link of the same id */
		sym ran_on;	/* the host of a run, or NOT_A_RUN */
	} *vertices;
	struct prepare *prepares;	/* by group, then by end */
	uint32_t *prepares_of;	/* by symbol of a host: the index of its first
				   prepare task plus 1, or 0 */
	size_t n_prepares, prepares_cap;
	uint64_t *cuts;		/* dropped dependencies, with duplicates:
				   vertex << 32 | symbol of the id on which
				   it depends */
	size_t n_cuts, cuts_cap;
};

#define NOT_A_RUN (SYM_NONE - 1)

static inline uint32_t
next_link(const struct draft *d, uint32_t link)
{
	return link % 2 == 0 ? INDEX_NONE : d->vertices[link / 2].next;
}

static struct vertex *
add_vertex(struct draft *d, sym id, uint32_t task)
{
	uint32_t v = (uint32_t)d->net->n_vertices++;

	if (v >= INDEX_NONE / 2)
		die("too many tasks");
	d->net->task_of[v] = task;
	d->vertices[v] = (struct vertex){ d->first_of[id], NOT_A_RUN };
	d->first_of[id] = v * 2 + (d->first_of[id] != INDEX_NONE);
	return &d->vertices[v];
}

/*
 * Each attempt at a task depends on each attempt at its dependencies.  Without
 * a limit, a task with n attempts that depends on another with n attempts would
 * have n * n edges.
 */
enum { ATTEMPTS_MAX = 8 };

/*
 * How long a task took, or so far if it did not end; INT_UNKNOWN if that is not
 * known.
 */
static int64_t
elapsed_us(const struct build *b, const struct task *t)
{
	if (t->elapsed_us != INT_UNKNOWN || !build_is_open(b, t))
		return t->elapsed_us;
	return build_so_far_us(b, t);
}

/*
 * Whether the task becomes a vertex.  Excluded are superseded tasks, tasks
 * without an elapsed time, attempts beyond ATTEMPTS_MAX, sums over several
 * intervals (which did not run at one certain time), and prepare tasks without
 * a host (for which no task waited).
 */
static bool
is_in_graph(const struct build *b, const struct task *t)
{
	return (t->flags & (TASK_SUPERSEDED | TASK_TOTAL)) == 0 &&
	    t->attempt <= ATTEMPTS_MAX &&
	    (t->kind != b->prepare || t->host != SYM_NONE) &&
	    elapsed_us(b, t) != INT_UNKNOWN;
}

static int
compare_prepares(const void *a, const void *b)
{
	const struct prepare *x = a, *y = b;
	return cmp_u64(x->group, y->group) ?: cmp_i64(x->end_us, y->end_us);
}

/* Whether prepare task v is longer than w or, if equally long, comes first. */
static bool
is_longer(const struct network *net, uint32_t v, uint32_t w)
{
	const struct task *x = network_task(net, v);
	const struct task *y = network_task(net, w);

	return x->elapsed_us != y->elapsed_us ? x->elapsed_us > y->elapsed_us :
	    build_compare_tasks(net->build, x, y) < 0;
}

static void
sort_prepares(struct draft *d)
{
	struct prepare *p = d->prepares;
	uint32_t *first;

	sort(p, d->n_prepares, sizeof *p, compare_prepares);
	for (size_t i = 0; i < d->n_prepares; i++) {
		first = &d->prepares_of[p[i].group >> 32];
		if (*first == 0)
			*first = (uint32_t)i + 1;
		p[*first - 1].n++;
		if (i > 0 && p[i].group == p[i - 1].group &&
		    !is_longer(d->net, p[i].vertex, p[i - 1].longest))
			p[i].longest = p[i - 1].longest;
	}
}

/*
 * The worker that records of the task's id and host name; WORKER_NONE if they
 * name none or several.  Which of them name it depends on the order of the log.
 */
static uint32_t
find_worker(const struct build *b, const struct task *t)
{
	uint32_t found = WORKER_NONE, worker;

	/* Usually the id has no other record. */
	if (t->attempt == 0)
		return column_get(&b->workers, (size_t)(t - b->tasks));
	for (uint32_t i = build_find_task(b, t->id); i != INDEX_NONE;
	    i = b->tasks[i].next) {
		worker = column_get(&b->workers, i);
		if (worker == WORKER_NONE || worker == found ||
		    b->tasks[i].host != t->host)
			continue;
		if (found != WORKER_NONE)
			return WORKER_NONE;
		found = worker;
	}
	return found;
}

/* The longest prepare task of a worker that had ended; INDEX_NONE: none. */
static uint32_t
find_longest(const struct draft *d, sym host, uint32_t worker, int64_t until_us)
{
	const struct prepare *p = &d->prepares[d->prepares_of[host] - 1];
	uint64_t group = group_of(host, worker);
	size_t n = SEARCH_FIRST(i, p->n, p[i].group > group ||
	    (p[i].group == group && p[i].end_us > until_us));

	return n > 0 && p[n - 1].group == group ? p[n - 1].longest :
	    INDEX_NONE;
}

/*
 * Of the prepare tasks of a task's worker, only the longest of those that had
 * ended when the task started can have delayed it.  A worker that is not known
 * may be any of the host.  INDEX_NONE if there is none.
 */
static uint32_t
find_prepare(const struct draft *d, const struct task *t)
{
	int64_t start_us = t->start_us != INT_UNKNOWN ? t->start_us : INT64_MAX;
	uint32_t worker, of_worker, of_none;

	if (t->host == SYM_NONE || d->prepares_of[t->host] == 0)
		return INDEX_NONE;
	worker = t->kind == d->net->build->run ?
	    find_worker(d->net->build, t) : WORKER_NONE;
	if (worker == WORKER_NONE)
		return find_longest(d, t->host, WORKER_ANY, start_us);
	of_worker = find_longest(d, t->host, worker, start_us);
	of_none = find_longest(d, t->host, WORKER_NONE, start_us);
	return of_worker == INDEX_NONE || (of_none != INDEX_NONE &&
	    is_longer(d->net, of_none, of_worker)) ? of_none : of_worker;
}

static void
add_tasks(struct draft *d)
{
	struct network *net = d->net;
	const struct task *t = net->build->tasks;
	struct vertex *vertex;
	struct prepare new = { 0 };

	for (uint32_t i = 0; i < net->build->n_tasks; i++, t++) {
		if (!is_in_graph(net->build, t))
			continue;
		vertex = add_vertex(d, t->id, i);
		if (t->kind == net->build->run) {
			vertex->ran_on = t->host;
		} else if (t->kind == net->build->prepare) {
			new.vertex = new.longest = (uint32_t)(vertex -
			    d->vertices);
			new.end_us = t->end_us;
			d->prepares = mem_grow(d->prepares, &d->prepares_cap,
			    d->n_prepares + 2, sizeof *d->prepares);
			new.group = group_of(t->host, WORKER_ANY);
			d->prepares[d->n_prepares++] = new;
			new.group = group_of(t->host,
			    find_worker(net->build, t));
			d->prepares[d->n_prepares++] = new;
		}
		net->n_deployed += (t->flags & TASK_DEPLOYED) != 0;
	}
	net->n_tasks = net->n_vertices;
}

static void
add_placeholder(struct draft *d, sym id)
{
	struct network *net = d->net;
	size_t i = net->n_vertices - net->n_tasks;

	if (d->first_of[id] != INDEX_NONE)
		return;
	net->placeholders = mem_grow(net->placeholders,
	    &net->placeholders_cap, i + 1, sizeof *net->placeholders);
	net->placeholders[i] = id;
	add_vertex(d, id, (uint32_t)(net->build->n_tasks + i));
}

static void
add_placeholders(struct draft *d)
{
	const struct build *b = d->net->build;

	for (size_t i = 0; i < b->n_nodes; i++)
		if (d->net->bridge || (b->nodes[i].flags & NODE_PHONY) != 0)
			add_placeholder(d, b->nodes[i].id);
	for (size_t i = 0; d->net->bridge && i < b->n_tasks; i++)
		if (b->tasks[i].kind != b->copy)
			add_placeholder(d, b->tasks[i].id);
}

/*
 * Makes v depend on all vertices of the id dep.  If dep has no vertex, usually
 * because it has no elapsed time, the dependency is dropped and counted.
 */
static ALWAYS_INLINE void
add_dependency(struct draft *d, uint32_t v, sym dep)
{
	uint32_t link = d->first_of[dep];

	if (link == INDEX_NONE) {
		d->cuts = mem_grow(d->cuts, &d->cuts_cap, d->n_cuts + 1,
		    sizeof *d->cuts);
		d->cuts[d->n_cuts++] = (uint64_t)v << 32 | dep;
	}
	for (; link != INDEX_NONE; link = next_link(d, link))
		dag_add(&d->net->dag, v, link / 2);
}

/* Adds the dependencies that records list as `deps`. */
static void
add_listed_deps(struct draft *d)
{
	const struct dependency *dep = d->net->build->deps;
	const struct dependency *end = dep + d->net->build->n_deps;

	for (; dep < end; dep++)
		for (uint32_t link = d->first_of[dep->id]; link != INDEX_NONE;
		    link = next_link(d, link))
			add_dependency(d, link / 2, dep->dep);
}

/*
 * A copy depends on the run that made what is copied.  The consumer depends on
 * the copy if the consumer ran on the host to which the copy went.
 */
static void
add_copy(struct draft *d, uint32_t v, const struct task *copy)
{
	if (copy->uid != SYM_NONE)
		add_dependency(d, v, copy->uid);
	if (copy->consumer == SYM_NONE)
		return;
	for (uint32_t link = d->first_of[copy->consumer]; link != INDEX_NONE;
	    link = next_link(d, link))
		if (d->vertices[link / 2].ran_on == copy->host)
			dag_add(&d->net->dag, link / 2, v);
}

/* An attempt waited for those that had failed when it started. */
static void
add_failed_attempts(struct draft *d, uint32_t v, const struct task *t)
{
	const struct task *other;

	for (uint32_t link = t->attempt < 2 || t->start_us == INT_UNKNOWN ?
	    INDEX_NONE : d->first_of[t->id]; link != INDEX_NONE;
	    link = next_link(d, link)) {
		other = network_task(d->net, link / 2);
		if (other->attempt < t->attempt &&
		    (other->flags & TASK_FAILED) != 0 &&
		    other->end_us != INT_UNKNOWN &&
		    other->end_us <= t->start_us)
			dag_add(&d->net->dag, v, link / 2);
	}
}

/* Adds the dependencies that follow from the kind of a task. */
static void
add_by_kind(struct draft *d)
{
	const struct network *net = d->net;
	const struct build *b = net->build;
	const struct task *t;
	uint32_t prepare;

	sort_prepares(d);
	for (uint32_t v = 0; v < net->n_tasks; v++) {
		t = network_task(net, v);
		if (t->kind != b->run && t->kind != b->copy)
			continue;
		if (t->kind == b->copy)
			add_copy(d, v, t);
		add_failed_attempts(d, v, t);
		prepare = find_prepare(d, t);
		if (prepare != INDEX_NONE)
			dag_add(&d->net->dag, v, prepare);
	}
}

/*
 * Sets until when tasks count that did not end.  If a task that depends on one
 * started, that had ended by then, although the log has no end of it.
 */
static void
end_open_tasks(struct network *net)
{
	struct dag *dag = &net->dag;
	/* By vertex: when the first task that depends on it started. */
	int64_t *needed_us = mem_table(dag->n, sizeof *needed_us), us, start_us;
	const struct task *t;
	uint32_t v, dep;

	net->until_us = mem_table(dag->n, sizeof *net->until_us);
	for (size_t i = 0; i < dag->n; i++)
		needed_us[i] = net->until_us[i] = INT_UNKNOWN;
	for (size_t i = dag->n; i-- > 0;) {
		v = dag->order[i];
		t = network_task(net, v);
		us = t != NULL ? t->start_us : needed_us[v];
		if (t != NULL && build_is_open(net->build, t)) {
			if (needed_us[v] != INT_UNKNOWN &&
			    needed_us[v] - us < dag->weight[v])
				dag->weight[v] = needed_us[v] - us;
			net->until_us[v] = us + dag->weight[v];
		}
		for (uint32_t j = dag->row[v]; j < dag->row[v + 1]; j++) {
			dep = dag->dep[j];
			t = network_task(net, dep);
			start_us = t != NULL ? t->start_us : INT_UNKNOWN;
			if (us != INT_UNKNOWN && us >= start_us)
				needed_us[dep] = time_earlier(needed_us[dep],
				    us);
		}
	}
	free(needed_us);
}

struct cycle_context {
	struct filter *f;
	const struct network *net;
};

/* Reports "a -> b -> a": each task depends on the next. */
static void
report_cycle(void *context, const uint32_t *cycle, size_t n)
{
	enum { PRINTED_MAX = 20 };
	struct cycle_context *ctx = context;
	struct buf text = { 0 };

	for (size_t i = 0; i < n && i < PRINTED_MAX; i++) {
		network_put_name(ctx->net, cycle[i], &text);
		buf_str(&text, " -> ");
	}
	if (n > PRINTED_MAX)
		buf_printf(&text, "... (%zu tasks) -> ", n);
	network_put_name(ctx->net, cycle[0], &text);
	filter_fail(ctx->f, "tasks depend on each other in a cycle, whose "
	    "dependencies are ignored: %s", buf_cstr(&text));
	buf_release(&text);
}

void
network_make(struct network *net, const struct build *build, bool bridge,
    struct filter *f)
{
	struct cycle_context ctx = { f, net };
	struct draft d = { .net = net };
	size_t n_names = build->names.n;
	size_t n_max = build->n_tasks + build->n_nodes;
	const struct task *t;

	*net = (struct network){ .build = build, .bridge = bridge };
	net->task_of = mem_table(n_max, sizeof *net->task_of);
	d.vertices = mem_table(n_max, sizeof *d.vertices);
	d.first_of = mem_ones(n_names, sizeof *d.first_of);
	d.prepares_of = mem_zero(n_names, sizeof *d.prepares_of);
	add_tasks(&d);
	add_placeholders(&d);

	/* An estimate: a copy usually adds three edges, from the run that made
	   its contents, from a prepare task, and to its consumer. */
	dag_init(&net->dag, net->n_vertices,
	    build->n_deps + 3 * net->n_tasks, compare_vertices, net);
	add_listed_deps(&d);
	add_by_kind(&d);
	sort_u64(d.cuts, d.n_cuts);
	for (size_t i = 0; i < d.n_cuts; i++)
		net->n_cut += i == 0 || d.cuts[i] != d.cuts[i - 1];
	free(d.first_of);
	free(d.vertices);
	free(d.prepares);
	free(d.prepares_of);
	free(d.cuts);

	/* A path may end with any task that is not a copy, and that is one. */
	net->is_end = mem_zero(net->n_vertices, sizeof *net->is_end);
	for (uint32_t v = 0; v < net->n_tasks; v++) {
		t = network_task(net, v);
		net->dag.weight[v] = elapsed_us(build, t);
		net->is_end[v] = t->kind != build->copy &&
		    t->kind != build->merged;
	}
	dag_seal(&net->dag, report_cycle, &ctx);
	if (build->missing.n_open > 0)
		end_open_tasks(net);
}

static int
compare_in_order(const void *a, const void *b, void *net)
{
	return compare_vertices(net, *(const uint32_t *)a,
	    *(const uint32_t *)b);
}

void
network_rank(struct network *net)
{
	struct dag *dag = &net->dag;

	if (dag->rank != NULL)
		return;
	dag->by_rank = mem_table(net->n_vertices, sizeof *dag->by_rank);
	dag->rank = mem_table(net->n_vertices, sizeof *dag->rank);
	for (uint32_t v = 0; v < net->n_vertices; v++)
		dag->by_rank[v] = v;
	sort_with(dag->by_rank, net->n_vertices, sizeof *dag->by_rank,
	    compare_in_order, net);
	for (uint32_t i = 0; i < net->n_vertices; i++)
		dag->rank[dag->by_rank[i]] = i;
}

bool
network_knows_deps(const struct network *net)
{
	const struct build *b = net->build;

	return net->dag.n_edges > 0 || net->n_tasks <= 1 || b->has_deps ||
	    (b->n_nodes > 0 && b->missing.n_without_node == 0);
}

void
network_release(struct network *net)
{
	dag_release(&net->dag);
	free(net->task_of);
	free(net->placeholders);
	free(net->is_end);
	free(net->until_us);
}
