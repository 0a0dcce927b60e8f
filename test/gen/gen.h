#ifndef GEN_H
#define GEN_H

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/*
 * Functions of all generators of test data: error messages, and random numbers
 * that are the same on every machine.
 */
static const char *generator;	/* the name of the program, for messages; set
				   by main() */
static uint64_t random_state;	/* main() may set it to a seed */

/* Prints a message and exits. */
static inline void
fail(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fprintf(stderr, "%s: ", generator);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
	va_end(ap);
	exit(2);
}

/* Reallocates an array for n elements of size bytes; never returns NULL. */
static inline void *
resize(void *old, size_t n, size_t size)
{
	void *p;

	if ((p = realloc(old, n * size)) == NULL)
		fail("out of memory");
	return p;
}

/* 64 random bits, by splitmix64 (Vigna). */
static inline uint64_t
next_random(void)
{
	uint64_t z;

	z = random_state += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* A number from 0 to n - 1. */
static inline uint32_t
below(uint32_t n)
{
	return (uint32_t)((next_random() >> 32) * n >> 32);
}

/* True with a probability of 1 / n. */
static inline bool
one_in(uint32_t n)
{
	return below(n) == 0;
}

/*
 * A number from 2^low to 2^high - 1.  The exponents in the middle are the most
 * frequent, as in measured sizes and durations.
 */
static inline uint32_t
magnitude(uint32_t low, uint32_t high)
{
	uint32_t base, bits;

	bits = below(high - low);
	bits = low + (bits + below(high - low)) / 2;
	base = UINT32_C(1) << bits;
	return base + below(base);
}

/* Parses a decimal number; calls fail() if it is not from min to max. */
static inline uint64_t
number(const char *text, uint64_t min, uint64_t max)
{
	uintmax_t value;
	char *end;

	errno = 0;
	value = strtoumax(text, &end, 10);
	if (*text < '0' || *text > '9' || *end != '\0' || errno != 0 ||
	    value < min || value > max)
		fail("'%s' is not a number from %" PRIu64 " to %" PRIu64,
		    text, min, max);
	return value;
}

#endif
