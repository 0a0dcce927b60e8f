/* clocks - finds hosts whose clocks disagree with those of others */

#include <stdlib.h>

#include "common/base/mem.h"
#include "common/base/num.h"
#include "common/base/sort.h"
#include "common/filter/filter.h"
#include "common/report/report-values.h"
#include "common/report/report.h"
#include "filters/critpath/critpath.h"

/*
 * The gap of a dependency is the time from its end to the start of the task
 * that waits for it.  Between tasks on two hosts it is below 0 only if the
 * clocks disagree: that of the waiting task is behind, or the other is ahead.
 *
 * A host whose clock is wrong takes part in all gaps below 0 that this causes,
 * and other hosts only in some of them.  So the host with the most of them is
 * taken to be wrong, and the search continues without it.
 */
enum { NAMED_MAX = 5, GAPS_MIN = 3, OFFSET_MIN_US = 10000 };

/* Of graphs with more edges than this a sample is examined. */
enum { EDGES_MAX = 100000 };

enum side { BEHIND, AHEAD };	/* the host of the waiting task; the other */

struct host {
	struct count {
		uint32_t n;
		uint32_t n_early;	/* gaps below 0 */
	} counts[2];			/* by side */
	bool is_named;
};

struct clocks {
	const struct network *net;
	struct host *hosts;	/* by symbol */
	uint64_t sampled;	/* one of so many tasks is examined */
};

/* A dependency between tasks on two hosts. */
struct crossing {
	uint32_t v, i;		/* a vertex, and an index of the graph's dep */
	sym host[2];		/* by side */
	int64_t gap_us;
};

static bool
is_usable(const struct task *t)
{
	return t != NULL && t->host != SYM_NONE &&
	    t->start_us != INT_UNKNOWN && t->end_us != INT_UNKNOWN &&
	    (t->flags & (TASK_CACHED | TASK_DEPLOYED)) == 0;
}

/* Depends only on the record, and not on the order of records. */
static bool
is_sampled(const struct clocks *c, const struct task *t)
{
	return c->sampled <= 1 || ((uint64_t)t->start_us *
	    UINT64_C(0x9e3779b97f4a7c15) >> 32) % c->sampled == 0;
}

/* Goes to the next dependency between two hosts that are not named yet. */
static bool
next_crossing(const struct clocks *c, struct crossing *x)
{
	const struct dag *dag = &c->net->dag;
	const struct task *t, *dep;

	for (; x->v < c->net->n_tasks; x->v++, x->i = dag->row[x->v]) {
		t = network_task(c->net, x->v);
		if (!is_usable(t) || !is_sampled(c, t) ||
		    c->hosts[t->host].is_named)
			continue;
		while (x->i < dag->row[x->v + 1]) {
			dep = network_task(c->net, dag->dep[x->i++]);
			if (!is_usable(dep) || dep->host == t->host ||
			    c->hosts[dep->host].is_named)
				continue;
			x->host[BEHIND] = t->host;
			x->host[AHEAD] = dep->host;
			x->gap_us = t->start_us - dep->end_us;
			return true;
		}
	}
	return false;
}

/* Whether more than a tenth of the gaps are below 0, and at least a few. */
static bool
is_suspect(const struct count *c)
{
	return c->n_early >= GAPS_MIN && c->n_early > c->n / 10;
}

/*
 * Counts the gaps, and finds the host and side with the most gaps below 0; of
 * equal ones the first by name, then BEHIND.  SYM_NONE if none is suspect.
 */
static sym
find_worst(struct clocks *c, enum side *side)
{
	const struct intern *names = &c->net->build->names;
	struct count *count, *worst_count = NULL;
	struct crossing x = { 0 };
	sym worst = SYM_NONE;

	for (sym h = 0; h < names->n; h++)
		for (int s = 0; s < 2; s++)
			c->hosts[h].counts[s] = (struct count){ 0 };
	while (next_crossing(c, &x))
		for (int s = 0; s < 2; s++) {
			count = &c->hosts[x.host[s]].counts[s];
			count->n++;
			count->n_early += x.gap_us < 0;
		}

	for (sym h = 0; h < names->n; h++)
		for (int s = 0; s < 2; s++) {
			count = &c->hosts[h].counts[s];
			if (!is_suspect(count) || (worst_count != NULL &&
			    (count->n_early < worst_count->n_early ||
			    (count->n_early == worst_count->n_early &&
			    intern_cmp(names, h, worst) >= 0))))
				continue;
			worst = h;
			worst_count = count;
			*side = (enum side)s;
		}
	return worst;
}

