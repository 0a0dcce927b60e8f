/* report - writes the statistics as a report for people */

#include "common/base/num.h"
#include "common/build/build-names.h"
#include "common/build/missing.h"
#include "common/filter/filter.h"
#include "common/report/report-values.h"
#include "common/report/report.h"
#include "common/report/style.h"
#include "common/report/table.h"
#include "filters/execlog-stat/execlog-stat.h"

/* SPARKS_MAX is in columns. */
enum { TYPES_SHOWN_MAX = 15, SPARKS_MAX = 60 };

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
	table_bar(t, share);
}

/*
 * Appends text to a line so that it ends at a column, or is centred on it; at
 * least a space precedes it, or it is omitted.
 */
static void
put_tick(struct buf *line, struct buf *text, size_t column, bool is_centred)
{
	size_t from = column - (is_centred ? text->len / 2 : text->len);

	if (column < text->len || (line->len > 0 && from < line->len + 1))
		return;
	while (line->len < from)
		buf_char(line, ' ');
	buf_add(line, text->data, text->len);
}

/* Writes the axis under n sparks: the time from the start of the build. */
static void
put_axis(const struct activity *t, size_t n, struct buf *out)
{
	static const char margin[] = "            ";
	int64_t wall_us = t->end_us - t->start_us;
	struct buf line = { 0 }, middle = { 0 }, end = { 0 };

	report_us(&middle, wall_us / 2);
	report_us(&end, wall_us);
	buf_char(&line, '0');
	if (n / 2 + middle.len / 2 + 2 + end.len <= n)
		put_tick(&line, &middle, n / 2, true);
	put_tick(&line, &end, n, false);
	buf_add(out, margin, sizeof margin - 1);
	buf_add(out, line.data, line.len);
	buf_char(out, '\n');
	buf_release(&line);
	buf_release(&middle);
	buf_release(&end);
}

/* Writes how many tasks ran over time.  Markdown has no such pictures. */
static void
put_parallelism(const struct build_stat *s, struct buf *out)
{
	const struct activity *t = &s->activity;
	double ratios[SPARKS_MAX];
	size_t n = t->n_bins < SPARKS_MAX ? t->n_bins : SPARKS_MAX;
	size_t others, from, to;
	struct buf top = { 0 };

	if (t->max_running == 0 || style.markdown)
		return;
	buf_printf(&top, "|  the top is %llu",
	    (unsigned long long)t->max_running);
	others = strlen("  running  |") + top.len;
	if (n > style.width - others)
		n = style.width - others;

	for (size_t i = 0; i < n; i++) {
		ratios[i] = 0;
		from = t->n_bins * i / n;
		to = t->n_bins * (i + 1) / n;
		for (size_t j = from; j < to; j++)
			ratios[i] += t->bins[j] / (double)(to - from) /
			    (double)t->max_running;
	}

	buf_str(out, "  running  |");
	report_spark(out, ratios, n);
	buf_add(out, top.data, top.len);
	buf_char(out, '\n');
	put_axis(t, n, out);
	buf_release(&top);
}

