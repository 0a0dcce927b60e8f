#ifndef WEIR_REC_H
#define WEIR_REC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/mem.h"
#include "common/base/text.h"

/*
 * One JSON object as an ordered list of fields.  Names, texts and tokens are
 * borrowed from the line it was read from or from the record's arena: all
 * are gone when the next record is read.
 *
 * A filter declares the keys that it looks at, KEY_TYPE first, and finds a
 * field by its place in that list without comparing strings.  A record holds
 * its other fields as well, in order; those that nearly all records have are
 * better declared, too, since plain.c knows declared keys at sight.
 */
enum rec_kind { REC_STRING, REC_NUMBER, REC_TRUE, REC_FALSE, REC_NULL,
    REC_ARRAY, REC_OBJECT };

struct field {
	struct span key;
	struct span text;	/* a string's characters, a number's digits */
	struct span token;	/* the value as it was written */
	enum rec_kind kind;
	bool is_int;		/* a number whose value is in integer */
	int64_t integer;
	bool mixed;		/* an array with other items than strings */
	uint32_t first_item, n_items;	/* an array's strings, in items */
};

enum { KEYS_MAX = 128, KEY_SLOTS = 256 };

/*
 * A guess at what follows a value, up to the next one's colon: the first bytes
 * of raw, those that mask covers.  For plain.c.
 */
struct key_guess {
	uint64_t raw[2], mask[2];
	uint8_t length, place;
};

struct rec {
	struct span keys[KEYS_MAX];	/* the declared ones */
	unsigned n_keys;
	uint8_t slots[KEY_SLOTS];	/* their places; see rec.c */
	struct field *fields;
	size_t n, cap;
	struct span *items;	/* the strings of all arrays that are fields */
	size_t n_items, items_cap;
	uint32_t at[KEYS_MAX];	/* a declared key's field, counted from 1 */
	struct arena arena;
	struct key_guess guesses[KEYS_MAX + 2][2];	/* by the key before */
};

/* For readers of records: keys, ended by NULL, are borrowed for ever. */
void rec_init(struct rec *, const char *const *keys);
void rec_release(struct rec *);
void rec_clear(struct rec *);

/*
 * Adds a field, whose value the caller then sets; NULL if it is a declared
 * one and is there already.  Others are not compared; *is_declared tells.
 * It stays where it is until the next rec_add().
 */
struct field *rec_add(struct rec *, struct span key, bool *is_declared);

/* The place of a declared key among keys, counted from 1, or 0. */
unsigned rec_place(const struct rec *, struct span key);

/* The same for a declared key whose place, from 1, is known. */
static ALWAYS_INLINE struct field *
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

/* Adds an item to the array that is the last field. */
static ALWAYS_INLINE void
rec_add_item(struct rec *r, struct span text)
{
	struct field *f = &r->fields[r->n - 1];

	if (f->n_items++ == 0)
		f->first_item = (uint32_t)r->n_items;
	r->items = mem_grow(r->items, &r->items_cap, r->n_items + 1,
	    sizeof *r->items);
	r->items[r->n_items++] = text;
}

/* What a typed getter found. */
enum rec_found { REC_ABSENT, REC_OK, REC_BAD };

/* A declared key's field, or NULL. */
static inline const struct field *
rec_get(const struct rec *r, unsigned key)
{
	return r->at[key] == 0 ? NULL : &r->fields[r->at[key] - 1];
}

/* The same if it is of a kind; absent and null are alike. */
static inline enum rec_found
rec_find(const struct rec *r, unsigned key, enum rec_kind kind,
    const struct field **field)
{
	const struct field *f = rec_get(r, key);

	if (f == NULL || f->kind == REC_NULL)
		return REC_ABSENT;
	*field = f;
	return f->kind == kind ? REC_OK : REC_BAD;
}

static inline enum rec_found
rec_str(const struct rec *r, unsigned key, struct span *text)
{
	const struct field *f;
	enum rec_found found = rec_find(r, key, REC_STRING, &f);

	if (found == REC_OK)
		*text = f->text;
	return found;
}

/* An integer, written as one, that a double holds exactly: below 2^53. */
enum { REC_INT_BITS = 53 };

static inline enum rec_found
rec_int(const struct rec *r, unsigned key, int64_t *value)
{
	const int64_t most = (INT64_C(1) << REC_INT_BITS) - 1;
	const struct field *f;
	enum rec_found found = rec_find(r, key, REC_NUMBER, &f);
	int64_t v;

	if (found != REC_OK)
		return found;
	if (f->is_int)
		v = f->integer;
	else if (!text_i64(f->text, &v))
		return REC_BAD;
	if (v < -most || v > most)
		return REC_BAD;
	*value = v;
	return REC_OK;
}

static inline bool
rec_true(const struct rec *r, unsigned key)
{
	const struct field *f = rec_get(r, key);

	return f != NULL && f->kind == REC_TRUE;
}

/* The record's type is the one named. */
bool rec_is(const struct rec *, const char *type);
enum { KEY_TYPE = 0 };

/* The field is an array of strings, all of them: borrowed, as the fields. */
enum rec_found rec_strings(const struct rec *, unsigned key,
    const struct span **items, size_t *n);

#endif
