/* memory - reads what a process counts in the memory that it shares */

#define _GNU_SOURCE	/* F_GET_SEALS */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/hex.h"
#include "common/base/mem.h"
#include "filters/callgraph-record/callgraph-record.h"

/*
 * Nodes have slot numbers, which continue from one slab to the next: the first
 * node of slab i has the number i * slab_capacity().  A parent has a lower
 * number than its children.
 */
struct counts {
	uint64_t calls, ticks, off_ns;	/* in the last snapshot */
	uint32_t samples;		/* since the last snapshot */
	uint32_t reference;		/* in this one, see read_nodes() */
};

static const size_t SLOT_NONE = SIZE_MAX;
#define LOAD(p) __atomic_load_n(p, __ATOMIC_RELAXED)
#define LOAD_FIRST(p) __atomic_load_n(p, __ATOMIC_ACQUIRE)

static uint64_t start_ticks;
static int64_t start_ns;

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

void
memory_init(void)
{
	start_ticks = ticks();
	start_ns = clock_ns(CLOCK_MONOTONIC);
}

bool
memory_map(struct memory *m, int fd)
{
	struct stat st;
	void *p = MAP_FAILED;

	/* If the file could shrink, reading might raise SIGBUS. */
	if (fstat(fd, &st) == 0 && st.st_size >= SLABS_OFFSET &&
	    (fcntl(fd, F_GET_SEALS) & F_SEAL_SHRINK))
		p = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE,
		    MAP_SHARED, fd, 0);
	close(fd);
	if (p == MAP_FAILED)
		return false;
	*m = (struct memory){ .shared = p, .size = (size_t)st.st_size };
	m->node_size = (size_t)LOAD(&m->shared->node_size);
	m->address = LOAD(&m->shared->address);
	/* A process that does not measure time has nodes without off_ns. */
	if (m->node_size == sizeof(struct node) ||
	    m->node_size == offsetof(struct node, off_ns))
		return true;
	memory_unmap(m);
	return false;
}

void
memory_unmap(struct memory *m)
{
	if (m->shared == NULL)
		return;
	__atomic_store_n(&m->shared->is_abandoned, 1, __ATOMIC_RELAXED);
	munmap(m->shared, m->size);
	free(m->seen);
	free(m->sampled);
	*m = (struct memory){ 0 };
}

static uint64_t
grown(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

/* --- nodes --- */

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
	uint64_t n = LOAD(&m->shared->n_slabs);
	size_t max = (m->size - SLABS_OFFSET) / SLAB_SIZE;

	return n < max ? (size_t)n : max;
}

static const struct node *
node_at(const struct memory *m, size_t slot)
{
	size_t n = slab_capacity(m);

	return (const void *)(slab_at(m, slot / n)->nodes +
	    slot % n * m->node_size);
}

