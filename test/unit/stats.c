/* stats - change detection gives the known answers of small examples */

#include <math.h>

#include "common/stats/levels.h"
#include "common/stats/ranks.h"
#include "common/stats/twosample.h"
#include "test/unit/unit.h"

enum { N_MAX = 400, ROUNDS = 300 };
#define N_OF(array) (sizeof(array) / sizeof *(array))

/* The text that describes what was found must be the expected one. */
static void
expect(const char *what, const char *found, const char *expected)
{
	CHECK(strcmp(found, expected) == 0, "%s: %s", what, found);
}

/* --- a history ------------------------------------------------------------ */

/* n points from the `first` of a line on, plus 4 i modulo a cycle. */
struct part {
	size_t n;
	double level, rise;
	size_t cycle, first;
};

#define TIMES(n, value) { n, value, 0, 0, 0 }
#define WAVE(n, least)	{ n, least, 0, 7, 0 }
/* The first 40 points of example E. */
#define E "", { WAVE(20, 100), TIMES(1, 300), { 19, 100, 0, 7, 21 } }

/* The worked examples of the definition: the points are those of a text, then
   those of some parts, then the newest ones, a text. */
static const struct example {
	const char *name, *points;
	struct part parts[4];
	const char *newest;
	double effect;			/* 0: 2 % */
	size_t accepted;
	bool exact, more;
	const char *state, *levels;	/* as described; levels: NULL if they
					   are not examined */
} examples[] = {
	{ "A", "100 101 99 102 98 103 97 100.5 110 111 109 112 108 113 107 "
	    "110.5", .state = "degraded, 100.25 to 110.25, p 0.0024864, 8",
	    .levels = "8: 110.25, p 0.0024864, D 7.11238, 8..8, "
	    "p_ranks 0.0001554, sigma 2.812; f 1" },
	{ "A, accepted a little before", .accepted = 5, .state = "same" },
	{ "A, accepted long before", .accepted = 4,
	    .state = "degraded, 100.25 to 110.25, p 0.0024864, 8" },
	{ "B", "10 10 11 11 10 10 11 12 12 12 13 12 12 13 12 12",
	    .state = "degraded, 10 to 12, p 0.0027972, 7",
	    .levels = "7: 12, p 0.0027972, D 7.93725, 6..7, "
	    "p_ranks 0.000174825, sigma 0.5; f 1" },
	{ "B, more is better", "10 10 11 11 10 10 11 12 12 12 13 12 12 13 12 "
	    "12", .more = true, .state = "improved, 10 to 12, p 0.0027972, 7" },
	{ "C", "10 10.2 10.3 10.1 9.9 9.8 9.9 10.1 10.3 10.4 10.2 10 9.8 9.7 "
	    "9.9 10.1", .state = "same", .levels = "f 3.16073" },
	{ "D", "", { TIMES(8, 100), TIMES(8, 150), TIMES(8, 152) },
	    .state = "degraded, 100 to 152, p 0.0037296, 8 16",
	    .levels = "8: 150, p 0.0037296, D inf, 8..8, p_ranks 0.0001554, "
	    "sigma 0; 16: 152, small, p 0.0037296, D inf, 16..16, "
	    "p_ranks 0.0001554, sigma 0; f 1" },

	{ "E, newest 1", E, "150", .state = "same",
	    .levels = "f 1, V 0.0662961" },
	{ "E, newest 2", E, "150 151",
	    .state = "suspected, 103 to 150.5, 40", .levels = "newest 2: 103 "
	    "to 150.5, D 24.539; f 1, V 0.0673638" },
	{ "E, newest 3", E, "150 151 149",
	    .state = "suspected, 103 to 150, 40", .levels = "newest 3: 103 "
	    "to 150, D 29.7672; f 1, V 0.0683633" },
	{ "E, newest 4", E, "150 151 149 152",
	    .state = "degraded, 103 to 150.5, p 0.00777895, 40",
	    .levels = "40: 150.5, p 0.00777895, D 34.1918, 40..40, p_ranks "
	    "0.000176794, sigma 2.64914; f 1" },
	{ "E, fewer than 4", E, "107 150 151 149",
	    .state = "suspected, 103 to 150, 41", .levels = "newest 3: 103 "
	    "to 150, D 29.1848; f 1, V 0.0714648" },
	{ "E, then a spike", E, "150 149 400",
	    .state = "suspected, 103 to 150, 40", .levels = "newest 3: 103 "
	    "to 150, D 28.7912; f 1, V 0.0683633" },
	{ "E, only a spike", E, "105 400", .state = "same",
	    .levels = "newest 1: 103 to 400, D 107.98; f 1, V 0.0662945" },

	{ "F", "", { { 30, 95, 0, 11, 0 }, { 20, 103, 0, 11, 30 },
	    { 30, 95, 0, 11, 50 } }, .state = "same",
	    .levels = "30: 108, past, p 2.63554e-06, D 6.67426, 29..32, "
	    "p_ranks 3.29442e-08, sigma 4.1522; 50: 100, p 3.12004e-06, "
	    "D 6.61519, 49..53, p_ranks 3.90005e-08, sigma 4.18927; f 1, "
	    "V 0.110439" },
	{ "G", "100 100.3 99.8 100.1 99.7 100.2 99.9 100 101.5 101.8 101.3 "
	    "101.6 101.2 101.7 101.4 101.5 103 103.3 102.8 103.1 102.7 103.2 "
	    "102.9 103 104.6 104.9 104.4 104.7 104.3 104.8 104.5 104.6 106.1 "
	    "106.4 105.9 106.2 105.8 106.3 106 106.1 107.7 108 107.5 107.8 "
	    "107.4 107.9 107.6 107.7", .state = "degraded, 100 to 107.7, "
	    "p 0.00745921, 8 16 24 32 40", .levels = "8: 101.5, small, "
	    "p 0.00745921, D 10.9649, 8..8, p_ranks 0.0001554, sigma 0.2736; "
	    "16: 103, small, p 0.00745921, D 10.9649, 16..16, p_ranks "
	    "0.0001554, sigma 0.2736; 24: 104.6, small, p 0.00745921, D "
	    "11.6959, 24..24, p_ranks 0.0001554, sigma 0.2736; 32: 106.1, "
	    "small, p 0.00745921, D 10.9649, 32..32, p_ranks 0.0001554, "
	    "sigma 0.2736; 40: 107.7, small, p 0.00745921, D 11.6959, 40..40, "
	    "p_ranks 0.0001554, sigma 0.2736; f 1" },
	{ "G, 10 %", .effect = 0.1, .state = "same" },
	{ "G, accepted", .accepted = 32, .state = "same" },

	{ "H", "", { { 80, 1000, 3, 7, 0 } },
	    .state = "degraded, 1017.5 to 1227.5, p 4.96032e-05, 40",
	    .levels = "40: 1227.5, p 4.96032e-05, grows, 1..79; f 12.6095" },
	{ "H, accepted", .accepted = 30,
	    .state = "degraded, 1105 to 1227.5, p 4.96032e-05, 40" },
	{ "H, all but accepted", .accepted = 75, .state = "same" },
	{ "I, repaired", "", { WAVE(20, 97), WAVE(20, 147),
	    WAVE(20, 97) }, .state = "same", .levels = "20: 150, past, "
	    "p 3.78111e-06, D 55.4786, 20..20, p_ranks 6.30185e-08, sigma "
	    "2.85; 40: 100, p 3.78111e-06, D 55.4786, 40..40, p_ranks "
	    "6.30185e-08, sigma 2.85; f 1, V 0.0892191" },
	{ "I, half repaired", "", { WAVE(20, 97), WAVE(20, 147),
	    WAVE(20, 117) },
	    .state = "degraded, 100 to 120, p 3.78111e-06, 20",
	    .levels = "20: 150, p 3.78111e-06, D 55.4786, 20..20, p_ranks "
	    "6.30185e-08, sigma 2.85; 40: 120, p 3.78111e-06, D 33.2871, "
	    "40..40, p_ranks 6.30185e-08, sigma 2.85; f 1, V 0.0743493" },
	{ "I, a dip", "", { WAVE(20, 97), WAVE(6, 77),
	    WAVE(20, 97) }, .state = "same", .levels = "20: 80, past, "
	    "p 0.0003996, D 13.7714, 20..20, p_ranks 8.68697e-06, sigma 3.12; "
	    "26: 100, p 0.0003996, D 13.7714, 26..26, p_ranks 8.68697e-06, "
	    "sigma 3.12; f 1, V 0.0892191" },
	{ "J", "", { WAVE(25, 97), WAVE(3, 147), WAVE(27, 177) },
	    .state = "degraded, 100 to 179.5, p 1.27477e-08, 25",
	    .levels = "25: 179.5, p 1.27477e-08, D 104.715, 25..25, p_ranks "
	    "2.31777e-10, sigma 2.80356; f 1, V 0.0454557" },
	{ "J, accepted", .accepted = 25, .state = "suspected, 148 to 180, 28" },
	{ "K", "", { TIMES(6, .2), WAVE(11, 52), WAVE(7, 5997),
	    WAVE(9, 43997) },
	    .state = "degraded, 0.2 to 44000, p 0.00207391, 6 17 24",
	    .levels = "6: 55, p 0.0053329, D 55.8148, 6..6, p_ranks "
	    "0.000161603, sigma 1.93455; 17: 6000, p 0.00207391, D 3733.58, "
	    "17..17, p_ranks 6.28457e-05, sigma 3.29333; 24: 44000, "
	    "p 0.00576923, D 22549, 24..24, p_ranks 0.000174825, sigma 3.344; "
	    "f 1" },

	{ "O", "100 101 101.9 103 103 110", .exact = true,
	    .state = "degraded, 100 to 110, 1 2 3 5" },
	{ "O, accepted at 3", .exact = true, .accepted = 3,
	    .state = "degraded, 103 to 110, 5" },
	{ "O, accepted at 5", .exact = true, .accepted = 5, .state = "same" },
	{ "O, repaired", "100 103 103 100", .exact = true, .state = "same" },
	{ "Q", "102 101 100 99 100 100 100 99 100 100 100 100 100 100 100 102 "
	    "122 121 121 121 120 118 148 148 150 150 149",
	    .state = "degraded, 100 to 149, p 0.000668896, 22",
	    .levels = "22: 149, p 0.000668896, D 6.15859, 15..23, p_ranks "
	    "2.47739e-05, sigma 5.32; f 3.01868" },
	{ "R", "", { { 90, 1000, -1, 7, 0 }, { 10, 1500, -1, 7, 90 } },
	    .state = "degraded, 919.5 to 1408.5, p 1.15538e-11, 90",
	    .levels = "45: 919.5, past, p 4.96032e-05, grows, 1..89; "
	    "90: 1408.5, p 1.15538e-11, D 3.32793, 88..92, p_ranks "
	    "1.15538e-13, sigma 28.7563; f 14.1067" },
	{ "S", "", { WAVE(40, 1000), WAVE(40, 1015) },
	    "1034 1035 1033",
	    .state = "suspected, 1003 to 1034, p 3.81053e-13, 40 80",
	    .levels = "40: 1018, small, p 3.81053e-13, D 26.2053, 40..40, "
	    "p_ranks 4.591e-15, sigma 2.60571; newest 3: 1018 to 1034, "
	    "D 10.6764; f 1, V 0.0209951" },
};

