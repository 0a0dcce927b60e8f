#ifndef PERF_DIFF_RESULTS_H
#define PERF_DIFF_RESULTS_H

#include <math.h>

#include "common/filter/filter.h"
#include "filters/perf-diff/samples.h"

/* What is known of a key, or of a change of it. */
enum verdict { VERDICT_SAME, VERDICT_DEGRADED, VERDICT_IMPROVED,
    VERDICT_UNVERIFIED, VERDICT_NEW, VERDICT_GONE, N_VERDICTS };
extern const char *const verdict_names[N_VERDICTS];

/* A number may be NAN: it is not known, or does not apply. */
struct change {
	uint32_t key;
	enum verdict verdict;
	bool more_is_better, accepted;
	double before, after;		/* medians */
	double shift, low, high;	/* Hodges-Lehmann, with its interval */
	double p, q, fdr;		/* fdr: Benjamini-Hochberg */
	double smallest_effect;		/* that would have been seen, a ratio
					   of before; may be infinite */
	double share;			/* of a key on one side only */
	size_t n_before, n_after;
	size_t stride;			/* of the samples for the shift */

	/* In a history. */
	size_t at, last_good;		/* positions in results.order */
	double phi, factor;
	size_t window;
};

/* A key that was tested, in the order of p. */
struct tested {
	uint32_t key;
	double p, q, fdr;
};

/* A key of a history that has enough points. */
struct series {
	uint32_t key;
	double *values;			/* one for each point */
	uint32_t *positions;		/* of the points in results.order */
	size_t n;
	size_t first_change, n_changes;	/* in results.changes */
	double phi, factor, smallest_effect;
};

struct options {
	double min_effect;		/* a ratio */
	bool history, improvements, oldest_first;
	struct opt_list more;		/* units and uids */
	struct accepted *accepted;
	uint64_t top;
};

struct results {
	const struct samples *samples;
	const struct options *options;
	struct change *changes;		/* in the order of the report */
	size_t n, cap;
	size_t counts[N_VERDICTS];	/* of changes that are not accepted */
	size_t n_accepted;
	size_t n_keys, n_tested;
	double smallest_effect;		/* the median of all tested keys */

	/* In a comparison: the commits, NULL for files. */
	const char *old_commit, *new_commit;

	/* In a history. */
	uint32_t *order;		/* versions, the oldest first */
	size_t n_order;
	size_t n_ignored;		/* versions that are not in it */
	size_t blind;			/* newest points, not to be judged */
	struct series *series;
	size_t n_series;
};

/* The id of the version at a position of a history. */
struct span results_version(const struct results *, size_t position);

/* Adds a change of a key, whose numbers are not known yet. */
struct change *results_add(struct results *, uint32_t key);

/*
 * Compares the n_before samples before a change and the n_after samples after
 * it, and sorts both.  Returns their spread (twosample.h).
 */
double results_compare(struct change *, double *before, double *after);

/*
 * The smallest effect, a ratio of before, that a test which reports beyond z
 * would have seen; NAN if before is 0.
 */
double results_visible(double spread, double before, size_t n_before,
    size_t n_after, double z);

/*
 * The verdict on a difference that is significant: for the better or for the
 * worse if it is at least min_effect, otherwise the same.
 */
enum verdict results_judge(const struct results *, const struct change *);

/* Sorts tested keys by p, equal ones by key, and adjusts their p. */
void results_adjust(const struct results *, struct tested *, size_t n);

/* Marks accepted changes, and counts all. */
void results_count(struct results *);

/* The series of a key. */
const struct series *results_series(const struct results *, uint32_t key);

void results_release(struct results *);

#endif
