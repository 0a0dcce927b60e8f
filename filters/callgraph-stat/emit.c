/* emit - writes answers as stat records */

#include <stdlib.h>

#include "common/base/num.h"
#include "filters/callgraph-stat/callgraph-stat.h"

/* By measure. */
static const struct {
	const char *before, *change, *growth;
} keys[N_MEASURES] = {
	[CALLS] = { "before_calls", "change_calls", "growth_calls" },
	[SELF_NS] = { "before_self_ns", "change_self_ns", "growth_self" },
	[TOTAL_NS] = { "before_total_ns", "change_total_ns", "growth_total" },
	[SAMPLES] = { "before_samples", "change_samples", "growth_samples" },
	[SELF_OFF_NS] = { "before_self_off_ns", "change_self_off_ns",
	    "growth_self_off" },
	[TOTAL_OFF_NS] = { "before_total_off_ns", "change_total_off_ns",
	    "growth_total_off" },
};

static void
put_label(struct buf *b, const char *key, const struct flat *p,
    uint32_t function)
{
	struct buf text = { 0 };

	if (function == INDEX_NONE)
		return;
	functions_label(&p->functions, function, false, &text);
	json_str(b, key, buf_span(&text));
	buf_release(&text);
}

/* Writes the members that identify entry i of a level. */
static void
put_identity(struct buf *b, const struct flat *p, enum level level, uint32_t i)
{
	const struct functions *t = level == BY_FUNCTION ||
	    level == BY_CALLSITE ? &p->functions : &p->places;
	const struct function *f = level == BY_CALLSITE ? NULL : &t->list[i];
	const struct entry *e;

	if (level == BY_FUNCTION) {
		json_sym(b, "name", &t->texts, f->name);
		json_sym(b, "module", &t->texts, f->module);
		if (f->name == SYM_NONE && f->build != SYM_NONE)
			json_address(b, "function", f->offset);
		json_sym(b, "file", &t->texts, f->file);
		json_count(b, "line", (uint64_t)f->line);
	} else if (level == BY_FILE) {
		json_sym(b, "file", &t->texts, f->file);
	} else if (level == BY_MODULE) {
		json_sym(b, "module", &t->texts, f->module);
	} else {
		e = &p->groups.list[i];
		put_label(b, "caller", p, e->site.caller);
		put_label(b, "callee", p, e->site.callee);
		if (e->site.file != SYM_NONE) {
			json_sym(b, "call_file", &t->texts, e->site.file);
			json_uint(b, "call_line", e->site.line_or_offset);
		} else if (e->site.module != SYM_NONE) {
			json_sym(b, "module", &t->texts, e->module);
			json_address(b, "call_site", e->site.line_or_offset);
		}
	}
}

/* The measure as records have it, with elapsed times; or INT_UNKNOWN. */
static int64_t
in_record(const struct flat *p, const int64_t *measures, unsigned k)
{
	int64_t n = measures[k], off;

	if (!p->has_cpu_time || n == INT_UNKNOWN ||
	    (k != SELF_NS && k != TOTAL_NS))
		return n;
	off = measures[k == SELF_NS ? SELF_OFF_NS : TOTAL_OFF_NS];
	return off == INT_UNKNOWN ? n : n + off;
}

static void
put_measures(struct buf *b, const struct flat *p, const int64_t *measures)
{
	for (unsigned k = 0; k < N_MEASURES; k++)
		if (k != TIMED_CALLS || measures[k] != measures[CALLS])
			json_int(b, callgraph_measure_keys[k],
			    in_record(p, measures, k));
}

static void
put_share(struct buf *b, const char *key, int64_t part, int64_t whole)
{
	if (part != INT_UNKNOWN && whole > 0)
		json_ratio(b, key, answer_share(part, whole));
}

static void
emit_entry(const struct answer *a, struct filter *f, const char *name,
    enum level level, uint32_t i)
{
	const struct flat *p = a->profile;
	const int64_t *totals = p->totals[NOW].measures;
	const struct entries *entries = level == BY_FUNCTION ?
	    &p->by_function : &p->groups;
	const struct tally *t = &entries->list[i].tallies[NOW];
	struct buf *b = filter_begin_stat(f, name);

	put_identity(b, p, level, i);
	put_measures(b, p, t->measures);
	if (t->measures[CALLS] > t->outer_calls)
		json_int(b, "recursive_calls", t->measures[CALLS] -
		    t->outer_calls);
	json_int(b, "self_per_call_ns", answer_per_call(t, SELF_NS));
	json_int(b, "total_per_call_ns", answer_per_call(t, TOTAL_NS));
	/* The sum of all self times is the time of the whole program. */
	put_share(b, "self_share", t->measures[SELF_NS], totals[SELF_NS]);
	put_share(b, "total_share", t->measures[TOTAL_NS], totals[SELF_NS]);
	put_share(b, "samples_share", t->measures[SAMPLES], totals[SAMPLES]);
	filter_end_record(f);
}

