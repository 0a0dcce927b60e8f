/* verdict-report - writes what limits a build, as records and a sentence */

#include <stdio.h>
#include <string.h>

#include "common/base/num.h"
#include "common/build/build-names.h"
#include "common/filter/filter.h"
#include "common/filter/lacks.h"
#include "common/report/report-values.h"
#include "common/report/report.h"
#include "filters/critpath/critpath.h"

static void
emit_more(struct buf *b, const struct verdict *v)
{
	char workers[24];

	json_open(b, "more_workers_us", '{');
	for (size_t i = 0; i < 2; i++) {
		if (v->more[i].workers == 0)
			continue;
		snprintf(workers, sizeof workers, "%llu",
		    (unsigned long long)v->more[i].workers);
		json_int_member(b, span_str(workers), v->more[i].us);
	}
	json_close(b, '}');
}

static void
emit_gap(const struct verdict *v, const struct gap *g, struct filter *f)
{
	struct buf *b = emit_begin(v->net->build, f, "gap");

	json_int(b, "start_us", g->from_us);
	json_int(b, "gap_us", g->to_us - g->from_us);
	if (g->next != NULL) {
		build_emit_id(v->net->build, g->next, b);
		build_emit_name(v->net->build, g->next, b);
	}
	filter_end_record(f);
}

const char *
verdict_limit(const struct verdict *v)
{
	static const char *const names[] = { NULL, "idle", "path", "workers",
	    "pools", "order" };

	return names[v->limit];
}

void
verdict_emit(const struct verdict *v, struct filter *f)
{
	int64_t bound_us = v->path_us > v->share_us ? v->path_us : v->share_us;
	struct buf *b;

	for (size_t i = 0; v->limit == LIMIT_IDLE && i < v->usage.n_gaps; i++)
		emit_gap(v, &v->usage.gaps[i], f);
	b = emit_begin(v->net->build, f, "verdict");
	if (verdict_limit(v) != NULL)
		json_word(b, "limit", verdict_limit(v));
	json_count(b, "workers", v->workers);
	json_int(b, "work_us", v->work_us);
	json_int(b, "path_us", v->path_us);
	if (v->workers > 0)
		json_int(b, "bound_us", bound_us);
	json_int(b, "simulated_us", v->simulated_us);
	if (v->limit == LIMIT_POOLS) {
		if (v->pool != NULL)
			json_sym(b, "pool", &v->net->build->names,
			    keys_symbol(v->net->build, v->pool, KEY_POOL));
		json_count(b, "freed_workers", v->freed_workers);
		json_int(b, "freed_us", v->freed_us);
	}
	json_int(b, "at_most_us", v->at_most_us);
	if (v->wall_us != INT_UNKNOWN) {
		json_int(b, "wall_us", v->wall_us);
		json_int(b, "idle_us", v->idle_us);
	}
	json_int(b, "queue_us", v->queue_us);
	if (v->reason != NULL)
		json_cstr(b, "reason", v->reason);
	if (v->more[0].workers + v->more[1].workers > 0)
		emit_more(b, v);
	filter_end_record(f);
}

/* Writes "5.2 of 7.1 s", or "900 ms of 7.1 s" if the units differ. */
static void
put_of(struct buf *out, int64_t us, int64_t whole_us)
{
	struct buf part = { 0 }, whole = { 0 };
	const char *a, *b;

	report_us(&part, us);
	report_us(&whole, whole_us);
	a = strchr(buf_cstr(&part), ' ');
	b = strchr(buf_cstr(&whole), ' ');
	if (a != NULL && b != NULL && strcmp(a, b) == 0 && !text_is_digit(a[1]))
		part.len = (size_t)(a - part.data);
	buf_printf(out, "%.*s of %s", (int)part.len, part.data,
	    buf_cstr(&whole));
	buf_release(&part);
	buf_release(&whole);
}

