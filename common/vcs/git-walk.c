/* git-walk - walks over the history of git, in git's order */

#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/num.h"
#include "common/vcs/git-commit.h"
#include "common/vcs/git-repo.h"
#include "common/vcs/git-walk.h"
#include "common/vcs/git.h"

/*
 * The order is that of git-rev-list(1) without options, commits by date: a
 * priority queue holds the commits that have been reached.  The
 * commit with the latest time is next or, if times are equal, the one that was
 * reached first.  When it is taken out, its parents are put in.  So a
 * parent comes after the child through which it was reached, and after its
 * other children if the clocks of the committers agree.  An example with times
 * in parentheses, where each commit is to the left of its parents:
 *
 *	A(40) -- B(30) -- D(10)		queue: A; C B; B D; D
 *	    \-- C(35) ----/		order: A C B D
 *
 * "^REV" excludes a commit and its history (git calls these commits
 * uninteresting).  A commit may turn out to be excluded after it was taken
 * out, so a walk with excluded tips is completed before the first commit is
 * returned (git calls such a walk limited).  It takes times and parents from
 * the commit-graph, if there is one, and reads only the commits it returns.
 *
 * libgit2 has a walk of its own, which is not used here: it fails where a
 * shallow clone ends, before it has returned the last commits; it reads each
 * commit, and the caller has to read the commit again; and its queue is a
 * sorted list, which takes quadratic time if there are many commits in it.
 */
enum walk_flags { REACHED = 1, PARSED = 2, EXCLUDED = 4, QUEUED = 8,
    FROM_GRAPH = 16 };

struct walk_commit {
	git_oid id;
	uint8_t flags;			/* of enum walk_flags */
	uint32_t position;		/* in the graph, or INDEX_NONE */
	uint32_t n_parents;
	uint32_t parents;		/* where they begin in walk.parents */
	uint32_t sequence;		/* n_pushed when put into the queue */
	int64_t time_s;
	git_odb_object *object;		/* NULL if not in memory */
};

/*
 * When only excluded commits remain in the queue, this many more of them are
 * examined, because the clocks of committers differ.  git has the same constant
 * (also named SLOP), and the commits that a walk returns depend on it.
 */
enum { SLOP = 5 };

static struct gitvcs_walk *
walk_of(struct vcs *v)
{
	return &((struct gitvcs *)v->state)->walk;
}

/* The id of a commit, which is its key in the map. */
static struct span
key_of(const void *owner, uint32_t index)
{
	const struct gitvcs_walk *w = owner;

	return span_bytes(w->commits[index].id.id,
	    sizeof w->commits[index].id.id);
}

/* Returns the index of a commit in commits; adds the commit if it is new. */
static uint32_t
find_or_add(struct gitvcs_walk *w, const git_oid *id)
{
	uint32_t index;

	if (w->n >= INDEX_NONE)
		die("too many commits");
	index = map_find_or_add_inline(&w->map, span_bytes(id->id,
	    sizeof id->id), (uint32_t)w->n, key_of);
	if (index < w->n)
		return index;
	w->commits = mem_grow(w->commits, &w->cap, w->n + 1,
	    sizeof *w->commits);
	w->commits[w->n++] = (struct walk_commit){ .id = *id,
	    .position = INDEX_NONE };
	return index;
}

/* Of commits with the same time, the one that was reached first comes first. */
static int
compare_sequence(const void *context, uint32_t a, uint32_t b)
{
	const struct gitvcs_walk *w = context;

	return cmp_u64(w->commits[a].sequence, w->commits[b].sequence);
}

static void
push(struct gitvcs_walk *w, uint32_t index)
{
	struct walk_commit *c = &w->commits[index];

	c->flags |= QUEUED;
	c->sequence = w->n_pushed++;
	w->n_interesting += !(c->flags & EXCLUDED);
	heap_push(&w->queue, ~c->time_s, index);	/* the latest first */
}

static uint32_t
pop(struct gitvcs_walk *w)
{
	uint32_t index = heap_pop(&w->queue).value;
	struct walk_commit *c = &w->commits[index];

	c->flags &= (uint8_t)~QUEUED;
	w->n_interesting -= !(c->flags & EXCLUDED);
	return index;
}

