/* report - writes the paths as a report for people */

#include <stdlib.h>

#include "common/base/num.h"
#include "common/base/sort.h"
#include "common/build/build-names.h"
#include "common/build/missing.h"
#include "common/filter/filter.h"
#include "common/report/report-values.h"
#include "common/report/report.h"
#include "common/report/table.h"
#include "filters/critpath/critpath.h"

enum { LEAST_SLACK_MAX = 30, STEP_MIN = 16 };	/* STEP_MIN is in columns */

/*
 * More consecutive short steps than this become one line.  If fewer steps than
 * LONG_STEPS_MIN are long, the longest SHOWN_MIN count as long.
 */
enum { SHORT_STEPS_MAX = 2, LONG_STEPS_MIN = 3, SHOWN_MIN = 10 };

/* Writes a time, and its share of the path's length, into three columns. */
static void
put_time(struct table *t, const struct path *p, int64_t us)
{
	double share = p->length_us > 0 ?
	    (double)us / (double)p->length_us : 0;

	table_us(t, us);
	table_percent(t, share);
	table_bar(t, share);
}

/* Whether a step took, and waited for, less than least_us. */
static bool
is_short(const struct answer *a, const struct path *p, const struct step *s,
    int64_t least_us)
{
	int64_t us = a->net->dag.weight[s->vertex];

	return (us == 0 || us < least_us) && (!p->is_timed ||
	    s->waiting_us == 0 || s->waiting_us < least_us);
}

static int
compare_us(const void *a, const void *b)
{
	return cmp_i64(*(const int64_t *)b, *(const int64_t *)a);
}

/*
 * From which time on a step is long: 1 % of the path's length, or less if the
 * path is even.
 */
static int64_t
least_long_us(const struct answer *a, const struct path *p)
{
	int64_t least_us = (p->length_us + 99) / 100, *us;
	size_t n_long = 0;

	for (size_t i = 0; i < p->n; i++)
		n_long += !is_short(a, p, &p->steps[i], least_us);
	if (n_long >= LONG_STEPS_MIN || p->n <= SHOWN_MIN)
		return least_us;
	us = mem_table(p->n, sizeof *us);
	for (size_t i = 0; i < p->n; i++)
		us[i] = a->net->dag.weight[p->steps[i].vertex];
	sort(us, p->n, sizeof *us, compare_us);
	least_us = us[SHOWN_MIN - 1];
	free(us);
	return least_us;
}

/* Writes a step, or n short ones, as a row of the table of put_steps(). */
static void
put_row(struct table *t, const struct answer *a, const struct path *p,
    const struct step *s, size_t n)
{
	int64_t start_us = network_task(a->net, s->vertex)->start_us, at_us;
	int64_t took_us = 0, waited_us = 0;

	for (size_t i = 0; i < n; i++) {
		took_us += a->net->dag.weight[s[i].vertex];
		waited_us += p->is_timed ? s[i].waiting_us : 0;
	}

	if (start_us != INT_UNKNOWN) {
		at_us = start_us - a->net->build->start_us;
		buf_str(table_cell(t), at_us < 0 ? "" : "+");
		report_us(table_cell(t), at_us);
	}
	table_next(t);
	if (p->is_timed)
		report_us(table_cell(t), waited_us);
	table_next(t);
	put_time(t, p, took_us);

	if (n > 1) {
		table_next(t);
		buf_printf(table_cell(t), "... %zu steps, ", n);
		report_us(table_cell(t), took_us);
		table_next(t);
		return;
	}
	if (p == a->paths && a->knows_savings)
		report_us(table_cell(t), s->saved_us != INT_UNKNOWN ?
		    s->saved_us : s->drag_us);
	table_next(t);
	build_put_cell(a->net->build, network_task(a->net, s->vertex), t);
}

static void
put_steps(struct buf *out, const struct answer *a, const struct path *p)
{
	char could_save[SAVINGS_HEAD_MAX];
	const char *const heads[] = { "at", "waited", "took", "share", "",
	    a->knows_savings ? savings_head(a->savings, a->paths->n,
	    could_save) : "", "step" };
	struct table t;
	int64_t least_us = least_long_us(a, p);
	size_t n;		/* steps of a row */

	table_init(&t, "rrRrlRl", heads);
	t.marks_bars = true;
	t.last_min = STEP_MIN;
	for (size_t i = 0; i < p->n; i += n) {
		n = 0;
		while (i + n < p->n && is_short(a, p, &p->steps[i + n],
		    least_us))
			n++;
		if (n <= SHORT_STEPS_MAX)
			n = 1;
		put_row(&t, a, p, &p->steps[i], n);
	}
	table_print(&t, out);
}

