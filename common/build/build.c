/* build - reads the tasks and nodes of one build and indexes them by id */

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/err.h"
#include "common/base/num.h"
#include "common/build/build.h"
#include "common/build/times.h"
#include "common/frame/filter.h"

enum { ID = KEY_TYPE + 1, KIND, START, END, ELAPSED, UID, CONSUMER, HOST,
    FROM_CACHE, FAILED, TOTAL, START_EVENT, DEPLOYED, TRANSFER, WAIT, SIZE,
    RULE, DEPS, NODE_TYPE, TEST, DYNAMIC, OUTPUTS };

const char *const build_keys[] = { "type", "id", "kind", "start_us", "end_us",
    "elapsed_us", "uid", "consumer", "host", "from_cache", "failed",
    "total_time", "start_event", "deployed_us", "transfer_us", "wait_us",
    "size_bytes", "rule", "deps", "node_type", "test",
    "dynamically_resolved_cache", "outputs",
    /* Not used: tasks have them, and declared keys are read faster. */
    "status", "origin_host", "prepare", NULL };

/*
 * Deferred interning (see intern.h): sets a member of element i of one of the
 * build's arrays to a name's symbol, but not at once.
 *
 *	DEFER_NAME(b, text, tasks, i, host);	b->tasks[i].host = symbol
 *
 * If names were looked up one by one, the processor would wait for memory at
 * nearly each of them.  intern_defer() collects a few dozen and looks them up
 * together.  The array may move in between, so the destination is stored as the
 * address of the array's pointer and an offset in bytes.
 *
 * Members set by DEFER_NAME must not be read before index_records(), which
 * resolves the last names; not even the id of a record.
 */
#define DEFER_NAME(b, text, array, i, member)				\
	intern_defer(&(b)->names, text, &(b)->array,			\
	    (i) * sizeof *(b)->array +					\
	    offsetof(__typeof__(*(b)->array), member))

/*
 * Placeholders for symbols, which index_records() replaces.
 *
 * Where a dependency or output refers to its own record, the index of the
 * record is stored instead of the id, since the id's symbol is not yet known:
 * the index of a node, or the index of a task plus OWNER_IS_TASK.
 *
 * A uid that is equal to the id of its task, as most are, is not interned a
 * second time: UID_IS_ID is stored.
 */
#define OWNER_IS_TASK (UINT32_C(1) << 31)
#define UID_IS_ID (SYM_NONE - 1)

static void
init(struct build *b)
{
	*b = (struct build){ .start_us = INT_UNKNOWN,
	    .end_us = INT_UNKNOWN };
	intern_init(&b->names);
	b->run = intern_add(&b->names, span_str("run"));
	b->copy = intern_add(&b->names, span_str("copy"));
	b->prepare = intern_add(&b->names, span_str("prepare"));
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

/*
 * Returns true unless the value of a key has the wrong type, which rejects the
 * record.
 */
static bool
check_type(struct filter *f, enum rec_found found, unsigned key,
    const char *type)
{
	if (found != REC_BAD)
		return true;
	filter_reject(f, "%s is not %s", build_keys[key], type);
	return false;
}

static bool
read_id(struct filter *f, const struct rec *r, struct span *id)
{
	enum rec_found found = rec_str(r, ID, id);

	if (found == REC_OK)
		return true;
	if (found == REC_BAD)
		filter_reject(f, "id is not a string");
	else
		filter_reject(f, "id is missing");
	return false;
}

static bool
check_strings(struct filter *f, const struct rec *r, unsigned key)
{
	const struct span *items;
	size_t n;

	return check_type(f, rec_strings(r, key, &items, &n), key,
	    "an array of strings");
}

/*
 * Adds the strings of `deps`, on which a task or node depends, or of `outputs`,
 * which are further names of a task.  owner is a placeholder, see above.
 */
static void
add_list(struct build *b, const struct rec *r, unsigned key, uint32_t owner)
{
	bool are_deps = key == DEPS;
	struct dependency **list = are_deps ? &b->deps : &b->outputs;
	size_t *n_list = are_deps ? &b->n_deps : &b->n_outputs;
	size_t *cap = are_deps ? &b->deps_cap : &b->outputs_cap, n = 0;
	const struct span *items;

	if (rec_strings(r, key, &items, &n) != REC_OK)
		return;
	*list = mem_grow(*list, cap, *n_list + n, sizeof **list);
	for (size_t i = 0; i < n; i++, ++*n_list) {
		(*list)[*n_list] = (struct dependency){ owner, owner };
		if (are_deps)
			DEFER_NAME(b, items[i], deps, *n_list, dep);
		else
			DEFER_NAME(b, items[i], outputs, *n_list, id);
	}
}

static bool
read_times(struct filter *f, const struct rec *r, struct task *t)
{
	static const unsigned keys[] = { START, END, ELAPSED, DEPLOYED,
	    TRANSFER, WAIT, SIZE };
	int64_t *values[] = { &t->start_us, &t->end_us, &t->elapsed_us,
	    &t->second_start_us, &t->second_start_us, &t->second_start_us,
	    &t->size_bytes };

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (!check_type(f, rec_int(r, keys[i], values[i]), keys[i],
		    "an integer below 2^53"))
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
	    (rec_str(r, START_EVENT, &event) == REC_OK &&
	    span_eq(event, "deployed") ? TASK_DEPLOYED : 0));
}