void
emit_profile(const struct answer *a, struct filter *f)
{
	const struct entries *t = flat_entries(a->profile);
	enum level level = a->profile->level;
	struct order order;

	flat_sort(a->profile, &order, t, a->sort_by, false);
	for (size_t i = 0; i < answer_n_rows(a, order.n, SIZE_MAX); i++)
		emit_entry(a, f, level_names[level], level, order.list[i]);
	free(order.list);
}

static void
emit_change(const struct answer *a, struct filter *f, uint32_t i)
{
	const struct flat *p = a->profile;
	const struct entry *e = &flat_entries(p)->list[i];
	const struct tally *now = &e->tallies[NOW];
	const struct tally *before = &e->tallies[BEFORE];
	struct buf *b = filter_begin_stat(f, "change");
	int64_t change, off;

	json_cstr(b, "of", level_names[p->level]);
	put_identity(b, p, p->level, i);
	json_flag(b, "new", !before->is_present);
	json_flag(b, "vanished", !now->is_present);

	put_measures(b, p, now->measures);
	for (unsigned k = 0; k < N_MEASURES; k++) {
		if (keys[k].before == NULL)
			continue;
		json_int(b, keys[k].before,
		    in_record(p, before->measures, k));
		if (!flat_change(p, e, k, &change))
			continue;
		off = 0;
		if (p->has_cpu_time && (k == SELF_NS || k == TOTAL_NS))
			flat_change(p, e, k == SELF_NS ? SELF_OFF_NS :
			    TOTAL_OFF_NS, &off);
		json_int(b, keys[k].change, change + off);
		if (before->measures[k] > 0)
			json_ratio(b, keys[k].growth, (double)change /
			    (double)before->measures[k]);
	}

	json_int(b, "self_per_call_ns", answer_per_call(now, SELF_NS));
	json_int(b, "before_self_per_call_ns",
	    answer_per_call(before, SELF_NS));
	json_int(b, "total_per_call_ns", answer_per_call(now, TOTAL_NS));
	json_int(b, "before_total_per_call_ns",
	    answer_per_call(before, TOTAL_NS));
	filter_end_record(f);
}

void
emit_changes(const struct answer *a, struct filter *f)
{
	const struct entries *t = flat_entries(a->profile);
	struct order order;

	flat_sort(a->profile, &order, t, a->sort_by, true);
	for (size_t i = 0; i < answer_n_rows(a, order.n, SIZE_MAX); i++)
		emit_change(a, f, order.list[i]);
	free(order.list);
}

static void
emit_sites(const struct answer *a, struct filter *f, uint32_t function,
    bool callers)
{
	struct order order;

	flat_sort_sites(a->profile, &order, a->sort_by, function, callers);
	for (size_t i = 0; i < answer_n_rows(a, order.n, SIZE_MAX); i++)
		emit_entry(a, f, callers ? "caller" : "callee", BY_CALLSITE,
		    order.list[i]);
	free(order.list);
}

void
emit_calls(const struct answer *a, struct filter *f, uint32_t function)
{
	emit_entry(a, f, "function", BY_FUNCTION, function);
	emit_sites(a, f, function, true);
	emit_sites(a, f, function, false);
}

void
emit_callers(const struct answer *a, struct filter *f, uint32_t function)
{
	emit_sites(a, f, function, true);
}

void
emit_program(const struct answer *a, struct filter *f, bool before)
{
	const struct flat *p = a->profile;
	const struct totals *now = &p->totals[NOW];
	const struct totals *old = &p->totals[BEFORE];
	struct buf *b = filter_begin_stat(f, "program");

	json_int(b, "records", now->records);
	json_int(b, "nodes", now->nodes);
	json_int(b, "depth", now->depth);
	json_count(b, "elapsed_records", (uint64_t)now->elapsed_records);
	json_count(b, "nodes_limited", (uint64_t)now->nodes_limited);
	json_count(b, "probe_ns", (uint64_t)now->probe_ns);
	put_measures(b, p, now->measures);
	for (unsigned k = 0; before && k < N_MEASURES; k++) {
		int64_t n = in_record(p, now->measures, k);
		int64_t old_n = in_record(p, old->measures, k);

		if (keys[k].before == NULL)
			continue;
		json_int(b, keys[k].before, old_n);
		if (n != INT_UNKNOWN && old_n != INT_UNKNOWN)
			json_int(b, keys[k].change, n - old_n);
	}
	filter_end_record(f);
}
