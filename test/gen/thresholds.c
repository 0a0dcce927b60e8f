/*
 * thresholds ORDERS [LENGTH_MAX] - draws the thresholds of the rank scan
 *
 * For each length of common/stats/rankscan-table.inc, up to LENGTH_MAX, scans
 * this many random orders.  Prints a line in the form of the table, and then
 * how much each threshold differs from the one in use.
 */

#include <math.h>

#include "common/stats/rankscan.h"
#include "test/gen/gen.h"

static const double levels[RANKSCAN_LEVELS] = { 0.05, 0.01, 0.001, 0.0001 };
static const size_t lengths[] = { 8, 10, 12, 13, 14, 15, 16, 18, 20, 22, 24,
    28, 32, 36, 40, 50, 64, 80, 100, 128, 160, 200, 250, 320, 400 };
enum { N_LENGTHS = sizeof lengths / sizeof *lengths, LENGTH_MAX = 400 };

static void
shuffle(uint64_t *list, size_t n)
{
	uint64_t last;
	uint32_t i;

	for (; n > 1; n--) {
		i = below((uint32_t)n);
		last = list[n - 1];
		list[n - 1] = list[i];
		list[i] = last;
	}
}

static int
compare_descending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x < y) - (x > y);
}

/*
 * The smallest z that at most this share of the n values reach, which are in
 * descending order; 0 if even the greatest is more frequent.
 */
static double
find_threshold(const double *z, size_t n, double share)
{
	size_t allowed = (size_t)floor(share * (double)n);

	/* Equal z differ by rounding. */
	while (allowed > 0 && z[allowed - 1] - z[allowed] < 1e-9)
		allowed--;
	return allowed == 0 ? 0 : z[allowed - 1];
}

static void
draw(double *z, size_t n, size_t m)
{
	uint64_t twice_ranks[LENGTH_MAX];
	double room[LENGTH_MAX];

	for (size_t i = 0; i < m; i++)
		twice_ranks[i] = 2 * (i + 1);
	for (size_t i = 0; i < n; i++) {
		shuffle(twice_ranks, m);
		z[i] = rankscan(twice_ranks, m, 0, room).z;
	}
	qsort(z, n, sizeof *z, compare_descending);
}

static void
print_row(const double *z, size_t n, size_t m)
{
	double in_use, drawn[RANKSCAN_LEVELS];

	printf("{ %zu, { ", m);
	for (unsigned i = 0; i < RANKSCAN_LEVELS; i++) {
		drawn[i] = find_threshold(z, n, levels[i]);
		printf(drawn[i] > 0 ? "%.4f%s" : "%.0f%s", drawn[i],
		    i + 1 < RANKSCAN_LEVELS ? ", " : " } },");
	}
	for (unsigned i = 0; i < RANKSCAN_LEVELS; i++) {
		in_use = rankscan_threshold(m, i);
		if (drawn[i] > 0 || isfinite(in_use))
			printf("  %+.4f", drawn[i] - in_use);
	}
	putchar('\n');
}

int
main(int argc, char **argv)
{
	size_t n, max = LENGTH_MAX;
	double *z;

	generator = "thresholds";
	if (argc < 2 || argc > 3)
		fail("usage: thresholds ORDERS [LENGTH_MAX]");
	n = (size_t)number(argv[1], 1, 100000000);
	if (argc > 2)
		max = (size_t)number(argv[2], 1, LENGTH_MAX);
	z = resize(NULL, n, sizeof *z);
	for (size_t i = 0; i < N_LENGTHS && lengths[i] <= max; i++) {
		random_state = 20261122 + lengths[i];
		draw(z, n, lengths[i]);
		print_row(z, n, lengths[i]);
		fflush(stdout);
	}
	free(z);
	return 0;
}
