/* open-tasks - collects the events of each task of a distbuild log */

#include <stdlib.h>
#include <string.h>

#include "common/base/hex.h"
#include "common/base/map.h"
#include "common/base/num.h"
#include "common/filter/filter.h"
#include "filters/execlog-parse/open-tasks.h"
#include "filters/execlog-parse/records.h"
#include "filters/execlog-parse/worker-hosts.h"

/*
 * A task has up to three events: an early start (deployed or dep_wait), a start
 * (started or dep_start) and an end.  It is written and forgotten as soon as it
 * has all three, and a run its deploy (worker-hosts.h), so that only open tasks
 * are in memory.  A task with a start and an end may have no other event at
 * all.  It is delayed, and written when
 * DELAYED_MAX others have been delayed after it.
 *
 * The lines may be in any order, so an event may come after its task was
 * written, or when the task already has an event of this name (such as a second
 * start before the end).  The id then has several records, some without a start
 * or without an end, and the filters that read the records pair those of an id
 * (common/build/attempts.h).
 */
enum { DELAYED_MAX = 4096 };

struct open_task {
	struct buf text;	/* the key and, if the end has arrived, its
				   word: see open_tasks_add_end() */
	uint32_t key_len;
	uint32_t host, dep;	/* offsets in the key */
	uint32_t generation;	/* counts the attempts that were stored in this
				   entry and have been written */
	uint64_t hash;		/* of the key */
	struct uid_ref uid;	/* of a run */
	/* Each is INT_UNKNOWN until its event has arrived. */
	int64_t early_us;	/* deployed, dep_wait */
	int64_t start_us;	/* started, dep_start */
	int64_t end_us;		/* finished, dep_finished */
	int64_t size_bytes;	/* from the end event; not set before it */
	int64_t n_deps;		/* of a copy: DEP-COUNT of a start event */
	enum task_kind kind;	/* TASK_UNUSED: the entry is free */
	uint32_t next_free;	/* the next free entry, or INDEX_NONE */
};

static struct {
	struct filter *f;
	struct open_task *tasks;
	size_t n_tasks, tasks_cap;
	uint32_t first_free;
	struct map by_key;		/* to indexes of tasks */
	struct {
		uint32_t task, generation;
	} delayed[DELAYED_MAX];		/* a ring buffer */
	size_t n_delayed;		/* how many were ever added to it */
} state;

static struct span
key_of(const void *owner, uint32_t i)
{
	const struct open_task *t;

	(void)owner;
	t = &state.tasks[i];
	return span_of(t->text.data, t->key_len);
}

/* The hash is stored for map_remove(), so this is not map_find_or_add(). */
static struct open_task *
find_or_open(enum task_kind kind, struct task_key key)
{
	uint64_t hash = map_hash(key.text.p, key.text.n);
	size_t slot = map_find_slot(&state.by_key, hash, hash, key.text,
	    key_of);
	uint32_t i = map_value(&state.by_key, slot);
	struct open_task *t;

	if (i != INDEX_NONE)
		return &state.tasks[i];

	i = state.first_free;
	if (i != INDEX_NONE) {
		state.first_free = state.tasks[i].next_free;
	} else {
		i = (uint32_t)state.n_tasks++;
		state.tasks = mem_grow(state.tasks, &state.tasks_cap,
		    state.n_tasks, sizeof *state.tasks);
		state.tasks[i] = (struct open_task){ 0 };
	}

	t = &state.tasks[i];
	t->text.len = 0;
	buf_add(&t->text, key.text.p, key.text.n);
	t->key_len = (uint32_t)key.text.n;
	t->host = (uint32_t)key.host;
	t->dep = (uint32_t)key.dep;
	t->hash = hash;
	t->kind = kind;
	t->early_us = t->start_us = t->end_us = t->n_deps = INT_UNKNOWN;
	map_put_at(&state.by_key, slot, hash, i);
	return t;
}

static void
close_task(struct open_task *t)
{
	uint32_t i = (uint32_t)(t - state.tasks);

	map_remove(&state.by_key, t->hash, i);
	t->kind = TASK_UNUSED;
	t->generation++;
	t->next_free = state.first_free;
	state.first_free = i;
}