/* Stores the parents of a commit, given the parent lines of its object. */
static bool
add_parents(struct vcs *v, uint32_t index, struct span lines)
{
	struct gitvcs_walk *w = walk_of(v);
	size_t n = lines.n / GIT_PARENT_LINE_BYTES, first = w->n_parents;
	const char *digits = lines.p + sizeof "parent " - 1;
	git_oid id;

	if (n > UINT32_MAX - w->n_parents)
		die("too many commits");
	w->parents = mem_grow(w->parents, &w->parents_cap, w->n_parents + n,
	    sizeof *w->parents);
	for (size_t i = 0; i < n; i++, digits += GIT_PARENT_LINE_BYTES) {
		if (git_oid_fromstrn(&id, digits, VCS_ID_LEN) != 0)
			return gitvcs_fail(v, "the id of a parent is "
			    "malformed");
		w->parents[w->n_parents++] = find_or_add(w, &id);
	}
	w->commits[index].parents = (uint32_t)first;
	w->commits[index].n_parents = (uint32_t)n;
	return true;
}

/* Stores the parents of a commit from the graph; false if it is damaged. */
static bool
add_graph_parents(struct gitvcs_walk *w, uint32_t index,
    struct graph_parents *from)
{
	size_t first = w->n_parents;
	enum parents_found found;
	uint32_t position, parent;
	git_oid id;

	while ((found = graph_parents_next(from, &position)) ==
	    PARENTS_FOUND) {
		if (w->n_parents == UINT32_MAX)
			die("too many commits");
		memcpy(id.id, commit_graph_id(&w->graph, position),
		    sizeof id.id);
		parent = find_or_add(w, &id);
		w->commits[parent].position = position;
		w->parents = mem_grow(w->parents, &w->parents_cap,
		    w->n_parents + 1, sizeof *w->parents);
		w->parents[w->n_parents++] = parent;
	}
	if (found == PARENTS_BAD)
		w->n_parents = first;
	w->commits[index].parents = (uint32_t)first;
	w->commits[index].n_parents = (uint32_t)(w->n_parents - first);
	return found == PARENTS_END;
}

/* Takes the time and the parents of a commit from the graph, if it has them. */
static bool
find_in_graph(struct gitvcs_walk *w, uint32_t index)
{
	uint32_t position = w->commits[index].position;
	struct graph_parents from;

	if (!w->limited || (position == INDEX_NONE &&
	    !commit_graph_find(&w->graph, w->commits[index].id.id, &position)))
		return false;
	commit_graph_read(&w->graph, position, &from);
	if (!add_graph_parents(w, index, &from))
		return false;
	w->commits[index].time_s = from.time_s;
	w->commits[index].flags |= PARSED | FROM_GRAPH;
	return true;
}

/*
 * Reads the time and the parents of a commit, once.  If that fails, the commit
 * stays as it was, because another child of it may cause a second attempt.
 */
static bool
parse_commit(struct vcs *v, uint32_t index)
{
	struct gitvcs_walk *w = walk_of(v);
	git_odb_object *object;
	struct gitvcs_fields f;
	struct walk_commit *c;

	if ((w->commits[index].flags & PARSED) || find_in_graph(w, index))
		return true;
	if (!gitvcs_read_commit(v, &w->commits[index].id, &object))
		return false;
	if (!gitvcs_parse_fields(v, object, &f) ||
	    !add_parents(v, index, f.parents)) {
		git_odb_object_free(object);
		return false;
	}
	c = &w->commits[index];
	c->object = object;
	c->flags |= PARSED;
	c->time_s = gitvcs_person_time(f.committer);
	if (c->time_s == INT_UNKNOWN)
		c->time_s = 0;
	return true;
}

/* Excludes one commit; true if it was not excluded before. */
static bool
exclude(struct gitvcs_walk *w, uint32_t index)
{
	struct walk_commit *c = &w->commits[index];

	if (c->flags & EXCLUDED)
		return false;
	c->flags |= EXCLUDED;
	w->n_interesting -= (c->flags & QUEUED) != 0;
	return true;
}

