/* types - assigns type_ids to the MAL types */

#include <stdlib.h>
#include <string.h>

#include "common/mal/type.h"
#include "filters/malparse/malparse.h"

void
types_init(struct types *t)
{
	*t = (struct types){ .has_row = NULL };
	intern_init(&t->names);
	for (size_t i = 0; i < N_MAL_TYPES; i++)
		intern_add(&t->names, span_str(mal_types[i].name));
}

void
types_release(struct types *t)
{
	intern_release(&t->names);
	free(t->has_row);
}

uint64_t
types_assign(struct types *t, struct span name, bool *is_new)
{
	size_t i = intern_add(&t->names, name), old_cap = t->cap;

	t->has_row = mem_grow(t->has_row, &t->cap, i + 1,
	    sizeof *t->has_row);
	memset(t->has_row + old_cap, 0,
	    (t->cap - old_cap) * sizeof *t->has_row);
	*is_new = !t->has_row[i];
	t->has_row[i] = true;
	return i + 1;
}

struct span
types_subtype(struct span s)
{
	if (s.n < 7 || memcmp(s.p, "bat[:", 5) != 0 || s.p[s.n - 1] != ']')
		return span_of(NULL, 0);
	return span_of(s.p + 5, s.n - 6);
}