static void
put_stages(const struct build_stat *s, struct buf *out)
{
	const struct activity *t = &s->activity;
	struct table table;

	report_heading(out, "\nStages");
	table_init(&table, "RRll", NULL);
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
	table_init(&table, "RRl", heads);
	for (size_t i = 0; i < s->n_longest; i++) {
		table_us(&table, activity_took_us(s->build,
		    &s->build->tasks[s->longest[i]]));
		table_us(&table, activity_weighted_us(&s->activity,
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
	table_init(&table, "RRl", heads);
	for (size_t i = 0; i < s->n_biggest; i++) {
		t = &s->build->tasks[s->biggest[i]];
		report_bytes(table_cell(&table), t->size_bytes);
		table_next(&table);
		table_us(&table, activity_took_us(s->build, t));
		build_put_cell(s->build, t, &table);
	}
	table_print(&table, out);
}

static void
put_types(const struct build_stat *s, struct buf *out)
{
	static const char *const heads[] = { "took", "weighted", "share", "",
	    "tasks", "mean", "type" };
	const struct activity *t = &s->activity;
	const struct type_total *type = s->types;
	struct table table;

	report_heading(out, "\nTime by type");
	table_init(&table, "RRrlrrl", heads);
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
	report_more(out, s->n_types > TYPES_SHOWN_MAX ? s->n_types -
	    TYPES_SHOWN_MAX : 0, "");
}

static void
put_executed(const struct build_stat *s, struct buf *out)
{
	size_t from = out->len;

	buf_printf(out, "%llu executed", (unsigned long long)s->n_executed);
	if (s->n_cached > 0) {
		buf_printf(out, ", %llu from the cache: cache efficiency ",
		    (unsigned long long)s->n_cached);
		report_percent(out, stat_efficiency(s));
	}
	if (s->n_lookups > 0) {
		buf_str(out, "; an answer of the cache took ");
		report_us(out, s->lookup_us / (int64_t)s->n_lookups);
		buf_str(out, " on average");
	}
	report_item(out, from, 1);
}

/* Writes an item such as "2 unfinished", and rest; nothing if n is 0. */
static void
put_not_executed(struct buf *out, uint64_t n, const char *rest)
{
	size_t from = out->len;

	if (n == 0)
		return;
	buf_printf(out, "%llu %s", (unsigned long long)n, rest);
	report_item(out, from, 1);
}

static void
put_failed(const struct build_stat *s, struct buf *out)
{
	size_t from = out->len;

	if (s->n_failed == 0)
		return;
	buf_printf(out, "%llu failed, which took ",
	    (unsigned long long)s->n_failed);
	report_us(out, s->failed_us);
	buf_str(out, ", ");
	/* "Their time" is that of all attempts at all run tasks. */
	report_percent(out, s->run_us > 0 ?
	    (double)s->failed_us / (double)s->run_us : 0);
	buf_str(out, " of their time");
	report_failed_item(out, from);
}

static void
put_counts(const struct build_stat *s, struct buf *out)
{
	size_t from;

	report_heading(out, "\nRun tasks: %llu",
	    (unsigned long long)s->n_run);
	put_executed(s, out);
	put_failed(s, out);
	put_not_executed(out, s->n_unfinished, "unfinished: started, but the "
	    "log has no end");
	put_not_executed(out, s->n_skipped, "skipped");
	put_not_executed(out, s->n_queued, "queued: a worker was to run them, "
	    "but the log has no start");
	put_not_executed(out, s->n_untimed, "of which the log has no time");
	from = out->len;
	if (s->n_tests > 0) {
		report_count(out, s->n_tests, "test", "tests");
		buf_str(out, ", which took ");
		report_us(out, s->test_us);
		report_item(out, from, 1);
		from = out->len;
	}
	if (s->n_unseen_nodes > 0) {
		buf_str(out, "not in the log: ");
		report_count(out, s->n_unseen_nodes, "node", "nodes");
		buf_str(out, " of the graph");
		report_item(out, from, 1);
	}
	from = out->len;
	if (s->build->n_earlier_runs > 0) {
		buf_str(out, "left out: ");
		report_count(out, (uint64_t)s->build->n_earlier_runs,
		    "earlier run", "earlier runs");
		buf_str(out, " of the log");
		report_item(out, from, 1);
	}
}

void
stat_report(const struct build_stat *s, struct filter *f)
{
	const struct activity *t = &s->activity;
	struct buf *out = filter_out(f), title = { 0 };
	size_t from = out->len;
	int64_t wall_us;

	if (t->start_us == INT_UNKNOWN) {
		buf_str(out, "No task has a time.");
		report_sentence(out, from);
		return;
	}
	if (s->build->lacks != 0) {
		buf_str(out, "Partial: ");
		build_put_missing(s->build, out);
		buf_char(out, '.');
		report_sentence(out, from);
		report_blank(out);
	}

	wall_us = t->end_us - t->start_us;
	report_us(&title, wall_us);
	buf_str(&title, ", ");
	report_count(&title, s->n_tasks, "task", "tasks");
	buf_printf(&title, ", %.1f at once on average, %llu at most",
	    wall_us > 0 ? (double)t->running_us / (double)wall_us : 0.0,
	    (unsigned long long)t->max_running);
	report_heading(out, "Build: %.*s", (int)title.len, title.data);
	buf_release(&title);

	put_parallelism(s, out);
	put_stages(s, out);
	put_longest(s, out);
	put_biggest(s, out);
	put_types(s, out);
	put_counts(s, out);
}
