/*
 * start - initialization, fork and exit
 *
 * The instrument starts in a constructor (in calibrate.c), or earlier if a hook
 * or weir_mark() comes first.  When the process exits, by exit(), quick_exit()
 * or _exit(), it says so in the shared memory.
 */

#include <asm/prctl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "instrument/crash.h"
#include "instrument/instrument.h"
#include "instrument/link.h"
#include "instrument/modules.h"
#include "instrument/shared.h"
#include "instrument/start.h"
#include "instrument/state.h"
#include "instrument/sys.h"
#include "instrument/thread.h"

/* Its address is NULL until it is relocated, see is_process_ready(). */
#pragma weak environ

static int state;		/* of the initialization */
enum { NEW, BUSY, DONE };
static __thread bool is_busy_here;	/* this thread is in start_once() */

static void finish(void);

/*
 * In a child with a copy of the memory, which is a new process to the wrapper:
 * the child gets its own memory, and counts from 0.  The C library calls this
 * after fork(); after _Fork(), clone() and the system calls, the first hook
 * does.
 */
static void
after_fork(void)
{
	struct shared *inherited = shared;
	uint64_t mask;

	if (is_confined) {
		if (!counting.is_started)
			shared_lose_process(inherited);
		counting.is_started = true;
		state_give_up();
		return;
	}
	mask = sys_block_signals();
	if (counting.is_started && state_is_ours()) {
		sys_restore_signals(mask);
		return;
	}
	counting.is_on = false;
	state_fork();
	modules_fork();
	if (!dormant && shared_fork()) {
		modules_find_program();
		thread_fork();
		counting.is_on = link_share_memory();
	}
	if (!counting.is_on) {
		state_give_up();
		shared_lose_process(inherited);
	}
	counting.is_started = true;
	sys_restore_signals(mask);
}

static void
start(bool are_hooks_ours)
{
	state_init();
	/* A setuid or setgid program must not obey its caller's environment. */
	if (are_hooks_ours && settings.socket_name != NULL &&
	    getauxval(AT_SECURE) == 0) {
		thread_init();
		if (shared_init())
			modules_find_program();
		counting.is_on = link_share_memory();
	}
	if (!counting.is_on) {
		state_give_up();
		shared = NULL;
		return;
	}
	crash_init();
	pthread_atfork(NULL, NULL, after_fork);
	at_quick_exit(finish);
}

/*
 * Has the C library been initialized?  Before that, a resolver of indirect
 * functions (IFUNC) may call hooks.  In a static program it runs without
 * thread-local storage: the register FS is 0.  In a dynamic program, the file
 * that contains the instrument may not have been relocated yet: then the
 * address of environ is NULL.
 */
static bool
is_process_ready(void)
{
	uintptr_t fs = 0;

	return &environ != NULL && environ != NULL &&
	    SYS(arch_prctl, ARCH_GET_FS, &fs) == 0 && fs != 0;
}

bool
start_once(bool are_hooks_ours)
{
	int expected = NEW;
	uint64_t mask;

	if (__atomic_load_n(&state, __ATOMIC_ACQUIRE) == DONE) {
		if (!counting.is_started)
			after_fork();
		return true;
	}
	if (!is_process_ready() || is_busy_here)
		return false;
	mask = sys_block_signals();
	is_busy_here = true;
	if (__atomic_compare_exchange_n(&state, &expected, BUSY, false,
	    __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) {
		start(are_hooks_ours);
		counting.is_started = true;
		__atomic_store_n(&state, DONE, __ATOMIC_RELEASE);
	}
	while (__atomic_load_n(&state, __ATOMIC_ACQUIRE) != DONE)
		sys_sleep_ms(1);
	is_busy_here = false;
	sys_restore_signals(mask);
	return true;
}

static void
finish(void)
{
	struct thread *t = self;

	/* Not in a child made by vfork(): it ends, but its parent continues. */
	if (shared == NULL || is_confined || shared->is_finished ||
	    !state_is_ours())
		return;
	if (t != NULL) {
		if (settings.timed && !dormant)
			account_time(t);
		/* On one stack, a call is deeper than its caller. */
		for (struct frame *f = t->frames + 1; f < t->top; f++)
			shared->is_misplaced |= frame_sp(f) > frame_sp(f - 1);
	}
	modules_find_uncounted();
	shared->is_finished = true;
}

/*
 * 101 is the lowest priority number that programs may use.  Destructors with
 * the lowest number run last, after all functions that were registered with
 * atexit().
 */
static __attribute__((destructor(101))) void
finish_at_exit(void)
{
	finish();
}

INTERPOSED void
_exit(int status)
{
	finish();
	for (;;)
		SYS(exit_group, status);
}

void _Exit(int status) __attribute__((weak, visibility("default"),
    alias("_exit")));