static int
compare_gaps(const void *a, const void *b)
{
	return cmp_i64(*(const int64_t *)a, *(const int64_t *)b);
}

/*
 * The tenth percentile of the host's gaps on one side.  Sets partner to the
 * only other host with which it has gaps below 0, or to SYM_NONE if there are
 * several.
 */
static int64_t
estimate(const struct clocks *c, sym host, enum side side, sym *partner)
{
	size_t n = c->hosts[host].counts[side].n, at = 0;
	int64_t *gaps = mem_resize(NULL, n, sizeof *gaps), gap_us;
	struct crossing x = { 0 };
	bool is_first = true;

	*partner = SYM_NONE;
	while (next_crossing(c, &x)) {
		if (x.host[side] != host)
			continue;
		gaps[at++] = x.gap_us;
		if (x.gap_us >= 0)
			continue;
		if (is_first)
			*partner = x.host[1 - side];
		else if (*partner != x.host[1 - side])
			*partner = SYM_NONE;
		is_first = false;
	}
	sort(gaps, n, sizeof *gaps, compare_gaps);
	gap_us = gaps[n / 10];
	free(gaps);
	return gap_us;
}

/* A host whose clock disagrees with others. */
struct clock {
	sym host, partner;	/* of partner only, unless it is SYM_NONE */
	enum side side;
	int64_t offset_us;
	double share;		/* of its gaps on this side: below 0 */
};

/* Finds at most NAMED_MAX clocks; returns their number. */
static size_t
find(struct clock *clocks, const struct network *net)
{
	struct clocks c = { .net = net,
	    .sampled = net->dag.n_edges / EDGES_MAX + 1 };
	const struct count *count;
	struct clock k;
	size_t n = 0;

	c.hosts = mem_zero(net->build->names.n, sizeof *c.hosts);
	for (int i = 0; i < 2 * NAMED_MAX && n < NAMED_MAX; i++) {
		k.host = find_worst(&c, &k.side);
		if (k.host == SYM_NONE)
			break;
		k.offset_us = -estimate(&c, k.host, k.side, &k.partner);
		c.hosts[k.host].is_named = true;
		count = &c.hosts[k.host].counts[k.side];
		k.share = (double)count->n_early / (double)count->n;
		if (k.offset_us >= OFFSET_MIN_US)
			clocks[n++] = k;
	}
	free(c.hosts);
	return n;
}

void
clocks_report(struct buf *out, const struct network *net)
{
	const struct intern *names = &net->build->names;
	struct clock clocks[NAMED_MAX];
	size_t n = find(clocks, net), from;

	for (const struct clock *k = clocks; k < clocks + n; k++) {
		if (k == clocks)
			report_heading(out, "\nClocks that disagree");
		from = out->len;
		report_text(out, intern_span(names, k->host));
		buf_str(out, " is about ");
		report_us(out, k->offset_us);
		buf_str(out, k->side == BEHIND ? " behind " : " ahead of ");
		if (k->partner == SYM_NONE)
			buf_str(out, "other hosts");
		else
			report_text(out, intern_span(names, k->partner));
		buf_str(out, ": ");
		report_percent(out, k->share);
		buf_str(out, k->side == BEHIND ?
		    " of its dependencies there end after its tasks begin" :
		    " of the tasks there that wait for its tasks begin before "
		    "these end");
		report_item(out, from, 1);
	}
}

void
clocks_emit(const struct network *net, struct filter *f)
{
	const struct intern *names = &net->build->names;
	struct clock clocks[NAMED_MAX];
	size_t n = find(clocks, net);
	struct buf *b;

	for (const struct clock *k = clocks; k < clocks + n; k++) {
		b = emit_begin(net->build, f, "clock");
		json_str(b, "host", intern_span(names, k->host));
		json_int(b, k->side == BEHIND ? "behind_us" : "ahead_us",
		    k->offset_us);
		json_sym(b, "of", names, k->partner);
		json_ratio(b, "share", k->share);
		filter_end_record(f);
	}
}
