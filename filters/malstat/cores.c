/* cores - how many threads work at once, in a session and in its blocks */

#include <stdlib.h>

#include "common/base/mem.h"
#include "common/base/num.h"
#include "common/base/sort.h"
#include "filters/malstat/answer.h"

/*
 * Where more threads than this work at once, blocks have no histogram: it
 * would be blocks times threads in size, whatever the input's.
 */
enum { BLOCK_THREADS_MOST = 256 };

/*
 * A piece of work begins (1) or ends (-1); or the time that cores are measured
 * for does (-1, 1), to which what has been summed up is added with this sign.
 */
struct moment {
	int64_t us;
	int sign;
	struct cores *cores;	/* NULL: work */
};

/* The sums up to now. */
struct sweep {
	struct moment *moments;
	size_t n, levels;
	int64_t *with_us;	/* by number of threads: how long so many */
	int64_t busy_us;
};

/* Work ends before other begins, so that no thread works twice at once. */
static int
compare_moments(const void *a, const void *b)
{
	const struct moment *x = a, *y = b;

	return x->us != y->us ? cmp_i64(x->us, y->us) : x->sign - y->sign;
}

static void
collect(struct sweep *s, struct cores *cores, size_t n_cores,
    const struct scope *part)
{
	const struct piece *p = part->pieces, *end = p + part->n_pieces;
	struct moment *m;

	s->n = 2 * (part->n_pieces + n_cores);
	m = s->moments = mem_resize(NULL, s->n, sizeof *m);
	for (; p < end; p++) {
		*m++ = (struct moment){ p->from_us, 1, NULL };
		*m++ = (struct moment){ p->to_us, -1, NULL };
	}
	for (size_t i = 0; i < n_cores; i++) {
		*m++ = (struct moment){ cores[i].from_us, -1, &cores[i] };
		*m++ = (struct moment){ cores[i].to_us, 1, &cores[i] };
	}
	sort(s->moments, s->n, sizeof *s->moments, compare_moments);
}

static void
make_histograms(struct sweep *s, struct cores *cores, size_t n_cores)
{
	size_t running = 0, most = 1;

	for (size_t i = 0; i < s->n; i++) {
		if (s->moments[i].cores == NULL)
			running += (size_t)s->moments[i].sign;
		most = running > most ? running : most;
	}
	s->levels = most + 1;
	s->with_us = mem_zero(s->levels, sizeof *s->with_us);
	for (size_t i = 0; i < n_cores; i++) {
		if (cores[i].block != INDEX_NONE && most > BLOCK_THREADS_MOST)
			continue;
		cores[i].with_us = mem_zero(s->levels, sizeof *s->with_us);
		cores[i].n_with = s->levels;
	}
}

/* What cores have is the sums at their end, less those at their start. */
static void
add_sums(const struct sweep *s, struct cores *c, int sign)
{
	c->busy_us += sign * s->busy_us;
	c->idle_us += sign * s->with_us[0];
	c->serial_us += sign * s->with_us[1];
	for (size_t i = 0; i < c->n_with; i++)
		c->with_us[i] += sign * s->with_us[i];
}

static void
walk(struct sweep *s)
{
	const struct moment *m = s->moments, *end = m + s->n;
	int64_t now_us = m->us;
	size_t running = 0;

	for (; m < end; m++) {
		s->with_us[running] += m->us - now_us;
		s->busy_us += (int64_t)running * (m->us - now_us);
		now_us = m->us;
		if (m->cores != NULL)
			add_sums(s, m->cores, m->sign);
		else
			running += (size_t)m->sign;
	}
}

void
cores_measure(struct cores *cores, size_t n_cores, const struct scope *part)
{
	struct sweep s = { 0 };

	collect(&s, cores, n_cores, part);
	make_histograms(&s, cores, n_cores);
	walk(&s);
	for (struct cores *c = cores; c < cores + n_cores; c++)
		while (c->n_with > 1 && c->with_us[c->n_with - 1] == 0)
			c->n_with--;
	free(s.moments);
	free(s.with_us);
}
