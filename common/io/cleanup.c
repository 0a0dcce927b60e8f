/* cleanup - functions that are called before the program ends */

#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/base/err.h"
#include "common/io/cleanup.h"

enum { CLEANERS_MAX = 4 };

static void (*volatile cleaners[CLEANERS_MAX])(void);

/*
 * Signals from outside that end a program.  Not SIGQUIT, which asks for a core
 * dump of the program as it is.
 */
static const int signals[] = { SIGHUP, SIGINT, SIGPIPE, SIGTERM, SIGXFSZ };
enum { N_SIGNALS = sizeof signals / sizeof *signals };

static pid_t process;		/* the process that cleans up, not its forked
				   children; 0 before cleanup_add() */
static sigset_t saved_mask;	/* from before cleanup_block_signals() */

void
cleanup_run(void)
{
	if (getpid() != process)
		return;
	for (size_t i = 0; i < CLEANERS_MAX && cleaners[i] != NULL; i++)
		cleaners[i]();
}

static void
on_signal(int number)
{
	cleanup_run();
	signal(number, SIG_DFL);
	raise(number);
}

void
cleanup_add(void (*added)(void))
{
	struct sigaction action = { .sa_handler = on_signal }, old;
	size_t i = 0;

	while (i < CLEANERS_MAX && cleaners[i] != NULL && cleaners[i] != added)
		i++;
	if (i == CLEANERS_MAX)
		bug("more than %d cleanup functions", CLEANERS_MAX);
	cleaners[i] = added;
	/* In a forked child, which inherits the handlers, process is not 0. */
	if (process == 0) {
		atexit(cleanup_run);
		for (size_t k = 0; k < N_SIGNALS; k++)
			if (sigaction(signals[k], NULL, &old) == 0 &&
			    old.sa_handler != SIG_IGN)
				sigaction(signals[k], &action, NULL);
	}
	process = getpid();
}

void
cleanup_block_signals(void)
{
	sigset_t blocked;

	sigemptyset(&blocked);
	for (size_t i = 0; i < N_SIGNALS; i++)
		sigaddset(&blocked, signals[i]);
	sigprocmask(SIG_BLOCK, &blocked, &saved_mask);
}

void
cleanup_unblock_signals(void)
{
	sigprocmask(SIG_SETMASK, &saved_mask, NULL);
}
