/* build-read - reads the tasks and nodes of a build from records */

#include <stddef.h>
#include <string.h>

#include "common/base/err.h"
#include "common/base/num.h"
#include "common/build/build-read.h"
#include "common/filter/filter-get.h"
#include "common/filter/filter-reject.h"
#include "common/filter/filter.h"
#include "common/filter/lacks.h"

const char *const build_keys[] = KEY_TEXTS(BUILD_KEYS);

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
 * Adds the strings of `deps`, on which a task or node depends, or of `outputs`,
 * which are further names of a task.  owner is the placeholder of the record
 * (see OWNER_IS_TASK); the member that is not the owner is overwritten when its
 * symbol is known.
 */
static void
add_list(struct build *b, const struct span *items, size_t n, bool are_deps,
    uint32_t owner)
{
	struct dependency **list = are_deps ? &b->deps : &b->outputs;
	size_t *n_list = are_deps ? &b->n_deps : &b->n_outputs;
	size_t *cap = are_deps ? &b->deps_cap : &b->outputs_cap;

	*list = mem_grow(*list, cap, *n_list + n, sizeof **list);
	for (size_t i = 0; i < n; i++, ++*n_list) {
		(*list)[*n_list] = (struct dependency){ owner, owner };
		if (are_deps)
			DEFER_NAME(b, items[i], deps, *n_list, dep);
		else
			DEFER_NAME(b, items[i], outputs, *n_list, id);
	}
}

/* Reads when a task started that took less time than from then to its end. */
static bool
read_started(struct filter *f, const struct rec *r, struct task *t)
{
	int64_t us;

	if (t->start_us != INT_UNKNOWN || t->end_us == INT_UNKNOWN ||
	    t->elapsed_us < 0)
		return true;
	if (!filter_get_int(f, r, STARTED, &us))
		return false;
	if (us != INT_UNKNOWN && us < t->end_us - t->elapsed_us) {
		t->second_start_us = us;
		t->flags |= TASK_SPREAD;
	}
	return true;
}

static bool
read_times(struct filter *f, const struct rec *r, struct task *t)
{
	static const unsigned keys[] = { START, END, ELAPSED, DEPLOYED,
	    TRANSFER, WAIT, SIZE };
	int64_t *values[] = { &t->start_us, &t->end_us, &t->elapsed_us,
	    &t->second_start_us, &t->second_start_us, &t->second_start_us,
	    &t->size_bytes }, value;

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		if (!filter_get_int(f, r, keys[i], &value))
			return false;
		if (value != INT_UNKNOWN)
			*values[i] = value;
	}
	return read_started(f, r, t);
}

/* Reads when a scheduler deployed a task, and how long its queue was. */
static bool
read_deploy(struct build *b, struct filter *f, const struct rec *r,
    struct task *t)
{
	struct queue *q = &b->queue;
	int64_t us, n_ready;

	if (!filter_get_int(f, r, DEPLOY, &us) ||
	    !filter_get_int(f, r, READY, &n_ready))
		return false;
	if (us == INT_UNKNOWN)
		return true;
	if ((t->flags & TASK_CACHED) == 0 && t->start_us == INT_UNKNOWN &&
	    t->end_us == INT_UNKNOWN && t->elapsed_us == INT_UNKNOWN)
		t->flags |= TASK_QUEUED;
	if ((t->flags & (TASK_CACHED | TASK_QUEUED)) != 0)
		t->second_start_us = us;
	q->lengths = mem_grow(q->lengths, &q->cap, q->n + 1,
	    sizeof *q->lengths);
	q->lengths[q->n++] = (struct queue_length){ us, n_ready,
	    (uint32_t)b->n_tasks };
	return true;
}