static void
put_share(struct table *t, const char *sign, int64_t us, int64_t wall_us,
    const char *what)
{
	buf_str(table_cell(t), sign);
	table_next(t);
	table_us(t, us);
	if (wall_us > 0)
		report_percent(table_cell(t), (double)us / (double)wall_us);
	table_next(t);
	buf_str(table_cell(t), what);
	table_next(t);
}

static void
put_account(struct buf *out, const struct answer *a, const struct path *p)
{
	const struct build *b = a->net->build;
	int64_t wall_us = b->end_us - b->start_us;
	struct table t;

	if (!p->is_timed)
		return;
	report_heading(out, "\nThe wall time");
	table_init(&t, "LRRl", NULL);
	put_share(&t, "", p->length_us, wall_us, "in steps of the path");
	put_share(&t, "+", p->waiting_us, wall_us, "waiting between them");
	if (p->overlap_us > 0)
		put_share(&t, "-", p->overlap_us, wall_us,
		    "counted twice: recorded times overlap");
	if (p->after_us < 0)
		put_share(&t, "-", -p->after_us, wall_us,
		    "of the last step after the end of the build");
	else
		put_share(&t, "+", p->after_us, wall_us, "after the last step");
	put_share(&t, "=", wall_us, wall_us, "wall time");
	table_print(&t, out);
}

static void
put_kinds(struct buf *out, const struct answer *a, const struct path *p)
{
	size_t n;
	struct kind_time *kinds = answer_by_kind(a, p, &n);
	struct table t;

	if (n > 1) {
		report_heading(out, "\nOn the path, by kind");
		table_init(&t, "RRll", NULL);
		for (size_t i = 0; i < n; i++) {
			put_time(&t, p, kinds[i].us);
			table_text(&t, intern_span(&a->net->build->names,
			    kinds[i].kind));
		}
		table_print(&t, out);
	}
	free(kinds);
}

static void
put_what_ifs(struct buf *out, const struct answer *a)
{
	size_t from;

	if (!a->what_if && a->workers == 0)
		return;
	report_heading(out, "\nWhat if");
	from = out->len;
	if (a->what_if) {
		buf_str(out, "the path shrinks from ");
		report_us(out, a->recorded_us);
		buf_str(out, " to ");
		report_us(out, a->paths[0].length_us);
		if (a->knows_savings) {
			buf_str(out, ": it saves ");
			report_us(out, a->recorded_us - a->paths[0].length_us);
		} else {
			buf_str(out, "; what that saves is not known");
		}
		report_item(out, from, 1);
		from = out->len;
	}
	if (a->workers > 0) {
		buf_str(out, "with ");
		report_count(out, a->workers, "worker", "workers");
		buf_str(out, " all is done in ");
		report_us(out, a->simulated_us);
		buf_str(out, a->net->build->is_ninja &&
		    a->savings->rules->limits.n == 0 ?
		    " (simulated; the log has no pools: see --limit)" :
		    " (simulated)");
		if (a->what_if && a->knows_savings) {
			buf_str(out, ": it saves ");
			report_us(out, a->recorded_simulated_us -
			    a->simulated_us);
		}
		report_item(out, from, 1);
	}
}

/* Writes an item such as "2 tasks", followed by rest; nothing if n is 0. */
static void
put_count(struct buf *out, uint64_t n, const char *one, const char *many,
    const char *rest)
{
	size_t from = out->len;

	if (n == 0)
		return;
	report_count(out, n, one, many);
	buf_str(out, rest);
	report_item(out, from, 1);
}

struct slack {
	int64_t us;
	uint32_t vertex;
};

static int
compare_slack(const void *a, const void *b, void *context)
{
	const struct slack *x = a, *y = b;
	const struct network *net = context;
	return cmp_i64(x->us, y->us) ?:
	    net->dag.compare(net, x->vertex, y->vertex);
}