/* Appends the points of a text to n others; returns how many there are. */
static size_t
read_points(double *x, size_t n, const char *text)
{
	char *end;

	for (; text != NULL && *text != '\0'; text = end)
		x[n++] = strtod(text, &end);
	return n;
}

static size_t
make_points(double *x, const struct example *e)
{
	size_t n = read_points(x, 0, e->points);

	for (const struct part *p = e->parts; p < e->parts +
	    N_OF(e->parts); p++)
		for (size_t i = p->first; i < p->first + p->n; i++)
			x[n++] = p->level + p->rise * (double)i +
			    (p->cycle > 0 ? (double)(4 * i % p->cycle) : 0);
	return read_points(x, n, e->newest);
}

/* "STATE, BEFORE to AFTER, p P, STEPS" */
static void
describe_state(const struct levels *l, char *text, size_t size)
{
	static const char *const names[] = { "same", "degraded", "improved",
	    "suspected" };
	const struct today *t = &l->today;
	FILE *f = fmemopen(text, size, "w");

	fputs(names[t->state], f);
	if (t->state != STATE_SAME) {
		fprintf(f, ", %.6g to %.6g, ", t->before, t->after);
		if (t->p > 0)
			fprintf(f, "p %.6g, ", t->p);
		for (size_t i = 0; i < t->n_steps; i++)
			fprintf(f, "%s%zu", i > 0 ? " " : "", t->steps[i].at);
	}
	fclose(f);
}

