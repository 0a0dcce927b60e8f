/*
 * start - initialization, fork and exit
 *
 * The instrument starts in a constructor of its own, or earlier if a hook, a
 * longjmp or weir_mark() comes first.  The final emission is sent when the
 * process exits, by exit(), quick_exit() or _exit().
 */

#include <pthread.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "instrument/instrument.h"
#include "instrument/sys.h"

static bool is_connected, is_finished;
static int state;
enum { NEW, BUSY, DONE };
static __thread bool is_busy_here;	/* this thread is in start_once() */

static void finish(void);

/*
 * For the wrapper, the child of fork() is another process: it has its own
 * connection and its own helper thread, and counts from 0.
 */
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

/* A setuid or setgid program must not obey its caller's environment. */
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
	if (is_busy_here)
		return false;
	mask = sys_block_signals();
	is_busy_here = true;
	if (__atomic_compare_exchange_n(&state, &expected, BUSY, false,
	    __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) {
		start(are_hooks_ours);
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
	/* The end of a child made by vfork() is not that of its parent. */
	if (!is_connected || is_finished || !state_is_ours())
		return;
	is_finished = true;
	if (settings.timed && !dormant && self != NULL)
		account_time(self);
	emit(STALL_TIMEOUT_NS, true);
}

/* Runs late: after the functions that were registered with atexit(). */
static __attribute__((destructor(101))) void
finish_at_exit(void)
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
