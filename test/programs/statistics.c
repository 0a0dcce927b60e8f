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

#include "common/stats/levels.h"
#include "common/stats/twosample.h"
#include "common/stats/values.h"
#include "test/gen/gen.h"

enum { DAYS = 365, NEAR = 3, LAG = 5 };
enum { PROMISED = 4000 };	/* the series that each promise is from; a
				   tenth as many years */
#define EFFECT 0.02
#define ALPHA  0.05

static const struct yardstick yardstick = { EFFECT, false, false };
static struct levels found;
static bool failed;

/* --- what is simulated, and what is promised ------------------------------ */

enum { NORMAL, QUIET, AR3, AR5, AR8, SPIKES, ROUNDED, LOGNORMAL, T3, SPEEDS };

/* In the order of their names above. */
static const struct noise {
	const char *name;
	double sd, phi;		/* autoregressive, with this deviation */
	double share, slower;	/* a share of the values, times this */
	enum { PLAIN, TO_PERCENT, EXPONENTIAL, STUDENT } kind;

	/* Per cent; -1: no promise.  Series of 200 and 24 commits without a
	   change that have one; of effects V those found by 20 and 8 runs a
	   side; years of 50 keys in which several have an alarm. */
	double false_200, false_24, visible_20, visible_8, years;
} noises[] = {
	{ "normal 2 %", .02, 0, 0, 1, PLAIN, .15, .15, 77.3, 90.7, 0 },
	{ "normal .5 %", .005, 0, 0, 1, PLAIN, 0, 0, 77.2, 73.8, 0 },
	{ "AR(1) .3", .02, .3, 0, 1, PLAIN, .23, .53, -1, -1, 0 },
	{ "AR(1) .5", .02, .5, 0, 1, PLAIN, .28, 1.5, -1, -1, 0 },
	{ "AR(1) .8", .02, .8, 0, 1, PLAIN, .25, 6.8, -1, -1, -1 },
	{ "spikes 3 %", .01, 0, .03, 1.5, PLAIN, .03, .05, 78.6, 77.9, 0 },
	{ "rounded", .02, 0, 0, 1, TO_PERCENT, .1, .03, 79.8, 90, 0 },
	{ "lognormal 5 %", .05, 0, 0, 1, EXPONENTIAL, .1, .03, 84.7, 91.2, 0 },
	{ "t3 2 %", .02, 0, 0, 1, STUDENT, .23, .05, 79.8, 87.7, 0 },
	{ "two speeds", .005, 0, .3, 1.04, PLAIN, .28, .1, 77.3, 90.2, 0 },
};
enum { N_NOISES = sizeof noises / sizeof *noises };

/*
 * A step between these places.  Per cent: found within NEAR commits, degraded,
 * suspected; -1: no promise.
 */
static const struct step {
	int noise, n, from, to;
	double ratio, found, proven, suspected;
} steps[] = {
	{ NORMAL, 200, 20, 180, 1.03, 85.6, -1, -1 },
	{ NORMAL, 200, 20, 180, 1.05, 98.9, -1, -1 },
	{ AR8, 200, 20, 180, 1.1, 97.1, -1, -1 },
	{ SPIKES, 200, 20, 180, 1.05, 99.9, -1, -1 },
	{ NORMAL, 24, 8, 16, 1.05, 63.8, -1, -1 },
	{ NORMAL, 14, 7, 7, 1.1, 83, -1, -1 },
	{ SPIKES, 100, 98, 98, 1.5, -1, -1, 99.5 },
	{ SPIKES, 100, 97, 97, 1.5, -1, -1, 96.9 },
	{ SPIKES, 100, 96, 96, 1.5, -1, 94.4, -1 },
	{ SPIKES, 100, 95, 95, 1.5, -1, 99.6, -1 },
	{ SPIKES, 100, 94, 94, 1.5, -1, 100, -1 },
};
enum { N_STEPS = sizeof steps / sizeof *steps };

