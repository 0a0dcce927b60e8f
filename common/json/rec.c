/* rec - an ordered record, and typed access to its fields */

#include <math.h>
#include <stdlib.h>

#include "common/base/err.h"
#include "common/base/sort.h"
#include "common/json/rec.h"

/* A simple hash of a key: few of the keys that filters declare collide. */
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
		r->n_keys = i + 1;
		r->first_numbers[i] = (uint8_t)rec_key_number(r, r->keys[i]);
	}
}

void
rec_release(struct rec *r)
{
	arena_release(&r->arena);
	free(r->fields);
	free(r->items);
	free(r->names);
}

void
rec_clear(struct rec *r)
{
	r->n = r->n_items = r->n_names = 0;
	r->too_great = span_of(NULL, 0);
	memset(r->field_numbers, 0, r->n_keys * sizeof *r->field_numbers);
	arena_reset(&r->arena);
}

static int
compare_names(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	if (x->n != y->n)
		return x->n < y->n ? -1 : 1;
	return memcmp(x->p, y->p, x->n);
}

const struct span *
rec_find_duplicate(struct rec *r, size_t first)
{
	enum { FEW = 16 };
	struct span *names = r->names + first;
	size_t n = r->n_names - first;

	/* Comparing each pair is quadratic. */
	if (n > FEW) {
		sort(names, n, sizeof *names, compare_names);
		for (size_t i = 1; i < n; i++)
			if (compare_names(&names[i - 1], &names[i]) == 0)
				return &names[i];
		return NULL;
	}
	for (size_t i = 1; i < n; i++)
		for (size_t j = 0; j < i; j++)
			if (names[i].n == names[j].n && memcmp(names[i].p,
			    names[j].p, names[i].n) == 0)
				return &names[i];
	return NULL;
}

bool
rec_is_finite(struct span number)
{
	/* Numbers of that many bytes, with so few digits in the exponent. */
	enum { SAFE_BYTES = 200, SAFE_EXPONENT = 2 };
	const char *end = number.p + number.n, *p = end;
	char *copy;
	bool is_finite;

	while (p > number.p && text_is_digit(p[-1]))
		p--;
	if (p <= number.p + 1 || (number.n <= SAFE_BYTES && (p[-1] == '.' ||
	    end - p <= SAFE_EXPONENT)))
		return true;
	copy = mem_strndup(number.p, number.n);	/* strtod() needs a NUL */
	is_finite = isfinite(strtod(copy, NULL));
	free(copy);
	return is_finite;
}

void
rec_check_number(struct rec *r, struct span number)
{
	if (r->too_great.p == NULL && !rec_is_finite(number))
		r->too_great = number;
}

unsigned
rec_key_number(const struct rec *r, struct span key)
{
	unsigned key_number;

	if (key.n == 0)
		return 0;
	for (unsigned i = slot_of(key); (key_number = r->slots[i]) != 0;
	    i = (i + 1) % KEY_SLOTS)
		if (key.n == r->keys[key_number - 1].n &&
		    memcmp(key.p, r->keys[key_number - 1].p, key.n) == 0)
			return key_number;
	return 0;
}

enum rec_found
rec_strings(const struct rec *r, unsigned key, const struct span **items,
    size_t *n)
{
	const struct field *f;
	enum rec_found found = rec_find(r, key, REC_ARRAY, &f);

	if (found != REC_OK)
		return found;
	*items = f->n_items > 0 ? r->items + f->first_item : NULL;
	*n = f->n_items;
	return f->mixed ? REC_BAD : REC_OK;
}
