/*
 * statistics SERIES [SEED] - simulates series and comparisons with known
 * changes, and compares how often they are found, and how often something else
 * is, with what the method promises.
 *
 * Prints a line for each cell: what was simulated, per cent and the promise.
 * Exits with 1 if a cell is off by more than 5 points and the sampling error of
 * this run and of the promise, which is from 60 or 100 series.
 */

#include <math.h>
#include <string.h>

#include "common/stats/adjust.h"
#include "common/stats/changes.h"
#include "common/stats/twosample.h"
#include "common/stats/values.h"
#include "test/gen/gen.h"

enum { N = 200, MARGIN = 20, NEAR = 3, KEYS = 200 };
#define EFFECT 0.02
#define POINTS 5.0		/* of per cent */

static double
uniform(void)
{
	return ((double)(next_random() >> 11) + 0.5) * 0x1p-53;
}

static double
normal(void)
{
	double radius = sqrt(-2 * log(uniform()));

	return radius * cos(2 * M_PI * uniform());
}

/* Student's t with three degrees of freedom. */
static double
student3(void)
{
	double a = normal(), b = normal(), c = normal(), x = normal();

	return x / sqrt((a * a + b * b + c * c) / 3);
}

/* --- noise: sets x to N values around 1 ----------------------------------- */

static void
make_normal(double *x)
{
	for (int i = 0; i < N; i++)
		x[i] = 1 + 0.02 * normal();
}

/* An autoregressive process whose standard deviation is 2 %. */
static void
make_ar(double *x, double phi)
{
	double e = normal();

	for (int i = 0; i < N; i++) {
		x[i] = 1 + 0.02 * e;
		e = phi * e + sqrt(1 - phi * phi) * normal();
	}
}

static void
make_ar5(double *x)
{
	make_ar(x, 0.5);
}

static void
make_ar8(double *x)
{
	make_ar(x, 0.8);
}

static void
make_spikes(double *x)
{
	make_normal(x);
	for (int i = 0; i < N; i++)
		if (uniform() < 0.05)
			x[i] *= 1.5;
}

/* The step is added before rounding: see make_series(). */
static void
make_rounded(double *x)
{
	make_normal(x);
}

static void
make_lognormal(double *x)
{
	for (int i = 0; i < N; i++)
		x[i] = exp(0.05 * normal());
}

static void
make_t3(double *x)
{
	for (int i = 0; i < N; i++)
		x[i] = 1 + 0.02 * student3();
}

static void
make_bimodal(double *x)
{
	for (int i = 0; i < N; i++)
		x[i] = 1 + (uniform() < 0.5 ? 0.04 : 0) + 0.005 * normal();
}

static const struct noise {
	const char *name;
	void (*make)(double *);
	double false_alarms, found;	/* promised, in per cent */
	int series;			/* that the promise is from */
} noises[] = {
	{ "normal 2 %", make_normal, 0, 98, 100 },
	{ "AR(1) .5", make_ar5, 0, 90, 100 },
	{ "AR(1) .8", make_ar8, 2, 45, 100 },
	{ "spikes", make_spikes, 0, 100, 100 },
	{ "rounded", make_rounded, 0, 100, 100 },
	{ "lognormal 5 %", make_lognormal, 0, 48, 60 },
	{ "t3 2 %", make_t3, 0, 95, 60 },
	{ "bimodal 4 %", make_bimodal, 0, 100, 60 },
};
enum { N_NOISES = sizeof noises / sizeof *noises };

static const struct bump {
	int length;
	double found;
} bumps[] = { { 10, 21 }, { 20, 96 }, { 30, 93 }, { 50, 100 }, { 80, 90 } };
enum { N_BUMPS = sizeof bumps / sizeof *bumps, BUMP_SERIES = 60 };

/* --- cells ---------------------------------------------------------------- */

static bool failed;

