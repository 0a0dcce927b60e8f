/* stats - change detection gives the known answers of small examples */

#include <math.h>

#include "common/stats/adjust.h"
#include "common/stats/changes.h"
#include "common/stats/normal.h"
#include "common/stats/rankscan.h"
#include "common/stats/twosample.h"
#include "common/stats/values.h"
#include "test/unit/unit.h"

enum { N_MAX = 400, ROUNDS = 300 };
#define N_OF(array) (sizeof(array) / sizeof *(array))

/* The value, printed with this many significant digits, must be the text. */
static void
expect(const char *what, double value, int digits, const char *text)
{
	char printed[64];

	snprintf(printed, sizeof printed, "%.*g", digits, value);
	CHECK(strcmp(printed, text) == 0, "%s: %s, not %s", what, printed,
	    text);
}

static const double a[] = { 100, 101, 99, 102, 98, 103, 97, 100.5, 110, 111,
    109, 112, 108, 113, 107, 110.5 };
static const double b[] = { 10, 10, 11, 11, 10, 10, 11, 12, 12, 12, 13, 12,
    12, 13, 12, 12 };
static const double c[] = { 10, 10.2, 10.3, 10.1, 9.9, 9.8, 9.9, 10.1, 10.3,
    10.4, 10.2, 10, 9.8, 9.7, 9.9, 10.1 };

static double
median_of(const double *values, size_t n)
{
	double room[N_MAX];

	return values_median(values, n, room);
}

static struct rankscan
scan(const double *values, size_t m)
{
	double ranks[N_MAX], room[N_MAX], ties = 0, same;
	uint64_t twice[N_MAX];
	size_t order[N_MAX];

	values_midranks(values, m, order, ranks);
	for (size_t i = 0; i < m; i++) {
		twice[i] = (uint64_t)(2 * ranks[i]);
		same = 0;
		for (size_t j = 0; j < m; j++)
			same += values[i] == values[j];
		ties += same * same - 1;
	}
	return rankscan(twice, m, ties, room);
}

static void
test_examples_of_series(void)
{
	struct changes found = { 0 };
	struct rankscan s = scan(a, N_OF(a));

	expect("A: Z", s.z, 5, "3.3607");
	CHECK(s.at == 8, "A: K");
	expect("A: threshold", rankscan_threshold(16, RANKSCAN_001), 5,
	    "3.2557");
	expect("A: p", rankscan_p(16, s.z), 3, "0.000472");
	expect("A: before", median_of(a, 8), 6, "100.25");
	expect("A: after", median_of(a + 8, 8), 6, "110.25");
	changes_find(&found, a, N_OF(a), 0.02);
	CHECK(found.n == 1 && found.list[0].at == 8 && found.phi == 0 &&
	    found.factor == 1, "A: one change");
	changes_find(&found, a, N_OF(a), 0.2);
	expect("A: phi without the split", found.phi, 4, "0.4125");

	s = scan(b, N_OF(b));
	expect("B: Z", s.z, 5, "3.5233");
	CHECK(s.at == 7, "B: K");
	changes_find(&found, b, N_OF(b), 0.02);
	CHECK(found.n == 1 && found.list[0].at == 7, "B: one change");
	expect("B: before", median_of(b, 7), 6, "10");
	expect("B: after", median_of(b + 7, 9), 6, "12");

	s = scan(c, N_OF(c));
	expect("C: Z", s.z, 5, "1.8965");
	CHECK(s.at == 12, "C: K");
	changes_find(&found, c, N_OF(c), 0.02);
	CHECK(found.n == 0, "C: no change");
	expect("C: phi", found.phi, 4, "0.6362");
	expect("C: factor", found.factor, 4, "2.121");
	changes_release(&found);
}