/* The slot of the node at an address in the process, or SLOT_NONE. */
static size_t
slot_of(const struct memory *m, const struct node *node)
{
	uint64_t offset = (uint64_t)(uintptr_t)node - m->address, in_slab;

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

/* Makes room in seen for n slots. */
static void
see(struct memory *m, size_t n)
{
	if (n <= m->n_seen)
		return;
	m->seen = mem_grow(m->seen, &m->seen_cap, n, sizeof *m->seen);
	memset(m->seen + m->n_seen, 0, (n - m->n_seen) * sizeof *m->seen);
	m->n_seen = n;
}

/*
 * Replaces the counts in seen by those of now, and stores the differences in
 * *new.  False if there is none, or if the node is not in the tree yet.
 */
static bool
read_node(struct memory *m, size_t slot, struct counted_node *new)
{
	const struct node *n = node_at(m, slot);
	struct counts *seen = &m->seen[slot], now = *seen;

	if (LOAD_FIRST(&n->parent) == NULL)
		return false;
	now.calls = LOAD(&n->calls);
	if (m->node_size == sizeof *n) {
		now.ticks = LOAD(&n->self_ticks);
		now.off_ns = LOAD(&n->off_ns);
	}
	*new = (struct counted_node){ .calls = grown(now.calls, seen->calls),
	    .samples = seen->samples,
	    .self_ns = grown(now.ticks, seen->ticks),
	    .off_ns = grown(now.off_ns, seen->off_ns) };
	now.samples = 0;
	*seen = now;
	return new->calls > 0 || new->self_ns > 0 || new->samples > 0;
}

/*
 * The slot of the parent, which is SLOT_NONE for a node whose parent is the
 * root.  The root is not in this memory.
 */
static size_t
parent_of(const struct memory *m, size_t slot)
{
	size_t found = slot_of(m, LOAD(&node_at(m, slot)->parent));

	return found < slot ? found : SLOT_NONE;
}

/*
 * Two passes.  The first reads the nodes, children before parents, which have
 * lower slots, and marks those that have changed, and all their ancestors.  The
 * second adds the marked nodes to the graph, parents first.
 */
static void
read_nodes(struct memory *m, double ns_per_tick, struct graph *g)
{
	static const struct counted_node unchanged;
	size_t n = count_slabs(m) * slab_capacity(m), n_changed = 0, parent;
	struct counted_node *changed = NULL, *next, new;
	const struct node *node;
	size_t cap = 0;

	see(m, n);
	for (size_t i = n; i-- > 0;) {
		if (!read_node(m, i, &new)) {
			if (m->seen[i].reference == 0)
				continue;
			new = unchanged;
		}
		m->seen[i].reference = 1;
		parent = parent_of(m, i);
		if (parent != SLOT_NONE)
			m->seen[parent].reference = 1;
		changed = mem_grow(changed, &cap, n_changed + 1,
		    sizeof *changed);
		changed[n_changed++] = new;
	}
	next = changed + n_changed;
	for (size_t i = 0; i < n; i++) {
		if (m->seen[i].reference == 0)
			continue;
		next--;
		node = node_at(m, i);
		parent = parent_of(m, i);
		next->function = LOAD(&node->function);
		next->call_site = LOAD(&node->call_site);
		next->self_ns = (uint64_t)((double)next->self_ns * ns_per_tick);
		if (parent != SLOT_NONE)
			next->parent = m->seen[parent].reference;
		graph_add(g, next);
		m->seen[i].reference = (uint32_t)g->n;
	}
	for (size_t i = 0; i < n; i++)
		m->seen[i].reference = 0;
	free(changed);
}

/* --- modules --- */

char *
memory_path(const struct memory *m, size_t offset)
{
	const char *path = "";
	size_t n = 0;
	char *copy;

	if (offset < PATHS_SIZE) {
		path = m->shared->paths + offset;
		n = strnlen(path, PATHS_SIZE - offset);
	}
	copy = mem_zero(n + 1, 1);
	memcpy(copy, path, n);
	return copy;
}

void
memory_read_modules(struct memory *m, struct modules *to)
{
	int n = LOAD_FIRST(&m->shared->n_modules);
	const struct shared_module *from;
	struct module new;
	size_t id_len;

	for (; m->n_modules < n && m->n_modules < MODULES_MAX; m->n_modules++) {
		from = &m->shared->modules[m->n_modules];
		new = (struct module){ .base = from->base,
		    .start = LOAD(&from->start), .end = LOAD(&from->end) };
		id_len = LOAD(&from->build_id_len);
		if (!from->is_elf || id_len > sizeof from->build_id ||
		    new.start >= new.end)
			continue;
		new.path = memory_path(m, LOAD(&from->path));
		new.build_id = mem_zero(2 * id_len + 1, 1);
		hex_encode(new.build_id, from->build_id, id_len);
		modules_add(to, &new);
	}
}

struct snapshot
memory_snapshot(struct memory *m, struct graph *g)
{
	const struct shared *s = m->shared;
	uint64_t passed = ticks() - start_ticks, limited = 0;
	double ns_per_tick = passed == 0 ? 0 : (double)(clock_ns(
	    CLOCK_MONOTONIC) - start_ns) / (double)passed;
	struct snapshot snap = { .timed = m->node_size == sizeof(struct node),
	    .has_off_time = s->has_off_time, .sampled = s->is_sampled,
	    .folded = s->folds_recursion };

	for (size_t i = 0; i < count_slabs(m); i++)
		limited += LOAD(&slab_at(m, i)->overflow_calls);
	snap.nodes_limited = grown(limited, m->seen_limited);
	m->seen_limited = limited;
	snap.probe_ps = (uint64_t)((double)LOAD(&s->probe_ticks) *
	    ns_per_tick * 1000 / PROBE_SCALE);
	read_nodes(m, ns_per_tick, g);
	return snap;
}

/* --- marks and crashes --- */

/*
 * If the process was killed while it wrote a mark, that one never comes: those
 * after it do.
 */
bool
memory_next_mark(struct memory *m, bool has_ended, struct shared_mark *to)
{
	const struct shared_mark *from;
	uint64_t n_left = grown(LOAD(&m->shared->n_marks), m->n_marks);
	bool is_complete = false;

	for (; !is_complete && n_left > 0 && n_left <= MARKS_MAX; n_left--) {
		from = &m->shared->marks[m->n_marks % MARKS_MAX];
		is_complete = LOAD_FIRST(&from->number) == m->n_marks + 1;
		if (is_complete)
			*to = *from;
		else if (!has_ended)
			break;
		m->n_marks++;
	}
	to->name[sizeof to->name - 1] = '\0';
	__atomic_store_n(&m->shared->n_marks_read, m->n_marks,
	    __ATOMIC_RELEASE);
	return is_complete;
}

uint64_t
memory_dropped_marks(struct memory *m)
{
	uint64_t n = LOAD(&m->shared->n_marks_dropped),
	    new = grown(n, m->n_dropped);

	m->n_dropped = n;
	return new;
}

const struct shared_crash *
memory_next_crash(struct memory *m)
{
	const struct shared_crash *next = &m->shared->crashes[m->n_crashes];

	if (m->n_crashes == CRASHES_MAX || !LOAD_FIRST(&next->is_complete))
		return NULL;
	m->n_crashes++;
	return next;
}

/* The CPU time of a thread (proc_pid_schedstat(5)), or 0. */
static uint64_t
cpu_time(pid_t pid, int tid)
{
	char path[64], text[64];
	uint64_t ns = 0;
	ssize_t n;
	int fd;

	snprintf(path, sizeof path, "/proc/%ld/task/%d/schedstat", (long)pid,
	    tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = read(fd, text, sizeof text - 1);
	close(fd);
	if (n > 0) {
		text[n] = '\0';
		ns = strtoull(text, NULL, 10);
	}
	return ns;
}

void
memory_sample(struct memory *m, pid_t pid, uint64_t period_ns)
{
	int n_threads = LOAD(&m->shared->n_threads), tid;
	struct sampled *s;
	uint64_t ns, n;
	size_t slot;

	if (m->sampled == NULL)
		m->sampled = mem_zero(SAMPLED_MAX, sizeof *m->sampled);
	for (int i = 0; i < n_threads && i < SAMPLED_MAX; i++) {
		s = &m->sampled[i];
		tid = LOAD_FIRST(&m->shared->threads[i].tid);
		ns = tid <= 0 ? 0 : cpu_time(pid, tid);
		if (tid != s->tid)
			*s = (struct sampled){ .tid = tid };
		if (ns < s->cpu_ns + period_ns)
			continue;
		n = (ns - s->cpu_ns) / period_ns;
		s->cpu_ns += n * period_ns;
		slot = slot_of(m, LOAD(&m->shared->threads[i].current));
		if (slot == SLOT_NONE)
			continue;
		see(m, slot + 1);
		m->seen[slot].samples += (uint32_t)n;
	}
}