/*
 * Histories of 200 commits that become slower by a ratio and are repaired,
 * again and again, and are looked at after each commit.  Slow parts last 10 to
 * 30 commits, others 20 to 60.  A ratio below 1 is a dip, of 3 to 7 commits.
 * Beside that all drifts, to a ratio at the end.
 */
static const struct replay {
	const char *name;
	int noise;
	double ratio, drift;
	/* Per cent.  While nothing is worse, from LAG commits after a repair
	   on: looks with an alarm, histories in which one begins.  LAG and two
	   LAG commits after a change: slow parts with an alarm, repaired ones
	   without. */
	double red, alarms, seen[2], green[2];
} replays[] = {
	{ "steps", NORMAL, 1.1, 1, .73, 11.7, { 98.9, 100 }, { 70.2, 98.5 } },
	{ "quiet", QUIET, 1.1, 1, .15, .95, { 100, 100 }, { 76, 100 } },
	{ "AR(1) .5", AR5, 1.1, 1, 3.8, 27.6, { 62.1, 88 }, { 52.4, 91.8 } },
	{ "spikes", SPIKES, 1.3, 1, 2.1, 30.5, { 71.5, 99.5 }, { 70.2, 89.7 } },
	{ "speeds", SPEEDS, 1.2, 1, 2.5, 36.4, { 100, 100 }, { 63.8, 93.2 } },
	{ "drift", QUIET, 1.1, 1.01, .25, 1.02, { 100, 100 }, { 71.7, 100 } },
	{ "dips", NORMAL, .9, 1, .13, 4.2, { -1, -1 }, { -1, -1 } },
};
enum { N_REPLAYS = sizeof replays / sizeof *replays };

/* --- values --------------------------------------------------------------- */

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

/* Sets n values around 1, those from a place on around the ratio. */
static void
draw(int noise, double *x, int n, int from, double ratio)
{
	const struct noise *z = &noises[noise];
	double e = normal(), v;

	for (int i = 0; i < n; i++) {
		v = z->kind == STUDENT ? student3() : e;
		v = z->kind == EXPONENTIAL ? exp(z->sd * v) :
		    fmax(0.01, 1 + z->sd * v);
		v *= (uniform() < z->share ? z->slower : 1) *
		    (i < from ? 1 : ratio);
		x[i] = z->kind == TO_PERCENT ? round(100 * v) / 100 : v;
		e = z->phi * e + sqrt(1 - z->phi * z->phi) * normal();
	}
}

/* --- series --------------------------------------------------------------- */

/* A cell of n series; promised < 0: there is no promise. */
static void
report(const char *what, const char *which, double percent, int n,
    double promised)
{
	double p, error;
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
	printf("%-19s %-27s %6.2f %%, promised %g %%%s\n", what, which,
	    percent, promised, ok ? "" : "  FAILED");
	failed = failed || !ok;
}

static enum state
look(const double *x, int n)
{
	levels_find(&found, x, (size_t)n, &yardstick);
	levels_judge(&found, &yardstick, 0);
	return found.today.state;
}

/* Is there a change that is at most this far from the place? */
static bool
finds(int at, int distance)
{
	for (size_t i = 1; i < found.n; i++)
		if (levels_differ(&yardstick, found.list[i - 1].value,
		    found.list[i].value) &&
		    abs((int)found.list[i].at - at) <= distance)
			return true;
	return false;
}

static void
simulate_false(int noise, int length, int n, double promised)
{
	double x[DAYS];
	enum state state;
	char what[32];
	int hits = 0;

	for (int i = 0; i < n; i++) {
		draw(noise, x, length, length, 1);
		state = look(x, length);
		hits += state == STATE_DEGRADED || state == STATE_IMPROVED ||
		    finds(0, length);
	}
	snprintf(what, sizeof what, "false, %d commits", length);
	report(what, noises[noise].name, 100.0 * hits / n, n, promised);
}

