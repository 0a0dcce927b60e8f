/* registry - registers profiles in a store */

#include <stdlib.h>
#include <string.h>

#include "common/base/err.h"
#include "common/base/num.h"
#include "common/base/sort.h"
#include "common/frame/filter.h"
#include "common/perun/perun.h"
#include "common/perun/profile.h"
#include "filters/pidx-write/registry.h"

void
registry_init(struct registry *g, struct store *store)
{
	*g = (struct registry){ .store = store };
}

void
registry_release(struct registry *g)
{
	free(g->list);
	arena_release(&g->arena);
	buf_release(&g->packed);
	buf_release(&g->stored);
	buf_release(&g->why);
	buf_release(&g->object.text);
}

/* Does the store have a valid object of this name? */
static bool
is_stored(struct registry *g, const unsigned char *name)
{
	const char *why;

	return perun_read_object(g->store, name, &g->stored, &g->object, &why);
}

void
registry_add(struct registry *g, const struct profile *p,
    const struct source *from)
{
	struct registration r = { .entry.time = from->time, .position = g->n };

	g->packed.len = 0;
	object_pack(p->type, buf_span(&p->body), r.entry.object,
	    &g->packed);
	if (!is_stored(g, r.entry.object))
		store_stage(g->store, r.entry.object, buf_span(&g->packed));
	memcpy(r.version, from->version, STORE_NAME_SIZE);
	r.entry.path = arena_span(&g->arena, from->path);
	r.job_file = arena_span(&g->arena, from->job_file);
	profile_strings(p, &g->arena, &r.entry);
	g->list = mem_grow(g->list, &g->cap, g->n + 1, sizeof *g->list);
	g->list[g->n++] = r;
}

/*
 * Reads the index of a version into g->stored, or starts an empty one there,
 * and adds the n entries of new to that copy.  existed is as in pidx_add().
 * Returns false, with a report, if the index is malformed or cannot be read.
 */
static bool
add_entries(struct registry *g, struct filter *f, const unsigned char *version,
    enum pidx_layout new_layout, const struct pidx_entry *new, size_t n,
    bool *existed)
{
	struct pidx_error error;
	enum store_found found;

	g->stored.len = 0;
	found = perun_load_index(g->store, version, &g->stored);
	if (found == STORE_ABSENT)
		pidx_serialize(&(struct pidx){ .layout = new_layout },
		    &g->stored);
	if (found != STORE_FAILED &&
	    pidx_add(&g->stored, new, n, existed, &error))
		return true;
	perun_explain_index_error(g->store, version,
	    found == STORE_FAILED ? NULL : &error, &g->why);
	filter_fail(f, "%s; nothing was added to it (see pidx-fsck --repair)",
	    g->why.data);
	return false;
}

/*
 * Adds n registrations of one version, sorted, to a copy of the index of that
 * version, and stages the copy if anything is new.
 */
static void
stage_index(struct registry *g, struct filter *f, struct registration *r,
    size_t n, enum pidx_layout new_layout)
{
	struct pidx_entry *new = mem_resize(NULL, n, sizeof *new);
	bool *existed = mem_resize(NULL, n, sizeof *existed), ok;
	bool any_new = false;

	for (size_t i = 0; i < n; i++)
		new[i] = r[i].entry;
	ok = add_entries(g, f, r->version, new_layout, new, n, existed);
	for (size_t i = 0; i < n; i++) {
		r[i].failed = !ok;
		r[i].existed = ok && existed[i];
		any_new |= ok && !existed[i];
	}
	if (any_new)
		store_stage_index(g->store, r->version, buf_span(&g->stored));
	free(existed);
	free(new);
}

/* Compares by version, then in the order that pidx_add() requires. */
static int
compare_entries(const void *a, const void *b)
{
	const struct registration *x = a, *y = b;
	int order = memcmp(x->version, y->version, STORE_NAME_SIZE);

	return order != 0 ? order : pidx_compare_object(&x->entry, &y->entry);
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
	size_t next;

	if (g->n == 0)
		return;
	/* An index must never refer to an object that is not durable. */
	store_commit(g->store);
	sort(g->list, g->n, sizeof *g->list, compare_entries);
	store_lock(g->store, STORE_INDEX);
	for (size_t first = 0; first < g->n; first = next) {
		for (next = first + 1; next < g->n; next++)
			if (memcmp(g->list[next].version,
			    g->list[first].version, STORE_NAME_SIZE) != 0)
				break;
		stage_index(g, f, &g->list[first], next - first,
		    new_layout);
	}
	store_commit(g->store);
	store_unlock(g->store, STORE_INDEX);
	sort(g->list, g->n, sizeof *g->list, compare_positions);
}
