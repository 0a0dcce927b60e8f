// throw - C++ exceptions leave calls at every depth

#include <cstdio>
#include <stdexcept>

extern "C" {
#include "count.h"
}

struct guard {
	int *n;
	APART ~guard() { ++*n; }
};

static int unwound;

static APART void
dive(int depth)
{
	guard g = { &unwound };

	if (depth == 0)
		throw std::runtime_error("the ground");
	CALL(dive, depth - 1);
}

static APART void
after(void)
{
	__asm__ volatile ("");
}

static APART void
catch_one(int depth)
{
	try {
		CALL(dive, depth);
	} catch (const std::exception &) {
		CALL(after);
	}
}

int
main()
{
	for (int i = 0; i < 100; i++) {
		CALL(catch_one, i % 7);
		CALL(after);
	}
	printf("unwound %d\n", unwound);
	count_write();
}
