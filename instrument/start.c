/* start - the beginning, fork, and the end */

#include <pthread.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "instrument/instrument.h"
#include "instrument/sys.h"

int at_quick_exit(void (*)(void));

static bool is_connected, is_finished;
static int state;			/* NEW, BUSY, DONE */
static __thread bool is_here;
enum { NEW, BUSY, DONE };

static void finish(void);

static void
after_fork(void)
{
	uint64_t mask = sys_block_signals();

	state_fork();
	is_finished = false;
	link_fork();
	emit_fork();
	marks_fork();
	modules_fork();
	crash_fork();
	thread_fork();
	if (!dormant && link_open())
		helper_start();
	sys_restore_signals(mask);
}

/* What runs with other rights than its caller's is nobody's to look into. */
static bool
is_wanted(void)
{
	return settings.socket_path != NULL && getauxval(AT_SECURE) == 0;
}

static void
start(bool are_hooks_ours)
{
	state_init();
	jmpbuf_init();
	if (!are_hooks_ours || !is_wanted()) {
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
}

bool
start_once(bool are_hooks_ours)
{
	int expected = NEW;
	uint64_t mask;

	if (__atomic_load_n(&state, __ATOMIC_ACQUIRE) == DONE)
		return true;
	if (is_here)
		return false;
	mask = sys_block_signals();
	is_here = true;
	if (__atomic_compare_exchange_n(&state, &expected, BUSY, false,
	    __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) {
		start(are_hooks_ours);
		__atomic_store_n(&state, DONE, __ATOMIC_RELEASE);
	}
	while (__atomic_load_n(&state, __ATOMIC_ACQUIRE) != DONE)
		sys_sleep_ms(1);
	is_here = false;
	sys_restore_signals(mask);
	return true;
}

/* A child by vfork has the parent's memory, and nothing of its own to say. */
static void
finish(void)
{
	if (!is_connected || is_finished || !state_is_ours())
		return;
	is_finished = true;
	if (settings.timed && !dormant && self != NULL)
		account_time(self);
	emit(STALL_TIMEOUT_NS, true);
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
