/* start - the beginning, fork, and the end */

#include <pthread.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "instrument/instrument.h"
#include "instrument/sys.h"

#define EXPORT __attribute__((visibility("default")))

struct settings settings = { .max_nodes = 400000 };
int process;

EXPORT void __cyg_profile_func_enter(void *, void *);
int at_quick_exit(void (*)(void));

static bool is_connected, is_finished;
static int state;			/* NEW, BUSY, DONE */
static __thread bool is_here;
enum { NEW, BUSY, DONE };

/* getenv() may be the program's own. */
static const char *
setting(const char *name)
{
	size_t i;

	for (char **e = environ; e != NULL && *e != NULL; e++) {
		for (i = 0; name[i] != '\0' && name[i] == (*e)[i]; i++)
			;
		if (name[i] == '\0' && (*e)[i] == '=')
			return (*e)[i + 1] == '\0' ? NULL : *e + i + 1;
	}
	return NULL;
}

/* A number within bounds, or else what it is by default. */
static uint64_t
number(const char *name, uint64_t least, uint64_t most, uint64_t otherwise)
{
	const char *s = setting(name);
	uint64_t value = 0;

	if (s == NULL)
		return otherwise;
	for (; *s >= '0' && *s <= '9' && value <= most; s++)
		value = value * 10 + (unsigned)(*s - '0');
	return *s != '\0' || value < least || value > most ? otherwise : value;
}

static void
read_settings(void)
{
	uint64_t hz;

	settings.socket = setting("WEIR_SOCKET");
	settings.timed = number("WEIR_TIME", 0, 1, 0);
	settings.fold = number("WEIR_FOLD_RECURSION", 0, 1, 0);
	settings.no_helper = !number("WEIR_HELPER", 0, 1, 1);
	settings.max_nodes = number("WEIR_MAX_NODES", 1, UINT32_MAX / 2,
	    settings.max_nodes);
	settings.interval_ns = (int64_t)number("WEIR_INTERVAL_MS", 0,
	    UINT32_MAX, 0) * 1000000;
	hz = number("WEIR_SAMPLE_HZ", 0, 10000, 0);
	settings.sample_ns = hz > 0 ? (int64_t)(1000000000 / hz) : 0;
}

static void finish(void);

static void
after_fork(void)
{
	uint64_t mask = sys_block();

	process = (int)SYS(getpid, 0);
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

	process = (int)SYS(getpid, 0);
	jump_init();
	read_settings();
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

	if (!is_connected || is_finished || process != (int)SYS(getpid, 0))
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
