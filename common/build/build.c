/* build - keeps the tasks and nodes of a build, and indexes them by id */

#include <stdlib.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/err.h"
#include "common/base/num.h"
#include "common/build/build-read.h"

struct build *
build_new(const char *run_name)
{
	struct build *b = mem_alloc(sizeof *b);

	*b = (struct build){ .run_name = run_name, .start_us = INT_UNKNOWN,
	    .end_us = INT_UNKNOWN, .limit = INT_UNKNOWN };
	intern_init(&b->names);
	b->run = intern_add(&b->names, span_str("run"));
	b->copy = intern_add(&b->names, span_str("copy"));
	b->prepare = intern_add(&b->names, span_str("prepare"));
	b->merged = intern_add(&b->names, span_str("merged"));
	return b;
}

static void
free_columns(struct columns *c)
{
	for (unsigned k = 0; k < c->n; k++)
		free(c->list[k].values);
	free(c->list);
}

void
build_free(struct build *b)
{
	intern_release(&b->names);
	free(b->tasks);
	free(b->nodes);
	free(b->deps);
	free(b->task_of);
	free(b->node_of);
	free(b->queue.lengths);
	free(b->outputs);
	free(b->workers.values);
	free(b->parents.values);
	free(b->labels.task_names.values);
	free(b->labels.node_names.values);
	free_columns(&b->labels.task_values);
	free_columns(&b->labels.node_values);
	texts_release(&b->labels.name_texts);
	free(b);
}

uint32_t
build_find_task(const struct build *b, sym id)
{
	return id == SYM_NONE ? INDEX_NONE : b->task_of[id];
}

uint32_t
build_find_node(const struct build *b, sym id)
{
	return id == SYM_NONE ? INDEX_NONE : b->node_of[id];
}

uint32_t
build_find_parent(const struct build *b, const struct task *t)
{
	uint32_t i = build_find_task(b, column_get(&b->parents,
	    (size_t)(t - b->tasks)));

	if (i == INDEX_NONE || &b->tasks[i] == t ||
	    b->tasks[i].next != INDEX_NONE ||
	    (b->tasks[i].flags & TASK_SPREAD) == 0)
		return INDEX_NONE;
	return i;
}

bool
build_is_open(const struct build *b, const struct task *t)
{
	const struct task *other;
	uint32_t i;

	if (!task_is_unfinished(t) || t->kind == b->prepare ||
	    b->end_us == INT_UNKNOWN)
		return false;
	for (i = build_find_task(b, t->id); i != INDEX_NONE; i = other->next) {
		other = &b->tasks[i];
		if ((other->flags & TASK_SUPERSEDED) == 0 &&
		    other->end_us != INT_UNKNOWN &&
		    other->end_us >= t->start_us)
			return false;
	}
	return true;
}

int64_t
build_so_far_us(const struct build *b, const struct task *t)
{
	return time_later(b->end_us, t->start_us) - t->start_us;
}

/* Of two places in name_texts, either of which may be INDEX_NONE. */
static uint32_t
smaller_text(const struct build *b, uint32_t x, uint32_t y)
{
	struct buf texts[2] = { 0 };
	bool x_is_smaller;

	if (x == INDEX_NONE || y == INDEX_NONE)
		return x == INDEX_NONE ? y : x;
	texts_get(&b->labels.name_texts, x, &texts[0]);
	texts_get(&b->labels.name_texts, y, &texts[1]);
	x_is_smaller = span_compare(buf_span(&texts[0]),
	    buf_span(&texts[1])) <= 0;
	buf_release(&texts[0]);
	buf_release(&texts[1]);
	return x_is_smaller ? x : y;
}

/* The smaller of two names; SYM_NONE only if both are SYM_NONE. */
static sym
smaller_name(const struct build *b, sym x, sym y)
{
	if (x == SYM_NONE || y == SYM_NONE)
		return x == SYM_NONE ? y : x;
	return intern_cmp(&b->names, x, y) <= 0 ? x : y;
}

/* Merges node j into node i, which has the same id. */
static void
merge_node(struct build *b, size_t i, size_t j)
{
	struct node *first = &b->nodes[i], *n = &b->nodes[j];
	uint32_t name = column_get(&b->labels.node_names, i);
	uint32_t other = column_get(&b->labels.node_names, j);
	struct columns *values = &b->labels.node_values;

	/* A name has priority over the first output of another record. */
	if ((first->flags & NODE_HAS_NAME) == (n->flags & NODE_HAS_NAME))
		name = smaller_text(b, name, other);
	else if ((n->flags & NODE_HAS_NAME) != 0)
		name = other;
	column_set(&b->labels.node_names, i, name);
	for (unsigned k = 0; k < values->n; k++)
		column_set(&values->list[k], i, smaller_name(b,
		    columns_get(values, k, i), columns_get(values, k, j)));
	first->rule = smaller_name(b, first->rule, n->rule);
	first->flags |= n->flags;
}

static void
move_value(struct column *c, size_t to, size_t from)
{
	column_set(c, to, column_get(c, from));
}

/* Merges nodes of the same id into the first of them. */
static void
index_nodes(struct build *b)
{
	size_t n = b->n_nodes, to;
	uint32_t first;
	sym id;

	b->n_nodes = 0;
	for (size_t i = 0; i < n; i++) {
		id = b->nodes[i].id;
		first = build_find_node(b, id);
		if (first != INDEX_NONE) {
			merge_node(b, first, i);
			continue;
		}
		to = b->n_nodes++;
		b->node_of[id] = (uint32_t)to;
		if (i == to)
			continue;
		b->nodes[to] = b->nodes[i];
		move_value(&b->labels.node_names, to, i);
		for (unsigned k = 0; k < b->labels.node_values.n; k++)
			move_value(&b->labels.node_values.list[k], to, i);
	}
}

