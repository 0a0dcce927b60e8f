/* stats - change detection gives the known answers of small examples */

#include <math.h>

#include "common/stats/changes.h"
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

/* --- a history ------------------------------------------------------------ */

/*
 * Describes what was found: each change as "PLACE: BEFORE to AFTER, p P,
 * FIRST..LAST", the steps of a gradual one in parentheses, then the splits with
 * their sigma, phi and the factor.
 */
static void
describe(const struct changes *c, char *text, size_t size)
{
	const struct change_point *p;
	FILE *f = fmemopen(text, size, "w");

	for (p = c->list; p < c->list + c->n; p++) {
		fprintf(f, "%s%zu: %.6g to %.6g, p %.6g, %zu..%zu",
		    p->is_accepted ? "accepted " : "", p->at, p->before,
		    p->after, p->p, p->first, p->last);
		for (size_t i = 0; i < p->n_steps; i++)
			fprintf(f, "%s%zu%s", i > 0 ? " " : " (",
			    p->steps[i].at, i + 1 == p->n_steps ? ")" : "");
		fprintf(f, "; ");
	}
	p = &c->newest;
	if (p->n_after > 0)
		fprintf(f, "newest %zu: %.6g to %.6g, D %.8g; ", p->n_after,
		    p->before, p->after, p->size);
	for (size_t i = 0; i < c->splits.n; i++)
		fprintf(f, "split %zu sigma %.4g, ", c->splits.list[i].at,
		    c->splits.list[i].sigma);
	fprintf(f, "phi %.6f, f %.6f", c->splits.phi, c->splits.factor);
	fclose(f);
}

static void
expect_changes(const char *what, const double *x, size_t n, double effect,
    size_t accepted, const char *expected)
{
	struct changes found = { 0 };
	char text[1024];

	changes_find(&found, x, n, &accepted, accepted > 0, effect);
	describe(&found, text, sizeof text);
	CHECK(strcmp(text, expected) == 0, "%s: %s", what, text);
	changes_release(&found);
}

/* The worked examples of the definition. */
static void
test_examples_of_series(void)
{
	static const double a[] = { 100, 101, 99, 102, 98, 103, 97, 100.5, 110,
	    111, 109, 112, 108, 113, 107, 110.5 };
	static const double b[] = { 10, 10, 11, 11, 10, 10, 11, 12, 12, 12, 13,
	    12, 12, 13, 12, 12 };
	static const double c[] = { 10, 10.2, 10.3, 10.1, 9.9, 9.8, 9.9, 10.1,
	    10.3, 10.4, 10.2, 10, 9.8, 9.7, 9.9, 10.1 };
	static const double e[] = { 100, 100.1, 100.2, 100.3, 100.4, 100,
	    100.1, 100.2, 149.5, 150, 150.1, 150.2, 150.3, 150.4, 150, 150.1,
	    150.2, 150.3, 150.4, 150 };
	static const double steps[] = { 0, .3, -.2, .1, -.3, .2, -.1, 0 };
	static const double newest[] = { 130, 131, 129, 130 };
	double x[80];

	expect_changes("A", a, N_OF(a), .02, 0, "8: 100.25 to 110.25, "
	    "p 0.0024864, 8..8; split 8 sigma 2.812, phi 0.000000, "
	    "f 1.000000");
	expect_changes("B", b, N_OF(b), .02, 0, "7: 10 to 12, p 0.0027972, "
	    "6..7; split 7 sigma 0.456, phi 0.000000, f 1.000000");
	expect_changes("C", c, N_OF(c), .02, 0, "phi 0.818020, f 3.160733");

	for (int i = 0; i < 24; i++)
		x[i] = i < 8 ? 100 : i < 16 ? 150 : 152;
	expect_changes("D", x, 24, .02, 0, "8: 100 to 150, p 0.0037296, 8..8; "
	    "split 8 sigma 0, split 16 sigma 0, phi 0.000000, f 1.000000");
	expect_changes("E", e, N_OF(e), .02, 0, "8: 100.15 to 150.15, "
	    "p 0.000317536, 8..8; split 8 sigma 0.228, phi 0.274922, "
	    "f 1.326018");
	for (int i = 0; i < 80; i++)
		x[i] = 95 + 37 * i % 11 + (i >= 30 && i < 50 ? 8 : 0);
	expect_changes("F", x, 80, .02, 0, "30: 100 to 108, p 2.63554e-06, "
	    "29..32; 50: 108 to 100, p 3.12004e-06, 49..53; split 30 sigma "
	    "4.152, split 50 sigma 4.189, phi 0.000000, f 1.000000");

	for (int i = 0; i < 48; i++)
		x[i] = round(10 * (100 * pow(1.015, i / 8) + steps[i % 8])) /
		    10;
	expect_changes("G", x, 48, .02, 0, "40: 100 to 107.7, p 0.00745921, "
	    "8..40 (8 16 24 32 40); split 8 sigma 0.2736, split 16 sigma "
	    "0.2736, split 24 sigma 0.2736, split 32 sigma 0.2736, split 40 "
	    "sigma 0.2736, phi 0.000000, f 1.000000");
	expect_changes("G, 10 %", x, 48, .1, 0, "split 8 sigma 0.2736, split "
	    "16 sigma 0.2736, split 24 sigma 0.2736, split 32 sigma 0.2736, "
	    "split 40 sigma 0.2736, phi 0.000000, f 1.000000");
	expect_changes("G, accepted", x, 48, .02, 32, "accepted 32: 100 to "
	    "106.1, p 0.00745921, 8..32 (8 16 24 32); split 8 sigma 0.2736, "
	    "split 16 sigma 0.2736, split 24 sigma 0.2736, split 32 sigma "
	    "0.2736, split 40 sigma 0.2736, phi 0.000000, f 1.000000");

	for (int i = 0; i < 80; i++)
		x[i] = 1000 + 3 * i + 4 * i % 7;
	expect_changes("H", x, 80, .02, 0, "79: 1017.5 to 1227.5, "
	    "p 4.96032e-05, 1..79 (79); phi 0.987500, f 12.609520");
	for (int i = 0; i < 44; i++)
		x[i] = i < 40 ? 100 + 4 * i % 7 : newest[i - 40];
	expect_changes("I", x, 42, .02, 0, "newest 2: 103 to 130.5, "
	    "D 14.894074; phi 0.000000, f 1.000000");
	expect_changes("I, then 129 130", x, 44, .02, 0, "40: 103 to 130, "
	    "p 0.000648246, 40..40; split 40 sigma 2.432, phi 0.000000, "
	    "f 1.000000");
}

