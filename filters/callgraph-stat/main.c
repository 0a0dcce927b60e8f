/* callgraph-stat - show where time goes, what calls what, and what changed */

#include <stdlib.h>
#include <string.h>

#include "common/base/err.h"
#include "common/filter/filter-reject.h"
#include "common/filter/filter.h"
#include "filters/callgraph-stat/emit.h"
#include "filters/callgraph-stat/report.h"

static struct {
	const char *by, *sort, *callers, *old;
	uint64_t top;
} opt;

static const struct opt options[] = {
	{ 'b', "by", OPT_STR, &opt.by, "WHAT",
	    "by function, file, module or callsite (function)", 0, 0 },
	{ 's', "sort", OPT_STR, &opt.sort, "KEY",
	    "self, total, calls, samples, off or name (self)", 0, 0 },
	{ 'k', "top", OPT_NUM, &opt.top, "K",
	    "only the first K (all; 20 in a report)", 1, 1 << 30 },
	{ 'c', "callers", OPT_STR, &opt.callers, "NAME",
	    "the callers and callees of this function", 0, 0 },
	{ 'd', "diff", OPT_STR, &opt.old, "OLD",
	    "the changes since the callgraphs in the file OLD", 0, 0 },
	{ 0 }
};

static const struct about about = {
	.operands = "[file ...]",
	.purpose = "Shows in which functions a program spends its time, what "
	    "calls them, and what\nhas changed between two runs, from "
	    "callgraph records.",
	.reads = "callgraph records",
	.keys = callgraph_keys,
	.reports = true,
};

/* The values of --sort; N_MEASURES stands for the name. */
static const struct {
	const char *name;
	unsigned measure;
} sorts[] = {
	{ "calls", CALLS },
	{ "self", SELF_NS },
	{ "total", TOTAL_NS },
	{ "samples", SAMPLES },
	{ "off", SELF_OFF_NS },
	{ "name", N_MEASURES },
	{ 0 }
};

/* Whether some node has the measure; with --diff, in both runs. */
static bool
is_measured(const struct flat *p, unsigned measure)
{
	return p->totals[NOW].measures[measure] != INT_UNKNOWN &&
	    (opt.old == NULL ||
	    p->totals[BEFORE].measures[measure] != INT_UNKNOWN);
}

/*
 * Self time, or total time with --callers, if it was measured; or else samples,
 * or else calls.
 */
static unsigned
default_measure(const struct flat *p)
{
	unsigned time = opt.callers != NULL ? TOTAL_NS : SELF_NS;

	return is_measured(p, time) ? time : is_measured(p, SAMPLES) ?
	    SAMPLES : CALLS;
}

static void
show_calls(struct filter *f, const struct answer *a)
{
	const struct flat *p = a->profile;
	size_t length = strlen(opt.callers), n = 0;
	struct buf label = { 0 };
	struct order order;

	flat_sort(p, &order, &p->by_function, a->sort_by, false);
	for (size_t i = 0; i < order.n; i++) {
		label.len = 0;
		functions_label(&p->functions, order.list[i], false, &label);
		/* Arguments may follow the name. */
		if (label.len < length ||
		    memcmp(label.data, opt.callers, length) != 0 ||
		    (label.len > length && label.data[length] != '('))
			continue;
		(f->text ? report_calls : emit_calls)(a, f, order.list[i]);
		n++;
	}
	buf_release(&label);
	free(order.list);
	if (n == 0)
		die("no function is named '%s'", opt.callers);
}

static void
show_all(struct filter *f, const struct flat *p, unsigned sort)
{
	struct answer a = { .profile = p, .top = opt.top, .sort_by = sort };

	if (opt.sort == NULL)
		a.sort_by = default_measure(p);
	else if (sort != N_MEASURES && !is_measured(p, sort) &&
	    p->totals[NOW].nodes > 0)
		filter_fail(f, "no node has %s", callgraph_measure_keys[sort]);
	a.measure = a.sort_by != N_MEASURES ? a.sort_by : default_measure(p);

	if (p->overflowed)
		filter_fail(f, "a sum is 2^53 or more");
	if (opt.callers != NULL)
		show_calls(f, &a);
	else if (opt.old != NULL)
		(f->text ? report_changes : emit_changes)(&a, f);
	else
		(f->text ? report_profile : emit_profile)(&a, f);
	if (!f->text)
		emit_program(&a, f, opt.old != NULL);
}

/* Adds the callgraphs of the input.  Returns how many there were. */
static size_t
read_graphs(struct filter *f, struct flat *p, struct callgraph *g,
    int side)
{
	struct rec *rec;
	size_t n = 0;

	for (; (rec = callgraph_next(g, f)) != NULL; n++)
		flat_add(p, g, rec, side);
	return n;
}

int
main(int argc, char **argv)
{
	struct filter f;
	struct callgraph g;
	struct flat profile;
	size_t level = BY_FUNCTION, n_records;
	unsigned sort = SELF_NS;

	filter_begin(&f, &about, options, argc, argv);
	if (opt.callers != NULL && (opt.by != NULL || opt.old != NULL))
		die("--callers cannot be combined with --by or --diff");
	if (opt.callers != NULL)
		level = BY_CALLSITE;
	else if (opt.by != NULL)
		level = opt_choice("by", opt.by, level_names,
		    sizeof *level_names);
	if (opt.sort != NULL)
		sort = sorts[opt_choice("sort", opt.sort, sorts,
		    sizeof *sorts)].measure;

	flat_init(&profile, (enum level)level, opt.old != NULL);
	callgraph_init(&g);
	n_records = read_graphs(&f, &profile, &g, NOW);
	if (opt.old != NULL) {
		filter_read_next(&f, opt.old, true);
		n_records += read_graphs(&f, &profile, &g, BEFORE);
	}
	callgraph_release(&g);
	flat_finish(&profile);

	if (n_records > 0)
		show_all(&f, &profile, sort);
	flat_release(&profile);
	return filter_end(&f);
}
