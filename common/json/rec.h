#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/mem.h"
#include "common/base/text.h"

/*
 * One JSON object as an ordered list of fields.  Keys, texts and tokens are
 * borrowed from the line that was read or from the arena of the record, and are
 * valid until the next record is read.
 *
 * A filter declares the keys that it looks at, "type" (KEY_TYPE) first, and
 * finds a field by the index of its key in that list, without comparing
 * strings.  The record holds all other fields as well, in order.  It pays to
 * declare further keys that nearly all records have, because json/plain can
 * predict declared keys.
 */
enum rec_kind { REC_STRING, REC_NUMBER, REC_TRUE, REC_FALSE, REC_NULL,
    REC_ARRAY, REC_OBJECT };

struct field {
	struct span key;
	struct span text;	/* a string, without quotes and with its
				   escapes decoded; or a number */
	struct span token;	/* the value as it was written */
	enum rec_kind kind;
	bool is_int;		/* `integer` has the number's value; if false,
				   rec_int() may still accept the number */
	int64_t integer;
	bool mixed;		/* an array whose items are not all strings */
	uint32_t first_item, n_items;	/* an array's strings, in rec.items */
};

enum { KEYS_MAX = 128, KEY_SLOTS = 256 };

/*
 * Key prediction (plain.c).  A guess of the bytes between two values: the first
 * `length` bytes of raw, for which the bits of mask are set.  key_number is the
 * number of the declared key in these bytes, or 0 if there is no guess.
 */
struct key_guess {
	uint64_t raw[2], mask[2];
	uint8_t length, key_number;
};

struct rec {
	struct span keys[KEYS_MAX];	/* the declared ones */
	unsigned n_keys;
	uint8_t first_numbers[KEYS_MAX];	/* of the first key that is
					   equal to this one */
	uint8_t slots[KEY_SLOTS];	/* hash table of key numbers (index in
					   keys, counted from 1); 0: free */
	struct field *fields;
	size_t n, cap;
	struct span *items;	/* the strings of all arrays that are fields */
	size_t n_items, items_cap;
	/* For each declared key the index of its field, from 1; 0: absent. */
	uint32_t field_numbers[KEYS_MAX];
	struct span too_great;	/* the first number, of any depth, that
				   rec_is_finite() does not accept, or NULL */
	/*
	 * The keys of the objects that are being read, from the outermost to
	 * the innermost, to be searched for duplicates; without the declared
	 * keys of the record, which rec_add_at() checks.
	 */
	struct span *names;
	size_t n_names, names_cap;
	struct arena arena;
	/* Two guesses for what follows each key, by its number; also for the
	   start of the record (0) and undeclared keys (KEYS_MAX + 1). */
	struct key_guess guesses[KEYS_MAX + 2][2];
};

/*
 * Whether a number, which is written as JSON requires, is finite as a double.
 * An integer of any length is accepted: it need not be read as a double.
 */
bool rec_is_finite(struct span number);

/*
 * The functions from here to rec_take_names() are for plain.c and recio.c,
 * which turn JSON into records.  keys ends with NULL and must live as long as
 * the record.
 */
void rec_init(struct rec *, const char *const *keys);
void rec_release(struct rec *);
void rec_clear(struct rec *);
void rec_check_number(struct rec *, struct span);	/* for too_great */

/* A key's index among the declared ones, counted from 1; 0: not declared. */
unsigned rec_key_number(const struct rec *, struct span key);

/*
 * Adds a field, whose value the caller then sets.  NULL if its key is declared
 * and the record already has it; for a key that is not declared the caller has
 * to look for duplicates.  The pointer is valid until the next field is added.
 */
