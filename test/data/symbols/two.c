#include "shared.h"

static __attribute__((noinline)) int
twice(int x)
{
	return clamp(x, 4) + helper(x + x);
}

int
helper(int x)
{
	return clamp(x * x, 100) ^ x;
}

__attribute__((cold)) void
stop(int x)
{
	for (;;)
		helper(x);
}

int
two(int x)
{
	if (x > 1000)
		stop(x);
	return twice(x) + 1;
}
