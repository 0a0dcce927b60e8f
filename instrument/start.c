/* start - the beginning, fork, and the end */

#include <pthread.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "instrument/instrument.h"
#include "instrument/sys.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT void __cyg_profile_func_enter(void *, void *);
int at_quick_exit(void (*)(void));

static bool is_connected, is_finished;
static int state;			/* NEW, BUSY, DONE */
static __thread bool is_here;
enum { NEW, BUSY, DONE };

static void finish(void);

static void
after_fork(void)
{
	uint64_t mask = sys_block();

	state_fork();
	is_finished = false;
	link_fork();
	emit_fork();
	modules_fork();
	crash_fork();
	thread_fork();
	if (!dormant && link_open())
		helper_start();
	sys_unblock(mask);
}

/*
 * What runs with other rights than its caller's is nobody's to look into.  Of
 * two copies of the instrument, in a program and in a library of it, only
 * that whose hooks are called is of use.
 */
static bool
is_wanted(void)
{
	return settings.socket != NULL && getauxval(AT_SECURE) == 0 &&
	    __cyg_profile_func_enter == hook_enter;
}

static void
start(void)
{
	uint64_t mask = sys_block();

	state_init();
	jump_init();
	if (!is_wanted()) {
		dormant = true;
	} else {
		emit_init();
		modules_init();
		thread_init();
		is_connected = link_open();
	}
	if (is_connected) {
		crash_init();
		pthread_atfork(NULL, NULL, after_fork);
		at_quick_exit(finish);
		helper_start();
	}
	sys_unblock(mask);
}

bool
start_once(void)
{
	int expected = NEW;

	if (__atomic_load_n(&state, __ATOMIC_ACQUIRE) == DONE)
		return true;
	if (is_here)
		return false;
	is_here = true;
	if (__atomic_compare_exchange_n(&state, &expected, BUSY, false,
	    __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) {
		start();
		__atomic_store_n(&state, DONE, __ATOMIC_RELEASE);
	}
	while (__atomic_load_n(&state, __ATOMIC_ACQUIRE) != DONE)
		sys_sleep_ms(1);
	is_here = false;
	return true;
}

/* A child by vfork has the parent's memory, and nothing of its own to say. */
static void
finish(void)
{
	uint64_t mask;

	if (!is_connected || is_finished || !state_is_ours())
		return;
	is_finished = true;
	if (settings.timed && !dormant && self != NULL)
		account(self);
	if (!link_take(PATIENCE_NS, &mask))
		return;
	emit(PATIENCE_NS, true);
	link_drop(mask);
}

static __attribute__((constructor(101))) void
begin(void)
{
	start_once();
}

/* The last of the destructors, after all that atexit() was told. */
static __attribute__((destructor(101))) void
end(void)
{
	finish();
}

EXPORT void
_exit(int status)
{
	finish();
	for (;;)
		SYS(exit_group, status);
}

EXPORT void
_Exit(int status)
{
	_exit(status);
}
