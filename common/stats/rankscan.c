/* rankscan - where a sequence of values changes its level */

#include <math.h>

#include "common/base/search.h"
#include "common/stats/rankscan.h"

struct row {
	size_t m;
	double z[RANKSCAN_LEVELS];
};

static const struct row table[] = {
#include "common/stats/rankscan-table.inc"
};
enum { N_ROWS = sizeof table / sizeof *table };

static const double level_p[RANKSCAN_LEVELS] = { 0.05, 0.01, 0.001, 0.0001 };

/* Values of z this close are equal: the first of them is the change. */
#define Z_EQUAL 1e-9

/* The table is rounded: z this close to a threshold are equal to it. */
#define TABLE_ERROR 5e-5

struct rankscan
rankscan(const uint64_t *twice_midranks, size_t m, double ties, double *room)
{
	struct rankscan best = { 0 };
	double n = (double)m, variance, sum = 0, d;

	if (m < 2 * RANKSCAN_MARGIN)
		return best;
	variance = (n + 1) / 12 * (1 - ties / (n * n * n - n));
	if (variance <= 0)
		return best;
	for (size_t k = 1; k <= m - RANKSCAN_MARGIN; k++) {
		sum += (double)twice_midranks[k - 1];
		if (k < RANKSCAN_MARGIN)
			continue;
		d = (sum - (double)k * (n + 1)) / 2;
		room[k] = fabs(d) / sqrt((double)k * (n - (double)k) *
		    variance);
		best.z = fmax(best.z, room[k]);
	}
	best.at = RANKSCAN_MARGIN;
	while (room[best.at] <= best.z - Z_EQUAL)
		best.at++;
	return best;
}

double
rankscan_threshold(size_t m, unsigned level)
{
	size_t above = SEARCH_FIRST(i, N_ROWS, table[i].m > m);
	const struct row *row;
	double x;

	if (above == 0)
		return INFINITY;
	row = &table[above - 1];
	if (row->z[level] == 0)
		return INFINITY;
	if (row->m == m)
		return row->z[level];
	/* A straight line in ln m through the thresholds of two rows; beyond
	   the last row, that of the last two goes on. */
	if (above == N_ROWS)
		row--;
	x = log((double)m / (double)row->m) /
	    log((double)row[1].m / (double)row->m);
	return row->z[level] + x * (row[1].z[level] - row->z[level]);
}

/* The smallest p that there is: of the two orders with all low values first. */
static double
least_p(size_t m)
{
	double n = (double)m, half = floor(n / 2);

	return 2 * exp(lgamma(half + 1) + lgamma(n - half + 1) -
	    lgamma(n + 1));
}

double
rankscan_p(size_t m, double z)
{
	double c[RANKSCAN_LEVELS], slope, p;
	unsigned n_levels = 0, upper;

	while (n_levels < RANKSCAN_LEVELS &&
	    isfinite(c[n_levels] = rankscan_threshold(m, n_levels)))
		n_levels++;
	if (n_levels < 2)
		return 1;
	for (unsigned i = 0; i < n_levels; i++)
		if (fabs(z - c[i]) <= TABLE_ERROR)
			return fmax(level_p[i], least_p(m));
	/* The pair of levels around z, or the nearest pair. */
	for (upper = 1; upper < n_levels - 1 && z > c[upper]; upper++)
		;
	slope = log(level_p[upper] / level_p[upper - 1]) /
	    (c[upper] * c[upper] - c[upper - 1] * c[upper - 1]);
	p = level_p[upper] * exp(slope * (z * z - c[upper] * c[upper]));
	return fmin(1, fmax(p, least_p(m)));
}

bool
rankscan_is_change(size_t m, double z)
{
	return z >= rankscan_threshold(m, RANKSCAN_001) - TABLE_ERROR;
}

size_t
rankscan_blind(size_t m, double factor)
{
	double n = (double)m, k;

	/* k values that are all greater than the other m - k reach this z. */
	for (k = 1; k <= floor(n / 2); k++)
		if (rankscan_is_change(m, sqrt(3 * k * (n - k) / (n + 1)) /
		    factor))
			return (size_t)k - 1;
	return m;
}
