/* types - the types of MAL */

#include <stdlib.h>
#include <string.h>

#include "filters/malparse/types.h"

static const struct {
	const char *name;
	int size;
} fixed[] = {
	{ "bit", 1 }, { "bte", 1 }, { "sht", 2 }, { "int", 4 }, { "lng", 8 },
	{ "hge", 16 }, { "oid", 8 }, { "flt", 4 }, { "dbl", 8 },
	{ "str", -1 }, { "date", -1 }, { "void", 0 }, { "BAT", 0 },
	{ "bat[:bit]", 1 }, { "bat[:bte]", 1 }, { "bat[:sht]", 2 },
	{ "bat[:int]", 4 }, { "bat[:lng]", 8 }, { "bat[:hge]", 16 },
	{ "bat[:oid]", 8 }, { "bat[:flt]", 4 }, { "bat[:dbl]", 8 },
	{ "bat[:str]", -1 }, { "bat[:date]", -1 }
};

_Static_assert(sizeof fixed / sizeof *fixed == TYPES_FIXED, "types");

void
types_init(struct types *t)
{
	*t = (struct types){ .written = NULL };
	intern_init(&t->names);
	for (size_t i = 0; i < TYPES_FIXED; i++)
		intern_add(&t->names, span_of(fixed[i].name,
		    strlen(fixed[i].name)));
}

void
types_release(struct types *t)
{
	intern_release(&t->names);
	free(t->written);
}

uint64_t
types_find(struct types *t, struct span name, bool *is_new)
{
	size_t i = intern_add(&t->names, name), old = t->cap;

	t->written = mem_grow(t->written, &t->cap, i + 1,
	    sizeof *t->written);
	memset(t->written + old, 0, (t->cap - old) * sizeof *t->written);
	*is_new = !t->written[i];
	t->written[i] = true;
	return i + 1;
}

struct span
types_subtype(struct span s)
{
	if (s.n < 7 || memcmp(s.p, "bat[:", 5) != 0 || s.p[s.n - 1] != ']')
		return span_of(NULL, 0);
	return span_of(s.p + 5, s.n - 6);
}

bool
types_size(struct span name, int *size)
{
	for (size_t i = 0; i < TYPES_FIXED; i++)
		if (span_eq(name, fixed[i].name)) {
			*size = fixed[i].size;
			return true;
		}
	return false;
}
