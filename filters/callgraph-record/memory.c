/* memory - reads what a process has counted from the memory that it shares */

#define _GNU_SOURCE	/* F_GET_SEALS */

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/hex.h"
#include "common/base/mem.h"
#include "filters/callgraph-record/memory.h"
#include "instrument/layout.h"

/*
 * Nodes have slot numbers, which continue from one slab to the next: the first
 * node of slab i has the number i * slab_capacity().  A parent has a lower
 * number than its children.  The process may be defective, so each number that
 * it has written is checked before it is used.
 */
struct memory {
	const struct shared *shared;
	size_t size, node_size;		/* checked copies from shared */
	uint64_t address;		/* of this memory in the process */
	struct received {
		uint64_t calls, self_ns, off_ns, samples;
	} *received;			/* by slot: the counts that the process
					   has sent */
	size_t n_received, cap;
	/* When the memory was mapped, on two clocks, to convert ticks. */
	uint64_t start_ticks;
	int64_t start_ns;
};

static const size_t SLOT_NONE = SIZE_MAX;

/* The instrument works on x86-64 only. */
static uint64_t
ticks(void)
{
#ifdef __x86_64__
	return __builtin_ia32_rdtsc();
#else
	return 0;
#endif
}

struct memory *
memory_map(int fd)
{
	struct memory *m;
	struct stat st;
	const struct shared *shared;
	void *p = MAP_FAILED;
	uint64_t node_size;

	/* If the file could shrink, reading might raise SIGBUS. */
	if (fstat(fd, &st) == 0 && st.st_size >= SLABS_OFFSET &&
	    (fcntl(fd, F_GET_SEALS) & F_SEAL_SHRINK))
		p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd,
		    0);
	close(fd);
	if (p == MAP_FAILED)
		return NULL;

	shared = p;
	/*
	 * Read once: a defective process may change it at any time.  One that
	 * does not measure time shares nodes without off_ns.
	 */
	node_size = __atomic_load_n(&shared->node_size, __ATOMIC_RELAXED);
	if (shared->size != (uint64_t)st.st_size ||
	    (node_size != sizeof(struct node) &&
	    node_size != offsetof(struct node, off_ns))) {
		munmap(p, (size_t)st.st_size);
		return NULL;
	}

	m = mem_zero(1, sizeof *m);
	m->shared = shared;
	m->size = (size_t)st.st_size;
	m->node_size = (size_t)node_size;
	m->address = shared->address;
	m->start_ticks = ticks();
	m->start_ns = clock_ns(CLOCK_MONOTONIC);
	return m;
}

void
memory_unmap(struct memory *m)
{
	if (m == NULL)
		return;
	munmap((void *)m->shared, m->size);
	free(m->received);
	free(m);
}

static size_t
slab_capacity(const struct memory *m)
{
	return (SLAB_SIZE - sizeof(struct slab)) / m->node_size;
}

static const struct slab *
slab_at(const struct memory *m, size_t i)
{
	return (const void *)((const char *)m->shared + SLABS_OFFSET +
	    i * SLAB_SIZE);
}

static size_t
count_slabs(const struct memory *m)
{
	size_t n = m->shared->n_slabs, max = (m->size - SLABS_OFFSET) /
	    SLAB_SIZE;

	return n < max ? n : max;
}

static const struct node *
node_at(const struct memory *m, size_t slot)
{
	size_t n = slab_capacity(m);

	return (const void *)(slab_at(m, slot / n)->nodes +
	    slot % n * m->node_size);
}

/* The slot of the node at an offset in the memory, or SLOT_NONE. */
static size_t
slot_of(const struct memory *m, uint64_t offset)
{
	uint64_t in_slab;

	if (offset < SLABS_OFFSET || offset >= m->size)
		return SLOT_NONE;
	offset -= SLABS_OFFSET;
	/* In the header of a slab this wraps, so it exceeds the capacity. */
	in_slab = offset % SLAB_SIZE - sizeof(struct slab);
	if (in_slab % m->node_size != 0 ||
	    in_slab / m->node_size >= slab_capacity(m))
		return SLOT_NONE;
	return offset / SLAB_SIZE * slab_capacity(m) + in_slab / m->node_size;
}

void
memory_note(struct memory *m, uint64_t offset, const struct sent_node *n)
{
	size_t slot = slot_of(m, offset), before = m->cap;
	struct received *r;

	if (slot == SLOT_NONE)
		return;
	m->received = mem_grow(m->received, &m->cap, slot + 1,
	    sizeof *m->received);
	for (; before < m->cap; before++)
		m->received[before] = (struct received){ 0 };
	if (m->n_received <= slot)
		m->n_received = slot + 1;
	r = &m->received[slot];
	r->calls += n->calls;
	r->self_ns += n->self_ns;
	r->off_ns += n->off_ns;
	r->samples += n->samples;
}

