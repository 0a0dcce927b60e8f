/* registry - profiles on their way into a store */

#include <stdlib.h>
#include <string.h>

#include "common/err.h"
#include "common/filter.h"
#include "common/perun.h"
#include "common/profile.h"
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
	buf_release(&g->found);
	buf_release(&g->why);
	buf_release(&g->object.text);
}

/* Is the object in the store, and what its name says? */
static bool
is_sound(struct registry *g, const unsigned char *name)
{
	const char *why;

	g->found.len = 0;
	return store_read(g->store, name, &g->found) == STORE_GOOD &&
	    object_unpack(&g->object, span_of(g->found.data, g->found.len),
	    &why) && memcmp(g->object.name, name, STORE_NAME) == 0;
}

static struct span
keep(struct registry *g, struct span s)
{
	return span_of(arena_text(&g->arena, s.p, s.n), s.n);
}

void
registry_add(struct registry *g, const struct profile *p,
    const struct source *from)
{
	struct registration r = { .entry.time = from->time, .place = g->n };

	g->packed.len = 0;
	object_pack(p->type, span_of(p->body.data, p->body.len),
	    r.entry.object, &g->packed);
	if (!is_sound(g, r.entry.object))
		store_stage(g->store, r.entry.object,
		    span_of(g->packed.data, g->packed.len));
	memcpy(r.version, from->version, STORE_NAME);
	r.entry.path = keep(g, from->path);
	r.job = keep(g, from->job);
	profile_strings(p, &g->arena, r.entry.strings);
	g->list = mem_grow(g->list, &g->cap, g->n + 1, sizeof *g->list);
	g->list[g->n++] = r;
}

/* An index, as it is or empty; false if it cannot be read, which is told. */
static bool
read_index(struct registry *g, struct filter *f, const unsigned char *version,
    enum pidx_layout new_layout, struct pidx *index)
{
	enum store_found found = perun_index(g->store, version, &g->found,
	    index, &g->why);

	if (found == STORE_ABSENT)
		index->layout = new_layout;
	if (found == STORE_BAD)
		filter_fail(f, "%s; nothing was added to it (see pidx-fsck "
		    "--repair)", g->why.data);
	return found != STORE_BAD;
}

static int
compare_entries(const void *a, const void *b)
{
	return pidx_compare(a, b);
}

/*
 * The entries sorted, in a copy if they are not: nothing makes sure of it.
 */
static struct pidx_entry *
sort_entries(const struct pidx *index)
{
	struct pidx_entry *copy, *e = index->entries;
	size_t i = 1;

	while (i < index->n && pidx_compare(&e[i - 1], &e[i]) <= 0)
		i++;
	if (i >= index->n)
		return e;
	copy = mem_resize(NULL, index->n, sizeof *copy);
	memcpy(copy, e, index->n * sizeof *copy);
	qsort(copy, index->n, sizeof *copy, compare_entries);
	return copy;
}

/* Is there one of the same path, time and object among sorted ones? */
static bool
has_entry(const struct pidx_entry *list, size_t n, const struct pidx_entry *e)
{
	size_t low = 0, high = n, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (pidx_compare(&list[middle], e) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < n && pidx_compare(&list[low], e) == 0; low++)
		if (memcmp(list[low].object, e->object, PIDX_SHA) == 0)
			return true;
	return false;
}

/*
 * Those of the registrations [first, last) that the index has not are left, at
 * the front of new.
 */
static size_t
drop_known(struct registry *g, size_t first, size_t last,
    const struct pidx *index, struct pidx_entry *new)
{
	struct pidx_entry *old = sort_entries(index);
	struct registration *r = g->list;
	size_t n = 0;

	for (size_t i = first; i < last; i++) {
		r[i].existed = has_entry(old, index->n, &r[i].entry) ||
		    (i > first && pidx_compare_object(&r[i].entry,
		    &r[i - 1].entry) == 0);
		if (!r[i].existed)
			new[n++] = r[i].entry;
	}
	if (old != index->entries)
		free(old);
	return n;
}

/* The registrations [first, last) are of one version. */
static void
write_index(struct registry *g, struct filter *f, size_t first, size_t last,
    enum pidx_layout new_layout)
{
	const unsigned char *version = g->list[first].version;
	struct pidx_entry *new = mem_resize(NULL, last - first, sizeof *new);
	struct buf bytes = { 0 };
	struct pidx index;
	size_t n;

	store_lock(g->store, STORE_INDEX);
	if (read_index(g, f, version, new_layout, &index)) {
		n = drop_known(g, first, last, &index, new);
		pidx_insert(&index, new, n);
		pidx_write(&index, &bytes);
		if (n > 0)
			store_replace(g->store, version,
			    span_of(bytes.data, bytes.len));
		else
			store_sync(g->store);
	} else {
		for (size_t i = first; i < last; i++)
			g->list[i].failed = true;
	}
	store_unlock(g->store, STORE_INDEX);
	pidx_release(&index);
	buf_release(&bytes);
	free(new);
}

static int
compare_versions(const void *a, const void *b)
{
	const struct registration *x = a, *y = b;
	int order = memcmp(x->version, y->version, STORE_NAME);

	return order != 0 ? order : pidx_compare_object(&x->entry, &y->entry);
}

static int
compare_places(const void *a, const void *b)
{
	const struct registration *x = a, *y = b;

	return (x->place > y->place) - (x->place < y->place);
}

void
registry_commit(struct registry *g, struct filter *f,
    enum pidx_layout new_layout)
{
	size_t last;

	if (g->n == 0)
		return;
	store_commit(g->store);
	qsort(g->list, g->n, sizeof *g->list, compare_versions);
	for (size_t first = 0; first < g->n; first = last) {
		for (last = first + 1; last < g->n; last++)
			if (memcmp(g->list[last].version,
			    g->list[first].version, STORE_NAME) != 0)
				break;
		write_index(g, f, first, last, new_layout);
	}
	qsort(g->list, g->n, sizeof *g->list, compare_places);
}
