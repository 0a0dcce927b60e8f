/* salvage - recovers entries from a malformed index */

#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/search.h"
#include "filters/pidx-fsck/salvage.h"

/*
 * Choosing the entries is weighted interval scheduling, solved by dynamic
 * programming from the last candidate to the first.  Choices are compared by
 * score: the number of entries and, if that is equal, the number of joints.
 * A joint is a place where two chosen entries touch, or one of them touches the
 * header or the end of the file.  An example with three candidates, of which A
 * has a damaged length, so that it contains the others:
 *
 *	offset	    12	       112	  222		400
 *	candidates  A-----------------------------------A
 *			       B----------BC------------C
 *
 *	{ A }	    1 entry, 2 joints (header to A, A to the end)
 *	{ B, C }    2 entries, 2 joints (B to C, C to the end): the best
 *
 * For each candidate i, in the order of their starts, two scores are computed:
 * best_with, of the best choice whose first entry is i, and best_from, of the
 * best choice among i and the candidates after it.  If j is the first candidate
 * that starts at or after the end of i:
 *
 *	best_with(i) = 1 entry, and a joint if i touches the header, plus
 *	    best_with(j) and a joint, if j starts exactly at the end of i and
 *	    that sum is not less than best_from(j); otherwise best_from(j)
 *	best_from(i) = the greater of best_with(i) and best_from(i + 1)
 *
 * If there is no j, no entry follows i: in place of a score of j, one joint is
 * added if i ends at the end of the file, and otherwise nothing.
 */

/* An entry begins with the time (4 bytes), the object's name and the path. */
enum { OBJECT_OFFSET = 4, PATH_OFFSET = OBJECT_OFFSET + PIDX_SHA_SIZE };

/*
 * The length of a path, with its NUL.  Perun before 0.5 wrote complete paths,
 * which Linux limits to this length.
 */
enum { PATH_LEN_MAX = 4096 };

struct score {
	size_t n_entries, n_joints;
};

struct candidate {
	size_t start, end;	/* offsets in the index; end is one past it */
	struct score best_with, best_from;
	size_t next;		/* the first candidate that starts at or after
				   end (j in the formulas above) */
	bool next_follows;	/* best_with includes the entry `next` */
};

struct candidates {
	struct candidate *list;
	size_t n, cap;
};

static bool
is_less(struct score a, struct score b)
{
	return a.n_entries != b.n_entries ? a.n_entries < b.n_entries :
	    a.n_joints < b.n_joints;
}

/* Does an entry at this offset have a path that ends with a NUL? */
static bool
has_terminated_path(struct span bytes, size_t at)
{
	size_t remaining = bytes.n - at - PATH_OFFSET;

	return memchr(bytes.p + at + PATH_OFFSET, '\0',
	    remaining < PATH_LEN_MAX ? remaining : PATH_LEN_MAX) != NULL;
}

/*
 * Finds all candidates of a layout.  The tests are ordered by cost; most
 * offsets fail the first one, which searches for the object's name.
 */
static void
find_candidates(struct candidates *c, struct span bytes,
    enum pidx_layout layout,
    bool (*is_object)(void *context, const unsigned char *name), void *context)
{
	struct pidx_entry e;
	size_t end;

	c->n = 0;
	for (size_t at = 0; at + PATH_OFFSET < bytes.n; at++) {
		if (!is_object(context, (const unsigned char *)bytes.p + at +
		    OBJECT_OFFSET) || !has_terminated_path(bytes, at) ||
		    !pidx_entry_at(bytes, at, layout, &e, &end))
			continue;
		c->list = mem_grow(c->list, &c->cap, c->n + 1,
		    sizeof *c->list);
		c->list[c->n++] = (struct candidate){ .start = at, .end = end };
	}
}

/*
 * Computes all scores; returns the score of the best choice.  size is that of
 * the index.
 */
static struct score
compute_scores(struct candidates *c, size_t size)
{
	struct score best = { 0, 0 }, next;
	struct candidate *e;

	for (size_t i = c->n; i-- > 0;) {
		e = &c->list[i];
		e->next = SEARCH_FIRST(k, c->n, c->list[k].start >= e->end);
		next = (struct score){ 0, e->end == size };
		if (e->next < c->n) {
			next = c->list[e->next].best_with;
			next.n_joints++;
			e->next_follows = c->list[e->next].start == e->end &&
			    !is_less(next, c->list[e->next].best_from);
			if (!e->next_follows)
				next = c->list[e->next].best_from;
		}
		e->best_with = (struct score){ next.n_entries + 1,
		    next.n_joints + (e->start == PIDX_HEADER_SIZE) };
		if (!is_less(e->best_with, best))
			best = e->best_with;
		e->best_from = best;
	}
	return best;
}

/* Adds the entries of the best choice, by following the scores. */
static void
choose_entries(struct pidx *p, const struct candidates *c, struct span bytes)
{
	const struct candidate *e;
	/* Whether best_with of the entry chosen last includes candidate i. */
	bool is_included = false;
	size_t end;

	for (size_t i = 0; i < c->n;) {
		e = &c->list[i];
		if (!is_included && is_less(e->best_with, e->best_from)) {
			i++;
			continue;
		}
		p->entries = mem_grow(p->entries, &p->cap, p->n + 1,
		    sizeof *p->entries);
		pidx_entry_at(bytes, e->start, p->layout,
		    &p->entries[p->n++], &end);
		is_included = e->next_follows;
		i = e->next;
	}
}

/*
 * Sets layouts to those to try, the most likely one first; returns how many
 * they are.  The header has a magic number and the version, 1 or 2.
 */
static size_t
possible_layouts(struct span bytes, enum pidx_layout *layouts)
{
	bool has_magic = bytes.n >= 8 && memcmp(bytes.p, "pidx", 4) == 0;
	bool is_1 = bytes.n >= 8 && memcmp(bytes.p + 4, "\1\0\0\0", 4) == 0;
	bool is_2 = bytes.n >= 8 && memcmp(bytes.p + 4, "\2\0\0\0", 4) == 0;

	if (is_1) {
		layouts[0] = PIDX_1;
		layouts[1] = PIDX_2;
		layouts[2] = PIDX_2_LABEL;
		return has_magic ? 1 : 3;
	}
	layouts[0] = PIDX_2;
	layouts[1] = PIDX_2_LABEL;
	layouts[2] = PIDX_1;
	return has_magic && is_2 ? 2 : 3;
}

void
salvage(struct pidx *p, struct span bytes,
    bool (*is_object)(void *context, const unsigned char *name), void *context)
{
	struct candidates c = { 0 };
	struct score best = { 0, 0 }, score;
	enum pidx_layout layouts[3];
	size_t n = possible_layouts(bytes, layouts);

	*p = (struct pidx){ .layout = layouts[0] };
	for (size_t i = 0; i < n; i++) {
		find_candidates(&c, bytes, layouts[i], is_object, context);
		score = compute_scores(&c, bytes.n);
		if (!is_less(best, score))
			continue;
		best = score;
		pidx_release(p);
		p->layout = layouts[i];
		choose_entries(p, &c, bytes);
	}
	free(c.list);
}