uint64_t
memory_lost_processes(const struct memory *m)
{
	return m->shared->n_lost_processes;
}

/* --- reading --- */

static uint64_t
excess(uint64_t total, uint64_t received)
{
	return total > received ? total - received : 0;
}

/*
 * The counts of a node without those that were received.  For samples, the
 * process keeps no total: those that it has written into its buffer, but not
 * sent, are lost.
 */
static struct sent_node
unsent(const struct memory *m, size_t slot, double ns_per_tick)
{
	static const struct received none;
	const struct received *r = slot < m->n_received ?
	    &m->received[slot] : &none;
	const struct node *n = node_at(m, slot);
	struct sent_node new = { .function = n->function,
	    .call_site = n->call_site, .samples = n->samples };

	new.calls = excess(n->calls, r->calls);
	if (m->node_size == sizeof *n) {
		new.self_ns = excess((uint64_t)((double)n->self_ticks *
		    ns_per_tick), r->self_ns);
		new.off_ns = excess(n->off_ns, r->off_ns);
	}
	return new;
}

/*
 * The slot of the parent, which is SLOT_NONE for a node whose parent is the
 * root.  The root is not in this memory.
 */
static size_t
parent_of(const struct memory *m, size_t slot)
{
	uint64_t parent = (uint64_t)(uintptr_t)node_at(m, slot)->parent;
	size_t found = slot_of(m, parent - m->address);

	return found < slot ? found : SLOT_NONE;
}

/*
 * Two passes.  The first marks the nodes with unsent counts, and all their
 * ancestors, with 1; it takes children before parents, which have lower slots.
 * The second adds the marked nodes to the graph, parents first, and replaces
 * each mark by the reference to the node there.
 */
static void
read_nodes(const struct memory *m, double ns_per_tick, struct graph *g)
{
	size_t n = count_slabs(m) * slab_capacity(m), parent;
	uint32_t *references = mem_zero(n + 1, sizeof *references);
	struct sent_node new;

	for (size_t i = n; i-- > 0;) {
		if (node_at(m, i)->parent == NULL)
			continue;	/* it is not in the tree */
		new = unsent(m, i, ns_per_tick);
		if (new.calls > 0 || new.self_ns > 0 || new.samples > 0)
			references[i] = 1;
		parent = parent_of(m, i);
		if (references[i] != 0 && parent != SLOT_NONE)
			references[parent] = 1;
	}

	for (size_t i = 0; i < n; i++) {
		if (references[i] == 0)
			continue;
		new = unsent(m, i, ns_per_tick);
		parent = parent_of(m, i);
		if (parent != SLOT_NONE)
			new.parent = references[parent];
		graph_add(g, &new);
		references[i] = (uint32_t)g->n;
	}
	free(references);
}

static void
read_module(const struct memory *m, const struct shared_module *from,
    struct modules *to)
{
	struct module new = { .base = from->base, .start = from->start,
	    .end = from->end };
	size_t n = from->path < PATHS_SIZE ? strnlen(m->shared->paths +
	    from->path, PATHS_SIZE - from->path) : 0;
	size_t id_len = from->build_id_len;

	if (!from->is_elf || id_len > sizeof from->build_id)
		return;
	new.path = mem_zero(n + 1, 1);
	if (n > 0)
		memcpy(new.path, m->shared->paths + from->path, n);
	new.build_id = mem_zero(2 * id_len + 1, 1);
	hex_encode(new.build_id, from->build_id, id_len);
	modules_add(to, &new);
}

struct emission
memory_read(const struct memory *m, struct graph *g, struct modules *modules)
{
	const struct shared *s = m->shared;
	uint64_t passed = ticks() - m->start_ticks;
	double ns_per_tick = passed == 0 ? 0 :
	    (double)(clock_ns(CLOCK_MONOTONIC) - m->start_ns) / (double)passed;
	struct emission e = { .timed = m->node_size == sizeof(struct node),
	    .has_off_time = s->has_off_time,
	    .sampled = s->sampled, .folded = s->folded_recursion };

	for (int i = 0; i < s->n_modules && i < MODULES_MAX; i++)
		read_module(m, &s->modules[i], modules);
	for (size_t i = 0; i < count_slabs(m); i++)
		e.nodes_limited += slab_at(m, i)->overflow_calls;
	e.probe_ps = (uint64_t)((double)s->probe_ticks * ns_per_tick *
	    1000 / PROBE_SCALE);
	read_nodes(m, ns_per_tick, g);
	return e;
}
