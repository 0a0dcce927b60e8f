/* cleanup - all is called before the program ends, and once */

#define _DEFAULT_SOURCE	/* MAP_ANONYMOUS */

#include <signal.h>
#include <sys/mman.h>

#include "common/base/err.h"
#include "common/io/cleanup.h"
#include "test/unit/unit.h"

/* What a child says. */
static volatile struct said {
	unsigned first, second;		/* how often they were called */
	bool waited, released;		/* a held signal; it did not end it */
} *said;

static int number;	/* of the signal that ends the child */

static void
first(void)
{
	said->first++;
}

static void
second(void)
{
	said->second++;
}

static void
by_return(void)
{
	cleanup_add(first);
	cleanup_add(second);
	cleanup_add(first);
}

static void
by_die(void)
{
	by_return();
	die("as we must");
}

static void
by_signal(void)
{
	by_return();
	raise(number);
}

static void
by_held_signal(void)
{
	by_return();
	cleanup_block_signals();
	raise(number);
	said->waited = said->first == 0;
	cleanup_unblock_signals();
	said->released = true;
}

static void
by_nothing_yet(void)
{
	by_signal();
	if (said->first != 0)
		exit(98);
}

static void
only_raise(void)
{
	raise(number);
}

/* What a child has not added is not the child's to clean up. */
static void
by_child_of_its_own(void)
{
	by_return();
	if (unit_child(only_raise) != 128 + number || said->first != 0)
		exit(98);
}

static void
check(const char *what, void (*act)(void), int status)
{
	int ended;

	*said = (struct said){ 0 };
	ended = unit_child(act);
	CHECK(ended == status, "%s, signal %d: %d", what, number, ended);
	CHECK(said->first == 1 && said->second == 1,
	    "%s, signal %d: called %u and %u times", what, number,
	    said->first, said->second);
	CHECK(said->waited == (act == by_held_signal), "%s, signal %d: waited",
	    what, number);
	CHECK(!said->released, "%s, signal %d: it goes on", what, number);
}

int
main(void)
{
	static const int ends[] = { SIGHUP, SIGINT, SIGPIPE, SIGTERM,
	    SIGXFSZ };

	said = mmap(NULL, sizeof *said, PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	check("return", by_return, 0);
	check("die", by_die, EXIT_FATAL);
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		number = ends[i];
		signal(number, SIG_DFL);	/* what runs us may ignore it */
		check("signal", by_signal, 128 + number);
		check("held", by_held_signal, 128 + number);
		check("a child", by_child_of_its_own, 0);
		signal(number, SIG_IGN);
		check("ignored", by_nothing_yet, 0);
	}
	return unit_end();
}