static struct span
part_of_text(const struct open_task *t, size_t from, size_t to)
{
	return span_of(t->text.data + from, to - from);
}

static struct span
word_of(const struct open_task *t)
{
	return part_of_text(t, t->key_len, t->text.len);
}

/* The earliest event of a task that is known. */
static int64_t
earliest(const struct open_task *t)
{
	return time_earlier(time_earlier(t->early_us, t->start_us), t->end_us);
}

static bool
take_deploy(const struct open_task *t, struct deploy *deploy)
{
	return t->kind == TASK_RUN && worker_hosts_take_deploy(t->uid,
	    earliest(t), deploy);
}

/* deploy is that of the run, or NULL. */
static void
emit_run(const struct open_task *t, const struct deploy *deploy)
{
	struct buf *b = filter_out(state.f);
	bool use_early = t->start_us == INT_UNKNOWN &&
	    t->early_us != INT_UNKNOWN;
	struct span uid = part_of_text(t, 0, t->host - 1);

	json_begin(b, "task");
	json_str(b, "id", uid);
	json_word(b, "kind", "run");
	put_run(b);
	put_times(b, use_early ? t->early_us : t->start_us, t->end_us);
	json_str(b, "uid", uid);
	json_str(b, "host", part_of_text(t, t->host, t->key_len));
	if (use_early)
		json_word(b, "start_event", "deployed");
	else if (t->early_us != INT_UNKNOWN)
		json_int(b, "deployed_us", t->early_us);
	if (deploy != NULL)
		worker_hosts_put_deploy(b, deploy);
	if (t->end_us != INT_UNKNOWN)
		put_outcome(b, word_of(t), t->size_bytes);
	json_end(b);
	filter_emit(state.f);
}

/*
 * A copy's id is a digest of its key, "UID HOST DEP".  The key itself would be
 * a hundred characters long, and its words are members of the record anyway.
 */
static void
put_copy_id(struct buf *b, const struct open_task *t)
{
	uint64_t digest = map_hash_fixed_key(t->text.data, t->key_len);
	unsigned char bytes[sizeof digest];
	char id[] = "copy:0123456789abcdef";

	for (size_t i = sizeof bytes; i-- > 0; digest >>= 8)
		bytes[i] = (unsigned char)digest;
	hex_encode(id + strlen("copy:"), bytes, sizeof bytes);
	json_str(b, "id", span_of(id, sizeof id - 1));
}

/*
 * A copy starts at its earlier start event; if it has both, the other one is
 * written as transfer_us (dep_start) or wait_us (dep_wait).
 */
static void
emit_copy(const struct open_task *t)
{
	struct buf *b = filter_out(state.f);
	int64_t start_us = time_earlier(t->early_us, t->start_us);

	json_begin(b, "task");
	put_copy_id(b, t);
	json_word(b, "kind", "copy");
	put_run(b);
	put_times(b, start_us, t->end_us);
	json_str(b, "uid", part_of_text(t, t->dep, t->key_len));
	json_str(b, "consumer", part_of_text(t, 0, t->host - 1));
	json_str(b, "host", part_of_text(t, t->host, t->dep - 1));
	if (t->early_us != INT_UNKNOWN && t->start_us >= t->early_us)
		json_int(b, "transfer_us", t->start_us);
	if (t->early_us != INT_UNKNOWN && t->early_us > start_us)
		json_int(b, "wait_us", t->early_us);
	json_int(b, "dep_count", t->n_deps);
	if (t->end_us != INT_UNKNOWN) {
		json_text(b, "origin_host", word_of(t));
		put_outcome(b, span_of("", 0), t->size_bytes);
	}
	json_end(b);
	filter_emit(state.f);
}

/* deploy is for a run. */
static void
emit_with(const struct open_task *t, const struct deploy *deploy)
{
	if (t->kind == TASK_RUN)
		emit_run(t, deploy);
	else
		emit_copy(t);
}

static void
emit(const struct open_task *t)
{
	struct deploy deploy;

	emit_with(t, take_deploy(t, &deploy) ? &deploy : NULL);
}

/*
 * Whether the task can be written as an attempt.  For a run the early start,
 * `deployed`, is not enough: `started` may still come.
 */
