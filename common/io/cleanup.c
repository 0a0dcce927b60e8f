/* cleanup - what is done before the program ends */

#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/base/err.h"
#include "common/io/cleanup.h"

enum { CLEANERS_MOST = 4 };

static void (*volatile cleaners[CLEANERS_MOST])(void);

static const int ends[] = { SIGHUP, SIGINT, SIGPIPE, SIGTERM, SIGXFSZ };
enum { N_ENDS = sizeof ends / sizeof *ends };

static pid_t process;		/* whose it is to clean up, or 0 */
static sigset_t before;		/* cleanup_block_signals() */

static void
clean(void)
{
	if (getpid() != process)
		return;
	for (size_t i = 0; i < CLEANERS_MOST && cleaners[i] != NULL; i++)
		cleaners[i]();
}

static void
on_signal(int number)
{
	clean();
	signal(number, SIG_DFL);
	raise(number);
}

/* A process that was forked has them caught already. */
static void
catch_ends(void)
{
	struct sigaction action = { .sa_handler = on_signal }, old;

	atexit(clean);
	for (size_t i = 0; i < N_ENDS; i++)
		if (sigaction(ends[i], NULL, &old) == 0 &&
		    old.sa_handler != SIG_IGN)
			sigaction(ends[i], &action, NULL);
}

void
cleanup_add(void (*added)(void))
{
	size_t i = 0;

	while (i < CLEANERS_MOST && cleaners[i] != NULL && cleaners[i] != added)
		i++;
	if (i == CLEANERS_MOST)
		bug("more than %d to clean up", CLEANERS_MOST);
	cleaners[i] = added;
	if (process == 0)
		catch_ends();
	process = getpid();
}

void
cleanup_block_signals(void)
{
	sigset_t held;

	sigemptyset(&held);
	for (size_t i = 0; i < N_ENDS; i++)
		sigaddset(&held, ends[i]);
	sigprocmask(SIG_BLOCK, &held, &before);
}

void
cleanup_unblock_signals(void)
{
	sigprocmask(SIG_SETMASK, &before, NULL);
}
