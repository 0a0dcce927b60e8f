#ifndef PERF_DIFF_RESULTS_H
#define PERF_DIFF_RESULTS_H

#include <math.h>

#include "common/filter/filter.h"
#include "common/stats/changes.h"
#include "filters/perf-diff/samples.h"

/* What is known of a key, or of a change of it. */
enum verdict { VERDICT_SAME, VERDICT_DEGRADED, VERDICT_IMPROVED,
    VERDICT_UNVERIFIED, VERDICT_SUSPECTED, VERDICT_NEW, VERDICT_GONE,
    N_VERDICTS };
extern const char *const verdict_names[N_VERDICTS];

/* A number may be NAN: it is not known, or does not apply. */
struct change {
	uint32_t key;
	enum verdict verdict;
	bool accepted, is_exact;
	double before, after;		/* medians or levels */
	double shift, low, high;	/* Hodges-Lehmann, with its interval */
	size_t stride;			/* of the samples for the shift */
	double p, q, fdr;		/* fdr: Benjamini-Hochberg */
	size_t n_before, n_after;

	/* Of two sides; see twosample.h. */
	double mean_before, mean_after, p_ranks, p_slow, limit, excess, phi;
	size_t slow_before, slow_after;
	bool by_slow;			/* the verdict is from the slow runs */
	double share;			/* of a key on one side only */
	double smallest_effect;		/* that would have been seen, a ratio
					   of before; may be infinite */

	/* In a history: positions in results.order. */
	enum change_kind kind;
	size_t at, last_good;		/* the first commit with the change, and
					   the last one without it */
	size_t first, last;		/* those that may have caused it */
	size_t series;			/* an index in results.series */
	uint32_t *steps;		/* of a gradual change */
	size_t n_steps;
	double size;			/* in standard errors */
	bool is_past;			/* --now: its effect is gone */
};

/* A key that was tested, in the order of p. */
struct tested {
	uint32_t key;
	double p, q, fdr;
	double factor;			/* of Holm: for another p of the key */
	size_t index;			/* of its (first) change */
	double size;			/* of its greatest change */
};

/* A key of a history. */
struct series {
	uint32_t key;
	double *values;			/* one for each point */
	uint32_t *positions;		/* of the points in results.order */
	size_t n;
	double *levels, *noise;		/* n_levels of them, and the points at
					   which they begin */
	size_t *starts;
	size_t n_levels;
	double phi, factor, visible;	/* see changes.h */
};

struct options {
	double min_effect;		/* a ratio */
	bool history, improvements, oldest_first, least;
	struct opt_list more, exact;	/* units and uids */
	struct accepted *accepted;
	const char *now;		/* a commit, or NULL */
	bool fail_if_gone, fail_if_suspected, fail_if_unjudged,
	    pass_if_unjudged;
	uint64_t top;
};

struct results {
	const struct samples *samples;
	const struct options *options;
	struct change *changes;		/* in the order of the report */
	size_t n, cap;
	size_t counts[N_VERDICTS];	/* of changes that are not accepted */
	size_t n_accepted;
	size_t n_worse_suspected;
	size_t n_keys, n_tested;
	size_t n_untested;		/* they have too few samples */
	size_t n_judged;		/* tested, with a smallest effect */
	double smallest_effect;		/* the greatest of all judged keys */

	/* Two sides: the commits, NULL for files. */
	const char *old_commit, *new_commit;
	const char *asked_commit;	/* --nearest: for which old_commit
					   stands, or NULL */
	double phi;			/* the greatest that is not by chance */

	/* A history. */
	uint32_t *order;		/* versions, the oldest first */
	size_t n_order;
	size_t n_ignored;		/* versions that are not in it */
	size_t now;			/* the position of --now */
	uint32_t *positions;		/* by version; INDEX_NONE: not in it */
	struct series *series;
	size_t n_series;
};

/* The smallest p that counts. */
#define ALPHA 0.05

/* The id of the version at a position of a history. */
struct span results_version(const struct results *, size_t position);

/* Adds a change of a key, whose numbers are not known yet. */
struct change *results_add(struct results *, uint32_t key);

/*
 * The verdict on a difference that is significant: for the better or for the
 * worse if it is at least min_effect, otherwise the same.
 */
enum verdict results_judge(const struct results *, const struct change *);

/* |ln(after / before)|; infinite if one of them is 0. */
double results_size(const struct change *);

/* Is after worse than before, by any amount? */
bool results_is_worse(const struct results *, const struct change *);

/* Sorts tested keys by p, equal ones by key, and adjusts their p. */
void results_adjust(const struct results *, struct tested *, size_t n);

/* Is this key, or its unit, in a list of an option? */
bool results_is_listed(const struct results *, const struct opt_list *,
    uint32_t key);

/* Are all values of the key exact? */
bool results_is_exact(const struct results *, uint32_t key);

/*
 * Lists the versions that the merge at a position brings in: the ancestors of
 * its other parents that are not ancestors of its first.  Empty if it is none.
 * The caller frees the list.
 */
uint32_t *results_merged(const struct results *, size_t position, size_t *n);

/* The median of a key's samples of a version; NAN if there are none. */
double results_median_at(const struct results *, uint32_t key,
    uint32_t version);

/* Counts all changes. */
void results_count(struct results *);

/*
 * Lists keys that are the same but for one part, and were never measured at the
 * same time: with another unit, or on another machine.  The caller frees the
 * list.
 */
uint32_t *results_find_apart(const struct results *, enum part, size_t *n);

void results_release(struct results *);

#endif
