/* registry - registers profiles in a store */

#include <stdlib.h>
#include <string.h>

#include "common/base/num.h"
#include "common/base/sort.h"
#include "common/filter/filter-reject.h"
#include "common/filter/filter.h"
#include "common/perun/layout.h"
#include "common/perun/profile.h"
#include "filters/pidx-write/pidx-write.h"

void
registry_add(struct registry *g, const struct profile *p,
    struct registration r)
{
	const char *why;

	/*
	 * pidx-fsck must not prune objects before their entries are written.
	 * It need not wait for a process that has not read a profile yet.
	 */
	if (g->n == 0)
		store_lock(&g->perun->store, STORE_ADD);
	g->packed.len = 0;
	object_pack(p->type, buf_span(&p->body), r.entry.object,
	    &g->packed);
	/* A valid object of this name is not written again. */
	if (!perun_read_object(&g->perun->store, r.entry.object, &g->stored,
	    &g->object, &why))
		store_stage(&g->perun->store, r.entry.object,
		    buf_span(&g->packed), STORE_READ_ONLY);
	r.entry.path = arena_span(&g->arena, r.entry.path);
	r.job_file = arena_span(&g->arena, r.job_file);
	r.position = g->n;
	profile_strings(p, &g->arena, &r.entry);
	g->list = mem_grow(g->list, &g->cap, g->n + 1, sizeof *g->list);
	g->list[g->n++] = r;
}

/*
 * Changes the strings of an entry to those that an index of a layout has.  Args
 * that have no place are joined to the command, as in Perun.
 */
static void
fit_strings(struct registry *g, enum pidx_layout layout, struct span *strings)
{
	struct span cmd = strings[PIDX_CMD], args = strings[PIDX_ARGS];
	struct buf joined = { 0 };

	if (layout == PIDX_2 || layout == PIDX_2_ARGS)
		strings[PIDX_LABEL] = span_of(NULL, 0);
	if (layout != PIDX_2 && layout != PIDX_2_LABEL)
		return;
	strings[PIDX_ARGS] = span_of(NULL, 0);
	if (args.n == 0)
		return;
	buf_add(&joined, cmd.p, cmd.n);
	buf_char(&joined, ' ');
	buf_add(&joined, args.p, args.n);
	strings[PIDX_CMD] = arena_span(&g->arena, buf_span(&joined));
	buf_release(&joined);
}

/*
 * Gives numbers to generated names that the index or another registration has.
 * Otherwise the second of two builds in one second would replace the first.
 */
static void
number_names(struct registry *g, const struct pidx *index,
    struct registration *r, size_t n)
{
	struct names names;
	struct span *path;

	names_init(&names, NULL);
	for (size_t i = 0; i < index->n; i++)
		intern_add(&names.taken, index->entries[i].path);
	for (size_t i = 0; i < n; i++)
		if (!r[i].has_generated_name)
			intern_add(&names.taken, r[i].entry.path);
	for (size_t i = 0; i < n; i++) {
		path = &r[i].entry.path;
		if (r[i].has_generated_name)
			*path = arena_span(&g->arena, names_take(&names,
			    span_of(path->p, path->n - strlen(".perf"))));
	}
	names_release(&names);
}

/* The order that pidx_add() requires. */
static int
compare_entries(const void *a, const void *b)
{
	const struct registration *x = a, *y = b;

	return pidx_compare_object(&x->entry, &y->entry);
}

/* Adds n registrations of one version to its index. */
static void
stage_index(struct registry *g, struct filter *f, struct registration *r,
    size_t n)
{
	struct pidx_entry *new = mem_resize(NULL, n, sizeof *new);
	struct pidx_outcome *outcomes = mem_resize(NULL, n, sizeof *outcomes);
	struct buf bytes = { 0 };
	struct pidx index;
	bool ok = layout_load_index(&g->perun->store, r->version, &g->stored,
	    &index, &g->why) != STORE_FAILED, any_new = false;

	if (!ok)
		filter_fail(f, "%s; nothing was added to it (see pidx-fsck "
		    "--repair)", g->why.data);
	for (size_t i = 0; i < n; i++)
		r[i].failed = !ok;
	if (ok) {
		if (index.n == 0 && g->new_layout == 0)
			g->new_layout = layout_for_new_index(g->perun);
		index.layout = layout_for_adding(g->perun, &index,
		    g->new_layout);
		if (index.layout == PIDX_2_LABEL)
			number_names(g, &index, r, n);

		sort(r, n, sizeof *r, compare_entries);
		for (size_t i = 0; i < n; i++) {
			fit_strings(g, index.layout, r[i].entry.strings);
			new[i] = r[i].entry;
		}
		pidx_add(&index, new, n, outcomes, &bytes);
		for (size_t i = 0; i < n; i++) {
			r[i].outcome = outcomes[i];
			any_new |= !outcomes[i].existed;
		}
		if (any_new)
			store_stage(&g->perun->store, r->version,
			    buf_span(&bytes), STORE_WRITABLE);
	}
	buf_release(&bytes);
	pidx_release(&index);
	free(outcomes);
	free(new);
}

/* By version, each in the order of arrival. */
static int
compare_versions(const void *a, const void *b)
{
	const struct registration *x = a, *y = b;
	return memcmp(x->version, y->version, STORE_NAME_SIZE) ?:
	    cmp_u64(x->position, y->position);
}

static int
compare_positions(const void *a, const void *b)
{
	const struct registration *x = a, *y = b;

	return cmp_u64(x->position, y->position);
}

void
registry_commit(struct registry *g, struct filter *f,
    enum pidx_layout new_layout)
{
	const struct registration *r;
	size_t next;

	if (g->n == 0)
		return;
	sort(g->list, g->n, sizeof *g->list, compare_versions);
	g->new_layout = new_layout;
	/* The newest index is found at once while no new object is newer. */
	for (r = g->list; r < g->list + g->n && g->new_layout == 0; r++)
		if ((r == g->list || memcmp(r->version, r[-1].version,
		    STORE_NAME_SIZE) != 0) &&
		    !store_mtime(&g->perun->store, r->version, NULL))
			g->new_layout = layout_for_new_index(g->perun);
	/* An index must never refer to an object that is not durable. */
	store_commit(&g->perun->store);
	store_lock(&g->perun->store, STORE_INDEX);
	for (size_t first = 0; first < g->n; first = next) {
		for (next = first + 1; next < g->n; next++)
			if (memcmp(g->list[next].version,
			    g->list[first].version, STORE_NAME_SIZE) != 0)
				break;
		stage_index(g, f, &g->list[first], next - first);
	}
	store_commit(&g->perun->store);
	store_unlock(&g->perun->store, STORE_INDEX);
	sort(g->list, g->n, sizeof *g->list, compare_positions);
}
