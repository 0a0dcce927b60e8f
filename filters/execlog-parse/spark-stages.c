/* spark-stages - keeps the stages of Spark, and writes nodes for them */

#include <stdlib.h>
#include <string.h>

#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/base/num.h"
#include "common/filter/filter.h"
#include "filters/execlog-parse/records.h"
#include "filters/execlog-parse/spark-stages.h"

static struct {
	struct filter *f;
	struct intern names;
	struct arena arena;
	struct map stage_of, attempt_of, partition_of;
	struct map maker_of;	/* by RDD: the first stage that computed it */
	struct stage *stages;
	size_t n_stages, stages_cap;
	int64_t *parents;
	size_t n_parents, parents_cap;
	struct attempt *attempts;
	size_t n_attempts, attempts_cap;
	struct partition *partitions;
	size_t n_partitions, partitions_cap;
	uint32_t free_partition;
	uint32_t skipped;	/* the first of the stages that need a
				   placeholder, or INDEX_NONE */
	uint64_t n_unknown;	/* see stages_end() */
	struct buf deps;
} state;

static struct span
stage_key(const void *owner, uint32_t i)
{
	(void)owner;
	return span_bytes(&state.stages[i].id, sizeof state.stages[i].id);
}

static struct span
rdd_key(const void *owner, uint32_t i)
{
	(void)owner;
	return span_bytes(&state.stages[i].rdd, sizeof state.stages[i].rdd);
}

static struct span
attempt_key(const void *owner, uint32_t i)
{
	(void)owner;
	return span_bytes(&state.attempts[i].key,
	    sizeof state.attempts[i].key);
}

static struct span
partition_key(const void *owner, uint32_t i)
{
	(void)owner;
	return span_bytes(&state.partitions[i].key,
	    sizeof state.partitions[i].key);
}

void
stages_begin(struct filter *f)
{
	state.f = f;
	state.free_partition = state.skipped = INDEX_NONE;
	map_init(&state.stage_of, stage_key, NULL);
	map_init(&state.attempt_of, attempt_key, NULL);
	map_init(&state.maker_of, rdd_key, NULL);
	map_init(&state.partition_of, partition_key, NULL);
	intern_init(&state.names);
}

struct stage *
stages_get(int64_t id)
{
	uint32_t next = (uint32_t)state.n_stages, i;
	struct stage *s;

	state.stages = mem_grow(state.stages, &state.stages_cap,
	    state.n_stages + 1, sizeof *state.stages);
	s = &state.stages[next];
	*s = (struct stage){ .id = id, .name = SYM_NONE,
	    .attempt = NO_ATTEMPT, .rdd = NO_RDD, .fetch_failure = NO_TASK,
	    .first_partition = INDEX_NONE, .last_partition = INDEX_NONE };
	i = map_find_or_add(&state.stage_of, span_bytes(&id, sizeof id), next);
	state.n_stages += i == next;
	return &state.stages[i];
}

struct stage *
stages_find(int64_t id)
{
	uint32_t i = map_find(&state.stage_of, span_bytes(&id, sizeof id));

	return i == INDEX_NONE ? NULL : &state.stages[i];
}

void
stage_set_name(struct stage *s, struct span name)
{
	s->name = intern_add(&state.names, name);
}

struct span
stage_name(const struct stage *s)
{
	return intern_span(&state.names, s->name);
}

void
stage_add_parent(struct stage *s, int64_t id)
{
	if (s->n_parents++ == 0)
		s->first_parent = state.n_parents;
	state.parents = mem_grow(state.parents, &state.parents_cap,
	    state.n_parents + 1, sizeof *state.parents);
	state.parents[state.n_parents++] = id;
}

void
stage_note_fetch_failure(const struct stage *s, int64_t task,
    int64_t failed_us)
{
	struct stage *parent;

	for (size_t i = 0; i < s->n_parents; i++) {
		parent = stages_find(state.parents[s->first_parent + i]);
		if (parent == NULL)
			continue;
		parent->fetch_failure = task;
		parent->fetch_failed_us = failed_us;
	}
}

struct attempt *
attempt_find(int64_t stage, int64_t number)
{
	struct attempt a = { .key = { stage, number } };
	uint32_t i = map_find(&state.attempt_of,
	    span_bytes(&a.key, sizeof a.key));

	return i == INDEX_NONE ? NULL : &state.attempts[i];
}

struct partition *
partition_find(int64_t stage, int64_t index)
{
	struct partition p = { .key = { stage, index } };
	uint32_t i = map_find(&state.partition_of,
	    span_bytes(&p.key, sizeof p.key));

	return i == INDEX_NONE ? NULL : &state.partitions[i];
}

struct partition *
partition_get(struct stage *s, int64_t index)
{
	struct partition new = { .key = { s->id, index }, .done = NO_TASK,
	    .failed = NO_TASK, .next = INDEX_NONE };
	struct span key = span_bytes(&new.key, sizeof new.key);
	struct partition *p = partition_find(s->id, index);
	uint32_t i = state.free_partition;

	if (p != NULL)
		return p;
	if (i != INDEX_NONE) {
		state.free_partition = state.partitions[i].next;
	} else {
		i = (uint32_t)state.n_partitions++;
		state.partitions = mem_grow(state.partitions,
		    &state.partitions_cap, state.n_partitions,
		    sizeof *state.partitions);
	}
	state.partitions[i] = new;
	map_put(&state.partition_of, map_hash(key.p, key.n), i);
	if (s->last_partition == INDEX_NONE)
		s->first_partition = i;
	else
		state.partitions[s->last_partition].next = i;
	s->last_partition = i;
	return &state.partitions[i];
}

