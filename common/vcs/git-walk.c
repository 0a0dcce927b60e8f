/* vcs-git-walk - the history of git, in git's order */

#include <stdlib.h>

#include "common/base/mem.h"
#include "common/base/num.h"
#include "common/vcs/git.h"

/*
 * The order is that of git-rev-list(1): of the commits that have been reached
 * the one with the latest time is next, of equal ones the one reached first.
 * If some are hidden, all that are to be shown are found before the first is.
 *
 * libgit2 has such a walk.  It fails where a shallow clone ends, before it has
 * shown the last commits; it reads each commit and leaves the caller to read
 * it again; and it keeps those reached in a sorted list, which takes time by
 * the square where many wait.
 */
enum walked_flags { REACHED = 1, READ = 2, HIDDEN = 4, WAITING = 8 };

struct walked {
	git_oid id;
	uint8_t flags;
	uint32_t n_parents, parents;	/* a place in the walk's parents */
	int64_t time_s;
	git_odb_object *object;		/* until it is shown */
};

/* Of those waiting the one that is_before() all others is heap[0]. */
struct waiting {
	int64_t time_s;
	uint32_t turn, commit;
};

/*
 * When the shown ones seem to be exhausted, so many more hidden ones are
 * looked at, for clocks of committers differ: git does the same, and what is
 * found depends on it.
 */
enum { HIDDEN_MORE = 5 };

static struct span
key_of(const void *owner, uint32_t place)
{
	const struct gitvcs_walk *w = owner;

	return span_bytes(w->commits[place].id.id,
	    sizeof w->commits[place].id.id);
}

/* The place of a commit, which may be new. */
static uint32_t
place_of(struct gitvcs_walk *w, const git_oid *id)
{
	uint32_t place;

	if (w->n >= INDEX_NONE)
		die("too many commits");
	place = map_find_or_add_inline(&w->map, span_bytes(id->id,
	    sizeof id->id), (uint32_t)w->n, key_of);
	if (place < w->n)
		return place;
	w->commits = mem_grow(w->commits, &w->cap, w->n + 1,
	    sizeof *w->commits);
	w->commits[w->n++] = (struct walked){ .id = *id };
	return place;
}

static bool
is_before(const struct waiting *a, const struct waiting *b)
{
	return a->time_s != b->time_s ? a->time_s > b->time_s :
	    a->turn < b->turn;
}

static void
push(struct gitvcs_walk *w, uint32_t place)
{
	struct walked *c = &w->commits[place];
	struct waiting new = { c->time_s, w->n_pushed++, place };
	size_t at = w->n_heap++, above;

	c->flags |= WAITING;
	w->n_shown += !(c->flags & HIDDEN);
	w->heap = mem_grow(w->heap, &w->heap_cap, w->n_heap, sizeof *w->heap);
	for (; at > 0; at = above) {
		above = (at - 1) / 2;
		if (!is_before(&new, &w->heap[above]))
			break;
		w->heap[at] = w->heap[above];
	}
	w->heap[at] = new;
}

static uint32_t
pop(struct gitvcs_walk *w)
{
	struct waiting top = w->heap[0], last = w->heap[--w->n_heap];
	struct walked *c = &w->commits[top.commit];
	size_t at = 0, below;

	while ((below = at * 2 + 1) < w->n_heap) {
		if (below + 1 < w->n_heap &&
		    is_before(&w->heap[below + 1], &w->heap[below]))
			below++;
		if (!is_before(&w->heap[below], &last))
			break;
		w->heap[at] = w->heap[below];
		at = below;
	}
	w->heap[at] = last;
	c->flags &= (uint8_t)~WAITING;
	w->n_shown -= !(c->flags & HIDDEN);
	return top.commit;
}

static bool
add_parents(struct vcs *v, uint32_t place, struct span lines)
{
	struct gitvcs_walk *w = &((struct gitvcs *)v->own)->walk;
	size_t n = lines.n / GIT_PARENT_LINE;
	const char *digits = lines.p + sizeof "parent " - 1;
	git_oid id;

	if (n > UINT32_MAX - w->n_parents)
		die("too many commits");
	w->commits[place].parents = (uint32_t)w->n_parents;
	w->commits[place].n_parents = (uint32_t)n;
	w->parents = mem_grow(w->parents, &w->parents_cap, w->n_parents + n,
	    sizeof *w->parents);
	for (size_t i = 0; i < n; i++, digits += GIT_PARENT_LINE) {
		if (git_oid_fromstrn(&id, digits, VCS_ID_LEN) != 0)
			return gitvcs_fail(v, "a parent of a commit is no id");
		w->parents[w->n_parents++] = place_of(w, &id);
	}
	return true;
}

