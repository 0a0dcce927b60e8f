#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A tree whose nodes, numbered from 0 to n - 1, know only their parents: finds
 * their children, and walks over all nodes depth first, without recursion.
 * The walk visits each node twice: it enters the node before its children, and
 * leaves it after them.
 *
 *	tree_init(&t, n);
 *	... tree_prepend(&t, node, parent) for each node, last siblings first
 *	while (tree_next(&t))
 *		... t.node, t.enters ...
 *	tree_release(&t);
 */
struct tree {
	uint32_t node;
	bool enters;		/* the walk enters the node; else leaves it */

	/* Private to tree.c: links by node, or INDEX_NONE.  The parent of the
	   roots is an additional node, number n. */
	struct tree_links {
		uint32_t parent, first_child, next_sibling;
	} *links;
	size_t n;
};

void tree_init(struct tree *, size_t n);

/* Makes a node the first child of its parent; INDEX_NONE: it is a root. */
void tree_prepend(struct tree *, uint32_t node, uint32_t parent);

/* Moves to the next visit; false if all nodes have been left. */
bool tree_next(struct tree *);
void tree_release(struct tree *);
