/* build - reads the tasks and nodes of a build and indexes them by id */

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/err.h"
#include "common/base/num.h"
#include "common/build/build-read.h"
#include "common/build/times.h"
#include "common/filter/filter-reject.h"
#include "common/filter/filter.h"

const char *const build_keys[] = { "type", "id", "kind", "start_us", "end_us",
    "elapsed_us", "uid", "consumer", "host", "from_cache", "failed",
    "total_time", "start_event", "deployed_us", "transfer_us", "wait_us",
    "size_bytes", "rule", "deps", "node_type", "test",
    "dynamically_resolved_cache", "outputs", "run", "format",
    "name", "target", "earlier_runs",
    /* Not used here; task records have these, and declared keys are read
       faster. */
    "status", "origin_host", "prepare", NULL };

enum { N_BUILD_KEYS = sizeof build_keys / sizeof *build_keys - 1 };

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
 * Members set by DEFER_NAME must not be read before build_index(), which
 * resolves the last names; not even the id of a record.
 */
#define DEFER_NAME(b, text, array, i, member)				\
	intern_defer(&(b)->names, text, &(b)->array,			\
	    (i) * sizeof *(b)->array +					\
	    offsetof(__typeof__(*(b)->array), member))

/*
 * Placeholders for symbols, which build_index() replaces.
 *
 * The owner of a dependency or output is the record that lists it.  The owner's
 * index is stored instead of its id, whose symbol is not yet known: the index
 * of a node, or the index of a task plus OWNER_IS_TASK.
 *
 * A uid that is equal to the id of its task, as most are, is not interned a
 * second time: UID_IS_ID is stored.
 */
#define OWNER_IS_TASK (UINT32_C(1) << 31)
#define UID_IS_ID (SYM_NONE - 1)