/* Learns a commit's time and parents. */
static bool
read_commit(struct vcs *v, uint32_t place)
{
	struct gitvcs_walk *w = &((struct gitvcs *)v->own)->walk;
	git_odb_object *object;
	struct gitvcs_fields f;
	struct walked *c;

	if (w->commits[place].flags & READ)
		return true;
	if (!gitvcs_read_commit(v, &w->commits[place].id, &object))
		return false;
	w->commits[place].object = object;
	if (!gitvcs_fields_of(v, object, &f) ||
	    !add_parents(v, place, f.parents))
		return false;
	c = &w->commits[place];
	c->flags |= READ;
	c->time_s = gitvcs_time(f.committer);
	if (c->time_s == INT_UNKNOWN)
		c->time_s = 0;
	return true;
}

static void
forget_object(struct walked *c)
{
	git_odb_object_free(c->object);
	c->object = NULL;
}

/* Hides one commit; true if it was not hidden before. */
static bool
hide(struct gitvcs_walk *w, uint32_t place)
{
	struct walked *c = &w->commits[place];

	if (c->flags & HIDDEN)
		return false;
	c->flags |= HIDDEN;
	w->n_shown -= (c->flags & WAITING) != 0;
	return true;
}

/* Hides the parents of a commit; those that are new to it are to follow. */
static void
hide_parents(struct gitvcs_walk *w, uint32_t place)
{
	const struct walked *c = &w->commits[place];
	uint32_t parent;

	w->to_hide = mem_grow(w->to_hide, &w->to_hide_cap,
	    w->n_to_hide + c->n_parents, sizeof *w->to_hide);
	for (uint32_t i = 0; i < c->n_parents; i++) {
		parent = w->parents[c->parents + i];
		if (hide(w, parent))
			w->to_hide[w->n_to_hide++] = parent;
	}
}

/* Hides a commit and what leads to it, as far as that has been read. */
static void
hide_history(struct gitvcs_walk *w, uint32_t place)
{
	hide(w, place);
	hide_parents(w, place);
	while (w->n_to_hide > 0)
		hide_parents(w, w->to_hide[--w->n_to_hide]);
}

/* Reads a commit that has been reached and lets it wait for its turn. */
static bool
reach(struct vcs *v, uint32_t place)
{
	struct gitvcs_walk *w = &((struct gitvcs *)v->own)->walk;

	if (w->commits[place].flags & REACHED)
		return true;
	if (!read_commit(v, place))
		return false;
	w->commits[place].flags |= REACHED;
	push(w, place);
	if (w->limited)
		forget_object(&w->commits[place]);
	return true;
}

static bool
reach_parents(struct vcs *v, uint32_t place)
{
	struct gitvcs_walk *w = &((struct gitvcs *)v->own)->walk;
	uint32_t n = w->commits[place].n_parents;

	if (w->first_parent && n > 1)
		n = 1;
	for (uint32_t i = 0; i < n; i++)
		if (!reach(v, w->parents[w->commits[place].parents + i]))
			return false;
	return true;
}

/* A parent that is missing does not matter here. */
static void
reach_hidden_parents(struct vcs *v, uint32_t place)
{
	struct gitvcs_walk *w = &((struct gitvcs *)v->own)->walk;
	uint32_t parent;

	for (uint32_t i = 0; i < w->commits[place].n_parents; i++) {
		parent = w->parents[w->commits[place].parents + i];
		if (read_commit(v, parent)) {
			hide_history(w, parent);
			reach(v, parent);
		}
	}
}

static bool
must_go_on(const struct gitvcs_walk *w, int64_t last_shown_s, unsigned *more)
{
	if (w->n_heap == 0)
		return false;
	if (last_shown_s <= w->heap[0].time_s || w->n_shown > 0)
		*more = HIDDEN_MORE;
	else
		--*more;
	return *more > 0;
}

