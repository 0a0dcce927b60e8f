int one(int x);
int two(int x);
int helper(int x);
void stop(int x);

static inline int
clamp(int x, int max)
{
	if (x < 0)
		return 0;
	while (x > max)
		x -= helper(x) + 1;
	return x;
}
