/*
 * calls - calls of many kinds, before, in and after main()
 *
 * Prints to both output streams and exits with 3, to show that the instrument
 * changes neither.
 */

#include "count.h"

static int n_compared;

static NOINLINE long
fib(int n)
{
	long a, b;

	if (n < 2)
		return n;
	a = CALL(fib, n - 1);
	b = CALL(fib, n - 2);
	return a + b;
}

/* Recursion through two functions. */
static NOINLINE int
odd(int);

static NOINLINE int
even(int n)
{
	if (n == 0)
		return 1;
	return CALL(odd, n - 1);
}

static NOINLINE int
odd(int n)
{
	if (n == 0)
		return 0;
	return CALL(even, n - 1);
}

static NOINLINE void
leaf(void)
{
	__asm__ volatile ("");
}

/* Calls of one function from several lines, in varying order. */
static NOINLINE void
fan(int n)
{
	for (int i = 0; i < n; i++) {
		if (i % 3 == 0)
			CALL(leaf);
		if (i % 5 == 0)
			CALL(leaf);
		if (i * 7 % 11 < 4)
			CALL(leaf);
		CALL(leaf);
	}
}

/* Called by the C library, so without CALL(). */
static NOINLINE int
compare(const void *a, const void *b)
{
	n_compared++;
	return *(const int *)a - *(const int *)b;
}

static NOINLINE void
sort(void)
{
	int numbers[100];

	for (int i = 0; i < 100; i++)
		numbers[i] = i * 37 % 101;
	qsort(numbers, 100, sizeof *numbers, compare);
}

static __attribute__((constructor)) void
before_main(void)
{
	CALL(leaf);
}

static void
at_exit(void)
{
	CALL(leaf);
	count_write();
}

int
main(int argc, char **argv)
{
	int n = argc > 1 ? strtol(argv[1], NULL, 10) : 15;
	long value;

	atexit(at_exit);
	value = CALL(fib, n);
	printf("fib %ld\n", value);
	value = CALL(even, 1001);
	printf("even %ld\n", value);
	CALL(fan, 1000);
	CALL(sort);
	printf("compared %s\n", n_compared > 0 ? "well" : "not");
	fprintf(stderr, "an error\n");
	return 3;
}