/*
 * The steps, each as "PLACE: LEVEL, p P, D D, FIRST..LAST", with its test of
 * ranks and its noise; then the newest points, the factor and V.  Compares the
 * sides of each split again: the levels cannot be judged any more.
 */
static void
describe_levels(struct levels *l, const struct yardstick *y, char *text,
    size_t size)
{
	FILE *f = fmemopen(text, size, "w");
	const struct split *k = l->splits.list;
	struct contrast c;
	struct place p = { 0 };

	for (size_t i = 1; i < l->n; i++) {
		const struct level *v = &l->list[i];

		fprintf(f, "%zu: %.6g, %s%sp %.6g, ", v->at, v->value,
		    levels_differ(y, v[-1].value, v->value) ? "" : "small, ",
		    levels_is_past(l, y, i) ? "past, " : "", v->p);
		if (v->grows) {
			fprintf(f, "grows, %zu..%zu; ", v->first, v->last);
			continue;
		}
		p.at = k->at;
		p.to = k + 1 < l->splits.list + l->splits.n ? k[1].at :
		    l->n_points;
		c = series_compare(&l->splits.series, p);
		fprintf(f, "D %.6g, %zu..%zu, p_ranks %.6g, sigma %.6g; ",
		    k->size, k->first, k->last, c.p_ranks, c.sigma);
		p.from = k++->at;
	}
	if (l->newest.n > 0)
		fprintf(f, "newest %zu: %.6g to %.6g, D %.6g; ", l->newest.n,
		    l->newest.before, l->newest.after, l->newest.size);
	fprintf(f, "f %.6g", l->splits.factor);
	if (!isnan(l->visible))
		fprintf(f, ", V %.6g", l->visible);
	fclose(f);
}

