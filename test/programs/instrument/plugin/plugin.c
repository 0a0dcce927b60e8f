/* plugin - a library that the program cases.c loads with dlopen() */

__attribute__((noinline)) int plugin_work(int n);
__attribute__((noinline)) int plugin_add(int a);

__attribute__((noinline)) int
plugin_add(int a)
{
	__asm__ volatile ("");
	return a + 1;
}

__attribute__((noinline)) int
plugin_work(int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++)
		sum += plugin_add(i);
	return sum;
}
