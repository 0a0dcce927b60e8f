#include <stdlib.h>
#include "shared.h"

/* two.c has a static function of the same name. */
static __attribute__((noinline)) int
twice(int x)
{
	return helper(x) * 2;
}

static inline int
deeper(int x)
{
	return clamp(x, 3) + clamp(x + 1, 9) + helper(x);
}

int
one(int x)
{
	int sum = 0;

	for (int i = 0; i < x; i++)
		sum += twice(i) + deeper(i);
	return sum;
}

int
main(int argc, char **argv)
{
	(void)argv;
	return (one(argc) + two(argc) + atoi("1")) & 1;
}