static void
test_example_of_windows(void)
{
	static const struct {
		size_t from, n, at;
		const char *z, *p;
	} windows[] = { { 0, 80, 30, "2.9138", NULL },
	    { 0, 40, 30, "4.3518", "2.32e-05" },
	    { 20, 40, 10, "3.0184", NULL },
	    { 40, 40, 10, "4.3663", "2.12e-05" },
	    { 0, 50, 30, "5.5353", NULL } };
	struct changes found = { 0 };
	struct rankscan s;
	double x[80];

	for (int i = 0; i < 80; i++)
		x[i] = 95 + 37 * i % 11 + (i >= 30 && i < 50 ? 8 : 0);
	for (size_t i = 0; i < N_OF(windows); i++) {
		s = scan(x + windows[i].from, windows[i].n);
		expect("H: Z", s.z, 5, windows[i].z);
		CHECK(s.at == windows[i].at, "H: K of window %zu", i);
		if (windows[i].p != NULL)
			expect("H: p", rankscan_p(windows[i].n, s.z), 3,
			    windows[i].p);
	}
	changes_find(&found, x, 80, 0.02);
	CHECK(found.n == 2 && found.list[0].at == 30 &&
	    found.list[1].at == 50 && found.phi == 0, "H: two changes");
	expect("H: the least p times 4", found.p, 3, "8.48e-05");
	changes_release(&found);
}

static void
test_examples_of_two_samples(void)
{
	double d1[] = { 100, 102, 98, 101, 99, 103, 97, 100.5, 99.5, 101.5 };
	double d2[] = { 104, 106, 102.5, 105, 103.5, 107, 101.2, 104.5, 103.2,
	    105.5 };
	double e1[] = { 5, 5, 6, 6, 7, 7, 5, 6, 6, 7 };
	double e2[] = { 6, 7, 7, 8, 8, 7, 8, 6, 7, 8 };
	double f1[] = { 1, 2, 3, 4, 5 }, f2[] = { 6, 7, 8, 9, 10 };
	struct twosample t;

	twosample_compare(&t, d1, N_OF(d1), d2, N_OF(d2));
	expect("D: U", t.u, 6, "96");
	expect("D: p", t.p, 6, "0.000129901");
	expect("D: shift", t.shift, 6, "4");
	expect("D: low", t.low, 6, "2.2");
	expect("D: high", t.high, 6, "6");
	expect("D: ratio", t.after / t.before, 5, "1.0399");
	twosample_compare(&t, e1, N_OF(e1), e2, N_OF(e2));
	expect("E: U", t.u, 6, "84");
	expect("E: p", t.p, 6, "0.00832342");
	expect("E: shift", t.shift, 6, "1");
	expect("E: low", t.low, 6, "0");
	expect("E: high", t.high, 6, "2");
	twosample_compare(&t, f1, N_OF(f1), f2, N_OF(f2));
	expect("F: p", t.p, 6, "0.00793651");
}

static void
test_example_of_adjustment(void)
{
	static const double p[] = { .0001, .004, .019, .03, .2 };
	static const char *const holm[] = { "0.0005", "0.016", "0.057", "0.06",
	    "0.2" };
	static const char *const bh[] = { "0.0005", "0.01", "0.03167",
	    "0.0375", "0.2" };
	double q[N_OF(p)];

	adjust_holm(p, N_OF(p), q);
	for (size_t i = 0; i < N_OF(p); i++)
		expect("G: Holm", q[i], 4, holm[i]);
	adjust_benjamini_hochberg(p, N_OF(p), q);
	for (size_t i = 0; i < N_OF(p); i++)
		expect("G: Benjamini-Hochberg", q[i], 4, bh[i]);
}

