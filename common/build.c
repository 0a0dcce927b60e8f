/* build - the tasks and nodes of one build */

#include <stdlib.h>
#include <string.h>

#include "common/buf.h"
#include "common/build.h"
#include "common/err.h"
#include "common/filter.h"

#define NONE MAP_NONE
#define SUM_MOST (INT64_MAX / 4)

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
	b->node_of = with_place(b->node_of, &b->node_of_cap, s);
	if (b->node_of[s] == NONE) {
		b->nodes = mem_grow(b->nodes, &b->nodes_cap, b->n_nodes + 1,
		    sizeof *b->nodes);
		b->node_of[s] = (uint32_t)b->n_nodes++;
		b->nodes[b->node_of[s]] = (struct node){ s, SYM_NONE, 0 };
	}
	n = &b->nodes[b->node_of[s]];
	n->rule = smaller_name(b, n->rule, name(b, r, RULE));
	if (rec_str(r, RULE, &text) == REC_GOOD && span_eq(text, "phony"))
		n->flags |= NODE_PHONY;
	if (rec_str(r, NODE_TYPE, &text) == REC_GOOD)
		n->flags |= span_eq(text, "test") ? NODE_TEST :
		    span_eq(text, "download") ? NODE_DOWNLOAD : 0;
	if (rec_true(r, TEST))
		n->flags |= NODE_TEST;
}

static int64_t
earlier(int64_t a, int64_t b)
{
	return a == TIME_UNKNOWN || (b != TIME_UNKNOWN && b < a) ? b : a;
}

