/* texts - keeps many texts, each as its difference from the previous one */

#include <stdlib.h>

#include "common/base/mem.h"
#include "common/base/num.h"
#include "common/base/search.h"
#include "common/base/texts.h"

/*
 * A text is stored as the number of bytes that it shares with the previous one
 * (one byte), the number of the other bytes, and these bytes.  The latter
 * number is in digits of seven bits, the lowest first; the top bit is set in
 * all but the last.
 */
enum { SHARED_MAX = 255, LENGTH_MAX = 10 };

void
texts_release(struct texts *t)
{
	buf_release(&t->bytes);
	buf_release(&t->last);
	free(t->groups);
	*t = (struct texts){ 0 };
}

static void
put_length(struct buf *b, size_t n)
{
	for (; n >= 0x80; n >>= 7)
		buf_char(b, (char)(n | 0x80));
	buf_char(b, (char)n);
}

static const char *
get_length(const char *p, size_t *n)
{
	unsigned shift = 0;

	*n = 0;
	do {
		*n |= (size_t)(*p & 0x7f) << shift;
		shift += 7;
	} while ((*p++ & 0x80) != 0);
	return p;
}

uint32_t
texts_add(struct texts *t, struct span text)
{
	size_t shared = 0, place = t->bytes.len;

	if (text.n >= INDEX_NONE || place + LENGTH_MAX + 1 + text.n >=
	    INDEX_NONE)
		die("the names are too large to keep in memory");
	if (t->n++ % TEXTS_GROUP == 0) {
		t->groups = mem_grow(t->groups, &t->groups_cap,
		    t->n_groups + 1, sizeof *t->groups);
		t->groups[t->n_groups++] = (uint32_t)place;
	} else {
		while (shared < t->last.len && shared < text.n &&
		    shared < SHARED_MAX &&
		    t->last.data[shared] == text.p[shared])
			shared++;
	}
	buf_char(&t->bytes, (char)shared);
	put_length(&t->bytes, text.n - shared);
	buf_add(&t->bytes, text.p + shared, text.n - shared);
	t->last.len = shared;
	buf_add(&t->last, text.p + shared, text.n - shared);
	return (uint32_t)place;
}

void
texts_get(const struct texts *t, uint32_t place, struct buf *to)
{
	size_t group = SEARCH_FIRST(i, t->n_groups, t->groups[i] > place) - 1;
	const char *p = t->bytes.data + t->groups[group];
	const char *wanted = t->bytes.data + place, *at;
	size_t n;

	to->len = 0;
	do {
		at = p;
		to->len = (unsigned char)*p;
		p = get_length(p + 1, &n);
		buf_add(to, p, n);
		p += n;
	} while (at != wanted);
}
