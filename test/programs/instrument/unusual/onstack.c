/*
 * onstack - has handlers that want an alternate stack
 *
 * Arguments: what to do, and how many calls deep.  `none`: there is no alternate
 * stack, and the handler needs more than the instrument's would have.  `small`:
 * there is one of 8 KiB, with a guard page below, and the program overflows its
 * stack; as in Rust, the handler prints a message and aborts.  With a third
 * argument, all happens in a thread.
 */

#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LARGE = 1000 * 1024, SMALL = 8 * 1024 };

static volatile int n_signals;

static void
use_large(int number)
{
	volatile char buffer[LARGE];

	for (size_t i = 0; i < sizeof buffer; i += 512)
		buffer[i] = (char)number;
	n_signals++;
}

static void
abort_loudly(int number)
{
	static const char text[] = "stack overflow\n";

	if (number == SIGSEGV && write(STDOUT_FILENO, text, strlen(text)) > 0)
		abort();
}

static void
handle(int number, void (*handler)(int))
{
	struct sigaction action = { .sa_handler = handler,
	    .sa_flags = SA_ONSTACK };

	sigaction(number, &action, NULL);
}

static void
check_none(void)
{
	stack_t stack;

	if (sigaltstack(NULL, &stack) != 0 || !(stack.ss_flags & SS_DISABLE))
		exit(1);
	raise(SIGUSR1);
}

static void
set_small(void)
{
	char *p = mmap(NULL, 4096 + SMALL, PROT_NONE, MAP_PRIVATE |
	    MAP_ANONYMOUS, -1, 0);
	stack_t stack = { .ss_sp = p + 4096, .ss_size = SMALL };

	mprotect(p + 4096, SMALL, PROT_READ | PROT_WRITE);
	if (sigaltstack(&stack, NULL) != 0)
		exit(1);
}

static int
dive(int n, void (*at_bottom)(void))
{
	volatile int kept = n;

	if (n == 0 && at_bottom != NULL)
		at_bottom();
	return n == 0 ? 0 : dive(n - 1, at_bottom) + kept;
}

static char **arguments;

static void *
run(void *unused)
{
	int depth = atoi(arguments[2]);

	if (strcmp(arguments[1], "none") == 0) {
		handle(SIGUSR1, use_large);
		check_none();
		dive(depth, check_none);
	} else {
		set_small();
		handle(SIGSEGV, abort_loudly);
		dive(depth, NULL);
	}
	return unused;
}

int
main(int argc, char **argv)
{
	pthread_t thread;

	arguments = argv;
	if (argc < 4)
		run(NULL);
	else if (pthread_create(&thread, NULL, run, NULL) == 0)
		pthread_join(thread, NULL);
	printf("%d signals\n", n_signals);
	return 0;
}
