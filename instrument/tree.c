/*
 * tree - the call tree of one thread
 *
 * The children of a node form a hash trie: a binary tree in which each bit of
 * a child's hash selects the left or the right branch, and each node of the
 * trie is itself a child.  If children with the hashes a = ..00, b = ..10 and
 * c = ..01 are added in this order, a is the root of the trie, b is its left
 * branch (last bit 0) and c its right one (last bit 1).  A trie is never
 * rebalanced, and a child is added by a single store into an empty link.  So a
 * signal handler may search and add at any moment.
 *
 * Nodes are allocated from slabs, one after the other, so a parent always comes
 * before its children.  They are never freed: a hook that a signal has
 * interrupted may still use any of them.
 */

#include "instrument/instrument.h"
#include "instrument/modules.h"
#include "instrument/shared.h"
#include "instrument/state.h"
#include "instrument/sys.h"
#include "instrument/thread.h"
#include "instrument/tree.h"

struct node nil_node = { .last_child = &nil_node, .successor = &nil_node };

static uint64_t n_nodes;	/* of all threads */

/* The capacity of a slab, in nodes. */
static uint64_t
slab_capacity(void)
{
	return (SLAB_SIZE - sizeof(struct slab)) / shared->node_size;
}

static struct node *
node_at(struct slab *s, uint64_t i)
{
	return (struct node *)(void *)(s->nodes + i * shared->node_size);
}

/*
 * Adds a slab after the newest, unless a signal handler has just added one:
 * then the slab allocated here remains unused.  Returns false if there is no
 * memory.
 */
static bool
add_slab(struct thread *t, struct slab *newest)
{
	uint64_t expected = (uint64_t)(uintptr_t)newest;
	struct slab *s = shared_new_slab();

	if (s == NULL)
		return false;
	local_compare_exchange(&t->slab, &expected, (uint64_t)(uintptr_t)s);
	return true;
}

/* Returns s->used++ as one instruction, see local_add(). */
static uint64_t
claim_index(struct slab *s)
{
	uint64_t one = 1;

	__asm__ volatile ("xaddq %0, %1" : "+r" (one), "+m" (s->used)
	    :: "memory", "cc");
	return one;
}

static struct node *
allocate_node(struct thread *t)
{
	struct slab *s;
	uint64_t i;

	if (__atomic_add_fetch(&n_nodes, 1, __ATOMIC_RELAXED) >
	    settings.max_nodes)
		goto none;
	for (;;) {
		s = t->slab;
		if (s != NULL && (i = claim_index(s)) < slab_capacity())
			return node_at(s, i);
		if (!add_slab(t, s))
			goto none;
	}
none:
	__atomic_sub_fetch(&n_nodes, 1, __ATOMIC_RELAXED);
	return NULL;
}

static uint64_t
hash(uintptr_t function, uintptr_t call_site)
{
	uint64_t h = (function ^ (call_site << 21 | call_site >> 43)) *
	    UINT64_C(0x9e3779b97f4a7c15);

	return h ^ h >> 32;
}

static bool
matches(const struct node *n, uintptr_t function, uintptr_t call_site)
{
	return n->function == function && n->call_site == call_site;
}

/*
 * With folded recursion, a call is counted at the node of an earlier call of
 * the function from the same call site, if that call is still on the stack.
 * Returns that node, which is n or an ancestor of n, or NULL.
 */
static struct node *
find_folded(struct node *n, uintptr_t function, uintptr_t call_site)
{
	for (; n->parent != NULL; n = n->parent)
		if (matches(n, function, call_site))
			return n;
	return NULL;
}

struct node *
tree_find_or_add(struct thread *t, struct node *parent, uintptr_t function,
    uintptr_t call_site)
{
	uint64_t h = hash(function, call_site), expected;
	struct node **slot = &parent->children, *n, *new = NULL;

	for (;;) {
		while ((n = *slot) != NULL) {
			if (matches(n, function, call_site))
				return n;
			slot = &n->branch[h & 1];
			h = h >> 1 | h << 63;
		}
		if (new == NULL) {
			if (settings.fold_recursion && (n = find_folded(parent,
			    function, call_site)) != NULL)
				return n;
			if ((new = allocate_node(t)) == NULL)
				return NULL;
			new->function = function;
			new->call_site = call_site;
			new->last_child = new->successor = &nil_node;
			modules_ensure_known(function);
			modules_ensure_known(call_site);
		}
		expected = 0;
		if (local_compare_exchange(slot, &expected,
		    (uint64_t)(uintptr_t)new))
			break;
		/*
		 * A signal handler has filled the slot.  The search goes on: if
		 * the handler's node is for the same call, new remains unused.
		 */
	}
	__atomic_store_n(&new->parent, parent, __ATOMIC_RELEASE);
	return new;
}

void
tree_reset(struct thread *t)
{
	t->slab = NULL;
	t->root = (struct node){ .last_child = &nil_node,
	    .successor = &nil_node };
	t->overflow = t->root;
	t->current = &t->root;
	t->top = t->frames;
}

/*
 * Returns the counterpart of old, a node of the old tree, in the new tree.  new
 * is the counterpart of old_caller, which called old.  Usually old is a child
 * of old_caller.  With folded recursion it may be old_caller itself or an
 * ancestor of it: then the counterpart is as many levels above new as old is
 * above old_caller.  Returns NULL if there is no room for a new node.
 */
static struct node *
find_counterpart(struct thread *t, const struct node *old,
    const struct node *old_caller, struct node *new)
{
	if (old->parent == old_caller)
		return tree_find_or_add(t, new, old->function, old->call_site);
	while (old_caller != old && old_caller->parent != NULL) {
		old_caller = old_caller->parent;
		new = new->parent;
	}
	return old_caller == old ? new : NULL;
}

/*
 * A child process starts with all counts 0, but it returns from the calls that
 * the parent process was in.  So it replays its shadow stack into an empty
 * tree: for each frame, from the outermost call to the innermost, it adds the
 * node of that call and makes the frame point to its caller's new node.  For
 * example, if main calls run, which calls fork_worker, which forks, the child's
 * tree is this one path, with 0 calls in each node; when fork_worker returns,
 * the current node is the new one of run.
 *
 * The node of a call is not in its own frame: it is the caller in the next
 * frame or, for the innermost call, the current node.  A call that had no node
 * (the overflow node was current) gets none here: its frame is kept, and its
 * caller's node counts for it.  If there is no room for a new node, the inner
 * calls are dropped.
 *
 * The parent process's nodes are read here and then abandoned in memory.
 */
void
tree_fork(struct thread *t)
{
	struct frame *top = t->top, *f;
	const struct node *old, *old_caller, *innermost = thread_node(t);
	struct node *new = &t->root;

	__atomic_store_n(&n_nodes, 0, __ATOMIC_RELAXED);
	t->n_frameless = 0;
	tree_reset(t);
	old_caller = t->frames->caller;
	for (f = t->frames; f < top; f++) {
		old = f + 1 < top ? f[1].caller : innermost;
		if (old == &t->overflow)
			old = old_caller;
		f->caller = new;
		new = find_counterpart(t, old, old_caller, new);
		if (new == NULL)
			return;
		old_caller = old;
		t->top = f + 1;
		t->current = new;
	}
}