static void
test_examples_of_series(void)
{
	struct levels found = { 0 };
	double x[N_MAX];
	char text[1024];
	size_t n = 0;

	for (size_t i = 0; i < N_OF(examples); i++) {
		const struct example *e = &examples[i];
		struct yardstick y = { e->effect > 0 ? e->effect : 0.02,
		    e->more, e->exact };

		if (e->points != NULL)
			n = make_points(x, e);
		levels_find(&found, x, n, &y);
		levels_judge(&found, &y, e->accepted);
		describe_state(&found, text, sizeof text);
		expect(e->name, text, e->state);
		if (e->levels == NULL)
			continue;
		describe_levels(&found, &y, text, sizeof text);
		expect(e->name, text, e->levels);
	}
	levels_release(&found);
}

/* --- two sides ------------------------------------------------------------ */

/* Both tests, the shift and its interval, and V. */
static void
describe_sides(double *before, size_t m, double *after, size_t n, char *text,
    size_t size)
{
	struct twosample t;

	twosample_compare(&t, before, m, after, n, false);
	snprintf(text, size, "%.6g to %.6g, U %g, p_ranks %.6g, limit %.6g, "
	    "%zu and %zu slow, p_slow %.6g, excess %.6g, p %.6g, shift %.6g "
	    "[%.6g, %.6g], V %.6g", t.before, t.after, t.u, t.p_ranks, t.limit,
	    t.slow_before, t.slow_after, t.p_slow, t.excess, t.p, t.shift,
	    t.low, t.high, twosample_visible(before, m, after, n, 0.02, 1));
}

static void
test_examples_of_two_samples(void)
{
	double l1[] = { 100, 102, 98, 101, 99, 103, 97, 100.5, 99.5, 101.5 };
	double l2[] = { 104, 106, 102.5, 105, 103.5, 107, 101.2, 104.5, 103.2,
	    105.5 };
	double m1[] = { 5, 5, 6, 6, 7, 7, 5, 6, 6, 7 };
	double m2[] = { 6, 7, 7, 8, 8, 7, 8, 6, 7, 8 };
	double n1[200], n2[200];
	char text[512];

	for (int i = 0; i < 200; i++) {
		n1[i] = 100 + 4 * i % 7 / 10.0;
		n2[i] = i % 20 == 0 ? 10000 : n1[i];
	}
	describe_sides(l1, N_OF(l1), l2, N_OF(l2), text, sizeof text);
	expect("L", text, "100.25 to 104.25, U 96, p_ranks 0.000129901, "
	    "limit 120.25, 0 and 0 slow, p_slow 1, excess 0, p 0.000162376, "
	    "shift 4 [2.2, 6], V 0.032419");
	describe_sides(m1, N_OF(m1), m2, N_OF(m2), text, sizeof text);
	expect("M", text, "6 to 7, U 84, p_ranks 0.0089307, limit 15, 0 and 0 "
	    "slow, p_slow 1, excess 0, p 0.0111634, shift 1 [0, 2], "
	    "V 0.270833");
	describe_sides(n1, N_OF(n1), n2, N_OF(n2), text, sizeof text);
	expect("N", text, "100.3 to 100.3, U 20997.5, p_ranks 0.38395, "
	    "limit 101.9, 0 and 10 slow, p_slow 0.00174052, excess 4.93504, "
	    "p 0.00870259, shift 0 [0, 0.1], V 0.0203195");
}

