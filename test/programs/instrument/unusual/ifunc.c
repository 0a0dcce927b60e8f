/* ifunc - has an instrumented resolver, which may run before main() can */

#include <stdio.h>

static int
one(void)
{
	return 1;
}

static int
choose(void)
{
	__builtin_cpu_init();
	return __builtin_cpu_supports("sse2");
}

static int (*resolve(void))(void)
{
	return choose() ? one : NULL;
}

int work(void) __attribute__((ifunc("resolve")));

int
main(void)
{
	printf("%d\n", work() + work());
	return 0;
}
