/*
 * statistics SERIES [SEED] - simulates series and comparisons with known
 * changes, and compares how often they are found, and how often something else
 * is, with what the method promises.
 *
 * Prints a line for each cell: what was simulated, per cent and the promise.
 * Exits with 1 if a cell is off by more than three standard errors of this run
 * and of the promise.
 */

#include <math.h>
#include <string.h>

#include "common/stats/changes.h"
#include "common/stats/twosample.h"
#include "common/stats/values.h"
#include "test/gen/gen.h"

enum { N = 200, MARGIN = 20, NEAR = 3, KEYS = 200 };
enum { PROMISED = 200 };	/* series that a promise is from */
#define EFFECT 0.02

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
	for (int i = 0; i < N; i++)
		x[i] = (1 + 0.01 * normal()) * (uniform() < 0.05 ? 1.5 : 1);
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

/* Two kinds of commits: 30 % are 4 % slower. */
static void
make_bimodal(double *x)
{
	for (int i = 0; i < N; i++)
		x[i] = 1 + (uniform() < 0.3 ? 0.04 : 0) + 0.005 * normal();
}

static const struct noise {
	const char *name;
	void (*make)(double *);
	/* In per cent: series without a change that report one, and of a step
	   of 5 % how many are found within NEAR commits, and exactly. */
	double false_alarms, found, exact;
} noises[] = {
	{ "normal 2 %", make_normal, 0.2, 100, 76 },
	{ "AR(1) .5", make_ar5, 0, 92, 72 },
	{ "AR(1) .8", make_ar8, 1.4, 51, -1 },
	{ "spikes", make_spikes, 0, 100, 94 },
	{ "rounded", make_rounded, 0.2, -1, -1 },
	{ "lognormal 5 %", make_lognormal, 0.4, -1, -1 },
	{ "t3 2 %", make_t3, 0, 96, 56 },
	{ "bimodal 4 %", make_bimodal, 0.2, 98, 66 },
};
enum { N_NOISES = sizeof noises / sizeof *noises };

/* A part that is 5 % higher, of normal noise: both ends are found. */
static const struct bump {
	int length;
	double found;
} bumps[] = { { 10, 83 }, { 20, 95 }, { 30, 99 }, { 50, 97 } };
enum { N_BUMPS = sizeof bumps / sizeof *bumps };

/* --- cells ---------------------------------------------------------------- */

static bool failed;

/* promised < 0: there is no promise. */
static void
report(const char *what, const char *which, int hits, int n, double promised)
{
	double percent = 100.0 * hits / n, p, error;
	bool ok;

	if (promised < 0)
		return;
	/* Three standard errors of the difference, for the mean of both shares.
	   A share of 0 is from PROMISED series: up to 3 in that number are as
	   likely as 5 %. */
	p = (percent + promised) / 200;
	p = fmin(fmax(p, 3.0 / PROMISED), 1 - 3.0 / PROMISED);
	error = 300 * sqrt(p * (1 - p) * (1.0 / n + 1.0 / PROMISED));
	ok = fabs(percent - promised) <= error;
	printf("%-14s %-14s %5.1f %%, promised %3.1f %%%s\n", what, which,
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

/* Is a change or a step of one at most this far from the place? */
static bool
finds(const struct changes *c, int at, int distance)
{
	const struct change_point *p;

	for (p = c->list; p < c->list + c->n; p++) {
		if (p->n_steps == 0 && abs((int)p->at - at) <= distance)
			return true;
		for (size_t i = 0; i < p->n_steps; i++)
			if (abs((int)p->steps[i].at - at) <= distance)
				return true;
	}
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
	int false_alarms = 0, found = 0, exact = 0, at;
	double x[N];

	for (int i = 0; i < n; i++) {
		make_series(noise, x, 0, 0);
		changes_find(&c, x, N, NULL, 0, EFFECT);
		false_alarms += c.n > 0;
		at = choose_place(0);
		make_series(noise, x, at, N);
		changes_find(&c, x, N, NULL, 0, EFFECT);
		found += finds(&c, at, NEAR);
		exact += finds(&c, at, 0);
	}
	report("false alarms", noise->name, false_alarms, n,
	    noise->false_alarms);
	report("step found", noise->name, found, n, noise->found);
	report("exactly", noise->name, exact, n, noise->exact);
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
		changes_find(&c, x, N, NULL, 0, EFFECT);
		found += finds(&c, from, NEAR) && finds(&c, to, NEAR);
	}
	snprintf(which, sizeof which, "of %d", bump->length);
	report("bump found", which, found, n, bump->found);
	changes_release(&c);
}

/*
 * Of 40 runs a side, a share of the new ones takes three times as long: how
 * often is it seen?
 */
static void
simulate_slow(int per_cent, int n, double promised)
{
	double before[40], after[40];
	struct twosample t;
	int found = 0;
	char which[32];

	for (int run = 0; run < n; run++) {
		for (int i = 0; i < 40; i++) {
			before[i] = 10 + 0.1 * normal();
			after[i] = (10 + 0.1 * normal()) *
			    (uniform() * 100 < per_cent ? 3 : 1);
		}
		twosample_compare(&t, before, 40, after, 40, false);
		found += (TWOSAMPLE_RANKS * t.p_ranks <= 0.05 &&
		    changes_is_effect(t.before, t.after, EFFECT)) ||
		    (TWOSAMPLE_SLOW * t.p_slow <= 0.05 && t.excess >= EFFECT);
	}
	snprintf(which, sizeof which, "%d %%", per_cent);
	report("slow runs", which, found, n, promised);
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
	    (size_t)samples, false);
	return changes_is_effect(t.before, t.after, EFFECT) ? t.p : 1;
}

/* How many runs of 200 equal keys have an alarm? */
static void
simulate_keys(int samples, int n, double promised)
{
	int alarms = 0;
	char which[32];
	double least;

	/* Holm reports a key if KEYS times the least p is small enough. */
	for (int run = 0; run < n; run++) {
		least = 1;
		for (int k = 0; k < KEYS; k++)
			least = fmin(least, compare_key(samples, 1));
		alarms += KEYS * least <= 0.05;
	}
	snprintf(which, sizeof which, "%d a side", samples);
	report("Holm, 200 keys", which, alarms, n, promised);
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
	simulate_slow(20, n, 52);
	simulate_slow(30, n, 92);
	simulate_slow(45, n, 100);
	simulate_keys(10, n, 4);
	simulate_keys(20, n, 4);
	return failed;
}
