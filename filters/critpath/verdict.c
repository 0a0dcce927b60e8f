/* verdict - what limits a build: its path, its workers or the order of work */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/num.h"
#include "common/build/build-names.h"
#include "common/build/missing.h"
#include "common/filter/filter.h"
#include "common/filter/lacks.h"
#include "common/report/report-values.h"
#include "common/report/report.h"
#include "filters/critpath/critpath.h"

/*
 * Without --workers, larger graphs are not simulated: for a million tasks a
 * simulation takes as long as all the rest.
 */
enum { SIMULATED_MAX = 100000 };

/*
 * Whether part_us is less than 90 % of us: a build that takes part_us instead
 * would be more than a tenth faster.
 */
static bool
is_tenth_faster(int64_t part_us, int64_t us)
{
	return us - part_us > us / 10;
}

static bool
is_small(const struct verdict *v)
{
	return v->net->n_vertices <= SIMULATED_MAX;
}

/* Whether ready tasks wait for more than the workers of the build. */
static bool
has_rules(const struct verdict *v)
{
	return v->rules->limits.n > 0 || pools_are_limited(&v->rules->pools);
}

/*
 * Whether so many workers would be more than a tenth faster without --limit, or
 * without pools, than a build that takes us with them.
 */
static bool
is_limited_by_rules(struct verdict *v, struct network *net, uint64_t workers,
    int64_t us)
{
	const struct rules *rules = v->rules;
	struct rules freed = *rules;

	v->freed_workers = workers;
	v->pool = NULL;
	if (rules->limits.n > 0) {
		v->freed_us = simulate_build(net, workers,
		    &(struct rules){ .pools = rules->pools });
		if (is_tenth_faster(v->freed_us, us))
			return true;
	}
	if (!pools_are_limited(&rules->pools))
		return false;
	v->pool = pools_longest(&rules->pools, net);
	freed.pools.sizes = mem_zero(freed.pools.n, sizeof *freed.pools.sizes);
	v->freed_us = simulate_build(net, workers, &freed);
	free(freed.pools.sizes);
	return is_tenth_faster(v->freed_us, us);
}

/*
 * The limit of a schedule that takes us, if another order of work would not
 * help: the workers, or what keeps more of them from helping.
 */
static enum limit
limit_of_workers(struct verdict *v, struct network *net, int64_t us)
{
	if (!has_rules(v) || !is_small(v))
		return LIMIT_WORKERS;
	if (is_limited_by_rules(v, net, v->workers, us))
		return LIMIT_POOLS;
	return !is_tenth_faster(simulate_build(net, 4 * v->workers, v->rules),
	    us) && is_limited_by_rules(v, net, 4 * v->workers, us) ?
	    LIMIT_POOLS : LIMIT_WORKERS;
}

/*
 * The limit of a schedule that takes us and that no order of work would make
 * much shorter.
 */
static enum limit
limit_of_schedule(struct verdict *v, struct network *net, int64_t us)
{
	return v->path_us >= v->share_us && !is_tenth_faster(v->path_us, us) ?
	    LIMIT_PATH : limit_of_workers(v, net, us);
}

/*
 * As many workers as the recorded times are of.  One worker of the build is
 * occupied by a pool, whatever that runs at once.
 */
static uint64_t
count_recorded(const struct verdict *v)
{
	uint64_t most = v->usage.most;
	int64_t limit = v->net->build->limit;

	if (most == 0 || limit == INT_UNKNOWN)
		return most;
	return pools_are_limited(&v->rules->pools) || (uint64_t)limit > most ?
	    (uint64_t)limit : most;
}

/* For workers that the build did not have, and for changed weights. */
static void
judge_simulated(struct verdict *v, struct network *net)
{
	v->wall_us = v->idle_us = v->queue_us = v->at_most_us = INT_UNKNOWN;
	if (v->chain_us == 0)
		v->reason = "no task took time";
	else if (!network_knows_deps(v->net))
		v->reason = "no dependencies are known";
	else if (v->simulated_us == INT_UNKNOWN)
		v->reason = "--workers N simulates N workers";
	else
		v->limit = limit_of_schedule(v, net, v->simulated_us);
}

/*
 * Compares with the time in which tasks ran, busy_us, which is above 0.  The
 * order limits a build only if it limited the workers whose times these are: if
 * more workers were given, they alone might have made it faster.
 */
