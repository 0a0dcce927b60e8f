/* callgraph-stat - show where time goes, what calls what, and what changed */

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/err.h"
#include "common/filter/filter-read.h"
#include "common/filter/filter-reject.h"
#include "filters/callgraph-stat/callgraph-stat.h"

/* The values of --sort; N_MEASURES means sorting by name. */
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

static struct {
	struct opt_word by, sort;
	const char *callers, *old;
	uint64_t top, depth;
} opt = { .by = OPT_WORDS(level_names), .sort = OPT_WORDS(sorts), .depth = 1 };

static const struct opt options[] = {
	{ 'b', "by", OPT_WORD, &opt.by, "WHAT",
	    "by function, file, module or callsite (function)", 0, 0 },
	{ 's', "sort", OPT_WORD, &opt.sort, "KEY",
	    "self, total, calls, samples, off or name (self)", 0, 0 },
	{ 'k', "top", OPT_NUM, &opt.top, "K",
	    "only the first K (all; 20 in a report)", 1, 1 << 30 },
	{ 'c', "callers", OPT_STR, &opt.callers, "NAME",
	    "the callers and callees of this function", 0, 0 },
	{ 0, "depth", OPT_NUM, &opt.depth, "N",
	    "with --callers, also their callers, up to N levels (1)", 1,
	    1 << 30 },
	{ 'd', "diff", OPT_STR, &opt.old, "FILE",
	    "the changes since the callgraphs in FILE", 0, 0 },
	{ 0 }
};

static const struct about about = {
	.operands = "[file ...]",
	.purpose = "Shows in which functions a program spends its time, what "
	    "calls them, and what\nhas changed between two runs, from "
	    "callgraph records.",
	.examples = {
	    "callgraph-symbolize calls | callgraph-stat --by file",
	    "callgraph-symbolize calls | callgraph-stat --callers main",
	},
	.reads = "callgraph records",
	.keys = callgraph_keys,
	.reports = true,
};

/*
 * Self time, or total time with --callers, if it was measured; or else samples,
 * or else calls.  Times that are rough, or of only some calls, are not
 * compared.
 */
static unsigned
default_measure(const struct flat *p)
{
	unsigned time = opt.callers != NULL ? TOTAL_NS : SELF_NS;
	bool is_usable = flat_is_measured(p, time);

	for (int side = 0; opt.old != NULL && side < N_SIDES; side++)
		is_usable &= !answer_is_rough(&p->totals[side]) &&
		    !answer_lacks_times(&p->totals[side]);
	return is_usable ? time : flat_is_measured(p, SAMPLES) ? SAMPLES :
	    CALLS;
}

/*
 * How a function is named by --callers, the best first: its whole name, with or
 * without arguments; the end of its qualified name; any part of its name.
 */
enum match { WHOLE, END, PART, NO_MATCH };

static enum match
match(struct span label, struct span qualified)
{
	size_t n = strlen(opt.callers);
	struct span name = qualified;
	char before;

	if (span_begins_with(label, opt.callers) &&
	    (label.n == n || label.p[n] == '('))
		return WHOLE;
	if (name.n > n && span_eq(span_of(name.p + name.n - n, n),
	    opt.callers)) {
		before = name.p[name.n - n - 1];
		if (!isalnum((unsigned char)before) && before != '_')
			return END;
	} else if (span_eq(name, opt.callers)) {
		return END;
	}
	/* Labels of functions end with a NUL. */
	return strstr(label.p, opt.callers) != NULL ? PART : NO_MATCH;
}

/* The functions that --callers may mean. */
struct found {
	enum match match;
	uint32_t *list;		/* sorted as the answer */
	size_t n;
	struct intern names;	/* their qualified names */
	uint32_t nearest;	/* the most similar name, or INDEX_NONE */
};

/* How far a name, or the end of a qualified one, is from that of --callers. */
static size_t
distance(struct span name)
{
	struct span asked = span_str(opt.callers);
	size_t least = text_distance(name, asked), d;

	for (size_t i = 2; i < name.n; i++) {
		if (name.p[i - 2] != ':' || name.p[i - 1] != ':')
			continue;
		d = text_distance(span_of(name.p + i, name.n - i), asked);
		least = d < least ? d : least;
	}
	return least;
}

static void
find_named(struct found *found, const struct flat *p, const struct order *o)
{
	struct buf label = { 0 }, name = { 0 };
	size_t d, least = SIZE_MAX;
	enum match m;

	for (size_t i = 0; i < o->n; i++) {
		label.len = name.len = 0;
		functions_label(&p->functions, o->list[i], false, &label);
		shorten_qualified(&name, span_str(buf_cstr(&label)));
		d = distance(buf_span(&name));
		if (d < least)
			found->nearest = o->list[i];
		least = d < least ? d : least;
		m = match(buf_span(&label), buf_span(&name));
		if (m > found->match || m == NO_MATCH)
			continue;
		if (m < found->match) {
			found->n = 0;
			intern_release(&found->names);
			intern_init(&found->names);
		}
		found->match = m;
		found->list[found->n++] = o->list[i];
		intern_add(&found->names, buf_span(&name));
	}
	buf_release(&label);
	buf_release(&name);
}

