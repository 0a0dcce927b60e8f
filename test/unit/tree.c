/* tree - tests the walk over random trees, against a recursive one */

#include "common/base/num.h"
#include "common/program/tree.h"
#include "test/unit/unit.h"

enum { NODES_MAX = 12, ROUNDS = 3000 };

/* Checks that the walk visits a node as a recursive walk does. */
static void
check_visit(struct tree *t, uint32_t node, bool enters)
{
	CHECK(tree_next(t) && t->node == node && t->enters == enters,
	    "node %u is visited, not %u", t->node, node);
}

/* Visits the children of a node, or the roots for INDEX_NONE, in order. */
static void
check_children(struct tree *t, const uint32_t *parents, uint32_t n,
    uint32_t parent)
{
	for (uint32_t i = 0; i < n; i++) {
		if (parents[i] != parent)
			continue;
		check_visit(t, i, true);
		check_children(t, parents, n, i);
		check_visit(t, i, false);
	}
}

static void
test_walk(void)
{
	uint32_t parents[NODES_MAX], n = (uint32_t)unit_random(NODES_MAX + 1);
	struct tree t;

	/* Each is a root, or has an earlier node as its parent. */
	for (uint32_t i = 0; i < n; i++)
		parents[i] = (uint32_t)unit_random(i + 1) - 1;
	tree_init(&t, n);
	for (uint32_t i = n; i-- > 0;)
		tree_prepend(&t, i, parents[i]);
	check_children(&t, parents, n, INDEX_NONE);
	CHECK(!tree_next(&t), "the walk goes on after %u nodes", n);
	tree_release(&t);
}

int
main(void)
{
	unit_seed();
	for (int i = 0; i < ROUNDS; i++)
		test_walk();
	return unit_end();
}