/* "206 s of work on 2 workers takes at least 103" */
static void
put_share(struct buf *out, const struct verdict *v, int64_t whole_us)
{
	report_us(out, v->work_us);
	buf_str(out, " of work on ");
	report_count(out, v->workers, "worker", "workers");
	buf_str(out, " takes at least ");
	if (whole_us != INT_UNKNOWN)
		put_of(out, v->share_us, whole_us);
	else
		report_us(out, v->share_us);
}

static void
put_more(struct buf *out, const struct verdict *v)
{
	buf_str(out, "; the path is ");
	report_us(out, v->path_us);
	for (size_t i = 0; i < 2; i++) {
		if (v->more[i].workers == 0)
			continue;
		buf_printf(out, i == 0 || v->more[0].workers == 0 ?
		    "; with %llu workers " : ", with %llu ",
		    (unsigned long long)v->more[i].workers);
		report_us(out, v->more[i].us);
	}
}

static bool
is_guess(const struct verdict *v)
{
	return (v->net->build->lacks & (LACKS_DEPS | LACKS_RUNS)) != 0;
}

/* What is missing makes the path longer; a guess may also make it shorter. */
static const char *
doubt_length(const struct verdict *v)
{
	return is_guess(v) ? "perhaps " : v->missing.len > 0 ? "at least " : "";
}

static void
put_path(struct buf *out, const struct verdict *v, int64_t whole_us)
{
	buf_str(out, "its path: ");
	if (v->path_us - whole_us > whole_us / 100) {
		report_us(out, v->path_us);
		buf_str(out, ", although the wall time is ");
		report_us(out, whole_us);
		buf_str(out, ": recorded times overlap");
		return;
	}
	if (!is_guess(v))
		buf_str(out, doubt_length(v));
	put_of(out, v->path_us < whole_us ? v->path_us : whole_us, whole_us);
	if (!is_tenth_faster(v->share_us, whole_us)) {
		buf_str(out, "; ");
		put_share(out, v, INT_UNKNOWN);
	}
}

/*
 * "no task ran for 50 of 90 s; the longest wait was 30 s before LD server, then
 * 20 s at the end"
 */
static void
put_idle(struct buf *out, const struct verdict *v)
{
	const struct gap *g = v->usage.gaps;

	buf_str(out, "idle time: no task ran for ");
	put_of(out, v->idle_us, v->wall_us);
	for (size_t i = 0; i < v->usage.n_gaps; i++, g++) {
		buf_str(out, i == 0 ? "; the longest wait was " : ", then ");
		report_us(out, g->to_us - g->from_us);
		buf_str(out, g->next != NULL ? " before " : " at the end");
		if (g->next != NULL)
			build_describe(v->net->build, g->next, out);
	}
}

static void
put_workers(struct buf *out, const struct verdict *v, int64_t whole_us)
{
	buf_str(out, "its workers: ");
	if (v->queue_us != INT_UNKNOWN && v->queue_us > 0) {
		buf_str(out, "tasks were in the queue of its scheduler for ");
		put_of(out, v->queue_us, whole_us);
		buf_str(out, "; ");
	}
	put_share(out, v, whole_us);
	if (v->simulated_us != INT_UNKNOWN &&
	    is_tenth_faster(v->share_us, whole_us)) {
		buf_str(out, ", and ");
		report_us(out, v->simulated_us);
		buf_str(out, " if simulated");
	}
	put_more(out, v);
}

