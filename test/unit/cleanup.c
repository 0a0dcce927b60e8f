/*
 * cleanup - registered functions are called once each, whether the program ends
 * by a return, by die() or by a signal
 */

#define _DEFAULT_SOURCE	/* MAP_ANONYMOUS */

#include <signal.h>
#include <sys/mman.h>

#include "common/base/err.h"
#include "common/io/cleanup.h"
#include "test/unit/unit.h"

/* The child's report, in shared memory. */
static volatile struct report {
	unsigned n_first, n_second;	/* calls of first() and second() */
	bool was_blocked;	/* the signal did nothing while blocked */
	bool survived;		/* the signal did not end the child */
} *report;

static int signal_number;	/* the signal that a child raises */

/* The child's exit status if a check in it failed. */
enum { EXIT_CHECK_FAILED = 98 };

static void
first(void)
{
	report->n_first++;
}

static void
second(void)
{
	report->n_second++;
}

/* Registers first() twice, although it must be called only once. */
static void
register_functions(void)
{
	cleanup_add(first);
	cleanup_add(second);
	cleanup_add(first);
}

static void
end_by_die(void)
{
	register_functions();
	die("expected");
}

static void
end_by_signal(void)
{
	register_functions();
	raise(signal_number);
}

static void
end_by_blocked_signal(void)
{
	register_functions();
	cleanup_block_signals();
	raise(signal_number);
	report->was_blocked = report->n_first == 0;
	cleanup_unblock_signals();
	report->survived = true;
}

/* If the signal is ignored, cleanup happens at exit and not before. */
static void
ignore_signal(void)
{
	end_by_signal();
	if (report->n_first != 0)
		exit(EXIT_CHECK_FAILED);
}

static void
raise_signal(void)
{
	raise(signal_number);
}

/* A forked process does not call the functions that its parent registered. */
static void
end_grandchild_by_signal(void)
{
	register_functions();
	if (unit_child(raise_signal) != 128 + signal_number ||
	    report->n_first != 0)
		exit(EXIT_CHECK_FAILED);
}

/*
 * Runs act() in a child, which must end with this status and call first() and
 * second() once each.
 */
static void
check(const char *what, void (*act)(void), int status)
{
	int got;

	*report = (struct report){ 0 };
	got = unit_child(act);
	CHECK(got == status, "%s, signal %d: status %d", what, signal_number,
	    got);
	CHECK(report->n_first == 1 && report->n_second == 1,
	    "%s, signal %d: called %u and %u times", what, signal_number,
	    report->n_first, report->n_second);
	CHECK(report->was_blocked == (act == end_by_blocked_signal),
	    "%s, signal %d: the cleanup did not wait for the unblocking", what,
	    signal_number);
	CHECK(!report->survived, "%s, signal %d: the child continued", what,
	    signal_number);
}

int
main(void)
{
	static const int signals[] = { SIGHUP, SIGINT, SIGPIPE, SIGTERM,
	    SIGXFSZ };

	report = mmap(NULL, sizeof *report, PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	check("return", register_functions, 0);
	check("die", end_by_die, EXIT_FATAL);
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
		signal_number = signals[i];
		/* The test may have been started with the signal ignored. */
		signal(signal_number, SIG_DFL);
		check("signal", end_by_signal, 128 + signal_number);
		check("blocked", end_by_blocked_signal, 128 + signal_number);
		check("forked", end_grandchild_by_signal, 0);
		signal(signal_number, SIG_IGN);
		check("ignored", ignore_signal, 0);
	}
	return unit_end();
}
