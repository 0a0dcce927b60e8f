/*
 * count.h - a program counts its own calls, for comparison with the instrument
 *
 * CALL(f, ...) calls f and counts a call from this line, on which there must be
 * no other CALL.  count_write() appends the counts to the file $COUNTS.PID, as
 * lines of the form "LINE FUNCTION N".  A forked child calls count_reset(),
 * since it inherits the counts of its parent.
 */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NOT_COUNTED __attribute__((no_instrument_function, unused))
#define NOINLINE __attribute__((noinline))

enum { LINES_MAX = 2000 };
static struct {
	const char *name;		/* of the called function */
	unsigned long n;
} counted[LINES_MAX];			/* by line of the source */

#define CALL(f, ...) \
	(__atomic_store_n(&counted[__LINE__].name, (const char *)#f, \
	    __ATOMIC_RELAXED), \
	__atomic_add_fetch(&counted[__LINE__].n, 1, __ATOMIC_RELAXED), \
	f(__VA_ARGS__))

static NOT_COUNTED void
count_reset(void)
{
	memset(counted, 0, sizeof counted);
}

static NOT_COUNTED void
count_write(void)
{
	const char *prefix = getenv("COUNTS");
	char path[4096], line[200];
	int fd;

	if (prefix == NULL)
		return;
	snprintf(path, sizeof path, "%s.%ld", prefix, (long)getpid());
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0666);
	for (int i = 0; i < LINES_MAX; i++) {
		if (counted[i].n == 0)
			continue;
		snprintf(line, sizeof line, "%d %s %lu\n", i, counted[i].name,
		    counted[i].n);
		if (write(fd, line, strlen(line)) < 0)
			abort();
	}
	close(fd);
}
