/*
 * bench - measure the cost of a call
 *
 * bench SHAPE CALLS THREADS makes CALLS calls in each of THREADS threads, and
 * prints the CPU time per call, in nanoseconds.
 * Shapes: chain, 8 nested calls; fan64, 64 functions one after the other; none,
 * no calls.
 *
 * bench gap DEPTH makes a call tree of 2^(DEPTH + 1) - 1 nodes.  Then it makes
 * short series of calls for half a second and prints the longest time that one
 * took, in microseconds: how long the program is delayed when its counts are
 * read.
 */

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NOT_COUNTED __attribute__((no_instrument_function))

#define LEAF(n) static __attribute__((noinline)) void f##n(void) \
	{ __asm__ volatile (""); }
#define CALL(n) f##n();
#define EIGHT(m, n) m(n##0) m(n##1) m(n##2) m(n##3) m(n##4) m(n##5) m(n##6) \
	m(n##7)
#define ALL(m) EIGHT(m, 0) EIGHT(m, 1) EIGHT(m, 2) EIGHT(m, 3) EIGHT(m, 4) \
	EIGHT(m, 5) EIGHT(m, 6) EIGHT(m, 7)
ALL(LEAF)

/* c1 calls c2, and so on to c8.  The asm prevents tail calls. */
#define LINK(n, next) static __attribute__((noinline)) void c##n(void) \
	{ next; __asm__ volatile (""); }
LINK(8, ) LINK(7, c8()) LINK(6, c7()) LINK(5, c6()) LINK(4, c5()) LINK(3, c4())
LINK(2, c3()) LINK(1, c2())

static const char *shape;
static long calls;

/* The calls of one thread. */
static NOT_COUNTED void *
run(void *p)
{
	if (strcmp(shape, "chain") == 0)
		for (long i = 0; i < calls / 8; i++)
			c1();
	else if (strcmp(shape, "fan64") == 0)
		for (long i = 0; i < calls / 64; i++) {
			ALL(CALL)
		}
	return p;
}

/* In nanoseconds. */
static NOT_COUNTED double
now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* left(n) makes 2^(n + 1) - 1 calls, each with a different call stack. */
static __attribute__((noinline)) void right(int n);

static __attribute__((noinline)) void
left(int n)
{
	if (n > 0) {
		left(n - 1);
		right(n - 1);
	}
}

static __attribute__((noinline)) void
right(int n)
{
	if (n > 0) {
		left(n - 1);
		right(n - 1);
	}
}

static NOT_COUNTED double
longest_gap_us(int depth)
{
	double start, last, t, longest = 0;	/* nanoseconds */

	left(depth);
	start = last = now(CLOCK_MONOTONIC);
	do {
		left(3);
		t = now(CLOCK_MONOTONIC);
		if (t - last > longest)
			longest = t - last;
		last = t;
	} while (t - start < 5e8);
	return longest / 1000;
}

int NOT_COUNTED
main(int argc, char **argv)
{
	pthread_t threads[64];
	double start;
	int n = argc > 3 ? atoi(argv[3]) : 1;

	shape = argv[1];
	calls = atol(argv[2]);
	if (strcmp(shape, "gap") == 0) {
		fprintf(stderr, "%.2f\n", longest_gap_us((int)calls));
		return 0;
	}
	start = now(CLOCK_PROCESS_CPUTIME_ID);
	for (int i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, run, NULL);
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	fprintf(stderr, "%.2f\n", (now(CLOCK_PROCESS_CPUTIME_ID) - start) /
	    (double)calls / n);
	return 0;
}
