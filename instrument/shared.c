/* shared - the memory that the wrapper reads too */

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "instrument/instrument.h"
#include "instrument/shared.h"
#include "instrument/state.h"
#include "instrument/sys.h"

/*
 * For slabs that are not full: the newest slab of each thread.  It is enough
 * for 2048 threads.
 */
enum { SLACK = 2048 * SLAB_SIZE, SPARE = 2 * SLAB_SIZE };

struct shared *shared;
static struct shared *ancestors;	/* memory, of a lost process */
int shared_fd = -1;

/*
 * Address space is taken slab by slab: the program may have little of it
 * (ulimit -v), or lock all of it in memory (mlockall).
 */
static size_t mapped;		/* bytes of shared->size */
static bool is_full;
static int extender;		/* the thread that is in extend(), or 0 */

/* Nodes have no off_ns, and nothing after it, unless time is measured. */
static size_t
node_size(void)
{
	return settings.timed ? sizeof(struct node) :
	    offsetof(struct node, off_ns);
}

/*
 * As much as all nodes may need, but no more than the program's files may have
 * (ftruncate() would send it SIGXFSZ), and than a quarter of its address space.
 */
static size_t
choose_size(void)
{
	struct rlimit space = { RLIM_INFINITY, 0 }, file = space;
	size_t size = SLABS_OFFSET + SLACK + settings.max_nodes * node_size();

	SYS(prlimit64, 0, RLIMIT_AS, NULL, &space);
	SYS(prlimit64, 0, RLIMIT_FSIZE, NULL, &file);
	if (size > space.rlim_cur / 4)
		size = (size_t)space.rlim_cur / 4;
	if (size > file.rlim_cur)
		size = (size_t)file.rlim_cur;
	return size & ~(size_t)(SLAB_SIZE - 1);
}

/*
 * Creates a memfd that cannot shrink: otherwise the wrapper could crash when it
 * reads.
 */
static int
create_memfd(size_t size)
{
	int fd = (int)SYS(memfd_create, "weir", MFD_CLOEXEC |
	    MFD_ALLOW_SEALING);

	if (fd < 0)
		return -1;
	if (SYS(ftruncate, fd, size) == 0 && SYS(fcntl, fd, F_ADD_SEALS,
	    F_SEAL_SHRINK | F_SEAL_GROW) == 0)
		return fd;
	SYS(close, fd);
	return -1;
}

/*
 * Memory that is shared with the wrapper is shared with child processes too.  A
 * forked child must not count in it before it has memory of its own
 * (shared_fork()), so there is none unless the kernel stops the hooks of every
 * such child, see struct counting.
 */
bool
shared_init(void)
{
	size_t size = choose_size();

	shared_close_fd();
	shared = NULL;
	mapped = SLABS_OFFSET + SLAB_SIZE;
	is_full = false;
	extender = 0;
	if (size < mapped)
		return false;
	shared_fd = state_wipe_on_fork() ? create_memfd(size) : -1;
	if (shared_fd >= 0)
		shared = sys_map_extensible(mapped, size, shared_fd);
	if (shared == NULL) {
		shared_close_fd();
		return false;
	}
	shared->address = (uint64_t)(uintptr_t)shared;
	shared->size = size;
	shared->node_size = node_size();
	shared->has_off_time = settings.timed;
	shared->is_sampled = settings.sampled;
	shared->folds_recursion = settings.fold_recursion;
	return true;
}

bool
shared_fork(void)
{
	uint64_t probe_ticks = shared == NULL ? 0 : shared->probe_ticks;

	if (!shared_init())
		return false;
	shared->probe_ticks = probe_ticks;
	return true;
}

void
shared_lose_process(struct shared *parents)
{
	if (parents != NULL)
		ancestors = parents;
	shared = NULL;
	if (ancestors != NULL)
		__atomic_fetch_add(&ancestors->n_lost_processes, 1,
		    __ATOMIC_RELAXED);
}

void
shared_close_fd(void)
{
	if (shared_fd >= 0)
		SYS(close, shared_fd);
	shared_fd = -1;
}

/*
 * Extends the mapping to at least this size, or sets is_full.  Does not block
 * the signals of faults: the kernel would end the program.  If a handler of
 * such a signal interrupts this and calls hooks, they have the SPARE bytes.
 */
static void
extend(size_t size)
{
	const uint64_t asynchronous = ~(UINT64_C(1) << (SIGTRAP - 1) |
	    UINT64_C(1) << (SIGSEGV - 1) | UINT64_C(1) << (SIGBUS - 1));
	int tid = (int)SYS(gettid, 0), none = 0;
	uint64_t mask;

	if (__atomic_load_n(&extender, __ATOMIC_RELAXED) == tid)
		return;
	SYS(rt_sigprocmask, SIG_BLOCK, &asynchronous, &mask, sizeof mask);
	while (!__atomic_compare_exchange_n(&extender, &none, tid, false,
	    __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
		sys_sleep_ms(0);
		none = 0;
	}
	if (size > mapped && sys_extend(shared, mapped, size))
		__atomic_store_n(&mapped, size, __ATOMIC_RELAXED);
	is_full = size > mapped;
	__atomic_store_n(&extender, 0, __ATOMIC_RELEASE);
	sys_restore_signals(mask);
}

void
shared_map_all(void)
{
	if (shared != NULL)
		extend(shared->size);
}

struct slab *
shared_new_slab(void)
{
	size_t end, ahead;

	if (shared == NULL || is_full)
		return NULL;
	end = SLABS_OFFSET + SLAB_SIZE *
	    __atomic_add_fetch(&shared->n_slabs, 1, __ATOMIC_RELAXED);
	ahead = end + SPARE < shared->size ? end + SPARE : shared->size;
	if (ahead > __atomic_load_n(&mapped, __ATOMIC_RELAXED) && !is_confined)
		extend(ahead);
	is_full |= end > shared->size;
	return end > __atomic_load_n(&mapped, __ATOMIC_RELAXED) ? NULL :
	    (struct slab *)(void *)((char *)shared + end - SLAB_SIZE);
}
