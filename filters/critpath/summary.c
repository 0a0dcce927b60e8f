/* summary - one line for each build */

#include <time.h>

#include "common/base/num.h"
#include "common/filter/filter.h"
#include "common/filter/lacks.h"
#include "common/report/report-values.h"
#include "common/report/table.h"
#include "filters/critpath/critpath.h"

static struct table table;
static bool has_table;

/* The group with the most work; NULL if no task has the key. */
static const struct group *
find_costliest(const struct groups *g)
{
	const struct group *most = NULL;

	for (size_t i = 0; i < g->n; i++)
		if (most == NULL || g->list[i].work_us > most->work_us ||
		    (g->list[i].work_us == most->work_us && intern_cmp(
		    &g->values, g->list[i].value, most->value) < 0))
			most = &g->list[i];
	return most;
}

static void
emit(const struct answer *a, const struct verdict *v, const struct groups *g,
    const struct group *costliest, struct filter *f)
{
	const struct build *build = a->net->build;
	struct buf *b = emit_begin(build, f, "summary");

	json_uint(b, "tasks", a->net->n_tasks);
	if (build->start_us != INT_UNKNOWN) {
		json_int(b, "start_us", build->start_us);
		json_int(b, "wall_us", build->end_us - build->start_us);
	}
	json_int(b, "length_us", a->n_paths > 0 ? a->paths[0].length_us : 0);
	if (verdict_limit(v) != NULL)
		json_word(b, "limit", verdict_limit(v));
	if (costliest != NULL) {
		json_cstr(b, "by", g->by);
		json_str(b, "value", intern_span(&g->values,
		    costliest->value));
		json_int(b, "work_us", costliest->work_us);
	}
	lacks_put(b, build->lacks);
	filter_end_record(f);
}

/* A time of this century, in UTC; the others count from some other moment. */
static void
put_start(struct buf *b, int64_t start_us)
{
	time_t s = (time_t)(start_us / 1000000);
	char text[32];
	struct tm tm;

	if (start_us >= INT64_C(1000000000000000) &&
	    gmtime_r(&s, &tm) != NULL &&
	    strftime(text, sizeof text, "%Y-%m-%d %H:%M", &tm) > 0)
		buf_str(b, text);
}

static void
add_row(const struct answer *a, const struct verdict *v,
    const struct groups *g, const struct group *costliest)
{
	static const char *const heads[] = { "start (UTC)", "wall", "path",
	    "limit", "tasks", "costliest group", "", "run" };
	const struct build *build = a->net->build;

	if (!has_table)
		table_init(&table, "lRRLrrlL", heads);
	has_table = true;
	put_start(table_cell(&table), build->start_us);
	table_next(&table);
	if (build->start_us != INT_UNKNOWN)
		report_us(table_cell(&table), build->end_us - build->start_us);
	table_next(&table);
	table_us(&table, a->n_paths > 0 ? a->paths[0].length_us : 0);
	buf_str(table_cell(&table), verdict_limit(v) != NULL ?
	    verdict_limit(v) : "not known");
	if (build->lacks != 0) {
		buf_str(table_cell(&table), ": lacks ");
		lacks_put_words(table_cell(&table), build->lacks);
	}
	table_next(&table);
	table_count(&table, a->net->n_tasks);
	if (costliest != NULL)
		report_us(table_cell(&table), costliest->work_us);
	table_next(&table);
	table_text(&table, costliest != NULL ? intern_span(&g->values,
	    costliest->value) : span_of("", 0));
	table_text(&table, span_str(build->run_name != NULL ?
	    build->run_name : ""));
}

void
summary_add(const struct answer *a, const struct verdict *v, const char *by,
    struct filter *f)
{
	struct groups groups = { .by = by };
	const struct group *costliest = NULL;

	if (a->n_paths > 0) {
		groups_sum_work(&groups, a->net, by);
		costliest = find_costliest(&groups);
	}
	if (f->text)
		add_row(a, v, &groups, costliest);
	else
		emit(a, v, &groups, costliest, f);
	if (a->n_paths > 0)
		groups_release(&groups);
}

void
summaries_print(struct filter *f)
{
	if (has_table)
		table_print(&table, filter_out(f));
}