/* The smallest p there is for n against n, and what would have been seen. */
static void
test_limits(void)
{
	static const char *const least[] = { "0.0286", "0.00794", "0.00216",
	    "0.000583", "0.000155", "4.11e-05", "1.08e-05" };
	double low[10], high[10];
	struct twosample t;

	for (size_t n = 4; n <= 10; n++) {
		for (size_t i = 0; i < n; i++) {
			low[i] = (double)i;
			high[i] = (double)(100 + i);
		}
		twosample_compare(&t, low, n, high, n);
		expect("the least p", t.p, 3, least[n - 4]);
	}
	expect("10 a side", 5 * twosample_visible(10, 10,
	    normal_upper_quantile(.025)), 2, "7.1");
	expect("200 keys", 5 * twosample_visible(10, 10,
	    normal_upper_quantile(.025 / 200)), 3, "19.3");
	expect("20 a side", 5 * twosample_visible(20, 20,
	    normal_upper_quantile(.025 / 200)), 2, "8.6");
	expect("40 a side", 5 * twosample_visible(40, 40,
	    normal_upper_quantile(.025 / 200)), 2, "5.5");
	expect("6 after", 2 * twosample_visible(194, 6,
	    rankscan_threshold(200, RANKSCAN_001)), 2, "8.2");
	expect("10 after", 2 * twosample_visible(190, 10,
	    rankscan_threshold(200, RANKSCAN_001)), 2, "4.1");
	expect("100 after", 2 * twosample_visible(100, 100,
	    rankscan_threshold(200, RANKSCAN_001)), 2, "1.5");
	CHECK(isinf(twosample_visible(2, 2, 9)), "nothing can be seen");
	CHECK(rankscan_blind(50, 1) == 5 && rankscan_blind(400, 1) == 5 &&
	    rankscan_blind(16, 1) == 6 && rankscan_blind(1000, 1) == 6 &&
	    rankscan_blind(14, 1) == 6 && rankscan_blind(13, 1) == 13,
	    "the ends");
}

static int
compare_doubles(const void *x, const void *y)
{
	double v = *(const double *)x, w = *(const double *)y;

	return (v > w) - (v < w);
}

/* The shift and its interval against a sorted table of all differences. */
static void
test_shift(void)
{
	static double all[40 * 40];
	double before[40], after[40], k;
	size_t m, n, count;
	struct twosample t;

	for (int round = 0; round < ROUNDS; round++) {
		m = 1 + unit_random(40);
		n = 1 + unit_random(40);
		for (size_t i = 0; i < m; i++)
			before[i] = (double)unit_random(50) / 7;
		for (size_t i = 0; i < n; i++)
			after[i] = (double)unit_random(50) / 3;
		count = 0;
		for (size_t i = 0; i < m; i++)
			for (size_t j = 0; j < n; j++)
				all[count++] = after[j] - before[i];
		qsort(all, count, sizeof *all, compare_doubles);
		k = fmax(1, floor((double)count / 2 - 1.959964 *
		    sqrt((double)count * (double)(m + n + 1) / 12)));
		twosample_compare(&t, before, m, after, n);
		CHECK(t.low == all[(size_t)k - 1] &&
		    t.high == all[count - (size_t)k], "the interval of %zu "
		    "and %zu values", m, n);
		CHECK(fabs(t.shift - (all[(count - 1) / 2] +
		    all[count / 2]) / 2) < 1e-12, "the shift of %zu and %zu "
		    "values", m, n);
	}
}

/* No change depends on the scale, and a reversed series has the same p. */
static void
test_invariance(void)
{
	double x[N_MAX], scaled[N_MAX];
	struct changes found = { 0 }, other = { 0 };
	size_t n;

	for (int round = 0; round < ROUNDS; round++) {
		n = unit_random(N_MAX);
		for (size_t i = 0; i < n; i++) {
			x[i] = 1000 + (double)unit_random(50) +
			    (i > n / 3 ? 60 : 0);
			scaled[i] = x[i] * 1024;
		}
		changes_find(&found, x, n, 0.02);
		changes_find(&other, scaled, n, 0.02);
		CHECK(found.n == other.n && found.p == other.p &&
		    found.phi == other.phi, "%zu values, scaled", n);
		for (size_t i = 0; i < found.n && i < other.n; i++)
			CHECK(found.list[i].at == other.list[i].at &&
			    found.list[i].at > (i > 0 ?
			    found.list[i - 1].at : 0), "change %zu", i);
		for (size_t i = 0; i < n; i++)
			scaled[i] = 7;
		changes_find(&other, scaled, n, 0);
		CHECK(other.n == 0 && other.p == 1, "%zu equal values", n);
	}
	changes_release(&found);
	changes_release(&other);
}

int
main(void)
{
	unit_seed();
	test_examples_of_series();
	test_example_of_windows();
	test_examples_of_two_samples();
	test_example_of_adjustment();
	test_limits();
	test_shift();
	test_invariance();
	return unit_end();
}