/*
 * Excludes the parents of a commit.  Those that were not excluded before are
 * pushed to the stack to_exclude, because their parents must be excluded next.
 */
static void
exclude_parents(struct gitvcs_walk *w, uint32_t index)
{
	const struct walk_commit *c = &w->commits[index];
	uint32_t parent;

	w->to_exclude = mem_grow(w->to_exclude, &w->to_exclude_cap,
	    w->n_to_exclude + c->n_parents, sizeof *w->to_exclude);
	for (uint32_t i = 0; i < c->n_parents; i++) {
		parent = w->parents[c->parents + i];
		if (exclude(w, parent))
			w->to_exclude[w->n_to_exclude++] = parent;
	}
}

/* Excludes a commit and that part of its history that has been parsed. */
static void
exclude_history(struct gitvcs_walk *w, uint32_t index)
{
	exclude(w, index);
	exclude_parents(w, index);
	while (w->n_to_exclude > 0)
		exclude_parents(w, w->to_exclude[--w->n_to_exclude]);
}

/*
 * Parses a commit that has been reached and puts it into the queue.  A limited
 * walk does not keep the objects of all its commits in memory: those that it
 * returns are read again.
 */
static bool
reach(struct vcs *v, uint32_t index)
{
	struct gitvcs_walk *w = walk_of(v);
	struct walk_commit *c;

	if (w->commits[index].flags & REACHED)
		return true;
	if (!parse_commit(v, index))
		return false;
	c = &w->commits[index];
	c->flags |= REACHED;
	push(w, index);
	if (w->limited) {
		git_odb_object_free(c->object);
		c->object = NULL;
	}
	return true;
}

static bool
reach_parents(struct vcs *v, uint32_t index)
{
	struct gitvcs_walk *w = walk_of(v);
	uint32_t n = w->commits[index].n_parents;

	if (w->first_parent && n > 1)
		n = 1;
	for (uint32_t i = 0; i < n; i++)
		if (!reach(v, w->parents[w->commits[index].parents + i]))
			return false;
	return true;
}

/* A missing parent of an excluded commit is not an error. */
static void
reach_excluded_parents(struct vcs *v, uint32_t index)
{
	struct gitvcs_walk *w = walk_of(v);
	uint32_t parent;

	for (uint32_t i = 0; i < w->commits[index].n_parents; i++) {
		parent = w->parents[w->commits[index].parents + i];
		if (parse_commit(v, parent)) {
			exclude_history(w, parent);
			reach(v, parent);
		}
	}
}

/*
 * Must the walk go on after an excluded commit?  Decides as still_interesting()
 * of git does.  last_time_s is the time of the last commit that was added to
 * the result; *slop counts down the excluded commits that may still follow.
 */
static bool
must_continue(const struct gitvcs_walk *w, int64_t last_time_s, unsigned *slop)
{
	if (w->queue.n == 0)
		return false;
	if (last_time_s <= w->commits[w->queue.items[0].value].time_s ||
	    w->n_interesting > 0)
		*slop = SLOP;
	else
		--*slop;
	return *slop > 0;
}

/*
 * Completes a limited walk.  The result may contain commits that were excluded
 * after they had been added; next_in_result() skips them.
 */
static bool
walk_all(struct vcs *v)
{
	struct gitvcs_walk *w = walk_of(v);
	int64_t last_time_s = INT64_MAX;
	unsigned slop = SLOP;
	uint32_t index;

	while (w->queue.n > 0) {
		index = pop(w);
		if (w->commits[index].flags & EXCLUDED) {
			reach_excluded_parents(v, index);
			if (!must_continue(w, last_time_s, &slop))
				break;
			continue;
		}
		if (!reach_parents(v, index))
			return false;
		last_time_s = w->commits[index].time_s;
		w->result = mem_grow(w->result, &w->result_cap, w->n_result + 1,
		    sizeof *w->result);
		w->result[w->n_result++] = index;
	}
	return true;
}

