/* budget - compares the path and the wall time with what they may take */

#include <string.h>

#include "common/base/err.h"
#include "common/base/num.h"
#include "common/build/missing.h"
#include "common/filter/filter-reject.h"
#include "common/filter/filter.h"
#include "common/filter/lacks.h"
#include "common/report/report-values.h"
#include "common/report/report.h"
#include "filters/critpath/critpath.h"

/* The smallest of each kind that was given, or INT_UNKNOWN. */
static struct {
	int64_t path_us, wall_us;
} budget = { INT_UNKNOWN, INT_UNKNOWN };

struct bounds {
	int64_t low_us, high_us;	/* high_us may be INT_UNKNOWN */
};

void
budget_read(const char *text)
{
	static const char wall[] = "wall=";
	bool is_wall = strncmp(text, wall, strlen(wall)) == 0;
	int64_t us, *least = is_wall ? &budget.wall_us : &budget.path_us;

	text += is_wall ? strlen(wall) : 0;
	if (!whatif_read_time(text, &us))
		die("'%s' is not a time: 0, 90ms, 2.5s, 3m or 1h", text);
	*least = time_earlier(*least, us);
}

static struct bounds
wall_bounds(const struct build *b, unsigned opens)
{
	struct bounds w = { 0, INT_UNKNOWN };

	if (b->start_us == INT_UNKNOWN || b->is_mixed ||
	    (opens & OPENS_ALL) != 0)
		return w;
	w.low_us = b->end_us - b->start_us;
	if ((opens & OPENS_WALL) == 0)
		w.high_us = w.low_us;
	return w;
}

/*
 * The time of the longest step: a path is not shorter, even if all its
 * dependencies are wrong guesses.
 */
static int64_t
longest_us(const struct answer *a)
{
	const struct path *p = a->paths;
	int64_t us = 0;

	for (size_t i = 0; i < p->n; i++)
		us = time_later(us, a->net->dag.weight[p->steps[i].vertex]);
	return us;
}

/* No path of a build is longer than its wall time, unless options say so. */
static struct bounds
path_bounds(const struct answer *a, unsigned opens, const struct bounds *wall)
{
	const struct build *b = a->net->build;
	struct bounds p = { 0, INT_UNKNOWN };

	if (b->n_unknown_deps > 0)
		opens |= OPENS_LENGTH;
	if (!network_knows_deps(a->net) || (a->n_paths == 0 && b->n_tasks > 0))
		opens |= OPENS_PATH;
	if (a->n_paths > 0 && (opens & OPENS_ALL) == 0)
		p.low_us = (opens & OPENS_STEPS) != 0 ? longest_us(a) :
		    a->paths[0].length_us;
	if ((opens & (OPENS_ALL | OPENS_LENGTH)) != 0)
		return p;
	if ((opens & OPENS_PATH) == 0)
		p.high_us = p.low_us;
	else if (!a->what_if && wall->high_us != INT_UNKNOWN)
		p.high_us = time_later(wall->high_us, p.low_us);
	return p;
}

/* Whether two times differ, but not as reports round them. */
static bool
look_alike(int64_t us, int64_t other_us)
{
	struct buf text = { 0 }, other = { 0 };
	bool alike;

	if (us == INT_UNKNOWN || other_us == INT_UNKNOWN || us == other_us)
		return false;
	report_us(&text, us);
	report_us(&other, other_us);
	alike = span_compare(buf_span(&text), buf_span(&other)) == 0;
	buf_release(&text);
	buf_release(&other);
	return alike;
}

/* "1.00 s", or exactly: "1.001 s". */
static void
put_us(struct buf *to, int64_t us, bool exact)
{
	if (!exact)
		report_us(to, us);
	else if (us < 1000000)
		buf_printf(to, "%.15g ms", (double)us / 1e3);
	else
		buf_printf(to, "%.15g s", (double)us / 1e6);
}

/* "the path takes at least 305 ms and at most 2.87 s" */
static void
put_bounds(struct buf *to, const struct bounds *is, bool exact)
{
	buf_str(to, is->low_us == is->high_us ? "takes " : "takes at least ");
	put_us(to, is->low_us, exact);
	if (is->low_us != is->high_us && is->high_us != INT_UNKNOWN) {
		buf_str(to, " and at most ");
		put_us(to, is->high_us, exact);
	}
}

/* what: "path" or "wall time"; hint ends a message that it is not known. */
static void
check(struct filter *f, const struct build *b, const char *what,
    const struct bounds *is, int64_t budget_us, const char *hint)
{
	bool is_exceeded = budget_us < is->low_us, exact;
	struct buf text = { 0 }, why = { 0 }, *out = filter_out(f);
	size_t from = out->len;

	if (budget_us == INT_UNKNOWN ||
	    (is->high_us != INT_UNKNOWN && budget_us >= is->high_us))
		return;
	exact = look_alike(is->low_us, budget_us) ||
	    look_alike(is->high_us, budget_us);
	buf_printf(&text, "the %s ", what);
	if (is->low_us == 0 && is->high_us == INT_UNKNOWN) {
		buf_str(&text, "is not known: the budget is ");
	} else {
		put_bounds(&text, is, exact);
		buf_str(&text, is_exceeded ? ", longer than the budget of " :
		    ", perhaps longer than the budget of ");
	}
	put_us(&text, budget_us, exact);
	if (!is_exceeded) {
		build_put_missing(b, &why);
		buf_str(&text, why.len > 0 ? ", because " : "");
		buf_add(&text, why.data, why.len);
		buf_str(&text, hint);
		why.len = 0;
	}

	if (f->text) {
		buf_printf(out, "%s: %s.", is_exceeded ? "Over budget" :
		    "Not known whether the budget is kept", buf_cstr(&text));
		report_failed_sentence(out, from);
		report_blank(out);
	}
	if (b->run_name != NULL)
		buf_printf(&why, "run %s: ", b->run_name);
	buf_str(&why, buf_cstr(&text));
	(is_exceeded ? filter_answer_no : filter_leave_undecided)(f,
	    buf_cstr(&why));
	buf_release(&text);
	buf_release(&why);
}

void
budgets_check(const struct answer *a, struct filter *f)
{
	const struct build *b = a->net->build;
	unsigned opens = lacks_opens(f->rejecting.tolerate ?
	    b->lacks & ~(unsigned)LACKS_REJECTED : b->lacks);
	struct bounds wall = wall_bounds(b, opens);
	struct bounds path = path_bounds(a, opens, &wall);

	check(f, b, "path", &path, budget.path_us, wall.high_us !=
	    INT_UNKNOWN ? " (--budget wall=TIME can be judged)" : "");
	check(f, b, "wall time", &wall, budget.wall_us, "");
}
