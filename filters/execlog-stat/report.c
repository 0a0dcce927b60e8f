/* report - writes the statistics as a report for people */

#include "common/base/num.h"
#include "common/frame/filter.h"
#include "common/frame/report.h"
#include "filters/execlog-stat/stat.h"

/* BAR_WIDTH and SPARKS_MAX are columns. */
enum { BAR_WIDTH = 20, TYPES_SHOWN_MAX = 15, SPARKS_MAX = 60 };

/* By enum stage. */
static const char *const stage_titles[] = { "tests only",
    "tests, and other work", "building only", "building, and other work",
    "downloading only", "downloading, and other work",
    "copying and preparing only", "nothing ran" };

static void
put_share(struct table *t, double part, double whole)
{
	double share = whole > 0 ? part / whole : 0;

	table_percent(t, share);
	report_bar(table_cell(t), share, BAR_WIDTH);
	table_next(t);
}

static void
put_title(const struct build_stat *s, struct buf *out)
{
	const struct timeline *t = &s->timeline;
	int64_t wall_us = t->end_us - t->start_us;
	struct buf text = { 0 };

	report_us(&text, wall_us);
	buf_printf(&text, ", %llu tasks, %.1f at once on average, %llu at most",
	    (unsigned long long)s->n_tasks, wall_us > 0 ?
	    (double)t->running_us / (double)wall_us : 0.0,
	    (unsigned long long)t->max_running);
	report_heading(out, "Build: %.*s", (int)text.len, text.data);
	buf_release(&text);
}

/*
 * Writes the bins as one line of at most SPARKS_MAX columns; each column is the
 * average of the bins that it stands for.
 */
static void
put_parallelism(const struct build_stat *s, struct buf *out)
{
	const struct timeline *t = &s->timeline;
	double ratios[SPARKS_MAX] = { 0 };
	size_t n = t->n_bins < SPARKS_MAX ? t->n_bins : SPARKS_MAX, from, to;

	if (t->max_running == 0)
		return;
	for (size_t i = 0; i < n; i++) {
		from = t->n_bins * i / n;
		to = t->n_bins * (i + 1) / n;
		for (size_t j = from; j < to; j++)
			ratios[i] += t->bins[j] / (double)(to - from) /
			    (double)t->max_running;
	}
	buf_str(out, "  running  |");
	report_spark(out, ratios, n);
	buf_printf(out, "|  the top is %llu\n",
	    (unsigned long long)t->max_running);
}

static void
put_stages(const struct build_stat *s, struct buf *out)
{
	const struct timeline *t = &s->timeline;
	struct table table;

	report_heading(out, "\nStages");
	table_init(&table, "rrll", NULL);
	for (size_t i = 0; i < N_STAGES; i++) {
		if (t->stage_us[i] == 0)
			continue;
		table_us(&table, t->stage_us[i]);
		put_share(&table, (double)t->stage_us[i],
		    (double)(t->end_us - t->start_us));
		buf_str(table_cell(&table), stage_titles[i]);
		table_next(&table);
	}
	table_print(&table, out);
}

static void
put_longest(const struct build_stat *s, struct buf *out)
{
	static const char *const heads[] = { "took", "weighted", "task" };
	struct table table;

	report_heading(out, "\nLongest tasks");
	table_init(&table, "rrl", heads);
	for (size_t i = 0; i < s->n_longest; i++) {
		table_us(&table, s->build->tasks[s->longest[i]].elapsed_us);
		table_us(&table, timeline_weighted_us(&s->timeline,
		    s->longest[i]));
		build_put_cell(s->build, &s->build->tasks[s->longest[i]],
		    &table);
	}
	table_print(&table, out);
}

static void
put_biggest(const struct build_stat *s, struct buf *out)
{
	static const char *const heads[] = { "size", "took", "copy" };
	const struct task *t;
	struct table table;

	if (s->n_biggest == 0)
		return;
	report_heading(out, "\nBiggest copies");
	table_init(&table, "rrl", heads);
	for (size_t i = 0; i < s->n_biggest; i++) {
		t = &s->build->tasks[s->biggest[i]];
		report_bytes(table_cell(&table), t->size_bytes);
		table_next(&table);
		table_us(&table, t->elapsed_us);
		build_put_cell(s->build, t, &table);
	}
	table_print(&table, out);
}

static void
put_types(const struct build_stat *s, struct buf *out)
{
	static const char *const heads[] = { "took", "weighted", "", "",
	    "tasks", "mean", "type" };
	const struct timeline *t = &s->timeline;
	const struct type_total *type = s->types;
	struct table table;

	report_heading(out, "\nTime by type");
	table_init(&table, "rrrlrrl", heads);
	for (size_t i = 0; i < s->n_types && i < TYPES_SHOWN_MAX; i++, type++) {
		table_us(&table, type->elapsed_us);
		table_us(&table, type->weighted_us);
		put_share(&table, (double)type->weighted_us,
		    (double)(t->end_us - t->start_us));
		table_count(&table, type->n_tasks);
		table_us(&table, type->elapsed_us / (int64_t)type->n_tasks);
		table_text(&table, intern_span(&s->build->names, type->name));
	}
	table_print(&table, out);
	if (s->n_types > TYPES_SHOWN_MAX)
		buf_printf(out, "  and %zu more types\n",
		    s->n_types - TYPES_SHOWN_MAX);
}

static void
put_counts(const struct build_stat *s, struct buf *out)
{
	double run = s->n_run > 0 ? (double)s->n_run : 1;

	report_heading(out, "\nRun tasks: %llu",
	    (unsigned long long)s->n_run);
	buf_printf(out, "  %llu executed, %llu from the cache, %llu avoided: "
	    "cache efficiency ", (unsigned long long)s->n_executed,
	    (unsigned long long)s->n_cached,
	    (unsigned long long)s->n_avoided);
	report_percent(out, (double)(s->n_run - s->n_executed) / run);
	buf_printf(out, "\n  %llu failed, which took ",
	    (unsigned long long)s->n_failed);
	report_us(out, s->failed_us);
	buf_str(out, ", ");
	/* "Their time" is that of all attempts at all run tasks. */
	report_percent(out, s->run_us > 0 ?
	    (double)s->failed_us / (double)s->run_us : 0);
	buf_str(out, " of their time\n");
	if (s->n_tests > 0) {
		buf_printf(out, "  %llu test%s, which took ",
		    (unsigned long long)s->n_tests,
		    s->n_tests == 1 ? "" : "s");
		report_us(out, s->test_us);
		buf_char(out, '\n');
	}
	if (s->n_unseen_nodes > 0)
		buf_printf(out, "  not in the log: %llu node%s of the graph\n",
		    (unsigned long long)s->n_unseen_nodes,
		    s->n_unseen_nodes == 1 ? "" : "s");
	if (s->build->n_earlier_runs > 0)
		buf_printf(out, "  left out: %lld earlier run%s of the log\n",
		    (long long)s->build->n_earlier_runs,
		    s->build->n_earlier_runs == 1 ? "" : "s");
}

void
stat_report(const struct build_stat *s, struct filter *f)
{
	struct buf *out = filter_out(f);

	if (s->timeline.start_us == INT_UNKNOWN) {
		buf_str(out, "No task has a time.\n");
		return;
	}
	put_title(s, out);
	put_parallelism(s, out);
	put_stages(s, out);
	put_longest(s, out);
	put_biggest(s, out);
	put_types(s, out);
	put_counts(s, out);
}