static void
test_example_of_exact_values(void)
{
	static const double x[] = { 100, 101, 101.9, 103, 103, 110 };
	struct changes found = { 0 };
	const size_t accepted = 5;

	changes_find_exact(&found, x, N_OF(x), NULL, 0, .02);
	CHECK(found.n == 2 && found.list[0].at == 3 &&
	    found.list[0].before == 100 && found.list[1].at == 5 &&
	    found.list[1].before == 103, "exact: %zu changes", found.n);
	changes_find_exact(&found, x, N_OF(x), &accepted, 1, .02);
	CHECK(found.n == 2 && found.list[0].at == 3 &&
	    !found.list[0].is_accepted && found.list[1].is_accepted,
	    "exact, accepted");
	changes_release(&found);
}

/* --- two sides ------------------------------------------------------------ */

static void
test_examples_of_two_samples(void)
{
	double k1[] = { 100, 102, 98, 101, 99, 103, 97, 100.5, 99.5, 101.5 };
	double k2[] = { 104, 106, 102.5, 105, 103.5, 107, 101.2, 104.5, 103.2,
	    105.5 };
	double l1[] = { 5, 5, 6, 6, 7, 7, 5, 6, 6, 7 };
	double l2[] = { 6, 7, 7, 8, 8, 7, 8, 6, 7, 8 };
	double f1[] = { 1, 2, 3, 4, 5 }, f2[] = { 6, 7, 8, 9, 10 };
	static const double m1[] = { 10, 10.1, 9.9, 10, 10.05 };
	double m[20], m2[] = { 10, 10.1, 30, 10, 10.05, 30, 10.1, 9.9, 30,
	    10.05, 10, 30, 9.9, 30, 10.05, 30, 10.1, 30, 10, 30 };
	struct twosample t;

	twosample_compare(&t, k1, N_OF(k1), k2, N_OF(k2), false);
	expect("K: U", t.u, 6, "96");
	expect("K: p_ranks", t.p_ranks, 6, "0.000129901");
	expect("K: limit", t.limit, 6, "111.25");
	CHECK(t.slow_before == 0 && t.slow_after == 0, "K: none is slow");
	expect("K: p", t.p, 6, "0.000162376");
	expect("K: shift", t.shift, 6, "4");
	expect("K: low", t.low, 6, "2.2");
	expect("K: high", t.high, 6, "6");
	expect("K: ratio", t.after / t.before, 5, "1.0399");
	twosample_compare(&t, l1, N_OF(l1), l2, N_OF(l2), false);
	expect("L: U", t.u, 6, "84");
	expect("L: p_ranks", t.p_ranks, 6, "0.00832342");
	expect("L: p", t.p, 6, "0.0104043");
	expect("L: shift", t.shift, 6, "1");
	expect("L: low", t.low, 6, "0");
	expect("L: high", t.high, 6, "2");
	twosample_compare(&t, f1, N_OF(f1), f2, N_OF(f2), false);
	expect("5 and 5: p_ranks", t.p_ranks, 6, "0.00793651");
	expect("5 and 5: p", t.p, 6, "0.00992063");

	for (size_t i = 0; i < N_OF(m); i++)
		m[i] = m1[i % N_OF(m1)];
	twosample_compare(&t, m, N_OF(m), m2, N_OF(m2), false);
	expect("M: before", t.before, 6, "10");
	expect("M: after", t.after, 6, "10.1");
	expect("M: mean before", t.mean_before, 6, "10.01");
	expect("M: mean after", t.mean_after, 6, "18.0125");
	expect("M: U", t.u, 6, "292");
	expect("M: p_ranks", t.p_ranks, 6, "0.0111686");
	expect("M: limit", t.limit, 6, "10.25");
	CHECK(t.slow_before == 0 && t.slow_after == 8, "M: 0 and 8 are slow");
	expect("M: p_slow", t.p_slow, 6, "0.003276");
	expect("M: p", t.p, 6, "0.0139608");
	expect("M: excess", t.excess, 6, "0.79403");
}

