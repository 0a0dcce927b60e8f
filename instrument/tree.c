/*
 * tree - the nodes of one thread
 *
 * The children of a node are a binary tree in which a hash says left or right:
 * it never has to be rebuilt, and a child comes into it by one store, so a
 * signal handler may search and add at any moment.  Nodes lie in slabs in the
 * order in which they were made, and are never freed: a hook that was
 * interrupted may still have them.
 */

#include "instrument/instrument.h"
#include "instrument/sys.h"

enum { SLAB_SIZE = 256 * 1024, SLAB_FIRST = 32 * 1024 };

struct slab {
	struct slab *older;
	struct slab *newer;	/* emit's, valid while it walks */
	uint64_t used;		/* nodes, perhaps more than fit */
	uint32_t n;		/* that fit */
	uint32_t seen;		/* emit's: nodes of this walk */
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

/* One more slab behind the newest, unless a handler has just added one. */
static bool
add_slab(struct thread *t, struct slab *newest)
{
	size_t size = newest == NULL ? SLAB_FIRST : SLAB_SIZE;
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

/* The node that a call returns to, where recursion is folded. */
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
	struct node **at = &parent->children, *n, *made = NULL;

	for (;;) {
		while ((n = *at) != NULL) {
			if (matches(n, function, call_site))
				return n;
			at = &n->branch[h & 1];
			h = h >> 1 | h << 63;
		}
		if (made == NULL) {
			if (settings.fold_recursion && (n = find_folded(parent,
			    function, call_site)) != NULL)
				return n;
			if ((made = allocate_node(t)) == NULL)
				return NULL;
			made->function = function;
			made->call_site = call_site;
			made->last_child = made->successor = &nil_node;
			modules_ensure_known(function);
			modules_ensure_known(call_site);
		}
		found = 0;
		if (local_compare_exchange(at, &found,
		    (uint64_t)(uintptr_t)made))
			break;
		/* A handler came first; what was made may stay unused. */
	}
	__atomic_store_n(&made->parent, parent, __ATOMIC_RELEASE);
	return made;
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
 * The node of a call in the new tree: a child of its caller, or where
 * recursion was folded or there was no room, the caller or an ancestor of it.
 */
static struct node *
node_in_new_tree(struct thread *t, const struct node *old,
    const struct node *caller, struct node *new)
{
	if (old->parent == caller)
		return tree_find_or_add(t, new, old->function, old->call_site);
	while (caller != old && caller->parent != NULL) {
		caller = caller->parent;
		new = new->parent;
	}
	return caller == old ? new : NULL;
}

void
tree_fork(struct thread *t)
{
	struct frame *top = t->top, *f;
	const struct node *old, *caller;
	struct node *n, *last;

	__atomic_store_n(&n_nodes, 0, __ATOMIC_RELAXED);
	last = thread_node(t);
	t->limited_calls = t->sent_limited_calls = t->n_frameless = 0;
	n = &t->root;
	tree_reset(t);
	caller = t->frames->caller;
	for (f = t->frames; f < top; f++) {
		old = f + 1 < top ? f[1].caller : last;
		if (old == &t->overflow)
			old = caller;
		f->caller = n;
		n = node_in_new_tree(t, old, caller, n);
		if (n == NULL)
			return;
		caller = old;
		t->top = f + 1;
		t->current = n;
	}
}

void
tree_visit_children_first(struct thread *t, node_visitor *visit, void *to)
{
	struct slab *newer = NULL;
	struct node *n;
	uint64_t used;

	for (struct slab *s = __atomic_load_n(&t->slab, __ATOMIC_ACQUIRE);
	    s != NULL; s = s->older) {
		used = __atomic_load_n(&s->used, __ATOMIC_ACQUIRE);
		s->newer = newer;
		s->seen = used < s->n ? (uint32_t)used : s->n;
		for (uint32_t i = s->seen; i-- > 0;) {
			n = node_at(s, i);
			if (__atomic_load_n(&n->parent, __ATOMIC_ACQUIRE) !=
			    NULL)
				visit(n, to);
		}
		newer = s;
	}
}

/* Those that the other walk has seen; it comes first. */
void
tree_visit_parents_first(struct thread *t, node_visitor *visit, void *to)
{
	struct slab *s = __atomic_load_n(&t->slab, __ATOMIC_ACQUIRE);

	/* Slabs that were added since have not been seen. */
	while (s != NULL && s->seen == 0)
		s = s->older;
	while (s != NULL && s->older != NULL)
		s = s->older;
	for (; s != NULL; s = s->newer)
		for (uint32_t i = 0; i < s->seen; i++)
			visit(node_at(s, i), to);
}