/* Finds the most frequent kinds without interning; SYM_NONE for others. */
static sym
find_known_kind(const struct build *b, struct span text)
{
	return span_eq(text, "run") ? b->run : span_eq(text, "copy") ?
	    b->copy : span_eq(text, "prepare") ? b->prepare : SYM_NONE;
}

static void
read_names(struct build *b, const struct rec *r, size_t i, struct span id)
{
	struct task *t = &b->tasks[i];
	struct span text;

	DEFER_NAME(b, id, tasks, i, id);
	if (rec_str(r, KIND, &text) == REC_OK &&
	    (t->kind = find_known_kind(b, text)) == SYM_NONE)
		DEFER_NAME(b, text, tasks, i, kind);
	if (rec_str(r, HOST, &text) == REC_OK)
		DEFER_NAME(b, text, tasks, i, host);
	if (rec_str(r, RULE, &text) == REC_OK)
		DEFER_NAME(b, text, tasks, i, rule);
	if (rec_str(r, CONSUMER, &text) == REC_OK)
		DEFER_NAME(b, text, tasks, i, consumer);
	if (rec_str(r, UID, &text) != REC_OK)
		return;
	if (span_compare(text, id) == 0)
		t->uid = UID_IS_ID;
	else
		DEFER_NAME(b, text, tasks, i, uid);
}

static void
add_task(struct build *b, struct filter *f, const struct rec *r)
{
	size_t i = b->n_tasks;
	struct task *t;
	struct span id;

	if (i >= OWNER_IS_TASK)
		die("too many tasks");
	b->tasks = mem_grow(b->tasks, &b->tasks_cap, i + 1,
	    sizeof *b->tasks);
	t = &b->tasks[i];
	*t = (struct task){ .kind = b->run, .host = SYM_NONE,
	    .rule = SYM_NONE, .uid = SYM_NONE, .consumer = SYM_NONE,
	    .start_us = INT_UNKNOWN, .end_us = INT_UNKNOWN,
	    .elapsed_us = INT_UNKNOWN, .second_start_us = INT_UNKNOWN,
	    .size_bytes = INT_UNKNOWN, .next = INDEX_NONE,
	    .flags = read_flags(r) };
	if (!read_id(f, r, &id) || !read_times(f, r, t) ||
	    !check_strings(f, r, DEPS) || !check_strings(f, r, OUTPUTS))
		return;
	b->n_tasks++;
	add_list(b, r, DEPS, (uint32_t)i | OWNER_IS_TASK);
	add_list(b, r, OUTPUTS, (uint32_t)i | OWNER_IS_TASK);
	read_names(b, r, i, id);
}

static void
add_node(struct build *b, struct filter *f, const struct rec *r)
{
	size_t i = b->n_nodes;
	struct span id, rule, type;
	struct node *n;

	if (i >= OWNER_IS_TASK)
		die("too many nodes");
	if (!read_id(f, r, &id) || !check_strings(f, r, DEPS))
		return;
	b->nodes = mem_grow(b->nodes, &b->nodes_cap, i + 1,
	    sizeof *b->nodes);
	n = &b->nodes[b->n_nodes++];
	n->rule = SYM_NONE;
	n->flags = rec_true(r, TEST) ? NODE_TEST : 0;
	if (rec_str(r, NODE_TYPE, &type) == REC_OK)
		n->flags |= span_eq(type, "test") ? NODE_TEST :
		    span_eq(type, "download") ? NODE_DOWNLOAD : 0;
	add_list(b, r, DEPS, (uint32_t)i);
	DEFER_NAME(b, id, nodes, i, id);
	if (rec_str(r, RULE, &rule) != REC_OK)
		return;
	if (span_eq(rule, "phony"))
		n->flags |= NODE_PHONY;
	DEFER_NAME(b, rule, nodes, i, rule);
}

static void
set_node_id(struct build *b, uint32_t node, sym id)
{
	b->node_of[id] = node;
	b->nodes[node].id = id;
}

/* The smaller of two names; SYM_NONE only if both are. */
static sym
smaller_name(const struct build *b, sym x, sym y)
{
	if (x == SYM_NONE || y == SYM_NONE)
		return x == SYM_NONE ? y : x;
	return intern_cmp(&b->names, x, y) <= 0 ? x : y;
}