/*
 * Adds task i to the list of the tasks with its id, which begins with the first
 * of them.
 */
static void
link_task(struct build *b, uint32_t i)
{
	struct task *t = &b->tasks[i];
	uint32_t first = b->task_of[t->id];
	struct column *names = &b->labels.task_names;

	if (first == INDEX_NONE) {
		b->task_of[t->id] = i;
		return;
	}
	t->next = b->tasks[first].next;
	b->tasks[first].next = i;
	column_set(names, first, smaller_text(b, column_get(names, first),
	    column_get(names, i)));
}

void
build_add_task(struct build *b, const struct task *t)
{
	if (b->n_tasks >= OWNER_IS_TASK)
		die("too many tasks");
	b->tasks = mem_grow(b->tasks, &b->tasks_cap, b->n_tasks + 1,
	    sizeof *b->tasks);
	b->tasks[b->n_tasks++] = *t;
	link_task(b, (uint32_t)(b->n_tasks - 1));
}

static sym
owner_id(const struct build *b, uint32_t owner)
{
	return (owner & OWNER_IS_TASK) != 0 ?
	    b->tasks[owner - OWNER_IS_TASK].id : b->nodes[owner].id;
}

/*
 * The id of the task to which a name refers.  The name of a file that a task
 * makes refers to that task, unless a task has the name as its id.  A name that
 * refers to no task is returned unchanged.
 */
static sym
task_id(const struct build *b, const sym *made_by, sym name)
{
	return build_find_task(b, name) == INDEX_NONE &&
	    made_by[name] != SYM_NONE ? made_by[name] : name;
}

/*
 * Renames nodes and dependencies to the ids of tasks.  Both a node and a task
 * are named by an output of their command, but not always by the same one,
 * since neither ninja's graph nor its log always has all outputs.
 */
static void
rename_by_outputs(struct build *b)
{
	sym *made_by, id;

	if (b->n_outputs == 0)
		return;
	made_by = mem_ones(b->names.n, sizeof *made_by);
	for (size_t i = 0; i < b->n_outputs; i++) {
		id = b->outputs[i].id;
		made_by[id] = smaller_name(b, made_by[id], b->outputs[i].dep);
	}
	for (size_t i = 0; i < b->n_deps; i++) {
		b->deps[i].id = task_id(b, made_by, b->deps[i].id);
		b->deps[i].dep = task_id(b, made_by, b->deps[i].dep);
	}
	for (size_t i = 0; i < b->n_nodes; i++)
		b->nodes[i].id = task_id(b, made_by, b->nodes[i].id);
	free(made_by);
}

void
build_index(struct build *b)
{
	intern_flush(&b->names);
	b->task_of = mem_ones(b->names.n, sizeof *b->task_of);
	b->node_of = mem_ones(b->names.n, sizeof *b->node_of);
	for (size_t i = 0; i < b->n_deps; i++)
		b->deps[i].id = owner_id(b, b->deps[i].id);
	for (size_t i = 0; i < b->n_outputs; i++)
		b->outputs[i].dep = owner_id(b, b->outputs[i].dep);
	for (uint32_t i = 0; i < b->n_tasks; i++) {
		if (b->tasks[i].uid == UID_IS_ID)
			b->tasks[i].uid = b->tasks[i].id;
		link_task(b, i);
	}
	rename_by_outputs(b);
	index_nodes(b);
}

/*
 * The symbol in `to` of the name that has the symbol s in `from`.  translated
 * has, by symbol in `from`, the symbols in `to` that are known already.
 */
static sym
translate(struct build *to, const struct build *from, sym *translated, sym s)
{
	if (s != SYM_NONE && translated[s] == SYM_NONE)
		translated[s] = intern_add(&to->names,
		    intern_span(&from->names, s));
	return s == SYM_NONE ? SYM_NONE : translated[s];
}

void
build_copy_nodes(struct build *b, const struct build *common)
{
	sym *translated = mem_ones(common->names.n, sizeof *translated);
	uint32_t first = (uint32_t)b->n_nodes;
	const struct dependency *d = common->deps;
	const struct labels *from = &common->labels;
	struct labels *to = &b->labels;
	struct buf text = { 0 };
	struct node n;
	uint32_t name;

	if (common->n_nodes >= OWNER_IS_TASK - b->n_nodes)
		die("too many nodes");
	b->nodes = mem_grow(b->nodes, &b->nodes_cap,
	    b->n_nodes + common->n_nodes, sizeof *b->nodes);

	for (size_t i = 0; i < common->n_nodes; i++) {
		n = common->nodes[i];
		n.id = translate(b, common, translated, n.id);
		n.rule = translate(b, common, translated, n.rule);
		name = column_get(&from->node_names, i);
		if (name != INDEX_NONE) {
			texts_get(&from->name_texts, name, &text);
			name = texts_add(&to->name_texts, buf_span(&text));
		}
		column_set(&to->node_names, b->n_nodes, name);
		for (unsigned k = 0; k < from->node_values.n; k++)
			column_set(columns_need(&to->node_values,
			    from->node_values.n, k), b->n_nodes,
			    translate(b, common, translated,
			    columns_get(&from->node_values, k, i)));
		b->nodes[b->n_nodes++] = n;
	}

	for (; d < common->deps + common->n_deps; d++) {
		if ((d->id & OWNER_IS_TASK) != 0)
			continue;
		b->deps = mem_grow(b->deps, &b->deps_cap, b->n_deps + 1,
		    sizeof *b->deps);
		b->deps[b->n_deps++] = (struct dependency){ first + d->id,
		    translate(b, common, translated, d->dep) };
	}
	buf_release(&text);
	free(translated);
}
