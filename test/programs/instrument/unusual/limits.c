/*
 * limits - prints its address space in KiB, and locks its memory within a limit
 *
 * Arguments: a number of calls, each of which has a node of its own, and a limit
 * in KiB.
 */

#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static int
dive(int n)
{
	return n == 0 ? 0 : 1 + dive(n - 1);
}

static long
address_space_kib(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	long pages = 0;

	if (f == NULL || fscanf(f, "%ld", &pages) != 1)
		exit(1);
	fclose(f);
	return pages * 4;
}

/* Root may lock any amount of memory. */
static void
drop_capabilities(void)
{
	struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3,
	    0 };
	struct __user_cap_data_struct none[2] = { { 0, 0, 0 }, { 0, 0, 0 } };

	syscall(SYS_capset, &header, none);
}

int
main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 0;
	rlim_t limit = argc > 2 ? (rlim_t)atoi(argv[2]) * 1024 : 0;
	struct rlimit memlock = { limit, limit };

	dive(n);
	fprintf(stderr, "%ld\n", address_space_kib());
	drop_capabilities();
	setrlimit(RLIMIT_MEMLOCK, &memlock);
	if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0) {
		perror("mlockall");
		return 1;
	}
	dive(n);
	return 0;
}