static void
simulate_step(const struct step *s, int n)
{
	int hits = 0, proven = 0, suspected = 0, at;
	enum state state;
	double x[DAYS];
	char which[64];

	for (int i = 0; i < n; i++) {
		at = s->from + (int)below((uint32_t)(s->to - s->from + 1));
		draw(s->noise, x, s->n, at, s->ratio);
		state = look(x, s->n);
		hits += finds(at, NEAR);
		proven += state == STATE_DEGRADED;
		suspected += state == STATE_SUSPECTED;
	}
	snprintf(which, sizeof which, "%s +%.0f %%, %d of %d",
	    noises[s->noise].name, 100 * (s->ratio - 1), s->n - s->from, s->n);
	report("found", which, 100.0 * hits / n, n, s->found);
	report("proven", which, 100.0 * proven / n, n, s->proven);
	report("suspected", which, 100.0 * suspected / n, n, s->suspected);
}

/* --- two sides ------------------------------------------------------------ */

/* Has a key a verdict, the first of so many? */
static bool
is_found(const struct twosample *t, int keys)
{
	return (keys * TWOSAMPLE_RANKS * t->p_ranks <= ALPHA &&
	    levels_differ(&yardstick, t->before, t->after)) ||
	    (keys * TWOSAMPLE_SLOW * t->p_slow <= ALPHA &&
	    fabs(t->excess) >= EFFECT);
}

/* Draws and compares n values a side, of which some after have the ratio. */
static void
compare(int noise, double *before, double *after, int n, int from,
    double ratio, struct twosample *t)
{
	draw(noise, before, n, n, 1);
	draw(noise, after, n, from, ratio);
	twosample_compare(t, before, (size_t)n, after, (size_t)n, false);
}

/* The V of a pair is the true change of another: how often is it found? */
static void
simulate_visible(int noise, int runs, int n, double promised)
{
	double before[20], after[20], visible;
	struct twosample t;
	int hits = 0, pairs = 0;
	char what[32];

	for (int i = 0; i < n && promised >= 0; i++) {
		compare(noise, before, after, runs, 0, 1, &t);
		visible = twosample_visible(before, (size_t)runs, after,
		    (size_t)runs, EFFECT, 1);
		if (isnan(visible))
			continue;
		compare(noise, before, after, runs, 0, 1 + visible, &t);
		hits += is_found(&t, 1);
		pairs++;
	}
	snprintf(what, sizeof what, "V, %d runs a side", runs);
	report(what, noises[noise].name, 100.0 * hits / fmax(1, pairs), n,
	    promised);
}

/* Ten of 200 runs take a hundred times as long. */
static void
simulate_slow(int n, double promised)
{
	double before[200], after[200];
	struct twosample t;
	int hits = 0;

	for (int i = 0; i < n; i++) {
		compare(NORMAL, before, after, 200, 190, 100, &t);
		hits += is_found(&t, 1);
	}
	report("slow runs", "10 of 200", 100.0 * hits / n, n, promised);
}

/* Of 200 equal keys, has any a verdict? */
static void
simulate_keys(int n, double promised)
{
	enum { KEYS = 200, RUNS = 20 };
	double before[RUNS], after[RUNS];
	struct twosample t;
	int alarms = 0, key;

	for (int i = 0; i < n; i++) {
		for (key = 0; key < KEYS; key++) {
			compare(LOGNORMAL, before, after, RUNS, 0, 1, &t);
			if (is_found(&t, KEYS))
				break;
		}
		alarms += key < KEYS;
	}
	report("false, 200 keys", "20 runs a side", 100.0 * alarms / n, n,
	    promised);
}

/* --- histories of a gate -------------------------------------------------- */

