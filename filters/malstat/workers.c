/* workers - counts the threads that have work within a session or block */

#include <stdlib.h>

#include "common/base/mem.h"
#include "common/base/num.h"
#include "common/base/search.h"
#include "common/base/sort.h"
#include "filters/malstat/cores.h"
#include "filters/malstat/workers.h"

/* The time from start to end of a work instance, or of a session or block. */
struct extent {
	int64_t start_us, end_us;
	size_t lane;		/* of a work instance: number of its thread */
	struct cores *cores;	/* of a session or block; NULL: work */
};

/*
 * A lane is a thread of a session.  A session or block from s to e has as many
 * threads as there are lanes with a work instance that starts at s or later and
 * ends at e or earlier.  To test each block against each instance would be
 * quadratic.  Instead, all extents are visited by descending start time, so
 * that on a visit to a block the instances seen so far are those that start
 * late enough.  In each lane, only the one of them that ends first matters: if
 * it ends by e, the lane is a thread of the block.
 *
 * So each lane is counted once, at the earliest end of its instances seen so
 * far, and a block has as many threads as are counted up to e.  The counts are
 * in a Fenwick tree (a binary indexed tree) over the sorted ends of the session
 * and all blocks: node i holds the sum of counts i - (i & -i) + 1 to i, so that
 * changing a count and summing up the first i counts both take O(log n).
 *
 * Example: lane A works from 2 to 4 and from 6 to 7, lane B from 1 to 9.  The
 * block from 5 to 8 is visited after A's second instance: A is counted at 7,
 * and the block has one thread.  A's first instance moves the count from 7 to
 * 4, B is counted at 9, and the session from 0 to 10 has two threads.
 */
struct counts {
	int64_t *ends;		/* of the session and its blocks, sorted */
	size_t *tree;		/* nodes 1 to n; node 0 is not used */
	size_t n;		/* of ends */
	int64_t *first_end;	/* by lane: the end at which it is counted, or
				   INT64_MAX */
};

static int
compare_times(const void *a, const void *b)
{
	return cmp_i64(*(const int64_t *)a, *(const int64_t *)b);
}

/* By start, descending; work before a block that starts at the same time. */
static int
compare_extents(const void *a, const void *b)
{
	const struct extent *x = a, *y = b;

	if (x->start_us != y->start_us)
		return cmp_i64(y->start_us, x->start_us);
	return (x->cores != NULL) - (y->cores != NULL);
}

/* The tree node of the first end at or after a time; n + 1 if there is none. */
static size_t
find_node(const struct counts *c, int64_t us)
{
	return SEARCH_FIRST(i, c->n, c->ends[i] >= us) + 1;
}

/* Adds 1 or -1 to the count of lanes at end_us. */
static void
add_count(struct counts *c, int64_t end_us, int change)
{
	for (size_t i = find_node(c, end_us); i <= c->n; i += i & -i)
		c->tree[i] += (size_t)change;
}

/* The number of lanes counted up to end_us, which must be one of c->ends. */
static size_t
count_until(const struct counts *c, int64_t end_us)
{
	size_t n = 0;

	for (size_t i = find_node(c, end_us); i > 0; i -= i & -i)
		n += c->tree[i];
	return n;
}

/*
 * Returns the extents of the work instances, the session and its blocks, in the
 * order of the visits; the caller frees them.  Numbers the lanes from 0, which
 * is possible because the instances of a lane are adjacent in a scope.
 */
static struct extent *
find_extents(struct cores *cores, size_t n_cores, const struct trace *t,
    const struct scope *scope, size_t *n)
{
	struct extent *list, *to;
	const struct instance *i;
	size_t lane = 0;

	to = list = mem_resize(NULL, scope->n_instances + n_cores,
	    sizeof *list);
	for (size_t k = 0; k < scope->n_instances; k++) {
		i = &t->instances[scope->instances[k]];
		lane += k > 0 && i->lane !=
		    t->instances[scope->instances[k - 1]].lane;
		if (i->kind == KIND_WORK && !i->is_untimed)
			*to++ = (struct extent){ i->start_us, i->end_us, lane,
			    NULL };
	}
	for (struct cores *c = cores; c < cores + n_cores; c++)
		*to++ = (struct extent){ c->start_us, c->end_us, 0, c };
	*n = (size_t)(to - list);
	sort(list, *n, sizeof *list, compare_extents);
	return list;
}

void
cores_count_threads(struct cores *cores, size_t n_cores,
    const struct trace *t, const struct scope *scope)
{
	struct extent *extents;
	struct counts c;
	int64_t *first_end;
	size_t n;

	extents = find_extents(cores, n_cores, t, scope, &n);
	c.n = n_cores;
	c.ends = mem_resize(NULL, c.n, sizeof *c.ends);
	for (size_t i = 0; i < c.n; i++)
		c.ends[i] = cores[i].end_us;
	sort(c.ends, c.n, sizeof *c.ends, compare_times);
	c.tree = mem_zero(c.n + 1, sizeof *c.tree);
	/* There are at most as many lanes as instances. */
	c.first_end = mem_resize(NULL, scope->n_instances,
	    sizeof *c.first_end);
	for (size_t i = 0; i < scope->n_instances; i++)
		c.first_end[i] = INT64_MAX;

	for (struct extent *e = extents; e < extents + n; e++) {
		if (e->cores != NULL) {
			e->cores->use.n_threads = count_until(&c, e->end_us);
			continue;
		}
		first_end = &c.first_end[e->lane];
		if (e->end_us >= *first_end)
			continue;
		if (*first_end != INT64_MAX)
			add_count(&c, *first_end, -1);
		add_count(&c, e->end_us, 1);
		*first_end = e->end_us;
	}

	free(extents);
	free(c.ends);
	free(c.tree);
	free(c.first_end);
}
