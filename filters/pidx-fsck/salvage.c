/* salvage - recovers entries from a malformed index */

#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/search.h"
#include "filters/pidx-fsck/salvage.h"

/*
 * Choosing the entries is weighted interval scheduling, solved by dynamic
 * programming from the last candidate to the first.  The weight is a score: the
 * number of entries, then the number of joints, which are the places where two
 * neighbours touch.  An example with three entries, of which A has a damaged
 * length so that it swallows the others:
 *
 *	offset	    12	       112	  222		400
 *	candidates  A-----------------------------------A
 *			       B----------BC------------C
 *
 *	{ A }	    1 entry, 2 joints (header to A, A to the end)
 *	{ B, C }    2 entries, 2 joints (B to C, C to the end): taken
 *
 * For each candidate two scores are computed: `taken`, the best of all choices
 * that begin with it, and `best`, the best of all choices from the candidates
 * from here on.  Both follow from those of the first candidate that begins at
 * or after its end:
 *
 *	taken = 1 entry + best of that candidate, or + its taken and one joint
 *		if it begins exactly at the end and this is not worse
 *	best  = the greater of taken and the best of the next candidate
 */

/* Perun before 0.5 wrote complete paths, limited by the system. */
enum { PATH_LEN_MAX = 4096, PATH_OFFSET = 24 };

struct score {
	size_t n_entries, n_joints;
};

struct candidate {
	size_t start, end;
	struct score taken, best;	/* see above */
	size_t next;		/* the first candidate from end on */
	bool joined;		/* if taken, next is taken as well */
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

static bool
has_terminated_path(struct span bytes, size_t at)
{
	size_t left = bytes.n - at - PATH_OFFSET;

	return memchr(bytes.p + at + PATH_OFFSET, '\0',
	    left < PATH_LEN_MAX ? left : PATH_LEN_MAX) != NULL;
}

/*
 * The tests are ordered by cost: most offsets fail the first one, a look-up in
 * the list of objects.
 */
static void
find_candidates(struct candidates *c, struct span bytes,
    enum pidx_layout layout,
    bool (*is_object)(void *of, const unsigned char *name), void *of)
{
	struct pidx_entry e;
	size_t end;

	c->n = 0;
	for (size_t at = 0; at + PATH_OFFSET < bytes.n; at++) {
		if (!is_object(of, (const unsigned char *)bytes.p + at + 4) ||
		    !has_terminated_path(bytes, at) ||
		    !pidx_entry_at(bytes, at, layout, &e, &end))
			continue;
		c->list = mem_grow(c->list, &c->cap, c->n + 1,
		    sizeof *c->list);
		c->list[c->n++] = (struct candidate){ .start = at, .end = end };
	}
}

/* The first candidate that begins at or after an offset. */
static size_t
first_candidate_from(const struct candidates *c, size_t offset)
{
	return SEARCH_FIRST(i, c->n, c->list[i].start >= offset);
}

/* Computes the scores of all candidates; returns the best of the first. */
static struct score
compute_scores(struct candidates *c, size_t size)
{
	struct score best = { 0, 0 }, next;
	struct candidate *e;

	for (size_t i = c->n; i-- > 0;) {
		e = &c->list[i];
		e->next = first_candidate_from(c, e->end);
		next = (struct score){ 0, e->end == size };
		if (e->next < c->n) {
			next = c->list[e->next].taken;
			next.n_joints++;
			e->joined = c->list[e->next].start == e->end &&
			    !is_less(next, c->list[e->next].best);
			if (!e->joined)
				next = c->list[e->next].best;
		}
		e->taken = (struct score){ next.n_entries + 1, next.n_joints +
		    (e->start == PIDX_HEADER_SIZE) };
		if (!is_less(e->taken, best))
			best = e->taken;
		e->best = best;
	}
	return best;
}

/* Follows the scores from the first candidate on. */
static void
choose_entries(struct pidx *p, const struct candidates *c, struct span bytes)
{
	const struct candidate *e;
	bool joined = false;
	size_t end;

	for (size_t i = 0; i < c->n;) {
		e = &c->list[i];
		if (!joined && is_less(e->taken, e->best)) {
			i++;
			continue;
		}
		p->entries = mem_grow(p->entries, &p->cap, p->n + 1,
		    sizeof *p->entries);
		pidx_entry_at(bytes, e->start, p->layout,
		    &p->entries[p->n++], &end);
		joined = e->joined;
		i = e->next;
	}
}

/* The layouts to try, most likely first; returns how many. */
static size_t
possible_layouts(struct span bytes, enum pidx_layout *layouts)
{
	bool is_index = bytes.n >= 8 && memcmp(bytes.p, "pidx", 4) == 0;
	bool is_1 = bytes.n >= 8 && memcmp(bytes.p + 4, "\1\0\0\0", 4) == 0;
	bool is_2 = bytes.n >= 8 && memcmp(bytes.p + 4, "\2\0\0\0", 4) == 0;

	layouts[is_1 ? 1 : 0] = PIDX_2;
	layouts[is_1 ? 2 : 1] = PIDX_2_ARGS;
	layouts[is_1 ? 0 : 2] = PIDX_1;
	return !is_index ? 3 : is_1 ? 1 : is_2 ? 2 : 3;
}

void
salvage(struct pidx *p, struct span bytes,
    bool (*is_object)(void *of, const unsigned char *name), void *of)
{
	struct candidates c = { 0 };
	struct score best = { 0, 0 }, score;
	enum pidx_layout layouts[3];
	size_t n = possible_layouts(bytes, layouts);

	*p = (struct pidx){ .layout = layouts[0] };
	for (size_t i = 0; i < n; i++) {
		find_candidates(&c, bytes, layouts[i], is_object, of);
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
