/* types - the types of MAL */

#include <stdlib.h>
#include <string.h>

#include "common/mal/type.h"
#include "filters/malparse/types.h"

void
types_init(struct types *t)
{
	*t = (struct types){ .written = NULL };
	intern_init(&t->names);
	for (size_t i = 0; i < N_MAL_TYPES; i++)
		intern_add(&t->names, span_str(mal_types[i].name));
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
	for (size_t i = 0; i < N_MAL_TYPES; i++)
		if (span_eq(name, mal_types[i].name)) {
			*size = mal_types[i].size;
			return true;
		}
	return false;
}