void
stage_free_partitions(struct stage *s)
{
	struct span key;
	uint32_t next;

	for (uint32_t i = s->first_partition; i != INDEX_NONE; i = next) {
		key = partition_key(NULL, i);
		map_remove(&state.partition_of, map_hash(key.p, key.n), i);
		next = state.partitions[i].next;
		state.partitions[i].next = state.free_partition;
		state.free_partition = i;
	}
	s->first_partition = s->last_partition = INDEX_NONE;
}

/* The id of a node: "stage 3", "stage 3.1" for the next attempt at it. */
static void
put_stage_id(struct buf *b, int64_t id, int64_t attempt)
{
	buf_str(b, "\"stage ");
	buf_i64(b, id);
	if (attempt == NO_ATTEMPT) {
		buf_str(b, " skipped");
	} else if (attempt > 0) {
		buf_char(b, '.');
		buf_i64(b, attempt);
	}
	buf_char(b, '"');
}

static void
put_comma(struct buf *b)
{
	if (b->len > 0 && b->data[b->len - 1] != '[')
		buf_char(b, ',');
}

/*
 * Writes the parents of a stage as items of an array, and adds those that have
 * been skipped to state.skipped.  A parent of which nothing is known is not
 * written.
 */
static void
put_parents(struct buf *b, const struct stage *s)
{
	struct stage *p;

	for (size_t i = 0; i < s->n_parents; i++) {
		p = stages_find(state.parents[s->first_parent + i]);
		if (p == NULL || p == s)
			continue;
		put_comma(b);
		put_stage_id(b, p->id, p->attempt);
		if (p->attempt != NO_ATTEMPT || p->has_placeholder)
			continue;
		p->has_placeholder = true;
		p->next_skipped = state.skipped;
		state.skipped = (uint32_t)(p - state.stages);
	}
}

static struct buf *
begin_node(const struct stage *s, int64_t attempt)
{
	struct buf *b = filter_begin_record(state.f, "node");

	json_key(b, "id");
	put_stage_id(b, s->id, attempt);
	if (s->name != SYM_NONE)
		json_str(b, "name", stage_name(s));
	put_run(b);
	json_open(b, "deps", '[');
	return b;
}

static void
end_node(struct buf *b)
{
	json_close(b, ']');
	json_word(b, "rule", "phony");
	filter_end_record(state.f);
}

/*
 * Writes the nodes of the skipped stages that `submitted` needs.  A job lists
 * the stages whose output it needs as its own.  Those of an earlier job are
 * skipped, and it waited for the stage of that job, which has computed the same
 * RDD.
 */
static void
write_placeholders(const struct stage *submitted)
{
	const struct stage *s, *maker;
	struct buf *b;
	uint32_t i;

	while (state.skipped != INDEX_NONE) {
		s = &state.stages[state.skipped];
		state.skipped = s->next_skipped;
		i = s->rdd == NO_RDD ? INDEX_NONE : map_find(&state.maker_of,
		    span_bytes(&s->rdd, sizeof s->rdd));
		maker = i == INDEX_NONE ? NULL : &state.stages[i];
		b = begin_node(s, NO_ATTEMPT);
		if (maker != NULL && maker != submitted) {
			put_stage_id(b, maker->id, maker->attempt);
		} else {
			put_parents(b, s);
			state.n_unknown += s->n_parents == 0;
		}
		end_node(b);
	}
}

void
attempt_write(struct attempt *a)
{
	const struct stage *s = stages_find(a->key.stage);
	struct buf *b = begin_node(s, a->key.number);
	struct partition *p;
	bool has_tasks = false;

	a->ended = true;
	for (uint32_t i = s->first_partition; i != INDEX_NONE; i = p->next) {
		p = &state.partitions[i];
		if (p->done == NO_TASK || p->is_written)
			continue;
		p->is_written = has_tasks = true;
		put_numeric_item(b, p->done);
	}
	if (!has_tasks)
		buf_add(b, a->deps.p, a->deps.n);
	if (a->previous != NO_ATTEMPT) {
		put_comma(b);
		put_stage_id(b, s->id, a->previous);
	}
	end_node(b);
}

void
stage_add_attempt(struct stage *s, int64_t number)
{
	struct attempt *a;
	struct span key;

	state.deps.len = 0;
	put_parents(&state.deps, s);
	state.attempts = mem_grow(state.attempts, &state.attempts_cap,
	    state.n_attempts + 1, sizeof *state.attempts);
	a = &state.attempts[state.n_attempts];
	*a = (struct attempt){ .key = { s->id, number },
	    .previous = s->attempt,
	    .deps = arena_span(&state.arena, buf_span(&state.deps)) };
	key = span_bytes(&a->key, sizeof a->key);
	map_put(&state.attempt_of, map_hash(key.p, key.n),
	    (uint32_t)state.n_attempts++);
	s->attempt = number;
	write_placeholders(s);
	if (s->rdd != NO_RDD)
		map_find_or_add(&state.maker_of, span_bytes(&s->rdd,
		    sizeof s->rdd), (uint32_t)(s - state.stages));
}

void
stages_end(void)
{
	for (size_t i = 0; i < state.n_attempts; i++)
		if (!state.attempts[i].ended)
			attempt_write(&state.attempts[i]);
	run_add_count("unknown_deps", state.n_unknown);

	map_release(&state.stage_of);
	map_release(&state.attempt_of);
	map_release(&state.maker_of);
	map_release(&state.partition_of);
	intern_release(&state.names);
	arena_release(&state.arena);
	buf_release(&state.deps);
	free(state.stages);
	free(state.parents);
	free(state.attempts);
	free(state.partitions);
	memset(&state, 0, sizeof state);
}
