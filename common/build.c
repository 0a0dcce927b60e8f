/* build - the tasks and nodes of one build */

#include <stdlib.h>
#include <string.h>

#include "common/buf.h"
#include "common/build.h"
#include "common/err.h"
#include "common/filter.h"

#define NONE MAP_NONE

enum { ID = KEY_TYPE + 1, KIND, START, END, ELAPSED, UID, CONSUMER, HOST,
    FROM_CACHE, FAILED, TOTAL, START_EVENT, DEPLOYED, TRANSFER, WAIT, SIZE,
    RULE, DEPS, NODE_TYPE, TEST, DYNAMIC, OUTPUTS };

const char *const build_keys[] = { "type", "id", "kind", "start_us", "end_us",
    "elapsed_us", "uid", "consumer", "host", "from_cache", "failed",
    "total_time", "start_event", "deployed_us", "transfer_us", "wait_us",
    "size_bytes", "rule", "deps", "node_type", "test",
    "dynamically_resolved_cache", "outputs", NULL };

void
build_init(struct build *b)
{
	*b = (struct build){ .start_us = TIME_UNKNOWN,
	    .end_us = TIME_UNKNOWN };
	intern_init(&b->names);
	memset(b->last, 0xff, sizeof b->last);
	b->run = intern_add(&b->names, span_of("run", 3));
	b->copy = intern_add(&b->names, span_of("copy", 4));
	b->prepare = intern_add(&b->names, span_of("prepare", 7));
}

void
build_release(struct build *b)
{
	intern_release(&b->names);
	free(b->tasks);
	free(b->nodes);
	free(b->deps);
	free(b->task_of);
	free(b->node_of);
	free(b->repeated);
	free(b->outputs);
}

static uint32_t
look_up(const uint32_t *table, size_t cap, sym id)
{
	return id < cap ? table[id] : NONE;
}

uint32_t
build_task(const struct build *b, sym id)
{
	return look_up(b->task_of, b->task_of_cap, id);
}

uint32_t
build_node(const struct build *b, sym id)
{
	return look_up(b->node_of, b->node_of_cap, id);
}

/* A table by symbol, grown so that it has a place for id. */
static uint32_t *
with_place(uint32_t *table, size_t *cap, sym id)
{
	size_t old = *cap;

	if (id < old)
		return table;
	table = mem_grow(table, cap, (size_t)id + 1, sizeof *table);
	memset(table + old, 0xff, (*cap - old) * sizeof *table);
	return table;
}

static sym
name(struct build *b, const struct rec *r, unsigned key)
{
	struct span text;

	return rec_str(r, key, &text) == REC_GOOD ?
	    intern_add(&b->names, text) : SYM_NONE;
}

/* A key that is there and is not what it must be. */
static bool
is_wrong(struct filter *f, enum rec_found found, unsigned key,
    const char *must_be)
{
	if (found != REC_BAD)
		return false;
	filter_reject(f, "%s is no %s", build_keys[key], must_be);
	return true;
}

static bool
read_id(struct filter *f, const struct rec *r, struct span *id)
{
	enum rec_found found = rec_str(r, ID, id);

	if (found == REC_GOOD)
		return true;
	if (found == REC_BAD)
		filter_reject(f, "id is no string");
	else
		filter_reject(f, "no id");
	return false;
}

static bool
add_deps(struct build *b, struct filter *f, const struct rec *r, sym id)
{
	const struct span *items;
	sym deps[INTERN_BATCH];
	size_t n = 0, batch;

	if (is_wrong(f, rec_strings(r, DEPS, &items, &n), DEPS,
	    "array of strings"))
		return false;
	b->deps = mem_grow(b->deps, &b->deps_cap, b->n_deps + n,
	    sizeof *b->deps);
	for (; n > 0; n -= batch, items += batch) {
		batch = n < INTERN_BATCH ? n : INTERN_BATCH;
		intern_add_batch(&b->names, items, batch, deps);
		for (size_t i = 0; i < batch; i++)
			b->deps[b->n_deps++] = (struct dependency){ id,
			    deps[i] };
	}
	return true;
}

/* What a task made is another name for it. */
static bool
add_outputs(struct build *b, struct filter *f, const struct rec *r, sym id)
{
	const struct span *items;
	size_t n = 0;

	if (is_wrong(f, rec_strings(r, OUTPUTS, &items, &n), OUTPUTS,
	    "array of strings"))
		return false;
	b->outputs = mem_grow(b->outputs, &b->outputs_cap, b->n_outputs + n,
	    sizeof *b->outputs);
	for (size_t i = 0; i < n; i++)
		b->outputs[b->n_outputs++] = (struct dependency){
		    intern_add(&b->names, items[i]), id };
	return true;
}