static ALWAYS_INLINE struct field *
rec_add_at(struct rec *r, struct span key, unsigned key_number)
{
	struct field *f;

	if (key_number != 0 && r->field_numbers[key_number - 1] != 0)
		return NULL;
	if (r->n == r->cap)
		r->fields = mem_grow(r->fields, &r->cap, r->n + 1,
		    sizeof *r->fields);
	f = &r->fields[r->n++];
	f->key = key;
	f->mixed = f->is_int = false;
	f->n_items = 0;
	if (key_number != 0)
		r->field_numbers[key_number - 1] = (uint32_t)r->n;
	return f;
}

/* Adds a string to the items of the last field, which is an array. */
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

static ALWAYS_INLINE void
rec_add_name(struct rec *r, struct span name)
{
	r->names = mem_grow(r->names, &r->names_cap, r->n_names + 1,
	    sizeof *r->names);
	r->names[r->n_names++] = name;
}

/* One of the names from `first` on that occurs twice, or NULL. */
const struct span *rec_find_duplicate(struct rec *, size_t first);

/*
 * At the end of an object: removes its names, those from `first` on, and
 * returns one that occurs twice, or NULL.  It is valid until a name is added.
 */
static ALWAYS_INLINE const struct span *
rec_take_names(struct rec *r, size_t first)
{
	const struct span *duplicate = r->n_names < first + 2 ? NULL :
	    rec_find_duplicate(r, first);

	r->n_names = first;
	return duplicate;
}

/*
 * What a getter such as rec_str() found.  REC_BAD: a value of another kind than
 * the getter is for, or out of range.
 */
enum rec_found { REC_ABSENT, REC_OK, REC_BAD };

/* In what follows, `key` is the index of a declared key, counted from 0. */
enum { KEY_TYPE = 0 };

/*
 * A list of keys to declare is a macro with the index and the text of each, so
 * that the two cannot disagree:
 *
 *	#define MARK_KEYS(K) K(NAME, "name") K(VALUE, "value")
 *	KEY_LIST(mark_keys, MARK_KEYS);
 *
 * declares the indexes NAME and VALUE, and mark_keys, a static array.  Where
 * other files use them, KEY_INDEXES(MARK_KEYS) is in the header, and one file
 * defines mark_keys[] = KEY_TEXTS(MARK_KEYS).
 */
#define KEY_INDEX(index, text) index,
#define KEY_TEXT(index, text) text,
#define KEY_INDEXES(list) enum { list##_START = KEY_TYPE, list(KEY_INDEX) }
#define KEY_TEXTS(list) { "type", list(KEY_TEXT) NULL }
#define KEY_LIST(array, list)						\
	KEY_INDEXES(list);						\
	static const char *const array[] = KEY_TEXTS(list)

/* The key's field, or NULL. */
static inline const struct field *
rec_get(const struct rec *r, unsigned key)
{
	uint32_t number = r->field_numbers[key];

	return number == 0 ? NULL : &r->fields[number - 1];
}

/*
 * Sets *field unless the field is absent; REC_OK if it has this kind.  A null
 * counts as absent.
 */
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

/*
 * rec_int() accepts a number that is written without a fraction or an exponent
 * and whose absolute value is below 2^53, so that a double represents it
 * exactly.
 */
enum { REC_INT_BITS = 53 };

static inline enum rec_found
rec_int(const struct rec *r, unsigned key, int64_t *value)
{
	const int64_t max = (INT64_C(1) << REC_INT_BITS) - 1;
	const struct field *f;
	enum rec_found found = rec_find(r, key, REC_NUMBER, &f);
	int64_t v;

	if (found != REC_OK)
		return found;
	if (f->is_int)
		v = f->integer;
	else if (!text_i64(f->text, &v))
		return REC_BAD;
	if (v < -max || v > max)
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

/* Whether the value of the key "type" is this string. */
static inline bool
rec_is(const struct rec *r, const char *type)
{
	struct span text;

	return rec_str(r, KEY_TYPE, &text) == REC_OK && span_eq(text, type);
}

/*
 * The items of an array of strings, valid until the next record is read.
 * REC_BAD if not all items are strings.
 */
enum rec_found rec_strings(const struct rec *, unsigned key,
    const struct span **items, size_t *n);
