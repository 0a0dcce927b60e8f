/* tree - walks over a tree whose nodes know only their parents */

#include <stdlib.h>

#include "common/base/mem.h"
#include "common/base/num.h"
#include "common/program/tree.h"

void
tree_init(struct tree *t, size_t n)
{
	*t = (struct tree){ .node = (uint32_t)n, .enters = true, .n = n };
	t->links = mem_resize(NULL, n + 1, sizeof *t->links);
	for (size_t i = 0; i <= n; i++)
		t->links[i].first_child = INDEX_NONE;
}

void
tree_prepend(struct tree *t, uint32_t node, uint32_t parent)
{
	uint32_t p = parent != INDEX_NONE ? parent : (uint32_t)t->n;

	t->links[node].parent = p;
	t->links[node].next_sibling = t->links[p].first_child;
	t->links[p].first_child = node;
}

bool
tree_next(struct tree *t)
{
	const struct tree_links *l = &t->links[t->node];
	uint32_t next = t->enters ? l->first_child : l->next_sibling;

	if (next != INDEX_NONE) {
		t->node = next;
		t->enters = true;
	} else if (t->enters) {
		t->enters = false;
	} else {
		t->node = l->parent;
	}
	return t->node != t->n;
}

void
tree_release(struct tree *t)
{
	free(t->links);
}