/* The smallest p there is for n against n, and what would have been seen. */
static void
test_limits(void)
{
	static const char *const least[] = { "0.00992", "0.00271", "0.000728",
	    "0.000194", "5.14e-05", "1.35e-05" };

	for (size_t n = 5; n <= 10; n++)
		expect("the least p", twosample_least_p(n, n), 3,
		    least[n - 5]);
	expect("10 a side", 5 * twosample_visible(10, 10, .05 * 1.25), 2,
	    "9.2");
	expect("200 keys", 5 * twosample_visible(10, 10, .05 * 1.25 / 200), 3,
	    "25.1");
	expect("20 a side", 5 * twosample_visible(20, 20, .05 * 1.25 / 200), 2,
	    "9.9");
	expect("40 a side", 5 * twosample_visible(40, 40, .05 * 1.25 / 200), 2,
	    "5.9");
	CHECK(isinf(twosample_visible(2, 2, 1e-18)), "nothing can be seen");
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
		twosample_compare(&t, before, m, after, n, false);
		CHECK(t.low == all[(size_t)k - 1] &&
		    t.high == all[count - (size_t)k], "the interval of %zu "
		    "and %zu values", m, n);
		CHECK(fabs(t.shift - (all[(count - 1) / 2] +
		    all[count / 2]) / 2) < 1e-12, "the shift of %zu and %zu "
		    "values", m, n);
	}
}

/* Nothing depends on the scale, and equal values have no change. */
static void
test_invariance(void)
{
	double x[N_MAX], scaled[N_MAX];
	struct changes found = { 0 }, other = { 0 };
	size_t n, n_changes = 0;

	for (int round = 0; round < ROUNDS; round++) {
		n = 1 + unit_random(N_MAX - 1);
		for (size_t i = 0; i < n; i++) {
			x[i] = 1000 + (double)unit_random(50) +
			    (i > n / 3 ? 60 : 0);
			scaled[i] = x[i] * 1024;
		}
		changes_find(&found, x, n, NULL, 0, 0.02);
		changes_find(&other, scaled, n, NULL, 0, 0.02);
		CHECK(found.n == other.n && found.splits.phi ==
		    other.splits.phi, "%zu values, scaled", n);
		n_changes += found.n;
		for (size_t i = 0; i < found.n && i < other.n; i++)
			CHECK(found.list[i].at == other.list[i].at &&
			    found.list[i].p == other.list[i].p &&
			    found.list[i].at > (i > 0 ?
			    found.list[i - 1].at : 0), "change %zu", i);
		for (size_t i = 0; i < n; i++)
			scaled[i] = 7;
		changes_find(&other, scaled, n, NULL, 0, 0);
		CHECK(other.n == 0, "%zu equal values", n);
	}
	CHECK(n_changes > ROUNDS / 2, "only %zu changes", n_changes);
	changes_release(&found);
	changes_release(&other);
}

int
main(void)
{
	unit_seed();
	test_examples_of_series();
	test_example_of_exact_values();
	test_examples_of_two_samples();
	test_limits();
	test_shift();
	test_invariance();
	return unit_end();
}