bool
gitvcs_walk_begin(struct vcs *v, const struct vcs_tip *tips, size_t n,
    bool first_parent)
{
	struct gitvcs_walk *w = walk_of(v);
	uint32_t *indices = mem_resize(NULL, n, sizeof *indices);
	bool ok = true;
	git_oid id;

	gitvcs_walk_end(w);	/* the previous one */
	w->first_parent = first_parent;
	for (size_t i = 0; i < n; i++)
		w->limited |= tips[i].excluded;
	if (w->limited)
		gitvcs_open_graph(v->state, &w->graph);
	map_init(&w->map, key_of, w);
	w->queue = (struct heap){ .compare = compare_sequence, .context = w };

	/* All exclusions must be known before the walk.  The ids are valid:
	   they are from gitvcs_massage_parameter(). */
	for (size_t i = 0; ok && i < n; i++) {
		git_oid_fromstr(&id, tips[i].id.hex);
		indices[i] = find_or_add(w, &id);
		ok = parse_commit(v, indices[i]);
		if (ok && tips[i].excluded)
			exclude_history(w, indices[i]);
	}
	for (size_t i = 0; ok && i < n; i++)
		ok = reach(v, indices[i]);
	free(indices);
	return ok && (!w->limited || walk_all(v));
}

/* Does the object of a commit have the parents that the graph has said? */
static bool
agrees_with_graph(struct vcs *v, const struct walk_commit *c)
{
	const struct gitvcs_walk *w = walk_of(v);
	struct gitvcs_fields f;
	struct vcs_id hex;
	bool same;

	if (!gitvcs_parse_fields(v, c->object, &f))
		return false;
	same = f.parents.n == (size_t)c->n_parents * GIT_PARENT_LINE_BYTES;
	for (uint32_t i = 0; same && i < c->n_parents; i++) {
		gitvcs_format_id(&hex,
		    &w->commits[w->parents[c->parents + i]].id);
		same = memcmp(hex.hex, f.parents.p + sizeof "parent " - 1 +
		    i * GIT_PARENT_LINE_BYTES, VCS_ID_LEN) == 0;
	}
	gitvcs_format_id(&hex, &c->id);
	return same || vcs_fail(v, "the commit-graph of git is wrong: commit "
	    "%s has other parents (git commit-graph verify)", hex.hex);
}

static enum vcs_found
next_in_result(struct vcs *v, uint32_t *index)
{
	struct gitvcs_walk *w = walk_of(v);
	struct walk_commit *c;

	while (w->next_result < w->n_result) {
		*index = w->result[w->next_result++];
		c = &w->commits[*index];
		if (c->flags & EXCLUDED)
			continue;
		if (c->object != NULL)		/* still in memory */
			return VCS_FOUND;
		if (!gitvcs_read_commit(v, &c->id, &c->object) ||
		    ((c->flags & FROM_GRAPH) && !agrees_with_graph(v, c)))
			return VCS_FAILED;
		return VCS_FOUND;
	}
	return VCS_NOT_FOUND;
}

enum vcs_found
gitvcs_walk_next_object(struct vcs *v, git_odb_object **object)
{
	struct gitvcs_walk *w = walk_of(v);
	enum vcs_found found = VCS_NOT_FOUND;
	uint32_t index;

	if (w->limited) {
		found = next_in_result(v, &index);
	} else if (w->queue.n > 0) {
		index = pop(w);
		found = reach_parents(v, index) ? VCS_FOUND : VCS_FAILED;
	}
	if (found != VCS_FOUND)
		return found;
	*object = w->commits[index].object;
	w->commits[index].object = NULL;
	return VCS_FOUND;
}

enum vcs_found
gitvcs_walk_next(struct vcs *v, struct vcs_version *version)
{
	git_odb_object *object;
	enum vcs_found found = gitvcs_walk_next_object(v, &object);

	return found != VCS_FOUND || gitvcs_parse_version(v, object, version) ?
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
	heap_release(&w->queue);
	free(w->to_exclude);
	free(w->result);
	commit_graph_close(&w->graph);
	*w = (struct gitvcs_walk){ 0 };
}
