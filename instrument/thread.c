/*
 * thread - all threads, each with its call tree and its shadow stack
 *
 * The thread-local variable self points to a struct thread.  self is NULL until
 * the first hook of the thread calls thread_begin().  When the thread ends, the
 * destructor of a pthread key sets self to NULL again.
 *
 * A struct thread with its tree outlives its thread: the next new thread adopts
 * it and continues to count in it.  So there are only as many trees as threads
 * have ever run at the same time, and none is freed or merged.  For example, a
 * program that starts 50,000 threads, four at a time, has five trees: that of
 * the main thread and four others.
 */

#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

#include "instrument/instrument.h"
#include "instrument/shared.h"
#include "instrument/state.h"
#include "instrument/sys.h"
#include "instrument/thread.h"
#include "instrument/tree.h"

enum {
	/* From this number on, glibc calls malloc to set a pthread key. */
	KEYS_WITHOUT_MALLOC = 32,
	/*
	 * Bytes of a struct thread with its shadow stack: about 1000 frames at
	 * first, and more than fit on a usual stack.
	 */
	THREAD_SIZE_MIN = 16 * 1024, THREAD_SIZE_MAX = 64 << 20,
	SPARE_FRAMES = 64,
	/* Enough for the kernel and crash.c, which has a stack of its own. */
	ALTSTACK_SIZE = 16 * 1024
};

__thread struct thread *self;
static struct thread *threads;	/* all, including those that ended */
bool has_onstack_handler;

static __thread bool is_starting;	/* this thread is in thread_begin() */
static __thread bool is_excluded;	/* its calls are not counted any more */
static pthread_key_t key;
static bool has_key;

static void
set_frames_end(struct thread *t)
{
	t->frames_end = (struct frame *)(void *)((char *)t + t->size) -
	    SPARE_FRAMES;
}

static struct thread *
new_thread(void)
{
	size_t head = (sizeof(struct thread) + 63) & ~(size_t)63;
	struct thread *t = sys_map_extensible(THREAD_SIZE_MIN,
	    THREAD_SIZE_MAX, -1);

	if (t == NULL)
		return NULL;
	t->size = THREAD_SIZE_MIN;
	t->owned = 1;
	t->frames = (struct frame *)(void *)((char *)t + head);
	set_frames_end(t);
	tree_reset(t);
	do
		t->next = __atomic_load_n(&threads, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&threads, &t->next, t, false,
	    __ATOMIC_RELEASE, __ATOMIC_RELAXED));
	return t;
}

static void
set_altstack(struct thread *t)
{
	stack_t stack = { .ss_size = ALTSTACK_SIZE }, old;

	if (has_onstack_handler || SYS(sigaltstack, NULL, &old) != 0 ||
	    !(old.ss_flags & SS_DISABLE))
		return;
	if (t->altstack == NULL)
		t->altstack = sys_map(ALTSTACK_SIZE);
	stack.ss_sp = t->altstack;
	if (t->altstack != NULL)
		SYS(sigaltstack, &stack, NULL);
}

void
thread_unset_altstack(const struct thread *t)
{
	stack_t none = { .ss_flags = SS_DISABLE }, old;

	if (t->altstack != NULL && SYS(sigaltstack, NULL, &old) == 0 &&
	    old.ss_sp == t->altstack)
		SYS(sigaltstack, &none, NULL);
}

