/* clusters - commits at which many keys of a machine have changed */

#include <stdlib.h>

#include "common/base/num.h"
#include "common/base/sort.h"
#include "filters/perf-diff/perf-diff.h"

/* A cluster has at least MIN keys, and the SHARE-th part of those of a
   machine. */
enum { MIN = 3, SHARE = 3 };

/* A commit: the keys that may have changed there, the last of them, and how
   many changes most likely came there. */
struct commit {
	size_t n_keys, n_changes;
	uint32_t last_key;
};

static sym
machine_of(const struct samples *s, uint32_t key)
{
	return s->keys[key].parts[PART_MACHINE];
}

/* By machine, then by key. */
static int
compare_changes(const void *x, const void *y, void *samples)
{
	uint32_t key = (*(struct change *const *)x)->key;
	uint32_t other = (*(struct change *const *)y)->key;
	return cmp_u64(machine_of(samples, key), machine_of(samples,
	    other)) ?: cmp_u64(key, other);
}

/*
 * The commit that is in the ranges of changes of most keys that are in no
 * cluster yet; of equal ones that at which most changes are, then the earliest.
 */
static size_t
find_greatest(const struct results *a, struct change **list, size_t n,
    struct commit *commits)
{
	const struct change *c;
	size_t best = 0;

	for (size_t i = 0; i < a->n_order; i++)
		commits[i] = (struct commit){ 0, 0, INDEX_NONE };
	for (size_t i = 0; i < n; i++) {
		c = list[i];
		if (c->cluster != 0)
			continue;
		commits[c->at].n_changes++;
		for (size_t at = c->first; at <= c->last; at++) {
			commits[at].n_keys += commits[at].last_key != c->key;
			commits[at].last_key = c->key;
		}
	}
	for (size_t i = 1; i < a->n_order; i++)
		if (commits[i].n_keys > commits[best].n_keys ||
		    (commits[i].n_keys == commits[best].n_keys &&
		    commits[i].n_changes > commits[best].n_changes))
			best = i;
	return best;
}

/* Finds the clusters of the changes of one machine. */
static void
find_of_machine(struct results *a, struct change **list, size_t n,
    size_t n_keys)
{
	struct commit *commits = mem_table(a->n_order, sizeof *commits);
	struct cluster found = { .machine = machine_of(a->samples,
	    list[0]->key), .n_keys = n_keys };
	uint32_t worse;
	struct change *c;

	for (;;) {
		found.at = find_greatest(a, list, n, commits);
		found.n = commits[found.at].n_keys;
		if (found.n < MIN || found.n * SHARE < n_keys)
			break;
		a->clusters = mem_resize(a->clusters, ++a->n_clusters,
		    sizeof *a->clusters);
		found.n_worse = 0;
		worse = INDEX_NONE;
		for (size_t i = 0; i < n; i++) {
			c = list[i];
			if (c->cluster != 0 || c->first > found.at ||
			    c->last < found.at)
				continue;
			c->cluster = a->n_clusters;
			if (results_is_worse(a, c) && worse != c->key) {
				found.n_worse++;
				worse = c->key;
			}
		}
		a->clusters[a->n_clusters - 1] = found;
	}
	free(commits);
}

void
clusters_find(struct results *a)
{
	/* The keys of each machine; SYM_NONE + 1 is 0. */
	size_t *n_keys = mem_zero(a->samples->texts.n + 1, sizeof *n_keys);
	struct change **list = NULL, *c;
	size_t n = 0, cap = 0, end;
	sym machine;

	for (struct result *r = a->list; r < a->list + a->n; r++) {
		n_keys[(sym)(machine_of(a->samples, r->key) + 1)]++;
		for (c = r->changes; c < r->changes + r->n_changes; c++) {
			if (c->accepted || c->verdict == VERDICT_GONE)
				continue;
			list = mem_grow(list, &cap, n + 1, sizeof *list);
			list[n++] = c;
		}
	}
	sort_with(list, n, sizeof *list, compare_changes, a->samples);
	for (size_t i = 0; i < n; i = end) {
		machine = machine_of(a->samples, list[i]->key);
		for (end = i; end < n && machine_of(a->samples,
		    list[end]->key) == machine; end++)
			;
		find_of_machine(a, list + i, end - i, n_keys[(sym)(machine +
		    1)]);
	}
	free(list);
	free(n_keys);
}