static void
put_least_slack(struct buf *out, const struct answer *a)
{
	static const char *const heads[] = { "slack", "took", "task" };
	struct slack *list = mem_resize(NULL, a->net->n_tasks, sizeof *list);
	struct table t;
	int64_t us;
	size_t n = 0;

	for (uint32_t v = 0; v < a->net->n_tasks; v++)
		if (answer_slack(a, v, &us))
			list[n++] = (struct slack){ us, v };
	sort_with(list, n, sizeof *list, compare_slack, a->net);
	report_heading(out, "\nTasks with the least slack");
	table_init(&t, "RRl", heads);
	for (size_t i = 0; i < n && i < LEAST_SLACK_MAX; i++) {
		table_us(&t, list[i].us);
		table_us(&t, a->net->dag.weight[list[i].vertex]);
		build_put_cell(a->net->build, network_task(a->net,
		    list[i].vertex), &t);
	}
	table_print(&t, out);
	free(list);
}

static void
put_title(struct buf *out, const struct answer *a, const struct path *p)
{
	const struct build *b = a->net->build;
	int64_t wall_us = b->end_us - b->start_us;
	struct buf text = { 0 };

	report_us(&text, p->length_us);
	if (!a->what_if && !b->is_mixed && b->start_us != INT_UNKNOWN &&
	    wall_us > 0) {
		buf_str(&text, " of ");
		report_us(&text, wall_us);
		buf_str(&text, " wall time (");
		report_percent(&text, (double)p->length_us / (double)wall_us);
		buf_char(&text, ')');
	}
	buf_str(&text, ", ");
	report_count(&text, p->n, "step", "steps");
	if (p == a->paths)
		report_heading(out, "Critical path: %.*s", (int)text.len,
		    text.data);
	else
		report_heading(out, "\nPath %zu: %.*s",
		    (size_t)(p - a->paths) + 1, (int)text.len, text.data);
	buf_release(&text);
}

void
answer_report_doubts(const struct answer *a, struct filter *f)
{
	struct buf *out = filter_out(f);
	const struct network *net = a->net;
	size_t from = out->len;

	if (net->build->is_mixed) {
		buf_str(out, "The tasks are of several runs, so when they ran "
		    "says nothing.");
		report_sentence(out, from);
		report_blank(out);
		from = out->len;
	}
	/* Otherwise the verdict has them. */
	if (a->n_paths == 0 && net->build->lacks != 0) {
		build_put_missing(net->build, out);
		buf_char(out, '.');
		report_sentence(out, from);
		report_blank(out);
	}
}

void
answer_report(const struct answer *a, struct filter *f, bool all)
{
	struct buf *out = filter_out(f);
	size_t from = out->len;

	if (a->n_paths == 0) {
		buf_str(out, a->net->build->n_tasks > 0 ?
		    "No task has an elapsed time: there is no path." :
		    "Nothing ran: the path takes 0.");
		report_sentence(out, from);
		return;
	}
	for (size_t i = 0; i < a->n_paths; i++) {
		put_title(out, a, &a->paths[i]);
		put_steps(out, a, &a->paths[i]);
	}
	put_account(out, a, a->paths);
	waits_report(out, a);
	put_kinds(out, a, a->paths);
	put_what_ifs(out, a);
	if (all)
		put_least_slack(out, a);
}

void
answer_report_notes(const struct answer *a, struct filter *f)
{
	const struct network *net = a->net;
	const struct attempts *attempts = &net->build->attempts;
	struct buf *out = filter_out(f);

	if (a->n_paths == 0)
		return;
	clocks_report(out, net);
	report_blank(out);
	put_count(out, net->n_tasks, "task", "tasks",
	    " with an elapsed time");
	put_count(out, net->dag.n_edges, "dependency", "dependencies", "");
	put_count(out, net->n_cut, "dependency", "dependencies",
	    " on what has no elapsed time, cut (--bridge follows them)");
	put_count(out, attempts->n_skewed, "task ends before it starts",
	    "tasks end before they start", ": counted as 0");
	put_count(out, attempts->n_retries, "attempt", "attempts",
	    " beyond the first");
	put_count(out, net->n_deployed, "task begins", "tasks begin",
	    " when deployed: the log has no start");
	put_count(out, (uint64_t)net->build->n_earlier_runs, "earlier run",
	    "earlier runs", " of the log, left out");
}