static bool
read_times(struct filter *f, const struct rec *r, struct task *t)
{
	static const unsigned keys[] = { START, END, ELAPSED, DEPLOYED,
	    TRANSFER, WAIT, SIZE };
	int64_t *values[] = { &t->start_us, &t->end_us, &t->elapsed_us,
	    &t->other_us, &t->other_us, &t->other_us, &t->size_bytes };

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (is_wrong(f, rec_int(r, keys[i], values[i]), keys[i],
		    "integer below 2^53"))
			return false;
	return true;
}

static uint8_t
read_flags(const struct rec *r)
{
	struct span event;

	return (uint8_t)((rec_true(r, FROM_CACHE) ? TASK_CACHED : 0) |
	    (rec_true(r, FAILED) ? TASK_FAILED : 0) |
	    (rec_true(r, TOTAL) ? TASK_TOTAL : 0) |
	    (rec_true(r, DYNAMIC) ? TASK_DYNAMIC : 0) |
	    (rec_str(r, START_EVENT, &event) == REC_GOOD &&
	    span_eq(event, "deployed") ? TASK_EARLY : 0));
}

static void
enlist(struct build *b, const struct task *task)
{
	uint32_t i = (uint32_t)b->n_tasks, first;

	if (b->n_tasks >= NONE)
		die("too many tasks");
	b->tasks = mem_grow(b->tasks, &b->tasks_cap, b->n_tasks + 1,
	    sizeof *b->tasks);
	b->tasks[b->n_tasks++] = *task;
	b->task_of = with_place(b->task_of, &b->task_of_cap, task->id);
	first = b->task_of[task->id];
	if (first == NONE) {
		b->task_of[task->id] = i;
		return;
	}
	b->tasks[i].next = b->tasks[first].next;
	b->tasks[first].next = i;
	b->repeated = mem_grow(b->repeated, &b->repeated_cap,
	    b->n_repeated + 1, sizeof *b->repeated);
	b->repeated[b->n_repeated++] = first;
}

/* The names in a task record. */
enum { T_ID, T_KIND, T_HOST, T_RULE, T_UID, T_CONSUMER, T_N };

static bool
is_named(const struct build *b, sym s, struct span text)
{
	struct span name;

	if (s == SYM_NONE || text.p == NULL)
		return false;
	name = intern_span(&b->names, s);
	return name.n == text.n && memcmp(name.p, text.p, text.n) == 0;
}

/*
 * A run's uid is its id, and much else is as it was in the record before: the
 * kind, the consumer of several copies.  Such names need no look-up.
 */
static void
intern_names(struct build *b, struct span texts[T_N], sym syms[T_N])
{
	bool same_uid = texts[T_UID].p != NULL &&
	    texts[T_UID].n == texts[T_ID].n &&
	    memcmp(texts[T_UID].p, texts[T_ID].p, texts[T_ID].n) == 0;
	bool as_before[T_N] = { false };

	if (same_uid)
		texts[T_UID].p = NULL;
	for (size_t i = T_ID + 1; i < T_N; i++)
		if ((as_before[i] = is_named(b, b->last[i], texts[i])))
			texts[i].p = NULL;
	intern_add_batch(&b->names, texts, T_N, syms);
	for (size_t i = T_ID + 1; i < T_N; i++)
		if (as_before[i])
			syms[i] = b->last[i];
	if (same_uid)
		syms[T_UID] = syms[T_ID];
	memcpy(b->last, syms, T_N * sizeof *syms);
}

static void
add_task(struct build *b, struct filter *f, const struct rec *r)
{
	static const unsigned keys[] = { ID, KIND, HOST, RULE, UID, CONSUMER };
	struct task t = { .start_us = TIME_UNKNOWN, .end_us = TIME_UNKNOWN,
	    .elapsed_us = TIME_UNKNOWN, .other_us = TIME_UNKNOWN,
	    .size_bytes = TIME_UNKNOWN, .next = NONE };
	struct span texts[T_N] = { { 0 } };
	sym syms[T_N];

	if (!read_id(f, r, &texts[T_ID]) || !read_times(f, r, &t))
		return;
	for (size_t i = T_ID + 1; i < T_N; i++)
		(void)rec_str(r, keys[i], &texts[i]);
	intern_names(b, texts, syms);
	if (!add_deps(b, f, r, syms[T_ID]))
		return;
	if (!add_outputs(b, f, r, syms[T_ID]))
		return;
	t.id = syms[T_ID];
	t.kind = syms[T_KIND] != SYM_NONE ? syms[T_KIND] : b->run;
	t.host = syms[T_HOST];
	t.rule = syms[T_RULE];
	t.uid = syms[T_UID];
	t.consumer = syms[T_CONSUMER];
	t.flags = read_flags(r);
	enlist(b, &t);
}