struct build *
build_new(const char *run_name)
{
	struct build *b = mem_alloc(sizeof *b);

	*b = (struct build){ .run_name = run_name, .start_us = INT_UNKNOWN,
	    .end_us = INT_UNKNOWN };
	intern_init(&b->names);
	b->run = intern_add(&b->names, span_str("run"));
	b->copy = intern_add(&b->names, span_str("copy"));
	b->prepare = intern_add(&b->names, span_str("prepare"));
	return b;
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
	free(b->repeated);
	free(b->outputs);
	free(b->task_names.values);
	free(b->node_names.values);
	free(b->task_targets.values);
	free(b->node_targets.values);
	for (unsigned k = 0; k < b->n_kept; k++) {
		free(b->task_values[k].values);
		free(b->node_values[k].values);
	}
	texts_release(&b->name_texts);
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

bool
build_check_type(struct filter *f, enum rec_found found, unsigned key,
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

	return build_check_type(f, rec_strings(r, key, &items, &n), key,
	    "an array of strings");
}

/*
 * Adds the strings of `deps`, on which a task or node depends, or of `outputs`,
 * which are further names of a task.  owner is the placeholder of the record
 * (see OWNER_IS_TASK); the member that is not the owner is overwritten when its
 * symbol is known.
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
		if (!build_check_type(f, rec_int(r, keys[i], values[i]),
		    keys[i], "an integer below 2^53"))
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

/*
 * The symbol of one of the most frequent kinds, found without interning;
 * SYM_NONE for any other kind.
 */
static sym
find_known_kind(const struct build *b, struct span text)
{
	return span_eq(text, "run") ? b->run : span_eq(text, "copy") ?
	    b->copy : span_eq(text, "prepare") ? b->prepare : SYM_NONE;
}

/* Of two places in name_texts, either of which may be INDEX_NONE. */
static uint32_t
smaller_text(const struct build *b, uint32_t x, uint32_t y)
{
	struct buf texts[2] = { 0 };
	bool x_is_smaller;

	if (x == INDEX_NONE || y == INDEX_NONE)
		return x == INDEX_NONE ? y : x;
	texts_get(&b->name_texts, x, &texts[0]);
	texts_get(&b->name_texts, y, &texts[1]);
	x_is_smaller = span_compare(buf_span(&texts[0]),
	    buf_span(&texts[1])) <= 0;
	buf_release(&texts[0]);
	buf_release(&texts[1]);
	return x_is_smaller ? x : y;
}

static void
defer_value(struct build *b, struct span text, struct column *column, size_t i)
{
	if (text.n == 0)
		return;
	column_set(column, i, 0);
	intern_defer(&b->names, text, &column->values,
	    i * sizeof *column->values);
}

static void
read_target(struct build *b, const struct rec *r, struct column *targets,
    size_t i)
{
	struct span text;

	if (rec_str(r, TARGET, &text) == REC_OK)
		defer_value(b, text, targets, i);
}

/* Reads the kept keys.  One that build_keys has, too, is found as that. */
static void
read_values(struct build *b, const struct rec *r, struct column *columns,
    size_t i)
{
	const struct field *f;
	unsigned number;

	b->n_kept = r->n_keys - N_BUILD_KEYS;
	for (unsigned k = 0; k < b->n_kept; k++) {
		number = rec_key_number(r, r->keys[N_BUILD_KEYS + k]);
		f = rec_get(r, number - 1);
		if (f == NULL)
			continue;
		if (f->kind == REC_STRING || f->kind == REC_NUMBER)
			defer_value(b, f->text, &columns[k], i);
		else if (f->kind == REC_TRUE || f->kind == REC_FALSE)
			defer_value(b, f->token, &columns[k], i);
	}
}

/* Reads the `name` of a record; false if it has none, or if the id is it. */
static bool
read_name(const struct rec *r, struct span id, struct span *name)
{
	return rec_str(r, NAME, name) == REC_OK && name->n > 0 &&
	    span_compare(*name, id) != 0;
}

static void
read_names(struct build *b, const struct rec *r, size_t i, struct span id)
{
	struct task *t = &b->tasks[i];
	struct span text;

	DEFER_NAME(b, id, tasks, i, id);
	if (read_name(r, id, &text))
		column_set(&b->task_names, i,
		    texts_add(&b->name_texts, text));
	read_target(b, r, &b->task_targets, i);
	read_values(b, r, b->task_values, i);
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

void
build_read_task(struct build *b, struct filter *f, const struct rec *r)
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

/* Keeps a node's name or, if it has none, its first output. */
static void
read_node_name(struct build *b, const struct rec *r, size_t i, struct span id)
{
	const struct span *outputs;
	size_t n = 0;
	struct span name;

	if (rec_strings(r, OUTPUTS, &outputs, &n) != REC_OK)
		n = 0;
	for (size_t j = 0; j < n; j++)
		if (span_compare(outputs[j], id) == 0)
			b->nodes[i].flags |= NODE_IS_OUTPUT;
	if (read_name(r, id, &name))
		b->nodes[i].flags |= NODE_HAS_NAME;
	else if (n > 0 && outputs[0].n > 0 &&
	    (b->nodes[i].flags & NODE_IS_OUTPUT) == 0)
		name = outputs[0];
	else
		return;
	column_set(&b->node_names, i, texts_add(&b->name_texts, name));
}

void
build_read_node(struct build *b, struct filter *f, const struct rec *r)
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
	read_node_name(b, r, i, id);
	read_target(b, r, &b->node_targets, i);
	read_values(b, r, b->node_values, i);
	if (rec_str(r, RULE, &rule) != REC_OK)
		return;
	if (span_eq(rule, "phony"))
		n->flags |= NODE_PHONY;
	DEFER_NAME(b, rule, nodes, i, rule);
}

/* The smaller of two names; SYM_NONE only if both are SYM_NONE. */
static sym
smaller_name(const struct build *b, sym x, sym y)
{
	if (x == SYM_NONE || y == SYM_NONE)
		return x == SYM_NONE ? y : x;
	return intern_cmp(&b->names, x, y) <= 0 ? x : y;
}

/* Sets value i of a column to the smaller one of its values i and j. */
static void
merge_values(const struct build *b, struct column *c, size_t i, size_t j)
{
	column_set(c, i, smaller_name(b, column_get(c, i), column_get(c, j)));
}

/* Merges node j into node i, which has the same id. */
static void
merge_node(struct build *b, size_t i, size_t j)
{
	struct node *first = &b->nodes[i], *n = &b->nodes[j];
	uint32_t name = column_get(&b->node_names, i);
	uint32_t other = column_get(&b->node_names, j);

	/* A name has priority over the first output of another record. */
	if ((first->flags & NODE_HAS_NAME) == (n->flags & NODE_HAS_NAME))
		name = smaller_text(b, name, other);
	else if ((n->flags & NODE_HAS_NAME) != 0)
		name = other;
	column_set(&b->node_names, i, name);
	merge_values(b, &b->node_targets, i, j);
	for (unsigned k = 0; k < b->n_kept; k++)
		merge_values(b, &b->node_values[k], i, j);
	first->rule = smaller_name(b, first->rule, n->rule);
	first->flags |= n->flags;
}

static void
move_value(struct column *c, size_t to, size_t from)
{
	column_set(c, to, column_get(c, from));
}

static void
move_node(struct build *b, size_t to, size_t from)
{
	b->nodes[to] = b->nodes[from];
	move_value(&b->node_names, to, from);
	move_value(&b->node_targets, to, from);
	for (unsigned k = 0; k < b->n_kept; k++)
		move_value(&b->node_values[k], to, from);
}

/* Merges nodes of the same id into the first of them. */
static void
index_nodes(struct build *b)
{
	size_t n = b->n_nodes;
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
		b->node_of[id] = (uint32_t)b->n_nodes;
		if (i != b->n_nodes)
			move_node(b, b->n_nodes, i);
		b->n_nodes++;
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

	if (first == INDEX_NONE) {
		b->task_of[t->id] = i;
		return;
	}
	t->next = b->tasks[first].next;
	b->tasks[first].next = i;
	column_set(&b->task_names, first, smaller_text(b,
	    column_get(&b->task_names, first), column_get(&b->task_names, i)));
	merge_values(b, &b->task_targets, first, i);
	b->repeated = mem_grow(b->repeated, &b->repeated_cap,
	    b->n_repeated + 1, sizeof *b->repeated);
	b->repeated[b->n_repeated++] = first;
}

static void
index_tasks(struct build *b)
{
	struct task *t = b->tasks;

	for (uint32_t i = 0; i < b->n_tasks; i++, t++) {
		if (t->uid == UID_IS_ID)
			t->uid = t->id;
		link_task(b, i);
	}
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
	index_tasks(b);
	rename_by_outputs(b);
	index_nodes(b);
}

bool
build_read_extent(struct build *b, struct filter *f, const struct rec *r)
{
	int64_t start_us = INT_UNKNOWN, end_us = INT_UNKNOWN, n_earlier = 0;
	enum rec_found found = rec_int(r, EARLIER_RUNS, &n_earlier);

	if (!build_check_type(f, rec_int(r, START, &start_us), START,
	    "an integer") ||
	    !build_check_type(f, rec_int(r, END, &end_us), END, "an integer") ||
	    !build_check_type(f, n_earlier < 0 ? REC_BAD : found, EARLIER_RUNS,
	    "a number of runs"))
		return false;
	if (start_us != INT_UNKNOWN && end_us != INT_UNKNOWN &&
	    end_us < start_us) {
		filter_reject(f, "end_us %lld is before start_us %lld",
		    (long long)end_us, (long long)start_us);
		return false;
	}
	build_add_extent(b, start_us, end_us, n_earlier);
	return true;
}

void
build_add_extent(struct build *b, int64_t start_us, int64_t end_us,
    int64_t n_earlier_runs)
{
	b->start_us = time_earlier(b->start_us, start_us);
	b->end_us = time_later(b->end_us, end_us);
	b->n_earlier_runs = saturating_add(b->n_earlier_runs, n_earlier_runs);
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

/* Copies value i of a column of `from` for the next node of `to`. */
static void
copy_value(struct build *to, struct column *column, const struct build *from,
    const struct column *source, size_t i, sym *translated)
{
	column_set(column, to->n_nodes,
	    translate(to, from, translated, column_get(source, i)));
}

void
build_copy_nodes(struct build *b, const struct build *common)
{
	sym *translated = mem_ones(common->names.n, sizeof *translated);
	uint32_t first = (uint32_t)b->n_nodes;
	const struct dependency *d = common->deps;
	struct buf text = { 0 };
	struct node n;
	uint32_t name;

	if (common->n_nodes >= OWNER_IS_TASK - b->n_nodes)
		die("too many nodes");
	b->n_kept = common->n_kept;
	b->nodes = mem_grow(b->nodes, &b->nodes_cap,
	    b->n_nodes + common->n_nodes, sizeof *b->nodes);
	for (size_t i = 0; i < common->n_nodes; i++) {
		n = common->nodes[i];
		n.id = translate(b, common, translated, n.id);
		n.rule = translate(b, common, translated, n.rule);
		name = column_get(&common->node_names, i);
		if (name != INDEX_NONE) {
			texts_get(&common->name_texts, name, &text);
			name = texts_add(&b->name_texts, buf_span(&text));
		}
		column_set(&b->node_names, b->n_nodes, name);
		copy_value(b, &b->node_targets, common, &common->node_targets,
		    i, translated);
		for (unsigned k = 0; k < common->n_kept; k++)
			copy_value(b, &b->node_values[k], common,
			    &common->node_values[k], i, translated);
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