/* --- properties ----------------------------------------------------------- */

/* The fewest values that prove anything, and what could not be seen. */
static void
test_limits(void)
{
	static const char *const least[] = { "0.00992", "0.00271", "0.000728",
	    "0.000194", "5.14e-05", "1.35e-05" };
	const struct yardstick y = { 0.02, false, false };
	double x[2 * POINTS_MIN], huge[] = { 0, 0, 0, 0, 0, 0, 0, 1e300, 1e300,
	    1e300, 1e300, 1e300, 1e300, 1e300 };
	struct levels found = { 0 };
	char text[64];

	for (size_t n = 5; n <= 10; n++) {
		snprintf(text, sizeof text, "%.3g", twosample_least_p(n, n));
		expect("the least p", text, least[n - 5]);
	}
	for (size_t n = 1; n <= N_OF(x); n++) {
		for (size_t i = 0; i < n; i++)
			x[i] = i < n / 2 ? 100 : 200;
		levels_find(&found, x, n, &y);
		levels_judge(&found, &y, 0);
		CHECK((found.splits.n == 1) == (n >= POINTS_MIN), "%zu points",
		    n);
		CHECK((double)n * ranks_least_p(n, n / 2) <= SPLIT_P_MAX ||
		    n < POINTS_MIN, "%zu points: the least p", n);
	}
	levels_find(&found, huge, N_OF(huge), &y);
	levels_judge(&found, &y, 0);
	CHECK(found.today.state == STATE_DEGRADED && found.today.after ==
	    1e300, "huge values: state %d", found.today.state);
	levels_release(&found);

	for (size_t i = 0; i < N_OF(x); i++)
		x[i] = 100 + (double)(4 * i % 7);
	CHECK(twosample_visible(x, 14, x + 14, 14, 0.02, 200) < 0.1,
	    "a small effect can be seen");
	CHECK(isnan(twosample_visible(x, 2, x + 2, 2, 0.02, 1)),
	    "too few values");
	CHECK(isnan(twosample_visible(x, 14, x + 14, 14, 2, 1)),
	    "an effect of more than 100 %%");
	for (size_t i = 0; i < N_OF(x); i++)
		x[i] = 100;
	CHECK(isnan(twosample_visible(x, 14, x + 14, 14, 0.02, 1)),
	    "equal values");
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
	const struct yardstick y = { 0.02, false, false };
	struct levels found = { 0 }, other = { 0 };
	double x[N_MAX], scaled[N_MAX];
	size_t n, n_degraded = 0;
	const struct split *k, *l;

	for (int round = 0; round < ROUNDS; round++) {
		n = 1 + unit_random(N_MAX - 1);
		for (size_t i = 0; i < n; i++) {
			x[i] = 1000 + (double)unit_random(50) +
			    (i > n / 3 ? 60 : 0);
			scaled[i] = x[i] * 1024;
		}
		levels_find(&found, x, n, &y);
		levels_judge(&found, &y, 0);
		levels_find(&other, scaled, n, &y);
		levels_judge(&other, &y, 0);
		CHECK(found.splits.n == other.splits.n && found.splits.phi ==
		    other.splits.phi && found.today.state ==
		    other.today.state, "%zu values, scaled", n);
		CHECK(found.visible == other.visible || isnan(found.visible),
		    "%zu values: V", n);
		n_degraded += found.today.state == STATE_DEGRADED;
		k = found.splits.list;
		l = other.splits.list;
		for (size_t i = 0; i < found.splits.n && i < other.splits.n;
		    i++)
			CHECK(k[i].at == l[i].at && k[i].p == l[i].p &&
			    k[i].first <= k[i].at && k[i].at <= k[i].last &&
			    k[i].at >= (i > 0 ? k[i - 1].at : 0) + SPLIT_SIDE,
			    "split %zu", i);
		for (size_t i = 0; i < n; i++)
			scaled[i] = 7;
		levels_find(&other, scaled, n, &y);
		levels_judge(&other, &y, 0);
		CHECK(other.n == 1 && other.newest.n == 0 &&
		    other.today.state == STATE_SAME, "%zu equal values", n);
	}
	CHECK(n_degraded > ROUNDS / 2, "only %zu are degraded", n_degraded);
	levels_release(&found);
	levels_release(&other);
}

int
main(void)
{
	unit_seed();
	test_examples_of_series();
	test_examples_of_two_samples();
	test_limits();
	test_shift();
	test_invariance();
	return unit_end();
}
