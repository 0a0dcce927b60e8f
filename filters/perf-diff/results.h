#pragma once

#include <math.h>

#include "common/filter/filter.h"
#include "common/stats/changes.h"
#include "common/stats/twosample.h"
#include "filters/perf-diff/accept.h"
#include "filters/perf-diff/samples.h"

/* What is known of a change. */
enum verdict { VERDICT_SAME, VERDICT_DEGRADED, VERDICT_IMPROVED,
    VERDICT_UNVERIFIED, VERDICT_SUSPECTED, VERDICT_NEW, VERDICT_GONE,
    N_VERDICTS };

/* A number may be NAN: it is not known, or does not apply. */
struct change {
	uint32_t key;
	enum verdict verdict;
	bool accepted;
	bool is_past;			/* --now: its effect is gone */
	bool by_slow;			/* the verdict is from the slow runs */

	/* The levels, p and the numbers of samples or points; in a history its
	   places are positions in results.order: `at` is the first commit with
	   the change, first and last those that may have caused it. */
	struct change_point step;
	size_t last_good;		/* the last position without it */
	size_t *steps;			/* positions, if it is gradual */
	size_t *merged;			/* versions, if it is a merge of them */
	size_t n_merged;
	bool has_next;			/* the level has changed again */
	double q;			/* p, adjusted for the number of keys */

	/* Of two sides; in a history only the shift with its interval. */
	struct twosample t;
	double share;			/* of a key on one side only */
};

/*
 * What is said before anything else, some of it of several keys together: they
 * have ended, differ only in the unit or the machine and were not measured at
 * the same time, or more is better.
 */
enum sentence { SENTENCE_ANSWER, SENTENCE_NEAREST, SENTENCE_GONE,
    SENTENCE_UNITS, SENTENCE_MACHINES, SENTENCE_UNMEASURED,
    SENTENCE_UNJUDGED, SENTENCE_DEPENDENT, SENTENCE_ORDER, SENTENCE_MORE,
    N_SENTENCES };

/* A key: for two sides it has one change, in a history any number. */
struct result {
	uint32_t key;
	bool is_exact;
	double p;			/* the least of its changes; infinite if
					   it was not tested */
	double q, fdr;			/* Holm; Benjamini-Hochberg */
	double factor;			/* by which Holm multiplied p */
	double visible;			/* the smallest effect that would have
					   been seen, a ratio; NAN or infinite:
					   none */
	double size;			/* of its greatest change */
	unsigned sentences;		/* a bit for each that names it */
	struct change *changes;
	size_t n_changes, cap;

	/* In a history: a value for each point, and its position. */
	double *values;
	size_t *positions;
	size_t n;
	struct segment *segments;	/* none if it has too few points */
	size_t n_segments;
	double phi, dependence;		/* those of its splits */
};

struct options {
	double min_effect;		/* a ratio */
	bool history, uids, improvements, oldest_first, least;
	struct opt_list more, exact;	/* units and uids */
	struct accepted accepted;
	const char *now;		/* a commit, or NULL */
	uint64_t top;
};

struct results {
	const struct samples *samples;
	const struct options *options;
	struct result *list;		/* keys that have samples; in the order
					   of the report */
	size_t n;
	size_t counts[N_VERDICTS];	/* of changes that are not accepted */
	size_t n_accepted;
	size_t n_worse_suspected;
	size_t n_tested;
	size_t n_untested;		/* keys that have too few samples */
	size_t n_judged;		/* tested, with a smallest effect */
	double smallest_effect;		/* the greatest of all judged keys */
	struct arena room;		/* of numbers and structs */
	struct arena *texts;		/* of say.h */

	/* Two sides: the commits, NULL for files. */
	const char *commits[2];
	const char *asked_commit;	/* --nearest: for which that of the old
					   side stands, or NULL */
	double phi;			/* the greatest that is not by chance */

	/* A history. */
	uint32_t *order;		/* versions, the oldest first */
	size_t n_order;
	size_t n_measured, newest;	/* of them, and the position of the
					   last one that was measured */
	bool by_date;			/* their ids are dates */
	size_t n_ignored;		/* versions that are not in it */
	uint32_t *positions;		/* by version; INDEX_NONE: not in it */
};

/* The smallest p that counts. */
#define ALPHA 0.05

/*
 * Adds a key; adds a change of a key, which is not verified.  A change may be
 * moved when the next one of its key is added.
 */
struct result *results_add(struct results *, uint32_t key);
struct change *results_add_change(struct result *, struct change_point);

/* The id of the version at a position of a history. */
struct span results_version(const struct results *, size_t position);

/*
 * The verdict on a difference that is significant: for the better or for the
 * worse if it is at least min_effect, otherwise the same.
 */
enum verdict results_judge(const struct results *, const struct change *);

/* Is after worse than before, by any amount? */
bool results_is_worse(const struct results *, const struct change *);

/* Adjusts the p of all tested keys. */
void results_adjust(struct results *);

/* Is it only that the newest commit alone looks different? */
bool results_is_note(const struct change *);

/* What the adjustment makes of another p of a tested key. */
double results_adjusted(const struct result *, double p);

/* Is this key, or its unit, in a list of an option? */
bool results_is_listed(const struct results *, const struct opt_list *,
    uint32_t key);

/* Sets what is said of the keys, counts it, and orders the keys for it. */
void results_finish(struct results *);