/* All that is to be shown, some of which may turn out to be hidden. */
static bool
find_all(struct vcs *v)
{
	struct gitvcs_walk *w = &((struct gitvcs *)v->own)->walk;
	int64_t last_shown_s = INT64_MAX;
	unsigned more = HIDDEN_MORE;
	uint32_t place;

	while (w->n_heap > 0) {
		place = pop(w);
		if (w->commits[place].flags & HIDDEN) {
			reach_hidden_parents(v, place);
			if (!must_go_on(w, last_shown_s, &more))
				break;
			continue;
		}
		if (!reach_parents(v, place))
			return false;
		last_shown_s = w->commits[place].time_s;
		w->found = mem_grow(w->found, &w->found_cap, w->n_found + 1,
		    sizeof *w->found);
		w->found[w->n_found++] = place;
	}
	return true;
}

/* Reads the limits, that all are known as hidden before any is reached. */
static bool
read_limits(struct vcs *v, const struct vcs_limit *limits, size_t n,
    uint32_t *places)
{
	struct gitvcs_walk *w = &((struct gitvcs *)v->own)->walk;
	git_oid id;

	for (size_t i = 0; i < n; i++) {
		if (git_oid_fromstr(&id, limits[i].id.hex) != 0)
			return gitvcs_fail(v, "'%s' is no id",
			    limits[i].id.hex);
		places[i] = place_of(w, &id);
		if (!read_commit(v, places[i]))
			return false;
		if (!limits[i].hidden)
			continue;
		w->limited = true;
		hide_history(w, places[i]);
	}
	return true;
}

bool
gitvcs_walk_begin(struct vcs *v, const struct vcs_limit *limits, size_t n,
    bool first_parent)
{
	struct gitvcs_walk *w = &((struct gitvcs *)v->own)->walk;
	uint32_t *places = mem_resize(NULL, n, sizeof *places);
	bool good;

	gitvcs_walk_end(w);
	w->first_parent = first_parent;
	map_init(&w->map, key_of, w);
	good = read_limits(v, limits, n, places);
	for (size_t i = 0; good && i < n; i++)
		good = reach(v, places[i]);
	free(places);
	return good && (!w->limited || find_all(v));
}

/* The next commit in the order, with its object. */
static enum vcs_found
next_found(struct vcs *v, uint32_t *place)
{
	struct gitvcs_walk *w = &((struct gitvcs *)v->own)->walk;
	struct walked *c;

	while (w->next < w->n_found) {
		*place = w->found[w->next++];
		c = &w->commits[*place];
		if (!(c->flags & HIDDEN))
			return c->object != NULL || gitvcs_read_commit(v,
			    &c->id, &c->object) ? VCS_FOUND : VCS_FAILED;
	}
	return VCS_NONE;
}

static enum vcs_found
next_waiting(struct vcs *v, uint32_t *place)
{
	struct gitvcs_walk *w = &((struct gitvcs *)v->own)->walk;

	if (w->n_heap == 0)
		return VCS_NONE;
	*place = pop(w);
	return reach_parents(v, *place) ? VCS_FOUND : VCS_FAILED;
}

enum vcs_found
gitvcs_walk_object(struct vcs *v, git_odb_object **object)
{
	struct gitvcs_walk *w = &((struct gitvcs *)v->own)->walk;
	enum vcs_found found;
	uint32_t place;

	found = w->limited ? next_found(v, &place) : next_waiting(v, &place);
	if (found != VCS_FOUND)
		return found;
	*object = w->commits[place].object;
	w->commits[place].object = NULL;
	return VCS_FOUND;
}

enum vcs_found
gitvcs_walk_next(struct vcs *v, struct vcs_version *version)
{
	git_odb_object *object;
	enum vcs_found found = gitvcs_walk_object(v, &object);

	return found != VCS_FOUND || gitvcs_version(v, object, version) ?
	    found : VCS_FAILED;
}

void
gitvcs_walk_end(struct gitvcs_walk *w)
{
	for (size_t i = 0; i < w->n; i++)
		git_odb_object_free(w->commits[i].object);
	if (w->map.key_of != NULL)
		map_release(&w->map);
	free(w->commits);
	free(w->parents);
	free(w->heap);
	free(w->to_hide);
	free(w->found);
	*w = (struct gitvcs_walk){ 0 };
}