static void
put_pools(struct buf *out, const struct verdict *v, int64_t whole_us)
{
	const struct build *b = v->net->build;
	const char *one = b->is_make ? "target" : "task";
	uint64_t size;

	if (v->pool == NULL) {
		buf_str(out, "--limit: without it ");
	} else {
		text_u64(keys_value(b, v->pool, KEY_LIMIT), &size);
		buf_str(out, b->is_make ? "the make that " : "the pool ");
		report_text(out, build_name_of_id(b, keys_symbol(b, v->pool,
		    KEY_POOL)));
		buf_printf(out, b->is_make ? " runs, %llu %s%s at a time "
		    "whatever -j is: if it were run as $(MAKE), without a -j, "
		    : ", %llu %s%s at a time: without it ",
		    (unsigned long long)size, one, plural(size, "", "s"));
	}
	report_count(out, v->freed_workers, "worker", "workers");
	buf_str(out, " would take ");
	put_of(out, v->freed_us, whole_us);
}

static void
put_order(struct buf *out, const struct verdict *v, int64_t whole_us)
{
	buf_str(out, "the order of work: ");
	report_count(out, v->workers, "worker", "workers");
	buf_str(out, " could have done it in ");
	if (v->simulated_us == INT_UNKNOWN)
		buf_str(out, "at most ");
	put_of(out, v->simulated_us != INT_UNKNOWN ? v->simulated_us :
	    v->at_most_us, whole_us);
}

static void
put_limit(struct buf *out, const struct verdict *v)
{
	bool is_recorded = v->wall_us != INT_UNKNOWN;
	int64_t whole_us = is_recorded ? v->wall_us : v->simulated_us;

	if (is_recorded) {
		buf_str(out, v->limit == LIMIT_PATH && is_guess(v) ?
		    "Perhaps limited by " : "Limited by ");
	} else {
		buf_str(out, "With ");
		report_count(out, v->workers, "worker", "workers");
		buf_str(out, " it would be limited by ");
	}
	if (v->limit == LIMIT_IDLE) {
		put_idle(out, v);
	} else if (v->limit == LIMIT_PATH) {
		put_path(out, v, whole_us);
	} else if (v->limit == LIMIT_WORKERS) {
		put_workers(out, v, whole_us);
	} else if (v->limit == LIMIT_POOLS) {
		put_pools(out, v, whole_us);
	} else {
		put_order(out, v, whole_us);
	}
	if (v->limit >= LIMIT_WORKERS && v->net->build->has_load_limit)
		buf_str(out, ", unless -l held targets back");
	if ((v->limit == LIMIT_WORKERS || v->limit == LIMIT_ORDER) &&
	    v->net->build->is_ninja && v->rules->limits.n == 0)
		buf_str(out, ", unless a pool of ninja held tasks back (the "
		    "log has no pools: see --limit)");
}

/* Says what is known, and why that does not tell what limits the build. */
static void
put_unknown(struct buf *out, const struct verdict *v)
{
	buf_str(out, "The path is ");
	buf_str(out, doubt_length(v));
	report_us(out, v->path_us);
	buf_str(out, "; ");
	if (v->workers > 0) {
		put_share(out, v, v->wall_us);
	} else {
		report_us(out, v->work_us);
		buf_str(out, " of work");
	}
	buf_printf(out, " (what limits it is not known: %s)", v->reason);
}

void
verdict_report(const struct verdict *v, struct filter *f)
{
	unsigned lacks = v->net->build->lacks;
	struct buf *out = filter_out(f);
	size_t from = out->len;

	if (v->limit == LIMIT_UNKNOWN)
		put_unknown(out, v);
	else
		put_limit(out, v);
	if (v->limit != LIMIT_IDLE && v->idle_us != INT_UNKNOWN &&
	    (lacks & LACKS_REJECTED) == 0 && v->idle_us > v->wall_us / 100) {
		buf_str(out, "; for ");
		report_us(out, v->idle_us);
		buf_str(out, (lacks & LACKS_FAILED) == 0 ? " no task ran" :
		    ", in which what failed may have run, no task did");
	}
	if (v->missing.len > 0 && v->reason != v->missing.data) {
		buf_str(out, "; ");
		buf_add(out, v->missing.data, v->missing.len);
	}
	buf_char(out, '.');
	report_sentence(out, from);
	report_blank(out);
}
