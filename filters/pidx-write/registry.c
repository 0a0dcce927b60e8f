/* registry - registers profiles in a store */

#include <stdlib.h>
#include <string.h>

#include "common/base/err.h"
#include "common/base/num.h"
#include "common/base/sort.h"
#include "common/frame/filter.h"
#include "common/perun/index.h"
#include "common/perun/layout.h"
#include "common/perun/profile.h"
#include "filters/pidx-write/registry.h"

void
registry_init(struct registry *g, struct perun *perun)
{
	*g = (struct registry){ .perun = perun };
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

	return perun_read_object(&g->perun->store, name, &g->stored,
	    &g->object, &why);
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
		store_stage(&g->perun->store, r.entry.object,
		    buf_span(&g->packed));
	memcpy(r.version, from->version, STORE_NAME_SIZE);
	r.entry.path = arena_span(&g->arena, from->path);
	r.job_file = arena_span(&g->arena, from->job_file);
	profile_strings(p, &g->arena, &r.entry);
	g->list = mem_grow(g->list, &g->cap, g->n + 1, sizeof *g->list);
	g->list[g->n++] = r;
}

/* Joins args to the command, as Perun does where they have no place. */
static void
join_args(struct registry *g, struct span *strings)
{
	struct span cmd = strings[PIDX_CMD], args = strings[PIDX_ARGS];
	struct buf joined = { 0 };

	if (args.n > 0) {
		buf_add(&joined, cmd.p, cmd.n);
		buf_char(&joined, ' ');
		buf_add(&joined, args.p, args.n);
		strings[PIDX_CMD] = arena_span(&g->arena, buf_span(&joined));
		buf_release(&joined);
	}
	strings[PIDX_ARGS] = span_of(NULL, 0);
}

/* Changes the strings of an entry to those that an index of a layout has. */
static void
fit_strings(struct registry *g, enum pidx_layout layout, struct span *strings)
{
	if (layout == PIDX_2 || layout == PIDX_2_LABEL)
		join_args(g, strings);
	if (layout == PIDX_2 || layout == PIDX_2_ARGS)
		strings[PIDX_LABEL] = span_of(NULL, 0);
}

/* The layout of entries that are added to an index, which may be absent. */
static enum pidx_layout
find_layout(struct registry *g, const struct pidx *index)
{
	if (index->n == 0 && g->new_layout == 0)
		g->new_layout = layout_for_new_index(g->perun);
	return layout_for_adding(g->perun, index, g->new_layout);
}

/*
 * Reads the index of a version into g->stored, or starts an empty one there,
 * and finds the layout of new entries.  False if it is malformed.
 */
static bool
load_index(struct registry *g, const unsigned char *version,
    enum pidx_layout *layout)
{
	struct pidx_error error;
	struct pidx index = { 0 };
	enum store_found found;
	bool ok;

	g->stored.len = 0;
	found = index_load(&g->perun->store, version, &g->stored);
	ok = found == STORE_ABSENT || (found == STORE_FOUND &&
	    pidx_parse(&index, buf_span(&g->stored), &error));
	if (ok)
		*layout = find_layout(g, &index);
	else
		index_explain_error(&g->perun->store, version,
		    found == STORE_FAILED ? NULL : &error, &g->why);
	if (found == STORE_ABSENT)
		pidx_serialize(&(struct pidx){ .layout = *layout },
		    &g->stored);
	pidx_release(&index);
	return ok;
}

/*
 * Adds the n entries of new to a copy of the index of a version in g->stored.
 * Returns false, with a report, if the index is malformed or cannot be read.
 */
static bool
add_entries(struct registry *g, struct filter *f, const unsigned char *version,
    struct pidx_entry *new, size_t n, struct pidx_outcome *outcomes)
{
	enum pidx_layout layout = 0;

	if (!load_index(g, version, &layout)) {
		filter_fail(f, "%s; nothing was added to it (see pidx-fsck "
		    "--repair)", g->why.data);
		return false;
	}
	for (size_t i = 0; i < n; i++)
		fit_strings(g, layout, new[i].strings);
	pidx_add(&g->stored, layout, new, n, outcomes);
	return true;
}

/*
 * Adds n registrations of one version, sorted, to a copy of the index of that
 * version, and stages the copy if anything is new.
 */
static void
stage_index(struct registry *g, struct filter *f, struct registration *r,
    size_t n)
{
	struct pidx_entry *new = mem_resize(NULL, n, sizeof *new);
	struct pidx_outcome *outcomes = mem_resize(NULL, n, sizeof *outcomes);
	bool ok, any_new = false;

	for (size_t i = 0; i < n; i++)
		new[i] = r[i].entry;
	ok = add_entries(g, f, r->version, new, n, outcomes);
	for (size_t i = 0; i < n; i++) {
		r[i].failed = !ok;
		if (!ok)
			continue;
		r[i].entry = new[i];
		r[i].outcome = outcomes[i];
		any_new |= !outcomes[i].existed;
	}
	if (any_new)
		store_stage_index(&g->perun->store, r->version,
		    buf_span(&g->stored));
	free(outcomes);
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
	g->new_layout = new_layout;
	/* An index must never refer to an object that is not durable. */
	store_commit(&g->perun->store);
	sort(g->list, g->n, sizeof *g->list, compare_entries);
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
