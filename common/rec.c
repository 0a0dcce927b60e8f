/* rec - an ordered record, and typed access to its fields */

#include <stdlib.h>

#include "common/err.h"
#include "common/rec.h"

/* Places in keys, counted from 1, by a hash that tells most keys apart. */
static unsigned
slot_of(struct span key)
{
	unsigned first = (unsigned char)key.p[0];
	unsigned last = (unsigned char)key.p[key.n - 1];

	return (unsigned)(first * 31 + last * 7 + key.n * 101) % KEY_SLOTS;
}

void
rec_init(struct rec *r, const char *const *keys)
{
	unsigned slot;

	*r = (struct rec){ 0 };
	for (unsigned i = 0; keys[i] != NULL; i++) {
		if (i == KEYS_MAX)
			bug("more than %d declared keys", KEYS_MAX);
		r->keys[i] = span_of(keys[i], strlen(keys[i]));
		slot = slot_of(r->keys[i]);
		while (r->slots[slot] != 0)
			slot = (slot + 1) % KEY_SLOTS;
		r->slots[slot] = (uint8_t)(i + 1);
	}
}

void
rec_release(struct rec *r)
{
	arena_release(&r->arena);
	free(r->fields);
	free(r->items);
}

void
rec_clear(struct rec *r)
{
	r->n = r->n_items = 0;
	memset(r->at, 0, sizeof r->at);
	arena_reset(&r->arena);
}

unsigned
rec_place(const struct rec *r, struct span key)
{
	unsigned place;

	if (key.n == 0)
		return 0;
	for (unsigned i = slot_of(key); (place = r->slots[i]) != 0;
	    i = (i + 1) % KEY_SLOTS)
		if (key.n == r->keys[place - 1].n &&
		    memcmp(key.p, r->keys[place - 1].p, key.n) == 0)
			return place;
	return 0;
}

struct field *
rec_add(struct rec *r, struct span key, bool *is_declared)
{
	unsigned place = rec_place(r, key);

	*is_declared = place != 0;
	return rec_add_at(r, key, place);
}

struct field *
rec_add_at(struct rec *r, struct span key, unsigned place)
{
	struct field *f;

	if (place != 0 && r->at[place - 1] != 0)
		return NULL;
	if (r->n == r->cap)
		r->fields = mem_grow(r->fields, &r->cap, r->n + 1,
		    sizeof *r->fields);
	f = &r->fields[r->n++];
	f->key = key;
	f->mixed = f->is_int = false;
	f->n_items = 0;
	if (place != 0)
		r->at[place - 1] = (uint32_t)r->n;
	return f;
}

void
rec_add_item(struct rec *r, struct span text)
{
	struct field *f = &r->fields[r->n - 1];

	if (f->n_items++ == 0)
		f->first_item = (uint32_t)r->n_items;
	r->items = mem_grow(r->items, &r->items_cap, r->n_items + 1,
	    sizeof *r->items);
	r->items[r->n_items++] = text;
}

const struct field *
rec_get(const struct rec *r, unsigned key)
{
	return r->at[key] == 0 ? NULL : &r->fields[r->at[key] - 1];
}

static enum rec_found
find(const struct rec *r, unsigned key, enum rec_kind kind,
    const struct field **field)
{
	const struct field *f = rec_get(r, key);

	if (f == NULL || f->kind == REC_NULL)
		return REC_ABSENT;
	*field = f;
	return f->kind == kind ? REC_GOOD : REC_BAD;
}

enum rec_found
rec_str(const struct rec *r, unsigned key, struct span *text)
{
	const struct field *f;
	enum rec_found found = find(r, key, REC_STRING, &f);

	if (found == REC_GOOD)
		*text = f->text;
	return found;
}

enum rec_found
rec_int(const struct rec *r, unsigned key, int64_t *value)
{
	const int64_t most = (INT64_C(1) << REC_INT_BITS) - 1;
	const struct field *f;
	enum rec_found found = find(r, key, REC_NUMBER, &f);
	int64_t v;

	if (found != REC_GOOD)
		return found;
	if (f->is_int)
		v = f->integer;
	else if (!text_i64(f->text, &v))
		return REC_BAD;
	if (v < -most || v > most)
		return REC_BAD;
	*value = v;
	return REC_GOOD;
}

bool
rec_true(const struct rec *r, unsigned key)
{
	const struct field *f = rec_get(r, key);

	return f != NULL && f->kind == REC_TRUE;
}

bool
rec_is(const struct rec *r, const char *type)
{
	struct span text;

	return rec_str(r, KEY_TYPE, &text) == REC_GOOD && span_eq(text, type);
}

enum rec_found
rec_strings(const struct rec *r, unsigned key, const struct span **items,
    size_t *n)
{
	const struct field *f;
	enum rec_found found = find(r, key, REC_ARRAY, &f);

	if (found != REC_GOOD)
		return found;
	*items = r->items + f->first_item;
	*n = f->n_items;
	return f->mixed ? REC_BAD : REC_GOOD;
}