static uint16_t
read_flags(const struct rec *r)
{
	struct span event;

	return (uint16_t)((rec_true(r, FROM_CACHE) ? TASK_CACHED : 0) |
	    (rec_true(r, FAILED) ? TASK_FAILED : 0) |
	    (rec_true(r, TOTAL) ? TASK_TOTAL : 0) |
	    (rec_true(r, DYNAMIC) ? TASK_DYNAMIC : 0) |
	    (rec_true(r, SKIPPED) ? TASK_SKIPPED : 0) |
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

static void
defer_value(struct build *b, struct span text, struct column *column, size_t i)
{
	if (text.n == 0)
		return;
	column_set(column, i, 0);
	intern_defer(&b->names, text, &column->values,
	    i * sizeof *column->values);
}

/*
 * Reads TARGET and the kept keys, which follow it.  A kept key that build_keys
 * has, too, is found as that.
 */
static void
read_values(struct build *b, const struct rec *r, struct columns *columns,
    size_t i)
{
	const struct field *f;
	unsigned n = r->n_keys - TARGET;

	for (unsigned k = 0; k < n; k++) {
		f = rec_get(r, r->first_numbers[TARGET + k] - 1u);
		if (f == NULL)
			continue;
		if (f->kind == REC_STRING || f->kind == REC_NUMBER)
			defer_value(b, f->text, columns_need(columns, n, k), i);
		else if (f->kind == REC_TRUE || f->kind == REC_FALSE)
			defer_value(b, f->token, columns_need(columns, n, k),
			    i);
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
	int64_t worker;

	DEFER_NAME(b, id, tasks, i, id);
	if (read_name(r, id, &text))
		column_set(&b->labels.task_names, i,
		    texts_add(&b->labels.name_texts, text));
	if (rec_int(r, WORKER, &worker) == REC_OK && worker >= 0 &&
	    worker < WORKER_ANY)
		column_set(&b->workers, i, (uint32_t)worker);
	if (rec_str(r, PARENT, &text) == REC_OK)
		defer_value(b, text, &b->parents, i);
	read_values(b, r, &b->labels.task_values, i);
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
	const struct span *deps, *outputs;
	size_t n_deps, n_outputs;
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
	b->has_deps |= rec_get(r, DEPS) != NULL;
	if (!filter_need_str(f, r, ID, &id) || !read_times(f, r, t) ||
	    !filter_get_strings(f, r, DEPS, &deps, &n_deps) ||
	    !filter_get_strings(f, r, OUTPUTS, &outputs, &n_outputs) ||
	    !read_deploy(b, f, r, t))
		return;
	b->n_tasks++;
	add_list(b, deps, n_deps, true, (uint32_t)i | OWNER_IS_TASK);
	add_list(b, outputs, n_outputs, false, (uint32_t)i | OWNER_IS_TASK);
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
	column_set(&b->labels.node_names, i,
	    texts_add(&b->labels.name_texts, name));
}

void
build_read_node(struct build *b, struct filter *f, const struct rec *r)
{
	size_t i = b->n_nodes, n_deps;
	const struct span *deps;
	struct span id, rule, type;
	struct node *n;

	if (i >= OWNER_IS_TASK)
		die("too many nodes");
	if (!filter_need_str(f, r, ID, &id) ||
	    !filter_get_strings(f, r, DEPS, &deps, &n_deps))
		return;
	b->nodes = mem_grow(b->nodes, &b->nodes_cap, i + 1,
	    sizeof *b->nodes);
	n = &b->nodes[b->n_nodes++];
	n->rule = SYM_NONE;
	n->flags = rec_true(r, TEST) ? NODE_TEST : 0;
	if (rec_str(r, NODE_TYPE, &type) == REC_OK)
		n->flags |= span_eq(type, "test") ? NODE_TEST :
		    span_eq(type, "download") ? NODE_DOWNLOAD : 0;
	add_list(b, deps, n_deps, true, (uint32_t)i);
	DEFER_NAME(b, id, nodes, i, id);
	read_node_name(b, r, i, id);
	read_values(b, r, &b->labels.node_values, i);
	if (rec_str(r, RULE, &rule) != REC_OK)
		return;
	if (span_eq(rule, "phony"))
		n->flags |= NODE_PHONY;
	DEFER_NAME(b, rule, nodes, i, rule);
}

/* Of the formats of execlog-parse, these do not say what waited for what. */
static bool
has_graph(struct span format)
{
	static const char *const names[] = { "distbuild", "local", "ninja",
	    "dbt" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (span_eq(format, names[i]))
			return true;
	return false;
}

bool
build_read_extent(struct build *b, struct filter *f, const struct rec *r)
{
	int64_t start_us, end_us, n_earlier, n_unknown, n_mixed, limit;
	struct span format;

	if (!filter_get_int(f, r, START, &start_us) ||
	    !filter_get_int(f, r, END, &end_us) ||
	    !filter_get_int(f, r, EARLIER_RUNS, &n_earlier) ||
	    !filter_get_int(f, r, UNKNOWN_DEPS, &n_unknown) ||
	    !filter_get_int(f, r, MIXED_RUNS, &n_mixed) ||
	    !filter_get_int(f, r, LIMIT, &limit))
		return false;
	if (limit != INT_UNKNOWN && limit < 1) {
		filter_reject(f, "limit is below 1");
		return false;
	}
	b->limit = time_later(b->limit, limit);
	b->has_load_limit |= rec_get(r, LOAD_LIMIT) != NULL;
	b->is_mixed |= n_mixed > 1;
	b->is_incremental |= n_earlier > 0 || rec_true(r, INCREMENTAL);
	b->lacks |= lacks_read(r, rec_get(r, LACKS));
	if (n_unknown > 0)
		b->n_unknown_deps = saturating_add(b->n_unknown_deps,
		    n_unknown);
	if (n_earlier == INT_UNKNOWN)
		n_earlier = 0;
	if (n_earlier < 0) {
		filter_reject(f, "earlier_runs is below 0");
		return false;
	}
	if (start_us != INT_UNKNOWN && end_us != INT_UNKNOWN &&
	    end_us < start_us) {
		filter_reject(f, "end_us %lld is before start_us %lld",
		    (long long)end_us, (long long)start_us);
		return false;
	}
	if (rec_str(r, FORMAT, &format) == REC_OK) {
		b->is_ninja |= span_eq(format, "ninja");
		b->is_make |= span_eq(format, "make");
		b->has_graph |= has_graph(format);
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
