// throw - a C++ program whose exceptions unwind calls at several depths

#include <cstdio>
#include <stdexcept>

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

int
main()
{
	for (int i = 0; i < 100; i++) {
		CALL(catch_one, i % 7);
		CALL(leaf);
	}
	printf("unwound %d\n", unwound);
	count_write();
}