void
build_name_node(struct build *b, uint32_t node, sym id)
{
	b->node_of = with_place(b->node_of, &b->node_of_cap, id);
	b->node_of[id] = node;
	b->nodes[node].id = id;
}

/* The node of an id, which is made if there is none. */
static struct node *
find_node(struct build *b, sym id)
{
	uint32_t i = build_node(b, id);

	if (i != NONE)
		return &b->nodes[i];
	b->nodes = mem_grow(b->nodes, &b->nodes_cap, b->n_nodes + 1,
	    sizeof *b->nodes);
	b->nodes[b->n_nodes] = (struct node){ .rule = SYM_NONE };
	build_name_node(b, (uint32_t)b->n_nodes, id);
	return &b->nodes[b->n_nodes++];
}

/* Of two names for one thing the same in any order; SYM_NONE is none. */
static sym
smaller_name(const struct build *b, sym x, sym y)
{
	if (x == SYM_NONE || y == SYM_NONE)
		return x == SYM_NONE ? y : x;
	return intern_cmp(&b->names, x, y) <= 0 ? x : y;
}

static void
add_node(struct build *b, struct filter *f, const struct rec *r)
{
	struct span id, text;
	struct node *n;
	sym s;

	if (!read_id(f, r, &id))
		return;
	s = intern_add(&b->names, id);
	if (!add_deps(b, f, r, s))
		return;
	n = find_node(b, s);
	n->rule = smaller_name(b, n->rule, name(b, r, RULE));
	if (rec_str(r, RULE, &text) == REC_GOOD && span_eq(text, "phony"))
		n->flags |= NODE_PHONY;
	if (rec_str(r, NODE_TYPE, &text) == REC_GOOD)
		n->flags |= span_eq(text, "test") ? NODE_TEST :
		    span_eq(text, "download") ? NODE_DOWNLOAD : 0;
	if (rec_true(r, TEST))
		n->flags |= NODE_TEST;
}

static void
add_extent(struct build *b, struct filter *f, const struct rec *r)
{
	int64_t start_us = TIME_UNKNOWN, end_us = TIME_UNKNOWN;

	if (is_wrong(f, rec_int(r, START, &start_us), START, "integer") ||
	    is_wrong(f, rec_int(r, END, &end_us), END, "integer"))
		return;
	if (start_us != TIME_UNKNOWN && end_us != TIME_UNKNOWN &&
	    end_us < start_us) {
		filter_reject(f, "end_us %lld is before start_us %lld",
		    (long long)end_us, (long long)start_us);
		return;
	}
	b->start_us = time_earlier(b->start_us, start_us);
	b->end_us = time_later(b->end_us, end_us);
}

void
build_add(struct build *b, struct filter *f, const struct rec *r)
{
	if (rec_is(r, "task"))
		add_task(b, f, r);
	else if (rec_is(r, "node"))
		add_node(b, f, r);
	else if (rec_is(r, "build"))
		add_extent(b, f, r);
}

sym
build_rule(const struct build *b, const struct task *t)
{
	uint32_t node;

	if (t->rule != SYM_NONE)
		return t->rule;
	node = build_node(b, t->kind == b->copy ? t->uid : t->id);
	return node == NONE ? SYM_NONE : b->nodes[node].rule;
}

void
build_put_id(const struct build *b, const struct task *t, struct buf *to)
{
	struct span id = intern_span(&b->names, t->id);

	buf_add(to, id.p, id.n);
	if (t->attempt > 1)
		buf_printf(to, "#%u", (unsigned)t->attempt);
}

void
build_describe(const struct build *b, const struct task *t, struct buf *to)
{
	bool is_copy = t->kind == b->copy && t->uid != SYM_NONE;
	sym rule = build_rule(b, t);

	if (is_copy) {
		buf_str(to, "copy of ");
		buf_str(to, intern_str(&b->names, t->uid));
	} else {
		if (t->kind != b->prepare) {
			buf_str(to, intern_str(&b->names,
			    rule != SYM_NONE ? rule : t->kind));
			buf_char(to, ' ');
		}
		build_put_id(b, t, to);
	}
	if (t->host != SYM_NONE) {
		buf_str(to, is_copy ? " to " : " on ");
		buf_str(to, intern_str(&b->names, t->host));
	}
	if ((t->flags & TASK_CACHED) != 0)
		buf_str(to, " (from the cache)");
}

int
build_compare(const struct build *b, const struct task *x,
    const struct task *y)
{
	int order = x->id == y->id ? 0 : intern_cmp(&b->names, x->id, y->id);

	return order != 0 ? order : (int)x->attempt - (int)y->attempt;
}