/* In how many of n years do two or more of 50 equal keys have an alarm? */
static void
simulate_years(int noise, int n, double promised)
{
	enum { KEYS = 50 };
	double x[DAYS], p[KEYS];
	int years = 0, alarms;

	for (int i = 0; i < n && promised >= 0; i++) {
		for (int k = 0; k < KEYS; k++) {
			draw(noise, x, DAYS, DAYS, 1);
			p[k] = look(x, DAYS) == STATE_DEGRADED ?
			    found.today.p : 1;
		}
		/* Holm's method. */
		values_sort(p, KEYS);
		alarms = 0;
		while (alarms < KEYS && (KEYS - alarms) * p[alarms] <= ALPHA)
			alarms++;
		years += alarms > 1;
	}
	report("years, 50 keys", noises[noise].name, 100.0 * years / n, n,
	    promised);
}

/* Sets the levels of n commits. */
static void
make_levels(const struct replay *r, double *levels, int n)
{
	int shortest = r->ratio < 1 ? 3 : 10, spread = r->ratio < 1 ? 5 : 21;
	bool slow = true;

	for (int i = 0, end = 0; i < n; i++) {
		if (i == end) {
			slow = !slow;
			end += slow ? shortest + (int)below((uint32_t)spread) :
			    20 + (int)below(41);
		}
		levels[i] = (slow ? r->ratio : 1) *
		    pow(r->drift, (double)i / n);
	}
}

static void
simulate_replay(const struct replay *r, int n)
{
	enum { COMMITS = 200 };
	/* Indexes: for the worse, and how late. */
	int changes[2][2] = { { 0 } }, noticed[2][2] = { { 0 } };
	int looks = 0, red_looks = 0, alarms = 0, since;
	bool alarm, red, was_red, worse;
	double x[COMMITS], levels[COMMITS];

	for (int series = 0; series < n; series++) {
		make_levels(r, levels, COMMITS);
		draw(r->noise, x, COMMITS, COMMITS, 1);
		since = 2 * LAG + 1;
		alarm = was_red = false;
		for (int i = 0; i < COMMITS; i++, was_red = red) {
			x[i] *= levels[i];
			since++;
			if (i > 0 && fabs(levels[i] - levels[i - 1]) > EFFECT)
				since = 1;
			worse = r->ratio > 1 && levels[i] > 1 + EFFECT;
			red = look(x, i + 1) == STATE_DEGRADED;
			if (!worse && since > LAG) {
				looks++;
				red_looks += red;
				alarm = alarm || (red && !was_red);
			}
			if (since == LAG || since == 2 * LAG) {
				changes[worse][since > LAG]++;
				noticed[worse][since > LAG] += worse == red;
			}
		}
		alarms += alarm;
	}
	report("red for nothing", r->name, 100.0 * red_looks / looks, n,
	    r->red);
	report("alarm for nothing", r->name, 100.0 * alarms / n, n, r->alarms);
	for (int i = 0; i < 2; i++) {
		report(i == 0 ? "red after 5" : "red after 10", r->name,
		    100.0 * noticed[1][i] / fmax(1, changes[1][i]), n,
		    r->seen[i]);
		report(i == 0 ? "green after 5" : "green after 10", r->name,
		    100.0 * noticed[0][i] / fmax(1, changes[0][i]), n,
		    r->green[i]);
	}
}

int
main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 0;
	const struct noise *z;

	generator = "statistics";
	if (n <= 0 || argc > 3)
		fail("usage: statistics SERIES [SEED]");
	random_state = argc > 2 ? strtoull(argv[2], NULL, 10) : 20261122;
	for (int i = 0; i < N_NOISES; i++) {
		z = &noises[i];
		simulate_false(i, 200, n, z->false_200);
		simulate_false(i, 24, n, z->false_24);
		simulate_visible(i, 20, n, z->visible_20);
		simulate_visible(i, 8, n, z->visible_8);
		simulate_years(i, n / 10 + 1, z->years);
	}
	for (int i = 0; i < N_STEPS; i++)
		simulate_step(&steps[i], n);
	simulate_slow(n, 100);
	simulate_keys(n, 3.2);
	for (int i = 0; i < N_REPLAYS; i++)
		simulate_replay(&replays[i], n);
	levels_release(&found);
	return failed;
}
