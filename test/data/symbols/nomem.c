/*
 * nomem - to be preloaded: allocation number $NOMEM of a program fails.  If it
 * is 0, none fails, and the number of allocations is printed at the end.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);

static long n;

static int
fails(void)
{
	static const char *which;

	if (which == NULL)
		which = getenv("NOMEM");
	if (++n != atol(which))
		return 0;
	errno = ENOMEM;
	return 1;
}

void *
malloc(size_t size)
{
	return fails() ? NULL : __libc_malloc(size);
}

void *
calloc(size_t n_items, size_t size)
{
	return fails() ? NULL : __libc_calloc(n_items, size);
}

void *
realloc(void *p, size_t size)
{
	return fails() ? NULL : __libc_realloc(p, size);
}

__attribute__((destructor))
static void
print_number(void)
{
	if (atol(getenv("NOMEM")) == 0)
		fprintf(stderr, "%ld\n", n);
}