static bool
has_start_and_end(const struct open_task *t)
{
	return t->end_us != INT_UNKNOWN && (t->start_us != INT_UNKNOWN ||
	    (t->kind == TASK_COPY && t->early_us != INT_UNKNOWN));
}

/*
 * Puts a task into the ring, where it replaces the oldest one.  Writes the
 * oldest one, unless it has already been written: then its entry has another
 * generation.
 */
static void
delay(const struct open_task *t)
{
	size_t i = state.n_delayed++ % DELAYED_MAX;
	uint32_t oldest = state.delayed[i].task;
	uint32_t generation = state.delayed[i].generation;

	state.delayed[i].task = (uint32_t)(t - state.tasks);
	state.delayed[i].generation = t->generation;
	if (state.n_delayed <= DELAYED_MAX ||
	    state.tasks[oldest].generation != generation)
		return;
	emit(&state.tasks[oldest]);
	close_task(&state.tasks[oldest]);
}

static void
emit_if_complete(struct open_task *t)
{
	struct deploy deploy;

	if (!has_start_and_end(t))
		return;
	if (t->early_us == INT_UNKNOWN || t->start_us == INT_UNKNOWN ||
	    (t->kind == TASK_RUN && !take_deploy(t, &deploy))) {
		delay(t);
		return;
	}
	emit_with(t, &deploy);
	close_task(t);
}

/* Writes what is known of this attempt and begins another with its key. */
static void
emit_and_reopen(struct open_task *t)
{
	emit(t);
	t->early_us = t->start_us = t->end_us = t->n_deps = INT_UNKNOWN;
	t->generation++;
}

/* The earliest event of a run is a host event; see worker-hosts.h. */
static void
add_host_event(struct open_task *t, int64_t us)
{
	int64_t known_us = earliest(t);

	if (t->kind == TASK_RUN && (known_us == INT_UNKNOWN || us < known_us))
		t->uid = worker_hosts_add_host_event(part_of_text(t, 0,
		    t->host - 1), part_of_text(t, t->host, t->key_len), us);
}

void
open_tasks_add_start(enum task_kind kind, struct task_key key, bool is_early,
    int64_t us, int64_t n_deps)
{
	struct open_task *t = find_or_open(kind, key);
	int64_t *start_us = is_early ? &t->early_us : &t->start_us;
	struct open_task other;
	int64_t later_us;

	add_host_event(t, us);

	/* A start that repeats, or is after the end, is of another attempt. */
	if (has_start_and_end(t) && (*start_us != INT_UNKNOWN ||
	    us > t->end_us))
		emit_and_reopen(t);
	if (n_deps > t->n_deps)
		t->n_deps = n_deps;
	if (*start_us == INT_UNKNOWN) {
		*start_us = us;
		emit_if_complete(t);
		return;
	}

	/* Of two events of the same name the later gets its own record. */
	other = *t;
	later_us = time_later(*start_us, us);
	other.early_us = is_early ? later_us : INT_UNKNOWN;
	other.start_us = is_early ? INT_UNKNOWN : later_us;
	other.end_us = INT_UNKNOWN;
	emit(&other);
	*start_us = time_earlier(*start_us, us);
}

void
open_tasks_add_end(enum task_kind kind, struct task_key key, int64_t us,
    struct span word, int64_t size_bytes)
{
	struct open_task *t = find_or_open(kind, key);

	add_host_event(t, us);
	if (t->end_us != INT_UNKNOWN)
		emit_and_reopen(t);
	t->end_us = us;
	t->text.len = t->key_len;
	buf_add(&t->text, word.p, word.n);
	t->size_bytes = size_bytes;
	emit_if_complete(t);
}

void
open_tasks_init(struct filter *f)
{
	state.f = f;
	state.first_free = INDEX_NONE;
	map_init(&state.by_key, key_of, NULL);
}

void
open_tasks_finish(void)
{
	for (size_t i = 0; i < state.n_tasks; i++) {
		if (state.tasks[i].kind != TASK_UNUSED)
			emit(&state.tasks[i]);
		buf_release(&state.tasks[i].text);
	}
	map_release(&state.by_key);
	free(state.tasks);
	memset(&state, 0, sizeof state);
}
