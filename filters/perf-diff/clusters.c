/* clusters - commits at which many keys of a machine have changed */

#include <stdlib.h>

#include "common/base/sort.h"
#include "filters/perf-diff/perf-diff.h"

/* A cluster has at least MIN keys, and the SHARE-th part of those of a
   machine. */
enum { MIN = 3, SHARE = 3 };

/* A change, and the result that it is of. */
struct member {
	const struct result *of;
	struct change *c;
	sym machine;
};

static sym
machine_of(const struct results *a, const struct result *r)
{
	return a->samples->keys[r->key].parts[PART_MACHINE];
}

/* By machine, then by key; those of a key are in the order of the commits. */
static int
compare_members(const void *x, const void *y)
{
	const struct member *m = x, *n = y;

	if (m->machine != n->machine)
		return m->machine < n->machine ? -1 : 1;
	if (m->of != n->of)
		return m->of < n->of ? -1 : 1;
	return (m->c > n->c) - (m->c < n->c);
}

/*
 * The commit that is in the ranges of changes of most keys that are in
 * no cluster yet; of equal ones that at which most changes are, then the
 * earliest.  keys[i] becomes the number of keys at the i-th commit, and last[i]
 * the last of them.
 */
static size_t
find_greatest(const struct results *a, const struct member *list, size_t n,
    size_t *keys, size_t *places, const struct result **last)
{
	const struct member *m;
	size_t best = 0;

	for (size_t i = 0; i < a->n_order; i++) {
		keys[i] = places[i] = 0;
		last[i] = NULL;
	}
	for (m = list; m < list + n; m++) {
		places[m->c->at] += m->c->cluster == 0;
		for (size_t i = m->c->first; m->c->cluster == 0 &&
		    i <= m->c->last; i++) {
			keys[i] += last[i] != m->of;
			last[i] = m->of;
		}
	}
	for (size_t i = 1; i < a->n_order; i++)
		if (keys[i] > keys[best] || (keys[i] == keys[best] &&
		    places[i] > places[best]))
			best = i;
	return best;
}

/* Finds the clusters of the changes of one machine. */
static void
find_of_machine(struct results *a, struct member *list, size_t n,
    size_t n_keys)
{
	size_t *keys = mem_table(a->n_order, sizeof *keys), at;
	size_t *places = mem_table(a->n_order, sizeof *places);
	const struct result **last = mem_table(a->n_order, sizeof *last);
	struct cluster found = { .machine = list->machine, .n_keys = n_keys };
	const struct result *worse;

	for (;;) {
		at = find_greatest(a, list, n, keys, places, last);
		if (keys[at] < MIN || keys[at] * SHARE < n_keys)
			break;
		found.at = at;
		found.n = keys[at];
		found.n_worse = 0;
		a->clusters = mem_resize(a->clusters, ++a->n_clusters,
		    sizeof *a->clusters);
		worse = NULL;
		for (struct member *m = list; m < list + n; m++) {
			if (m->c->cluster != 0 || m->c->first > at ||
			    m->c->last < at)
				continue;
			m->c->cluster = a->n_clusters;
			if (results_is_worse(a, m->c) && worse != m->of) {
				found.n_worse++;
				worse = m->of;
			}
		}
		a->clusters[a->n_clusters - 1] = found;
	}
	free(keys);
	free(places);
	free(last);
}

void
clusters_find(struct results *a)
{
	/* The keys of each machine; SYM_NONE + 1 is 0. */
	size_t *n_keys = mem_zero(a->samples->texts.n + 1, sizeof *n_keys);
	struct member *list = NULL, *end;
	size_t n = 0, cap = 0;

	for (struct result *r = a->list; r < a->list + a->n; r++) {
		n_keys[(sym)(machine_of(a, r) + 1)]++;
		for (struct change *c = r->changes; c < r->changes +
		    r->n_changes; c++) {
			if (c->accepted || c->verdict == VERDICT_GONE)
				continue;
			list = mem_grow(list, &cap, n + 1, sizeof *list);
			list[n++] = (struct member){ r, c, machine_of(a, r) };
		}
	}
	sort(list, n, sizeof *list, compare_members);
	for (struct member *m = list; m < list + n; m = end) {
		for (end = m; end < list + n && end->machine == m->machine;
		    end++)
			;
		find_of_machine(a, m, (size_t)(end - m),
		    n_keys[(sym)(m->machine + 1)]);
	}
	free(list);
	free(n_keys);
}
