/* text-cache - a cache of texts by number */

#include <stdlib.h>

#include "common/base/mem.h"
#include "filters/callgraph-symbolize/text-cache.h"

struct text *
text_cache_at(struct text_cache *t, uint32_t number)
{
	size_t old_cap = t->cap;

	if (number >= old_cap) {
		t->list = mem_grow(t->list, &t->cap, number + 1u,
		    sizeof *t->list);
		memset(t->list + old_cap, 0, (t->cap - old_cap) *
		    sizeof *t->list);
	}
	return &t->list[number];
}

void
text_cache_release(struct text_cache *t)
{
	buf_release(&t->buf);
	free(t->list);
	*t = (struct text_cache){ 0 };
}