/* Takes over the struct thread of a thread that has ended; NULL if none has. */
static struct thread *
adopt(void)
{
	int unowned;

	for (struct thread *t = __atomic_load_n(&threads, __ATOMIC_ACQUIRE);
	    t != NULL; t = t->next) {
		unowned = 0;
		if (__atomic_load_n(&t->owned, __ATOMIC_RELAXED) == 0 &&
		    __atomic_compare_exchange_n(&t->owned, &unowned, 1,
		    false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			return t;
	}
	return NULL;
}

/*
 * The time that the calling thread was off the CPU, plus a constant: the
 * difference of two clocks that advance alike while it runs.
 */
static uint64_t
off_clock(void)
{
	return (uint64_t)(sys_clock_ns(CLOCK_MONOTONIC) -
	    sys_clock_ns(CLOCK_THREAD_CPUTIME_ID));
}

/* A signal handler that counts in between makes the exchange fail. */
void
thread_count_off(struct thread *t)
{
	uint64_t then = t->off_ns, now;

	if (is_confined) {
		shared->has_off_time = false;
		return;
	}
	now = off_clock();
	if (local_compare_exchange(&t->off_ns, &then, now) &&
	    (int64_t)(now - then) > 0)
		local_add(&t->current->off_ns, now - then);
	t->last_ticks = ticks();
}

/* Only the first SAMPLED_MAX threads that run at the same time are sampled. */
static void
publish_thread(struct thread *t)
{
	int i;

	if (!settings.sampled)
		return;
	if (t->published == NULL) {
		i = __atomic_fetch_add(&shared->n_threads, 1, __ATOMIC_RELAXED);
		if (i >= SAMPLED_MAX)
			return;
		t->published = &shared->threads[i];
	}
	thread_publish(t);
	__atomic_store_n(&t->published->tid, t->tid, __ATOMIC_RELEASE);
}

static void
set_self(void)
{
	struct thread *t = adopt();

	if (t == NULL && is_confined) {
		is_excluded = true;	/* new_thread() makes system calls */
		return;
	}
	if (t == NULL && (t = new_thread()) == NULL) {
		shared->has_given_up = true;
		state_give_up();	/* the counts would be incomplete */
		return;
	}
	t->destructor_rounds = 0;
	if (settings.timed && !is_confined)
		t->off_ns = off_clock();
	if (settings.timed)
		t->last_ticks = ticks();
	if (has_key)
		pthread_setspecific(key, t);
	if (!is_confined)
		t->tid = (int)SYS(gettid, 0);
	publish_thread(t);
	if (!is_confined && t->altstack != NULL)
		set_altstack(t);
	self = t;
}

struct thread *
thread_begin(void)
{
	bool may_mask_signals = !is_confined;
	uint64_t mask = 0;

	if (is_starting || is_excluded)
		return NULL;
	is_starting = true;
	if (may_mask_signals)
		mask = sys_block_signals();
	if (counting.is_on && self == NULL)
		set_self();
	if (may_mask_signals)
		sys_restore_signals(mask);
	is_starting = false;
	return counting.is_on ? self : NULL;
}

/*
 * If a signal handler interrupts this, its calls have SPARE_FRAMES: frames_end
 * is the end of the memory meanwhile, and remains so if it is the last.
 */
bool
thread_extend(struct thread *t)
{
	struct frame *end = (struct frame *)(void *)((char *)t + t->size);

	if (is_confined || t->frames_end == end)
		return false;
	t->frames_end = end;
	if (t->altstack == NULL)
		set_altstack(t);
	if (t->size < THREAD_SIZE_MAX && sys_extend(t, t->size, 2 * t->size)) {
		t->size *= 2;
		set_frames_end(t);
	}
	return true;
}

/*
 * The destructor of the key.  Calls in destructors of the program's keys are to
 * be counted, but destructors run in any order.  As long as destructors set
 * keys again, the C library runs another round of them, up to a limit: so
 * end_thread() defers its work to the last round.
 */
static void
end_thread(void *p)
{
	struct thread *t = p;
	bool may_mask_signals = !is_confined;
	uint64_t mask = 0;

	if (++t->destructor_rounds < PTHREAD_DESTRUCTOR_ITERATIONS) {
		pthread_setspecific(key, t);
		return;
	}
	if (may_mask_signals)
		mask = sys_block_signals();
	if (settings.timed)
		account_time(t);
	if (!is_confined)
		thread_unset_altstack(t);
	self = NULL;
	is_excluded = true;
	t->tid = 0;
	t->current = &t->root;
	t->top = t->frames;
	t->n_frameless = 0;
	if (t->published != NULL)
		t->published->tid = 0;
	__atomic_store_n(&t->owned, 0, __ATOMIC_RELEASE);
	if (may_mask_signals)
		sys_restore_signals(mask);
}

void
thread_init(void)
{
	has_key = pthread_key_create(&key, end_thread) == 0;
	if (has_key && key >= KEYS_WITHOUT_MALLOC) {
		pthread_key_delete(key);
		has_key = false;
	}
}

/* Only the forking thread exists in the child. */
void
thread_fork(void)
{
	struct thread *t = self;

	threads = t;
	if (t == NULL)
		return;
	t->next = NULL;
	t->tid = (int)SYS(gettid, 0);
	tree_fork(t);
	t->published = NULL;
	publish_thread(t);
	if (settings.timed)
		t->off_ns = off_clock();
	t->last_ticks = ticks();
}
