/* verdict - what limits a build: its path, its workers or the order of work */

#include <stdlib.h>

#include "common/base/num.h"
#include "common/build/missing.h"
#include "common/filter/lacks.h"
#include "filters/critpath/critpath.h"

/*
 * Without --workers, larger graphs are not simulated: for a million tasks a
 * simulation takes as long as all the rest.
 */
enum { SIMULATED_MAX = 100000 };

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
 * How many workers the build had when its times were recorded.  A pool occupies
 * one of them, however many tasks it runs at once.
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
