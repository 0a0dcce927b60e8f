/* emit - writes the statistics as records */

#include "common/base/num.h"
#include "common/build/build-names.h"
#include "common/build/missing.h"
#include "common/filter/filter.h"
#include "filters/execlog-stat/execlog-stat.h"

static void
put_ratio(struct buf *b, const char *key, double part, double whole)
{
	if (whole > 0)
		json_ratio(b, key, part / whole);
}

static struct buf *
begin_stat(const struct build_stat *s, struct filter *f, const char *name)
{
	struct buf *b = filter_begin_stat(f, name);

	if (s->build->run_name != NULL)
		json_cstr(b, "run", s->build->run_name);
	return b;
}

static void
emit_wall(const struct build_stat *s, struct filter *f)
{
	const struct activity *t = &s->activity;
	int64_t wall_us = t->end_us - t->start_us;
	struct buf *b = begin_stat(s, f, "wall");

	json_int(b, "start_us", t->start_us);
	json_int(b, "end_us", t->end_us);
	json_int(b, "wall_us", wall_us);
	json_int(b, "busy_us", wall_us - t->stage_us[IDLE]);
	json_int(b, "idle_us", t->stage_us[IDLE]);
	json_uint(b, "tasks", s->n_tasks);
	json_int(b, "running_us", t->running_us);
	put_ratio(b, "average_parallelism", (double)t->running_us,
	    (double)wall_us);
	json_uint(b, "most_running", t->max_running);
	filter_end_record(f);
}

static void
emit_task(const struct build_stat *s, struct filter *f, const char *name,
    size_t rank, uint32_t task)
{
	const struct task *t = &s->build->tasks[task];
	struct buf *b = begin_stat(s, f, name);

	json_uint(b, "rank", rank);
	build_emit_task(s->build, t, b);
	json_int(b, "start_us", t->start_us);
	json_int(b, "elapsed_us", activity_took_us(s->build, t));
	json_int(b, "weighted_us",
	    activity_weighted_us(&s->activity, task));
	json_int(b, "size_bytes", t->size_bytes);
	filter_end_record(f);
}

static void
emit_types(const struct build_stat *s, struct filter *f)
{
	const struct type_total *t = s->types;
	struct buf *b;

	for (size_t i = 0; i < s->n_types; i++, t++) {
		b = begin_stat(s, f, "type");
		json_sym(b, "name", &s->build->names, t->name);
		json_uint(b, "tasks", t->n_tasks);
		json_int(b, "elapsed_us", t->elapsed_us);
		json_int(b, "mean_us", t->elapsed_us / (int64_t)t->n_tasks);
		json_int(b, "weighted_us", t->weighted_us);
		filter_end_record(f);
	}
}

static void
emit_stages(const struct build_stat *s, struct filter *f)
{
	const struct activity *t = &s->activity;
	struct buf *b;

	for (size_t i = 0; i < N_STAGES; i++) {
		b = begin_stat(s, f, "stage");
		json_cstr(b, "name", stage_names[i]);
		json_int(b, "wall_us", t->stage_us[i]);
		put_ratio(b, "share", (double)t->stage_us[i],
		    (double)(t->end_us - t->start_us));
		filter_end_record(f);
	}
}

static void
emit_cache(const struct build_stat *s, struct filter *f)
{
	struct buf *b = begin_stat(s, f, "cache");

	json_uint(b, "run_tasks", s->n_run);
	json_uint(b, "executed", s->n_executed);
	if (s->n_cached > 0) {
		json_uint(b, "from_cache", s->n_cached);
		json_ratio(b, "efficiency", stat_efficiency(s));
	}
	if (s->n_lookups > 0) {
		json_uint(b, "lookups", s->n_lookups);
		json_int(b, "lookup_us", s->lookup_us);
	}
	json_count(b, "unfinished", s->n_unfinished);
	json_count(b, "skipped", s->n_skipped);
	json_count(b, "queued", s->n_queued);
	json_count(b, "untimed", s->n_untimed);
	if (s->build->n_nodes > 0)
		json_uint(b, "nodes_not_in_log", s->n_unseen_nodes);
	filter_end_record(f);
}

static void
emit_failed(const struct build_stat *s, struct filter *f)
{
	struct buf *b = begin_stat(s, f, "failed");

	if (s->n_failed > 0) {
		json_uint(b, "tasks", s->n_failed);
		json_int(b, "failed_us", s->failed_us);
	}
	json_int(b, "run_us", s->run_us);
	if (s->n_failed > 0)
		put_ratio(b, "ratio", (double)s->failed_us, (double)s->run_us);
	filter_end_record(f);
}

static void
emit_tests(const struct build_stat *s, struct filter *f)
{
	struct buf *b = begin_stat(s, f, "tests");

	json_uint(b, "tasks", s->n_tests);
	json_int(b, "test_us", s->test_us);
	put_ratio(b, "ratio", (double)s->test_us, (double)s->run_us);
	filter_end_record(f);
}

static void
emit_bins(const struct build_stat *s, struct filter *f)
{
	const struct activity *t = &s->activity;
	int64_t wall_us = t->end_us - t->start_us;
	int64_t n = (int64_t)t->n_bins;
	struct buf *b;

	/*
	 * Bin i begins at start_us + wall_us * i / n; quotient and remainder
	 * are multiplied separately, because the product may overflow.
	 */
	for (int64_t i = 0; i < n; i++) {
		b = begin_stat(s, f, "parallelism");
		json_int(b, "from_us", t->start_us + wall_us / n * i +
		    wall_us % n * i / n);
		json_int(b, "to_us", t->start_us + wall_us / n * (i + 1) +
		    wall_us % n * (i + 1) / n);
		json_ratio(b, "average", t->bins[i]);
		filter_end_record(f);
	}
}

void
stat_emit(const struct build_stat *s, struct filter *f)
{
	if (s->activity.start_us == INT_UNKNOWN)
		return;
	build_emit_unfinished(s->build, f);
	emit_wall(s, f);
	for (size_t i = 0; i < s->n_longest; i++)
		emit_task(s, f, "longest", i + 1, s->longest[i]);
	for (size_t i = 0; i < s->n_biggest; i++)
		emit_task(s, f, "biggest_copy", i + 1, s->biggest[i]);
	emit_types(s, f);
	emit_stages(s, f);
	emit_cache(s, f);
	emit_failed(s, f);
	emit_tests(s, f);
	emit_bins(s, f);
}
