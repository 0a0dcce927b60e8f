// throw - a C++ program whose exceptions unwind calls at several depths, on
// several stacks

#include <cstdio>
#include <csignal>
#include <cstring>
#include <pthread.h>
#include <stdexcept>
#include <sys/mman.h>
#include <ucontext.h>

extern "C" {
#include "count.h"
}

struct guard {
	int *n_destroyed;
	NOINLINE ~guard() { ++*n_destroyed; }
};

static int unwound;

static NOINLINE void
dive(int depth)
{
	guard g = { &unwound };

	if (depth == 0)
		throw std::runtime_error("depth 0");
	CALL(dive, depth - 1);
}

static NOINLINE void
leaf(void)
{
	__asm__ volatile ("");
}

static NOINLINE void
catch_one(int depth)
{
	try {
		CALL(dive, depth);
	} catch (const std::exception &) {
		CALL(leaf);
	}
}

static NOINLINE void
depths(void)
{
	for (int i = 0; i < 100; i++) {
		CALL(catch_one, i % 7);
		CALL(leaf);
	}
}

static NOT_COUNTED NOINLINE void
catch_uncounted(int depth)
{
	try {
		CALL(dive, depth);
	} catch (const std::exception &) {
	}
}

// --- stacks: those of coroutines and handlers, above and below the thread's ---

static ucontext_t here, there;

static NOINLINE void
on_stack(void)
{
	CALL(catch_one, 2);
	CALL(leaf);
	catch_uncounted(3);
	CALL(leaf);
}

static NOT_COUNTED void
on_stack_uncounted(void)
{
	catch_uncounted(2);
}

static NOINLINE void
run_on(char *stack, size_t size, void (*function)(void))
{
	getcontext(&there);
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = size;
	there.uc_link = &here;
	makecontext(&there, function, 0);
	swapcontext(&here, &there);
	CALL(leaf);
}

static void
on_signal(int number)
{
	(void)number;
	CALL(on_stack);
}

static NOT_COUNTED void
on_signal_uncounted(int number)
{
	(void)number;
	on_stack_uncounted();
}

static void
throw_from_handler(int number)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, number);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	CALL(dive, 1);
}

static NOINLINE void
handle_on(char *stack, size_t size, void (*handler)(int))
{
	stack_t other = { stack, 0, size };
	struct sigaction action;
	int (*volatile send)(int) = raise;	// the compiler: may throw

	memset(&action, 0, sizeof action);
	action.sa_handler = handler;
	action.sa_flags = SA_ONSTACK;
	sigaction(SIGUSR2, &action, NULL);
	sigaltstack(&other, NULL);
	try {
		send(SIGUSR2);
	} catch (const std::exception &) {
		CALL(leaf);
	}
	CALL(leaf);
}

enum { SIZE = 1 << 19 };

// Its own stack is between two others.
static void *
use_stacks(void *below)
{
	for (int i = 0; i < 10; i++)
		for (char *stack : { (char *)below, (char *)below + 2 * SIZE }) {
			CALL(run_on, stack, SIZE, on_stack);
			CALL(run_on, stack, SIZE, on_stack_uncounted);
			CALL(handle_on, stack, SIZE, on_signal);
			CALL(handle_on, stack, SIZE, on_signal_uncounted);
			CALL(handle_on, stack, SIZE, throw_from_handler);
		}
	return NULL;
}

static NOINLINE void
stacks(void)
{
	char *memory = (char *)mmap(NULL, 3 * SIZE, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setstack(&attr, memory + SIZE, SIZE);
	pthread_create(&thread, &attr, use_stacks, memory);
	pthread_join(thread, NULL);
}

// --- nested: rethrown exceptions, and others in destructors and handlers ---

struct catching_guard {
	NOINLINE ~catching_guard()
	{
		CALL(catch_one, 3);
		CALL(leaf);
	}
};

static NOINLINE void
rethrow(int depth)
{
	catching_guard g;

	try {
		CALL(dive, depth);
	} catch (const std::exception &) {
		CALL(catch_one, depth);
		CALL(leaf);
		throw;
	}
}

static NOINLINE void
nested(void)
{
	for (int i = 0; i < 20; i++) {
		try {
			CALL(rethrow, i % 5);
		} catch (...) {
			CALL(leaf);
		}
		CALL(leaf);
	}
}

// --- ends: threads that are cancelled or call pthread_exit() ---

static NOINLINE void
end_thread(int is_cancelled)
{
	catching_guard g;

	if (is_cancelled) {
		pthread_cancel(pthread_self());
		pthread_testcancel();
	}
	pthread_exit(NULL);
}

static void *
run_thread(void *is_cancelled)
{
	try {
		CALL(end_thread, is_cancelled != NULL);
	} catch (...) {
		CALL(leaf);
		throw;
	}
	return NULL;
}

static NOINLINE void
ends(void)
{
	pthread_t thread;

	for (int i = 0; i < 10; i++) {
		pthread_create(&thread, NULL, run_thread,
		    i % 2 ? &thread : NULL);
		pthread_join(thread, NULL);
	}
}

// --- contexts: setcontext to a context of the same stack ---

static NOINLINE void
set_context(int depth)
{
	if (depth == 0)
		setcontext(&here);
	CALL(set_context, depth - 1);
}

static NOINLINE void
contexts(void)
{
	for (volatile int i = 0; i < 50; i++) {
		volatile bool is_back = false;

		getcontext(&here);
		CALL(leaf);
		if (!is_back) {
			is_back = true;
			CALL(set_context, i % 4);
		}
	}
}

int
main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "depths";

	if (strcmp(how, "depths") == 0)
		CALL(depths);
	else if (strcmp(how, "stacks") == 0)
		CALL(stacks);
	else if (strcmp(how, "nested") == 0)
		CALL(nested);
	else if (strcmp(how, "ends") == 0)
		CALL(ends);
	else
		CALL(contexts);
	printf("unwound %d\n", unwound);
	count_write();
}