/* Merges nodes of the same id into the first of them. */
static void
index_nodes(struct build *b)
{
	const struct node *n = b->nodes, *end = b->nodes + b->n_nodes;
	struct node *first;
	uint32_t i;

	for (b->n_nodes = 0; n < end; n++) {
		i = build_find_node(b, n->id);
		if (i == INDEX_NONE) {
			b->nodes[b->n_nodes] = *n;
			set_node_id(b, (uint32_t)b->n_nodes++, n->id);
			continue;
		}
		first = &b->nodes[i];
		first->rule = smaller_name(b, first->rule, n->rule);
		first->flags |= n->flags;
	}
}

/* Links tasks of the same id into a list that begins with the first of them. */
static void
index_tasks(struct build *b)
{
	struct task *t = b->tasks;
	uint32_t first;

	for (uint32_t i = 0; i < b->n_tasks; i++, t++) {
		if (t->uid == UID_IS_ID)
			t->uid = t->id;
		first = b->task_of[t->id];
		if (first == INDEX_NONE) {
			b->task_of[t->id] = i;
			continue;
		}
		t->next = b->tasks[first].next;
		b->tasks[first].next = i;
		b->repeated = mem_grow(b->repeated, &b->repeated_cap,
		    b->n_repeated + 1, sizeof *b->repeated);
		b->repeated[b->n_repeated++] = first;
	}
}

static sym
owner_id(const struct build *b, uint32_t owner)
{
	return (owner & OWNER_IS_TASK) != 0 ?
	    b->tasks[owner - OWNER_IS_TASK].id : b->nodes[owner].id;
}

/*
 * The id that tasks use for a name: the name itself, unless it is only the name
 * of a file that a task makes.
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
	for (size_t i = 0; i < b->n_outputs; i++)
		made_by[b->outputs[i].id] = b->outputs[i].dep;
	for (size_t i = 0; i < b->n_deps; i++) {
		b->deps[i].id = task_id(b, made_by, b->deps[i].id);
		b->deps[i].dep = task_id(b, made_by, b->deps[i].dep);
	}
	for (size_t i = 0; i < b->n_nodes; i++) {
		id = task_id(b, made_by, b->nodes[i].id);
		set_node_id(b, (uint32_t)i, id);
	}
	free(made_by);
}

/* Replaces placeholders by symbols and indexes the records by id. */
static void
index_records(struct build *b)
{
	intern_flush(&b->names);
	b->task_of = mem_ones(b->names.n, sizeof *b->task_of);
	b->node_of = mem_ones(b->names.n, sizeof *b->node_of);
	for (size_t i = 0; i < b->n_deps; i++)
		b->deps[i].id = owner_id(b, b->deps[i].id);
	for (size_t i = 0; i < b->n_outputs; i++)
		b->outputs[i].dep = owner_id(b, b->outputs[i].dep);
	index_nodes(b);
	index_tasks(b);
	rename_by_outputs(b);
}

static void
add_extent(struct build *b, struct filter *f, const struct rec *r)
{
	int64_t start_us = INT_UNKNOWN, end_us = INT_UNKNOWN;

	if (!check_type(f, rec_int(r, START, &start_us), START,
	    "an integer") ||
	    !check_type(f, rec_int(r, END, &end_us), END, "an integer"))
		return;
	if (start_us != INT_UNKNOWN && end_us != INT_UNKNOWN &&
	    end_us < start_us) {
		filter_reject(f, "end_us %lld is before start_us %lld",
		    (long long)end_us, (long long)start_us);
		return;
	}
	b->start_us = time_earlier(b->start_us, start_us);
	b->end_us = time_later(b->end_us, end_us);
}

static void
add_record(struct build *b, struct filter *f, const struct rec *r)
{
	if (rec_is(r, "task"))
		add_task(b, f, r);
	else if (rec_is(r, "node"))
		add_node(b, f, r);
	else if (rec_is(r, "build"))
		add_extent(b, f, r);
}

void
build_read(struct build *b, struct filter *f, const char *graph)
{
	const struct rec *r;

	init(b);
	if (graph != NULL)
		filter_read_first(f, graph);
	while ((r = filter_next(f)) != NULL)
		add_record(b, f, r);
	index_records(b);
}

sym
build_rule(const struct build *b, const struct task *t)
{
	uint32_t node;

	if (t->rule != SYM_NONE)
		return t->rule;
	node = build_find_node(b, t->kind == b->copy ? t->uid : t->id);
	return node == INDEX_NONE ? SYM_NONE : b->nodes[node].rule;
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
build_compare_tasks(const struct build *b, const struct task *x,
    const struct task *y)
{
	int order = intern_cmp(&b->names, x->id, y->id);

	return order != 0 ? order : (int)x->attempt - (int)y->attempt;
}
