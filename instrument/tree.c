/*
 * tree - the call tree of one thread
 *
 * The children of a node form a hash trie: a binary tree in which each bit of
 * a child's hash selects the left or the right branch, and each node of the
 * trie is itself a child.  With the hashes a = ..00, b = ..10 and c = ..01,
 * added in this order, a is the root, b is its left branch (last bit 0) and c
 * its right one (last bit 1).  A trie is never rebalanced, and a child is added
 * by a single store into an empty link.  So a signal handler may search and add
 * at any moment.
 *
 * Nodes are allocated from slabs, one after the other, so a parent always comes
 * before its children.  They are never freed: a hook that a signal has
 * interrupted may still use any of them.
 */

#include "instrument/instrument.h"
#include "instrument/sys.h"

enum { SLAB_SIZE = 256 * 1024, SLAB_SIZE_FIRST = 32 * 1024 };

struct slab {
	struct slab *older;
	struct slab *newer;	/* valid during a visit */
	uint64_t used;		/* nodes claimed, perhaps more than n */
	uint32_t n;		/* capacity, in nodes */
	uint32_t visited;	/* nodes that this visit covers */
	unsigned char nodes[];
};

struct node nil_node = { .last_child = &nil_node, .successor = &nil_node };

static uint64_t n_nodes;	/* of all threads */

static size_t
node_size(void)
{
	return settings.timed ? sizeof(struct node) :
	    offsetof(struct node, sent_ticks);
}

static struct node *
node_at(struct slab *s, uint64_t i)
{
	return (struct node *)(void *)(s->nodes + i * node_size());
}

/*
 * Adds a slab after the newest, unless a signal handler has just added one.
 * Returns false if there is no memory.
 */
static bool
add_slab(struct thread *t, struct slab *newest)
{
	size_t size = newest == NULL ? SLAB_SIZE_FIRST : SLAB_SIZE;
	uint64_t expected = (uint64_t)(uintptr_t)newest;
	struct slab *s = sys_map(size);

	if (s == NULL)
		return false;
	s->older = newest;
	s->n = (uint32_t)((size - sizeof *s) / node_size());
	if (!local_compare_exchange(&t->slab, &expected,
	    (uint64_t)(uintptr_t)s))
		sys_unmap(s, size);
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
		if (s != NULL && (i = claim_index(s)) < s->n)
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
 * For folded recursion: returns the node of the same call among n and its
 * ancestors, or NULL.
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
	uint64_t h = hash(function, call_site), found;
	struct node **at = &parent->children, *n, *new = NULL;

	for (;;) {
		while ((n = *at) != NULL) {
			if (matches(n, function, call_site))
				return n;
			at = &n->branch[h & 1];
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
		found = 0;
		if (local_compare_exchange(at, &found,
		    (uint64_t)(uintptr_t)new))
			break;
		/*
		 * A signal handler has added a node here.  Search on: if it is
		 * for the same call, the new node remains unused.
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
 * of its caller.  With folded recursion it may be the caller itself or an
 * ancestor: then its counterpart is as many levels above new.  Returns NULL if
 * there is no room for a new node.
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
 * node of that call and lets the frame point to the new nodes.  For example, if
 * main calls run, which calls fork_worker, which forks, the child's tree is
 * this one path, with 0 calls in each node; when fork_worker returns, the
 * current node is the new one of run.
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
	t->overflow_calls = t->sent_overflow_calls = t->n_frameless = 0;
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

/* Skips nodes that are not in the tree yet: they have no parent. */
void
tree_visit_children_first(struct thread *t, node_visitor *visit, void *context)
{
	struct slab *newer = NULL;
	struct node *n;
	uint64_t used;

	for (struct slab *s = __atomic_load_n(&t->slab, __ATOMIC_ACQUIRE);
	    s != NULL; s = s->older) {
		used = __atomic_load_n(&s->used, __ATOMIC_ACQUIRE);
		s->newer = newer;
		s->visited = used < s->n ? (uint32_t)used : s->n;
		for (uint32_t i = s->visited; i-- > 0;) {
			n = node_at(s, i);
			if (__atomic_load_n(&n->parent, __ATOMIC_ACQUIRE) !=
			    NULL)
				visit(n, context);
		}
		newer = s;
	}
}

/*
 * Goes from the oldest slab along newer, which ends at the newest slab that
 * tree_visit_children_first() saw.  The first loop is for a thread of which it
 * saw no slab.
 */
void
tree_visit_parents_first(struct thread *t, node_visitor *visit, void *context)
{
	struct slab *s = __atomic_load_n(&t->slab, __ATOMIC_ACQUIRE);

	while (s != NULL && s->visited == 0)
		s = s->older;
	while (s != NULL && s->older != NULL)
		s = s->older;
	for (; s != NULL; s = s->newer)
		for (uint32_t i = 0; i < s->visited; i++)
			visit(node_at(s, i), context);
}
