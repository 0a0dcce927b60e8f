/* workers - how many threads have work within a session or a block */

#include <stdlib.h>

#include "common/base/mem.h"
#include "common/base/num.h"
#include "common/base/search.h"
#include "common/base/sort.h"
#include "filters/malstat/answer.h"

/* From when to when there was work, or cores are measured. */
struct extent {
	int64_t start_us, end_us;
	size_t lane;
	struct cores *cores;	/* NULL: work */
};

/*
 * While extents are looked at from the last start to the first, each lane is
 * counted at the first end of its work so far: what begins later and ends by a
 * time is then what lies within.  The counts are a Fenwick tree over the ends
 * of all cores.
 */
struct counts {
	int64_t *ends;		/* of cores, sorted */
	size_t *tree, n;
	int64_t *first_end;	/* by lane */
};

static int
compare_times(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return cmp_i64(x, y);
}

/* The last start first, and work before the cores that it lies within. */
static int
compare_extents(const void *a, const void *b)
{
	const struct extent *x = a, *y = b;

	if (x->start_us != y->start_us)
		return cmp_i64(y->start_us, x->start_us);
	return (x->cores != NULL) - (y->cores != NULL);
}

/* Which of the ends, counted from 1, is the first that is not before us. */
static size_t
place(const struct counts *c, int64_t us)
{
	return SEARCH_FIRST(i, c->n, c->ends[i] >= us) + 1;
}

static void
add(struct counts *c, int64_t end_us, int n)
{
	for (size_t i = place(c, end_us); i <= c->n; i += i & -i)
		c->tree[i] += (size_t)n;
}

static size_t
count_until(const struct counts *c, int64_t end_us)
{
	size_t n = 0;

	for (size_t i = place(c, end_us); i > 0; i -= i & -i)
		n += c->tree[i];
	return n;
}

static void
take_work(struct counts *c, const struct extent *e)
{
	int64_t *first = &c->first_end[e->lane];

	if (e->end_us >= *first)
		return;
	if (*first != INT64_MAX)
		add(c, *first, -1);
	add(c, e->end_us, 1);
	*first = e->end_us;
}

/* Lanes stand together in a scope: here they are numbered from 0. */
static struct extent *
find_extents(struct cores *cores, size_t n_cores, const struct trace *t,
    const struct scope *part, size_t *n)
{
	struct extent *list, *e;
	const struct instance *i;
	size_t lane = 0;

	e = list = mem_resize(NULL, part->n_instances + n_cores,
	    sizeof *list);
	for (size_t k = 0; k < part->n_instances; k++) {
		i = &t->instances[part->instances[k]];
		lane += k > 0 && i->lane !=
		    t->instances[part->instances[k - 1]].lane;
		if (i->kind == KIND_WORK)
			*e++ = (struct extent){ i->start_us, i->end_us, lane,
			    NULL };
	}
	for (struct cores *c = cores; c < cores + n_cores; c++)
		*e++ = (struct extent){ c->from_us, c->to_us, 0, c };
	*n = (size_t)(e - list);
	sort(list, *n, sizeof *list, compare_extents);
	return list;
}

static void
counts_init(struct counts *c, const struct cores *cores, size_t n_cores,
    size_t n_lanes)
{
	c->n = n_cores;
	c->ends = mem_resize(NULL, c->n, sizeof *c->ends);
	for (size_t i = 0; i < c->n; i++)
		c->ends[i] = cores[i].to_us;
	sort(c->ends, c->n, sizeof *c->ends, compare_times);
	c->tree = mem_zero(c->n + 1, sizeof *c->tree);
	c->first_end = mem_resize(NULL, n_lanes, sizeof *c->first_end);
	for (size_t i = 0; i < n_lanes; i++)
		c->first_end[i] = INT64_MAX;
}

void
workers_count(struct cores *cores, size_t n_cores, const struct trace *t,
    const struct scope *part)
{
	struct extent *extents;
	struct counts c;
	size_t n;

	extents = find_extents(cores, n_cores, t, part, &n);
	counts_init(&c, cores, n_cores, part->n_instances);
	for (struct extent *e = extents; e < extents + n; e++)
		if (e->cores == NULL)
			take_work(&c, e);
		else
			e->cores->n_threads = count_until(&c, e->end_us);
	free(extents);
	free(c.ends);
	free(c.tree);
	free(c.first_end);
}