/* Ends the program if it is not clear which function --callers means. */
static void
check_found(const struct found *found, const struct flat *p)
{
	enum { LISTED_MAX = 20 };
	struct buf b = { 0 };

	if (found->n == 0 && found->nearest == INDEX_NONE)
		die("no function is named '%s'", opt.callers);
	if (found->n == 0) {
		functions_label(&p->functions, found->nearest, false, &b);
		die("no function is named '%s'; the nearest is '%s'",
		    opt.callers, buf_cstr(&b));
	}
	if (found->match == WHOLE || found->names.n == 1)
		return;
	for (size_t i = 0; i < found->n && i < LISTED_MAX; i++) {
		buf_str(&b, i > 0 ? "', '" : "'");
		functions_label(&p->functions, found->list[i], true, &b);
	}
	buf_char(&b, '\'');
	if (found->n > LISTED_MAX)
		buf_printf(&b, " and %zu more", found->n - LISTED_MAX);
	die("'%s' is a part of several names: %s", opt.callers, buf_cstr(&b));
}

/* Shows the callers of a function's callers, level by level, once each. */
static void
show_callers_above(struct filter *f, const struct answer *a,
    uint32_t function)
{
	const struct flat *p = a->profile;
	const struct entry *sites = p->groups.list;
	uint32_t *queue = mem_resize(NULL, p->functions.n + 1, sizeof *queue);
	bool *is_seen = mem_zero(p->functions.n + 1, sizeof *is_seen);
	size_t n = 0, level_end = 1;
	uint64_t level = 1;
	uint32_t caller;

	queue[n++] = function;
	is_seen[function] = true;
	for (size_t next = 0; next < n && level < opt.depth; next++) {
		for (size_t i = 0; i < p->groups.n; i++) {
			caller = sites[i].site.caller;
			if (sites[i].site.callee != queue[next] ||
			    caller == INDEX_NONE || is_seen[caller])
				continue;
			is_seen[caller] = true;
			queue[n++] = caller;
			(f->text ? report_callers : emit_callers)(a, f,
			    caller);
		}
		if (next + 1 < level_end)
			continue;
		level++;
		level_end = n;
	}
	free(queue);
	free(is_seen);
}

static void
show_calls(struct filter *f, const struct answer *a)
{
	const struct flat *p = a->profile;
	struct found found = { .match = NO_MATCH, .nearest = INDEX_NONE };
	struct order order;

	flat_sort(p, &order, &p->by_function, a->sort_by, false);
	found.list = mem_resize(NULL, order.n + 1, sizeof *found.list);
	intern_init(&found.names);
	find_named(&found, p, &order);
	check_found(&found, p);
	if (f->text)
		report_roughness(a, filter_out(f));
	for (size_t i = 0; i < found.n; i++) {
		(f->text ? report_calls : emit_calls)(a, f, found.list[i]);
		show_callers_above(f, a, found.list[i]);
	}
	intern_release(&found.names);
	free(found.list);
	free(order.list);
}

static void
show_all(struct filter *f, const struct flat *p, unsigned sort)
{
	struct answer a = { .profile = p, .top = opt.top, .sort_by = sort };

	if (opt.sort.given == NULL)
		a.sort_by = default_measure(p);
	a.measure = a.sort_by != N_MEASURES ? a.sort_by : default_measure(p);
	if ((opt.sort.given != NULL || opt.old != NULL) &&
	    !flat_is_measured(p, a.measure) && p->totals[NOW].nodes > 0 &&
	    (opt.old == NULL || p->totals[BEFORE].nodes > 0))
		filter_fail(f, opt.old != NULL ? "not both runs have %s" :
		    "no node has %s", callgraph_measure_keys[a.measure]);

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
	size_t n_records;

	filter_begin(&f, &about, options, argc, argv);
	if (opt.callers != NULL && (opt.by.given != NULL || opt.old != NULL))
		die("--callers cannot be combined with --by or --diff");
	if (opt.callers == NULL && opt.depth > 1)
		die("--depth needs --callers");

	if (opt.old != NULL)
		filter_need_whole(&f);
	flat_init(&profile, opt.callers != NULL ? BY_CALLSITE :
	    (enum level)opt.by.index, opt.old != NULL);
	callgraph_init(&g);
	n_records = read_graphs(&f, &profile, &g, NOW);
	if (opt.old != NULL) {
		filter_read_next(&f, opt.old, true);
		g.expect = (struct expect){ .came = false };
		n_records += read_graphs(&f, &profile, &g, BEFORE);
	}
	callgraph_release(&g);
	flat_finish(&profile);

	if (n_records > 0)
		show_all(&f, &profile, sorts[opt.sort.index].measure);
	flat_release(&profile);
	return filter_end(&f);
}
