/* cores - measures how many threads work at once in a session or part of it */

#include <stdlib.h>

#include "common/base/mem.h"
#include "common/base/num.h"
#include "common/base/search.h"
#include "common/base/sort.h"
#include "filters/malstat/malstat.h"

/*
 * If more threads than this work at once, blocks get no histogram: the sizes of
 * all histograms add up to blocks times threads, which may be far more than the
 * input.
 */
enum { BLOCK_THREADS_MAX = 256 };

/*
 * A sweep over time: all starts and ends are sorted, and visited in this order
 * with running totals of the busy time and of the time with k threads at work.
 * The times of a session or block are the totals at its end less those at its
 * start; likewise for each period in which queries ran.
 *
 * A point is the start (sign 1) or end (-1) of a piece of work, which changes
 * the number of threads at work by the sign; or the start (-1) or end (1) of a
 * session, block or period, to whose times the totals are added with this sign.
 */
struct point {
	int64_t us;
	int sign;
	struct use *use;	/* NULL: a piece of work */
};

struct sweep {
	struct point *points;
	size_t n;		/* of points */
	size_t n_levels;	/* length of histogram_us */
	int64_t *histogram_us;	/* total up to the current point */
	int64_t busy_us;	/* likewise */
};

/*
 * An end of work comes before a start of work at the same time, so that a
 * thread is not counted twice when one piece follows another.  For the others
 * the order at one time does not matter: the totals do not change.
 */
static int
compare_points(const void *a, const void *b)
{
	const struct point *x = a, *y = b;

	return cmp_i64(x->us, y->us) ?: x->sign - y->sign;
}

/* Allocates histograms for the greatest number of threads that work at once. */
static void
make_histograms(struct sweep *s, struct cores *cores, size_t n_cores)
{
	size_t n_running = 0, n_max = 1;	/* serial_us needs level 1 */

	for (size_t i = 0; i < s->n; i++) {
		if (s->points[i].use == NULL)
			n_running += (size_t)s->points[i].sign;
		n_max = n_running > n_max ? n_running : n_max;
	}
	s->n_levels = n_max + 1;
	s->histogram_us = mem_zero(s->n_levels, sizeof *s->histogram_us);
	for (struct cores *c = cores; c < cores + n_cores; c++) {
		if (c->block != INDEX_NONE && n_max > BLOCK_THREADS_MAX)
			continue;
		c->use.histogram_us = mem_zero(s->n_levels,
		    sizeof *s->histogram_us);
		c->use.n_levels = s->n_levels;
	}
}

static void
add_totals(const struct sweep *s, const struct point *p)
{
	struct use *u = p->use;

	u->wall_us += p->sign * p->us;
	u->busy_us += p->sign * s->busy_us;
	u->idle_us += p->sign * s->histogram_us[0];
	u->serial_us += p->sign * s->histogram_us[1];
	for (size_t i = 0; i < u->n_levels; i++)
		u->histogram_us[i] += p->sign * s->histogram_us[i];
}

/* Work of a lane, in the order of starts. */
struct work {
	int64_t start_us;
	int64_t first_end_us;	/* of this and all later work of the lane */
};

/*
 * Sets n_threads: a session or block from s to e has as many as there are lanes
 * with a work instance that starts at s or later and ends at e or earlier.
 */
static void
count_threads(struct cores *cores, size_t n_cores, const struct trace *t,
    const struct scope *scope)
{
	struct work *work = mem_resize(NULL, scope->n_instances, sizeof *work);
	const struct instance *i;
	size_t n, next, at;

	/* The instances of a lane are adjacent, and in the order of starts. */
	for (size_t k = 0; k < scope->n_instances; k = next) {
		n = 0;
		for (next = k; next < scope->n_instances; next++) {
			i = &t->instances[scope->instances[next]];
			if (i->lane != t->instances[scope->instances[k]].lane)
				break;
			if (i->kind == KIND_WORK && !i->is_untimed)
				work[n++] = (struct work){ i->start_us,
				    i->end_us };
		}
		for (size_t w = n; w-- > 1;)
			work[w - 1].first_end_us = time_earlier(
			    work[w - 1].first_end_us, work[w].first_end_us);
		for (size_t c = 0; c < n_cores && n > 0; c++) {
			at = SEARCH_FIRST(w, n, work[w].start_us >=
			    cores[c].start_us);
			cores[c].use.n_threads += at < n &&
			    work[at].first_end_us <= cores[c].end_us;
		}
	}
	free(work);
}

void
cores_measure(struct cores *cores, size_t n_cores, const struct trace *t,
    const struct scope *scope, const struct period *periods, size_t n_periods)
{
	/* A start and an end for each piece, session, block and period. */
	struct sweep s = { .n = 2 * (scope->n_pieces + n_cores + n_periods) };
	const struct piece *piece = scope->pieces;
	struct point *p;
	int64_t now_us;
	size_t n_running = 0;

	p = s.points = mem_resize(NULL, s.n, sizeof *p);
	for (; piece < scope->pieces + scope->n_pieces; piece++) {
		*p++ = (struct point){ piece->start_us, 1, NULL };
		*p++ = (struct point){ piece->end_us, -1, NULL };
	}
	for (struct cores *c = cores; c < cores + n_cores; c++) {
		*p++ = (struct point){ c->start_us, -1, &c->use };
		*p++ = (struct point){ c->end_us, 1, &c->use };
	}
	for (size_t i = 0; i < n_periods; i++) {
		*p++ = (struct point){ periods[i].start_us, -1,
		    &cores->queries };
		*p++ = (struct point){ periods[i].end_us, 1, &cores->queries };
	}
	sort(s.points, s.n, sizeof *s.points, compare_points);
	make_histograms(&s, cores, n_cores);

	now_us = s.points->us;
	for (p = s.points; p < s.points + s.n; p++) {
		s.histogram_us[n_running] += p->us - now_us;
		s.busy_us += (int64_t)n_running * (p->us - now_us);
		now_us = p->us;
		if (p->use != NULL)
			add_totals(&s, p);
		else
			n_running += (size_t)p->sign;
	}

	/* Drop levels that were never reached. */
	for (struct cores *c = cores; c < cores + n_cores; c++)
		while (c->use.n_levels > 1 &&
		    c->use.histogram_us[c->use.n_levels - 1] == 0)
			c->use.n_levels--;
	count_threads(cores, n_cores, t, scope);
	free(s.points);
	free(s.histogram_us);
}