static int64_t
later(int64_t a, int64_t b)
{
	return a > b ? a : b;	/* TIME_UNKNOWN is the least */
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
	b->start_us = earlier(b->start_us, start_us);
	b->end_us = later(b->end_us, end_us);
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

static int
compare_times(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

/* Times in ascending order, of which those before at have been passed. */
struct times {
	int64_t *us;
	size_t n, cap, at;
};

/*
 * What the records of one id on one host tell: when something began, surely
 * (started, dep_start, dep_wait) or for want of that (deployed).
 */
struct evidence {
	struct times starts, early;
	struct times left;	/* starts that a round had one too many of */
};

static void
add_time(struct times *t, int64_t us)
{
	if (us == TIME_UNKNOWN)
		return;
	t->us = mem_grow(t->us, &t->cap, t->n + 1, sizeof *t->us);
	t->us[t->n++] = us;
}

static int
compare_us(const void *a, const void *b)
{
	return compare_times(*(const int64_t *)a, *(const int64_t *)b);
}

static void
sort_times(struct times *t)
{
	if (t->n > 0)
		qsort(t->us, t->n, sizeof *t->us, compare_us);
}

static void
gather(struct evidence *e, const struct build *b, const uint32_t *at, size_t n)
{
	const struct task *t;

	for (size_t i = 0; i < n; i++) {
		t = &b->tasks[at[i]];
		add_time((t->flags & TASK_EARLY) != 0 ? &e->early : &e->starts,
		    t->start_us);
		add_time(t->kind == b->copy ? &e->starts : &e->early,
		    t->other_us);
	}
	sort_times(&e->starts);
	sort_times(&e->early);
}

/* The first time not passed and not after until; passes all such. */
static int64_t
take_first(struct times *t, int64_t until, struct times *left)
{
	int64_t first = TIME_UNKNOWN;

	for (; t->at < t->n && t->us[t->at] <= until; t->at++) {
		if (first == TIME_UNKNOWN)
			first = t->us[t->at];
		else if (left != NULL)
			add_time(left, t->us[t->at]);
	}
	return first;
}

static int64_t
take_next(struct times *t)
{
	return t->at < t->n ? t->us[t->at++] : TIME_UNKNOWN;
}

/* A start for an end: since the end before it, or left over before that. */
static void
pair_end(struct evidence *e, struct task *t)
{
	int64_t start_us = take_first(&e->starts, t->end_us, &e->left);
	int64_t early_us = take_first(&e->early, t->end_us, NULL);

	t->elapsed_us = TIME_UNKNOWN;
	t->flags &= ~(unsigned)TASK_EARLY;
	if (start_us == TIME_UNKNOWN && early_us != TIME_UNKNOWN) {
		start_us = early_us;
		t->flags |= TASK_EARLY;
	}
	t->start_us = start_us != TIME_UNKNOWN ? start_us :
	    take_next(&e->left);
}

/* Pairs the n records of one id and host; those with an end come first. */
static void
pair_attempts(struct build *b, const uint32_t *at, size_t n)
{
	struct evidence e = { 0 };
	size_t n_ended = 0;
	struct task *t;

	gather(&e, b, at, n);
	for (; n_ended < n; n_ended++) {
		t = &b->tasks[at[n_ended]];
		if (t->end_us == TIME_UNKNOWN)
			break;
		pair_end(&e, t);
	}
	/* A start after every end is of an end whose clock is off, ... */
	for (size_t i = 0; i < n_ended; i++) {
		t = &b->tasks[at[i]];
		if (t->start_us == TIME_UNKNOWN)
			t->start_us = take_next(&e.starts);
	}
	/* ... or of one attempt that has not ended. */
	for (size_t i = n_ended; i < n; i++) {
		t = &b->tasks[at[i]];
		t->start_us = take_first(&e.starts, INT64_MAX, NULL);
		if (t->start_us == TIME_UNKNOWN &&
		    t->elapsed_us == TIME_UNKNOWN)
			t->flags |= TASK_DEAD;
	}
	free(e.starts.us);
	free(e.early.us);
	free(e.left.us);
}

static const struct build *sorted;	/* qsort has no context */

static int
compare_syms(sym a, sym b)
{
	if (a == b)
		return 0;
	if (a == SYM_NONE || b == SYM_NONE)
		return a == SYM_NONE ? -1 : 1;
	return intern_cmp(&sorted->names, a, b);
}

/* From the cache last; by host; those with an end first, by end. */
static int
compare_records(const void *a, const void *b)
{
	const struct task *x = &sorted->tasks[*(const uint32_t *)a];
	const struct task *y = &sorted->tasks[*(const uint32_t *)b];
	int order = (int)(x->flags & TASK_CACHED) -
	    (int)(y->flags & TASK_CACHED);

	if (order == 0)
		order = compare_syms(x->host, y->host);
	if (order == 0)
		order = (x->end_us == TIME_UNKNOWN) -
		    (y->end_us == TIME_UNKNOWN);
	if (order == 0)
		order = compare_times(x->end_us, y->end_us);
	if (order == 0)
		order = compare_times(x->size_bytes, y->size_bytes);
	return order != 0 ? order : compare_times(x->start_us, y->start_us);
}

/* The order in which attempts are numbered. */
static int
compare_attempts(const void *a, const void *b)
{
	const struct task *x = &sorted->tasks[*(const uint32_t *)a];
	const struct task *y = &sorted->tasks[*(const uint32_t *)b];
	int order = (x->end_us == TIME_UNKNOWN) - (y->end_us == TIME_UNKNOWN);

	if (order == 0)
		order = compare_times(x->end_us, y->end_us);
	if (order == 0)
		order = compare_times(x->start_us, y->start_us);
	if (order == 0)
		order = compare_times(x->elapsed_us, y->elapsed_us);
	if (order == 0)
		order = compare_syms(x->host, y->host);
	return order != 0 ? order : compare_syms(x->rule, y->rule);
}

/* Of the records from the cache one stays, if there is no run that ended. */
static void
settle_cached(struct build *b, const uint32_t *at, size_t n, size_t first)
{
	bool ran = false;

	for (size_t i = 0; i < first; i++)
		ran |= b->tasks[at[i]].end_us != TIME_UNKNOWN;
	for (size_t i = first + !ran; i < n; i++)
		b->tasks[at[i]].flags |= TASK_DEAD;
}

static void
number_attempts(struct build *b, uint32_t *at, size_t n)
{
	uint32_t attempt = 0;
	size_t alive = 0;

	for (size_t i = 0; i < n; i++)
		if ((b->tasks[at[i]].flags & TASK_DEAD) == 0)
			at[alive++] = at[i];
	qsort(at, alive, sizeof *at, compare_attempts);
	for (size_t i = 0; i < alive; i++)
		b->tasks[at[i]].attempt = ++attempt < 1 << 24 ? attempt : 0;
	b->n_retries += alive > 0 ? alive - 1 : 0;
}

/* The records of one id, which are the n tasks at. */
static void
settle_id(struct build *b, uint32_t *at, size_t n)
{
	size_t first, last;

	qsort(at, n, sizeof *at, compare_records);
	for (first = 0; first < n; first = last) {
		if ((b->tasks[at[first]].flags & TASK_CACHED) != 0)
			break;
		for (last = first + 1; last < n; last++)
			if ((b->tasks[at[last]].flags & TASK_CACHED) != 0 ||
			    b->tasks[at[last]].host != b->tasks[at[first]].host)
				break;
		pair_attempts(b, at + first, last - first);
	}
	settle_cached(b, at, n, first);
	number_attempts(b, at, n);
}

/* The task's id for a name that is one of its outputs. */
static sym
task_id(const struct build *b, const sym *made_by, sym name)
{
	return build_task(b, name) == NONE && made_by[name] != SYM_NONE ?
	    made_by[name] : name;
}

/*
 * A node may be named by another of its command's outputs than the task is,
 * since neither ninja's graph nor its log has all of them always.
 */
static void
use_outputs(struct build *b)
{
	sym *made_by, id;

	if (b->n_outputs == 0)
		return;
	made_by = mem_resize(NULL, b->names.n, sizeof *made_by);
	memset(made_by, 0xff, b->names.n * sizeof *made_by);
	for (size_t i = 0; i < b->n_outputs; i++)
		made_by[b->outputs[i].id] = b->outputs[i].dep;
	for (size_t i = 0; i < b->n_deps; i++) {
		b->deps[i].id = task_id(b, made_by, b->deps[i].id);
		b->deps[i].dep = task_id(b, made_by, b->deps[i].dep);
	}
	for (size_t i = 0; i < b->n_nodes; i++) {
		id = task_id(b, made_by, b->nodes[i].id);
		b->node_of = with_place(b->node_of, &b->node_of_cap, id);
		b->node_of[id] = (uint32_t)i;
		b->nodes[i].id = id;
	}
	free(made_by);
}

static int
compare_places(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static void
settle_repeated(struct build *b)
{
	uint32_t *at = NULL;
	size_t n, cap = 0;

	sorted = b;
	if (b->n_repeated > 0)
		qsort(b->repeated, b->n_repeated, sizeof *b->repeated,
		    compare_places);
	for (size_t i = 0; i < b->n_repeated; i++) {
		if (i > 0 && b->repeated[i] == b->repeated[i - 1])
			continue;
		n = 0;
		for (uint32_t t = b->repeated[i]; t != NONE;
		    t = b->tasks[t].next) {
			at = mem_grow(at, &cap, n + 1, sizeof *at);
			at[n++] = t;
		}
		settle_id(b, at, n);
	}
	free(at);
}

/* Of start, end and elapsed time two make three. */
static void
measure(struct build *b, struct task *t)
{
	if (t->start_us != TIME_UNKNOWN && t->end_us != TIME_UNKNOWN)
		t->elapsed_us = t->end_us - t->start_us;
	else if (t->start_us != TIME_UNKNOWN && t->elapsed_us != TIME_UNKNOWN)
		t->end_us = t->start_us + t->elapsed_us;
	else if (t->end_us != TIME_UNKNOWN && t->elapsed_us != TIME_UNKNOWN)
		t->start_us = t->end_us - t->elapsed_us;
	if (t->elapsed_us != TIME_UNKNOWN && t->elapsed_us < 0) {
		t->elapsed_us = 0;
		b->n_skewed++;
	}
}

void
build_settle(struct build *b)
{
	int64_t start_us = TIME_UNKNOWN, end_us = TIME_UNKNOWN, sum_us = 0;
	struct task *t;

	use_outputs(b);
	settle_repeated(b);
	for (t = b->tasks; t < b->tasks + b->n_tasks; t++) {
		measure(b, t);
		if ((t->flags & (TASK_DEAD | TASK_TOTAL)) != 0)
			continue;
		/* Ends and starts alike: clocks may be off. */
		start_us = earlier(earlier(start_us, t->start_us), t->end_us);
		end_us = later(later(end_us, t->end_us), t->start_us);
		/* Whoever adds times up need not look for overflow. */
		if (t->elapsed_us > SUM_MOST - sum_us)
			die("the times of all tasks add up to too much");
		sum_us += t->elapsed_us > 0 ? t->elapsed_us : 0;
	}
	if (b->start_us == TIME_UNKNOWN || b->end_us == TIME_UNKNOWN) {
		b->start_us = start_us;
		b->end_us = end_us;
	}
	if (b->start_us == TIME_UNKNOWN || b->end_us == TIME_UNKNOWN)
		b->start_us = b->end_us = TIME_UNKNOWN;
}
