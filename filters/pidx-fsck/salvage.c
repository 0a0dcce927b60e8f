/* salvage - what can be saved of an index that is malformed */

#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/search.h"
#include "filters/pidx-fsck/salvage.h"

/* Perun before 0.5 wrote whole paths; none is longer than the system's. */
enum { PATH_MOST = 4096, BEFORE_PATH = 24 };

/* How much a choice saves, and between how much of it there is no gap. */
struct score {
	size_t n, joints;
};

/* An entry that stands in the bytes; best counts from here to the end. */
struct found {
	size_t start, end;
	struct score taken, best;
	size_t next;		/* the first that may follow if it is taken */
	bool joined;		/* ... it is that one, without a gap */
};

struct candidates {
	struct found *list;
	size_t n, cap;
};

static bool
is_less(struct score a, struct score b)
{
	return a.n != b.n ? a.n < b.n : a.joints < b.joints;
}

static bool
has_path(struct span bytes, size_t at)
{
	size_t left = bytes.n - at - BEFORE_PATH;

	return memchr(bytes.p + at + BEFORE_PATH, '\0',
	    left < PATH_MOST ? left : PATH_MOST) != NULL;
}

static void
gather(struct candidates *c, struct span bytes, enum pidx_layout layout,
    bool (*is_object)(void *of, const unsigned char *name), void *of)
{
	struct pidx_entry e;
	size_t end;

	c->n = 0;
	for (size_t at = 0; at + BEFORE_PATH < bytes.n; at++) {
		if (!is_object(of, (const unsigned char *)bytes.p + at + 4) ||
		    !has_path(bytes, at) ||
		    !pidx_entry_at(bytes, at, layout, &e, &end))
			continue;
		c->list = mem_grow(c->list, &c->cap, c->n + 1,
		    sizeof *c->list);
		c->list[c->n++] = (struct found){ .start = at, .end = end };
	}
}

/* The first candidate that begins at an offset or behind it. */
static size_t
first_from(const struct candidates *c, size_t offset)
{
	return SEARCH_FIRST(i, c->n, c->list[i].start >= offset);
}

/* From the last to the first: the best that can be had from each on. */
static struct score
weigh(struct candidates *c, size_t size)
{
	struct score rest = { 0, 0 }, next;
	struct found *e;

	for (size_t i = c->n; i-- > 0;) {
		e = &c->list[i];
		e->next = first_from(c, e->end);
		next = (struct score){ 0, e->end == size };
		if (e->next < c->n) {
			next = c->list[e->next].taken;
			next.joints++;
			e->joined = c->list[e->next].start == e->end &&
			    !is_less(next, c->list[e->next].best);
			if (!e->joined)
				next = c->list[e->next].best;
		}
		e->taken = (struct score){ next.n + 1, next.joints +
		    (e->start == PIDX_HEADER) };
		if (!is_less(e->taken, rest))
			rest = e->taken;
		e->best = rest;
	}
	return rest;
}

static void
take(struct pidx *p, const struct candidates *c, struct span bytes)
{
	const struct found *e;
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

/* Which layouts to try, likeliest first: how many. */
static size_t
layouts_of(struct span bytes, enum pidx_layout *layouts)
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
	size_t n = layouts_of(bytes, layouts);

	*p = (struct pidx){ .layout = layouts[0] };
	for (size_t i = 0; i < n; i++) {
		gather(&c, bytes, layouts[i], is_object, of);
		score = weigh(&c, bytes.n);
		if (!is_less(best, score))
			continue;
		best = score;
		pidx_release(p);
		p->layout = layouts[i];
		take(p, &c, bytes);
	}
	free(c.list);
}
