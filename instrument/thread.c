/*
 * thread - the threads and their trees
 *
 * A tree outlives its thread: the next thread that begins takes it over and
 * adds to it.  So there are as many trees as there were threads at a time,
 * however many there were, and none is ever freed or put together.
 */

#include <limits.h>
#include <pthread.h>
#include <sys/resource.h>

#include "instrument/instrument.h"
#include "instrument/sys.h"

enum {
	KEYS_WITHOUT_MALLOC = 32,	/* keys from here on cost glibc a malloc */
	FRAMES_SIZE_SMALL = 256 * 1024	/* bytes, where address space is short */
};

__thread struct thread *self;
struct thread *threads;

static __thread bool is_starting, has_ended;
static pthread_key_t key;
static bool has_key;
static size_t frames_size;

/*
 * A call takes at least 16 bytes of the program's stack, as much as its frame
 * takes here: so these are enough if they are as large as the stack can get.
 */
static size_t
size_of_frames(void)
{
	const size_t most = 64 << 20, least = 1 << 20;
	struct rlimit space = { RLIM_INFINITY, 0 }, stack = { most, 0 };

	SYS(prlimit64, 0, RLIMIT_AS, NULL, &space);
	SYS(prlimit64, 0, RLIMIT_STACK, NULL, &stack);
	if (space.rlim_cur != RLIM_INFINITY)
		return FRAMES_SIZE_SMALL;
	if (stack.rlim_cur > most)
		return most;
	return stack.rlim_cur < least ? least :
	    (size_t)stack.rlim_cur & ~(size_t)4095;
}

static struct thread *
new_thread(void)
{
	size_t head = (sizeof(struct thread) + 63) & ~(size_t)63;
	size_t size = head + ALTSTACK_SIZE + frames_size;
	struct thread *t = sys_map(size);

	if (t == NULL)
		return NULL;
	t->size = size;
	t->owned = 1;
	t->altstack = (char *)t + head;
	t->frames = (struct frame *)(void *)(t->altstack + ALTSTACK_SIZE);
	t->frames_end = t->frames + frames_size / sizeof *t->frames;
	tree_reset(t);
	do
		t->next = __atomic_load_n(&threads, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&threads, &t->next, t, false,
	    __ATOMIC_RELEASE, __ATOMIC_RELAXED));
	return t;
}

static struct thread *
claim_idle(void)
{
	int unowned;

	FOR_EACH_THREAD(t) {
		unowned = 0;
		if (__atomic_load_n(&t->owned, __ATOMIC_RELAXED) == 0 &&
		    __atomic_compare_exchange_n(&t->owned, &unowned, 1,
		    false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			return t;
	}
	return NULL;
}

static void
take(void)
{
	struct thread *t = claim_idle();

	if (t == NULL && (t = new_thread()) == NULL) {
		dormant = true;		/* the calls of one are missing */
		return;
	}
	t->destructor_rounds = 0;
	t->cpu_ns = 0;
	t->last_ticks = ticks();
	t->tid = (int)SYS(gettid, 0);
	if (has_key)
		pthread_setspecific(key, t);
	altstack_set(t->altstack);
	self = t;
}

struct thread *
thread_begin(void)
{
	uint64_t mask;

	if (is_starting || has_ended)
		return NULL;
	is_starting = true;
	mask = sys_block_signals();
	if (!dormant && self == NULL)
		take();
	sys_restore_signals(mask);
	is_starting = false;
	return self;
}

/*
 * What other keys' destructors call is still to be counted, so the end is put
 * off to the last of the rounds that there are.
 */
static void
end(void *to)
{
	struct thread *t = to;
	uint64_t mask;

	if (++t->destructor_rounds < PTHREAD_DESTRUCTOR_ITERATIONS) {
		pthread_setspecific(key, t);
		return;
	}
	mask = sys_block_signals();
	if (settings.timed)
		account_time(t);
	altstack_unset(t->altstack);
	self = NULL;
	has_ended = true;
	t->tid = 0;
	t->current = &t->root;
	t->top = t->frames;
	__atomic_store_n(&t->owned, 0, __ATOMIC_RELEASE);
	sys_restore_signals(mask);
}

void
thread_init(void)
{
	frames_size = size_of_frames();
	has_key = pthread_key_create(&key, end) == 0;
	if (has_key && key >= KEYS_WITHOUT_MALLOC) {
		pthread_key_delete(key);
		has_key = false;
	}
}

/* The others are not there any more, and their calls are the parent's. */
void
thread_fork(void)
{
	struct thread *t = self;

	threads = t;
	if (t == NULL)
		return;
	t->next = NULL;
	t->tid = (int)SYS(gettid, 0);
	t->cpu_ns = 0;
	tree_fork(t);
	t->last_ticks = ticks();
}