static void
report(const char *what, const char *which, int hits, int n, double promised,
    int n_promised)
{
	double percent = 100.0 * hits / n, p = promised / 100, error;
	bool ok;

	/* Three standard errors of both shares.  A promise of 0 is from
	   n_promised series: up to 3 in that number are as likely as 5 %. */
	p = fmin(fmax(p, 3.0 / n_promised), 1 - 3.0 / n_promised);
	error = 300 * sqrt(p * (1 - p) * (1.0 / n + 1.0 / n_promised));
	ok = fabs(percent - promised) <= POINTS + error;
	printf("%-14s %-14s %5.1f %%, promised %3.0f %%%s\n", what, which,
	    percent, promised, ok ? "" : "  FAILED");
	failed = failed || !ok;
}

/* A series of this noise that is 5 % higher in [from, to). */
static void
make_series(const struct noise *noise, double *x, int from, int to)
{
	noise->make(x);
	for (int i = from; i < to; i++)
		x[i] *= 1.05;
	for (int i = 0; noise->make == make_rounded && i < N; i++)
		x[i] = round(100 * x[i]) / 100;
}

static bool
finds(const struct changes *c, int at)
{
	for (size_t i = 0; i < c->n; i++)
		if (abs((int)c->list[i].at - at) <= NEAR)
			return true;
	return false;
}

/* A random place for a change of this length, not near the ends. */
static int
choose_place(int length)
{
	return MARGIN + (int)below((uint32_t)(N - 2 * MARGIN - length + 1));
}

static void
simulate_noise(const struct noise *noise, int n)
{
	struct changes c = { 0 };
	int false_alarms = 0, found = 0, at;
	double x[N];

	for (int i = 0; i < n; i++) {
		make_series(noise, x, 0, 0);
		changes_find(&c, x, N, EFFECT);
		false_alarms += c.n > 0;
		at = choose_place(0);
		make_series(noise, x, at, N);
		changes_find(&c, x, N, EFFECT);
		found += finds(&c, at);
	}
	report("false alarms", noise->name, false_alarms, n,
	    noise->false_alarms, noise->series);
	report("step found", noise->name, found, n, noise->found,
	    noise->series);
	changes_release(&c);
}

static void
simulate_bump(const struct bump *bump, int n)
{
	struct changes c = { 0 };
	int found = 0, from, to;
	char which[32];
	double x[N];

	for (int i = 0; i < n; i++) {
		from = choose_place(bump->length);
		to = from + bump->length;
		make_series(&noises[0], x, from, to);
		changes_find(&c, x, N, EFFECT);
		found += finds(&c, from) && finds(&c, to);
	}
	snprintf(which, sizeof which, "of %d", bump->length);
	report("bump found", which, found, n, bump->found, BUMP_SERIES);
	changes_release(&c);
}

static int
compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The p of a key with this noise, and this ratio of the sides; 1 if the
   effect is too small. */
static double
compare_key(int samples, double ratio)
{
	double before[40], after[40];
	struct twosample t;

	for (int i = 0; i < samples; i++) {
		before[i] = 1 + 0.05 * normal();
		after[i] = ratio * (1 + 0.05 * normal());
	}
	twosample_compare(&t, before, (size_t)samples, after,
	    (size_t)samples);
	return changes_is_effect(t.before, t.after, EFFECT) ? t.p : 1;
}

/* How many runs of 200 equal keys have an alarm? */
static void
simulate_keys(int samples, int n, double promised)
{
	double p[KEYS], q[KEYS];
	int alarms = 0;
	char which[32];

	for (int run = 0; run < n; run++) {
		for (int k = 0; k < KEYS; k++)
			p[k] = compare_key(samples, 1);
		qsort(p, KEYS, sizeof *p, compare_doubles);
		adjust_holm(p, KEYS, q);
		alarms += q[0] <= 0.05;
	}
	snprintf(which, sizeof which, "%d a side", samples);
	report("Holm, 200 keys", which, alarms, n, promised, 200);
}

int
main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 0;

	generator = "statistics";
	if (n <= 0 || argc > 3)
		fail("usage: statistics SERIES [SEED]");
	random_state = argc > 2 ? strtoull(argv[2], NULL, 10) : 20261122;
	for (int i = 0; i < N_NOISES; i++)
		simulate_noise(&noises[i], n);
	for (int i = 0; i < N_BUMPS; i++)
		simulate_bump(&bumps[i], n);
	simulate_keys(10, n, 4);
	simulate_keys(20, n, 8);
	return failed;
}
