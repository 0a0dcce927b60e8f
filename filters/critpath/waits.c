/* waits - which tasks ran while a step of the path waited */

#include "common/base/num.h"
#include "common/build/build-names.h"
#include "common/filter/filter.h"
#include "common/report/report-values.h"
#include "common/report/report.h"
#include "common/report/table.h"
#include "filters/critpath/critpath.h"

enum { MAX = 3 };	/* waits, and tasks of each wait */

/* The longest few waits, or tasks, in descending order. */
struct longest {
	struct item {
		int64_t us;
		uint32_t index;		/* of a step, or a vertex */
	} items[MAX];
	size_t n;
	const struct dag *dag;	/* for ties between vertices; NULL: the one that
				   was added first wins */
};

static bool
comes_before(const struct longest *l, struct item a, struct item b)
{
	if (a.us != b.us || l->dag == NULL)
		return a.us > b.us;
	return l->dag->compare(l->dag->context, a.index, b.index) < 0;
}

static void
add_item(struct longest *l, struct item item)
{
	size_t i = l->n;

	while (i > 0 && comes_before(l, item, l->items[i - 1]))
		i--;
	if (i == MAX)
		return;
	l->n += l->n < MAX;
	for (size_t j = l->n - 1; j > i; j--)
		l->items[j] = l->items[j - 1];
	l->items[i] = item;
}

/* The part of a task's time that lies between two times. */
static int64_t
time_within(const struct network *net, uint32_t v, int64_t from_us,
    int64_t to_us)
{
	int64_t start_us = network_task(net, v)->start_us;
	int64_t end_us = network_end_us(net, v);

	if (start_us == INT_UNKNOWN || end_us == INT_UNKNOWN)
		return 0;
	if (start_us > from_us)
		from_us = start_us;
	if (end_us < to_us)
		to_us = end_us;
	return to_us > from_us ? to_us - from_us : 0;
}

static void
put_row(struct table *t, int64_t waited_us, int64_t ran_us, struct buf *text)
{
	if (waited_us > 0)
		report_us(table_cell(t), waited_us);
	table_next(t);
	if (ran_us > 0)
		report_us(table_cell(t), ran_us);
	table_next(t);
	table_text(t, buf_span(text));
	text->len = 0;
}

/* What ran while a step waited. */
struct wait {
	const struct step *step;
	int64_t from_us, to_us;
	struct longest tasks;
	uint64_t n_tasks;
	int64_t sum_us;		/* the time of all these tasks */
};

/* Writes a row for the wait, and one for each of the tasks that ran longest. */
static void
put_wait(struct table *table, const struct answer *a, const struct wait *w)
{
	struct buf text = { 0 };
	int64_t others_us = w->sum_us;
	uint64_t n_others = w->n_tasks - w->tasks.n;

	if (w->n_tasks > 0)
		buf_printf(&text, "%.1f at once, before ",
		    (double)w->sum_us / (double)w->step->waiting_us);
	else
		buf_str(&text, "nothing, before ");
	build_describe(a->net->build, network_task(a->net, w->step->vertex),
	    &text);
	put_row(table, w->step->waiting_us, 0, &text);
	for (size_t i = 0; i < w->tasks.n; i++) {
		others_us -= w->tasks.items[i].us;
		build_describe(a->net->build, network_task(a->net,
		    w->tasks.items[i].index), &text);
		put_row(table, 0, w->tasks.items[i].us, &text);
	}
	if (n_others > 0) {
		buf_printf(&text, "%llu other task%s",
		    (unsigned long long)n_others, plural(n_others, "", "s"));
		put_row(table, 0, others_us, &text);
	}
	buf_release(&text);
}

/*
 * The longest waits that are at least 1 % of the wall time, with the tasks that
 * ran meanwhile.  Returns their number.
 */
static size_t
find_waits(const struct answer *a, struct wait *waits)
{
	const struct network *net = a->net;
	const struct path *p = a->paths;
	struct longest longest = { 0 };
	const struct step *s;
	const struct task *t;
	int64_t us;

	for (size_t i = 0; i < p->n && p->is_timed; i++) {
		us = p->steps[i].waiting_us;
		if (us > 0 && us >= (net->build->end_us -
		    net->build->start_us + 99) / 100)
			add_item(&longest, (struct item){ us, (uint32_t)i });
	}

	for (size_t i = 0; i < longest.n; i++) {
		s = &p->steps[longest.items[i].index];
		t = network_task(net, s->vertex);
		waits[i] = (struct wait){ .step = s, .to_us = t->start_us,
		    .from_us = t->start_us - s->waiting_us,
		    .tasks.dag = &net->dag };
	}

	for (uint32_t v = 0; v < net->n_tasks; v++) {
		t = network_task(net, v);
		if (t->kind == net->build->copy)
			continue;
		for (size_t i = 0; i < longest.n; i++) {
			us = time_within(net, v, waits[i].from_us,
			    waits[i].to_us);
			if (us == 0)
				continue;
			add_item(&waits[i].tasks, (struct item){ us, v });
			waits[i].n_tasks++;
			waits[i].sum_us += us;
		}
	}

	/* Attempts without an end at tasks that ended are not vertices. */
	for (t = net->build->tasks; t < net->build->tasks + net->build->n_tasks;
	    t++) {
		if (!task_is_unfinished(t) || t->kind == net->build->copy ||
		    build_is_open(net->build, t))
			continue;
		for (size_t i = 0; i < longest.n; i++) {
			us = waits[i].to_us - time_later(waits[i].from_us,
			    t->start_us);
			waits[i].n_tasks += us > 0;
			waits[i].sum_us += us > 0 ? us : 0;
		}
	}
	return longest.n;
}

void
waits_emit(const struct answer *a, struct filter *f)
{
	struct wait waits[MAX];
	size_t n = find_waits(a, waits);
	struct buf id = { 0 }, *b;

	for (size_t i = 0; i < n; i++) {
		b = emit_begin(a->net->build, f, "wait");
		build_emit_id(a->net->build, network_task(a->net,
		    waits[i].step->vertex), b);
		json_int(b, "waiting_us", waits[i].step->waiting_us);
		json_uint(b, "tasks", waits[i].n_tasks);
		json_int(b, "work_us", waits[i].sum_us);
		json_open(b, "longest_us", '{');
		for (size_t j = 0; j < waits[i].tasks.n; j++) {
			id.len = 0;
			network_put_id(a->net, waits[i].tasks.items[j].index,
			    &id);
			json_int_member(b, buf_span(&id),
			    waits[i].tasks.items[j].us);
		}
		json_close(b, '}');
		filter_end_record(f);
	}
	buf_release(&id);
}

void
waits_report(struct buf *out, const struct answer *a)
{
	static const char *const heads[] = { "waited", "ran", "what ran" };
	struct wait waits[MAX];
	size_t n = find_waits(a, waits);
	struct table t;

	if (n == 0)
		return;
	report_heading(out, "\nWhat ran while the path waited");
	table_init(&t, "RRl", heads);
	for (size_t i = 0; i < n; i++)
		put_wait(&t, a, &waits[i]);
	table_print(&t, out);
}