static void
judge_recorded(struct verdict *v, struct network *net, const struct usage *u)
{
	uint64_t recorded = count_recorded(v);
	int64_t us, span_us;

	usage_measure_queue(net->build, &v->queue_us, &span_us);
	if (v->idle_us > v->wall_us - v->idle_us) {
		v->limit = LIMIT_IDLE;
		usage_find_next(&v->usage, net->build);
		return;
	}
	if (v->queue_us != INT_UNKNOWN &&
	    v->queue_us > u->busy_us - v->queue_us &&
	    is_tenth_faster(v->path_us, u->busy_us)) {
		v->limit = LIMIT_WORKERS;
		return;
	}
	/* One worker is busy whenever a task runs, whatever limits it. */
	if (!network_knows_deps(v->net) && v->workers == 1) {
		v->reason = "no dependencies are known";
		return;
	}
	if (!is_tenth_faster(v->path_us, u->busy_us) ||
	    !is_tenth_faster(v->share_us, u->busy_us)) {
		v->limit = limit_of_schedule(v, net, u->busy_us);
		if (v->limit == LIMIT_WORKERS && span_us > u->busy_us / 2 &&
		    v->queue_us < u->busy_us / 10) {
			v->limit = LIMIT_UNKNOWN;
			v->reason = "hardly a task waited in the scheduler's "
			    "queue";
		}
		return;
	}
	if (!network_knows_deps(v->net)) {
		v->reason = "no dependencies are known";
		return;
	}
	if (v->simulated_us == INT_UNKNOWN && is_small(v))
		v->simulated_us = simulate_build(net, v->workers, v->rules);

	us = v->simulated_us;
	if (us == INT_UNKNOWN)
		us = v->at_most_us = v->chain_us + v->share_us;
	if (v->at_most_us != INT_UNKNOWN && (has_rules(v) ||
	    !is_tenth_faster(us, u->busy_us))) {
		v->at_most_us = INT_UNKNOWN;
		v->reason = "--workers N simulates N workers";
	} else if (!is_tenth_faster(us, u->busy_us)) {
		v->limit = limit_of_workers(v, net, u->busy_us);
	} else if (v->workers > recorded &&
	    !is_tenth_faster(simulate_build(net, recorded, v->rules),
	    u->busy_us)) {
		judge_simulated(v, net);
	} else {
		v->limit = LIMIT_ORDER;
	}
}

void
verdict_simulate_more(struct verdict *v, struct network *net)
{
	int64_t least_us = v->simulated_us;

	if (v->limit != LIMIT_WORKERS || !network_knows_deps(v->net) ||
	    !is_small(v))
		return;
	network_rank(net);
	for (size_t i = 0; i < 2; i++) {
		v->more[i].workers = v->workers * (i == 0 ? 4 : 8);
		v->more[i].us = simulate_build(net, v->more[i].workers,
		    v->rules);
		if (least_us != INT_UNKNOWN && v->more[i].us >= least_us)
			v->more[i].workers = 0;
		least_us = v->more[i].us;
	}
}

/*
 * Whether what is missing may have limited the build instead.  Nothing is known
 * if a part of the build is missing, or commands that failed: the log does not
 * say when they ran.  What was rejected may have run while no task did.  The
 * rest only makes the path longer.  Whether tasks waited for workers or for
 * each other is known, too, if the scheduler had a queue.
 */
static bool
is_doubtful(const struct verdict *v)
{
	unsigned lacks = v->net->build->lacks;

	if ((lacks & (LACKS_HEAD | LACKS_TAIL | LACKS_RUNS | LACKS_TIMES |
	    LACKS_FAILED)) != 0)
		return true;
	if (v->limit == LIMIT_IDLE || (v->limit == LIMIT_WORKERS &&
	    v->queue_us != INT_UNKNOWN))
		return (lacks & LACKS_REJECTED) != 0;
	return v->limit > LIMIT_PATH && v->missing.len > 0;
}

static void
ask_account(struct verdict *v)
{
	build_put_missing(v->net->build, &v->missing);
	if (!is_doubtful(v))
		return;
	v->limit = LIMIT_UNKNOWN;
	v->reason = buf_cstr(&v->missing);
}

void
verdict_find(struct verdict *v, struct network *net, uint64_t workers,
    const struct rules *rules, bool what_if)
{
	const struct build *b = net->build;
	const struct dag *dag = &net->dag;
	const struct usage *u = &v->usage;
	sym kind;

	*v = (struct verdict){ .net = net, .rules = rules,
	    .simulated_us = INT_UNKNOWN, .at_most_us = INT_UNKNOWN,
	    .wall_us = INT_UNKNOWN, .idle_us = INT_UNKNOWN,
	    .queue_us = INT_UNKNOWN };
	for (uint32_t i = 0; i < net->n_tasks; i++) {
		v->chain_us = time_later(v->chain_us, dag->finish[i]);
		kind = network_task(net, i)->kind;
		if (kind == b->copy)
			continue;
		v->work_us += dag->weight[i];
		if (kind != b->merged)
			v->path_us = time_later(v->path_us, dag->finish[i]);
	}

	usage_measure(&v->usage, net);
	v->workers = workers > 0 ? workers : count_recorded(v);
	if (v->workers > 0)
		v->share_us = pools_share_us(&rules->pools, net, v->workers);
	if (workers > 0 || (rules->limits.n > 0 && v->workers > 0 &&
	    is_small(v)))
		v->simulated_us = simulate_build(net, v->workers, rules);
	/* A build that is a tenth faster did not keep to --limit. */
	if (rules->limits.n > 0 && v->simulated_us != INT_UNKNOWN)
		what_if |= is_tenth_faster(u->busy_us, v->simulated_us);
	if (u->busy_us > 0 && !what_if && !b->is_mixed &&
	    v->workers >= count_recorded(v) &&
	    u->most > 0 && u->busy_us <= b->end_us - b->start_us) {
		v->wall_us = b->end_us - b->start_us;
		v->idle_us = v->wall_us - u->busy_us;
		judge_recorded(v, net, u);
	} else {
		judge_simulated(v, net);
	}
	ask_account(v);
}

void
verdict_release(struct verdict *v)
{
	buf_release(&v->missing);
}

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
