#ifndef WEIR_REC_H
#define WEIR_REC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/mem.h"
#include "common/text.h"

/*
 * One JSON object as an ordered list of fields.  Names, texts and tokens are
 * borrowed from the line it was read from or from the record's arena: all
 * are gone when the next record is read.
 *
 * A filter declares the keys that it looks at, KEY_TYPE first, and finds a
 * field by its place in that list without comparing strings.  A record holds
 * its other fields as well, in order.
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
 * A guess at the next key, as it stands in a line: the first bytes of raw,
 * those that mask covers.  For plain.c.
 */
struct key_guess {
	uint64_t raw[2], mask[2];
	uint8_t length, place;
};

struct rec {
	struct span keys[KEYS_MAX];	/* the declared ones */
	uint8_t slots[KEY_SLOTS];	/* their places; see rec.c */
	struct field *fields;
	size_t n, cap;
	struct span *items;	/* the strings of all arrays that are fields */
	size_t n_items, items_cap;
	uint32_t at[KEYS_MAX];	/* a declared key's field, counted from 1 */
	struct arena arena;
	struct key_guess guesses[KEYS_MAX + 1][2];	/* by the key before */
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
struct field *rec_add_at(struct rec *, struct span key, unsigned place);

/* Adds an item to the array that is the last field. */
void rec_add_item(struct rec *, struct span text);

/* What a typed getter found. */
enum rec_found { REC_ABSENT, REC_GOOD, REC_BAD };

const struct field *rec_get(const struct rec *, unsigned key);	/* or NULL */

/* The field is a string; absent and null are alike. */
enum rec_found rec_str(const struct rec *, unsigned key, struct span *);

/* An integer, written as one, that a double holds exactly: below 2^53. */
enum rec_found rec_int(const struct rec *, unsigned key, int64_t *);
enum { REC_INT_BITS = 53 };

bool rec_true(const struct rec *, unsigned key);

/* The record's type is the one named. */
bool rec_is(const struct rec *, const char *type);
enum { KEY_TYPE = 0 };

/* The field is an array of strings, all of them: borrowed, as the fields. */
enum rec_found rec_strings(const struct rec *, unsigned key,
    const struct span **items, size_t *n);

#endif
