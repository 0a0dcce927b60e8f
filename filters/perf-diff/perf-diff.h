#pragma once

#include <math.h>
#include <stdbool.h>

#include "common/base/intern.h"
#include "common/base/mem.h"
#include "common/base/units.h"
#include "common/filter/filter.h"
#include "common/stats/levels.h"
#include "common/stats/twosample.h"

/* --- samples.c ----------------------------------------------------------- */

/*
 * Samples by key.  What distinguishes keys is never mixed.  In a history all
 * parts do; of two sides a key is a name, to which neither the machine nor the
 * folder of the command belongs.
 */
enum part { PART_UID, PART_RESOURCE_TYPE, PART_SUBTYPE, PART_UNIT, PART_CMD,
    PART_WORKLOAD, PART_MACHINE, PART_TRACE, N_PARTS };

struct sample {
	double value;		/* finite and not negative */
	uint32_t version;	/* an index in samples.versions; or a side */
	sym run;		/* of the program; SYM_NONE: one of its own */
};

enum { SIDE_OLD, SIDE_NEW };

struct key {
	sym parts[N_PARTS];	/* SYM_NONE: not given; of PART_UNIT: its
				   base */
	sym unit_text;		/* of the first sample, and of all values */
	struct unit unit;
	bool more_is_better;
	struct sample *list;	/* in the order of the input */
	size_t n, cap;
	size_t n_exact;		/* of the samples */

	/* Of two sides: their commands and machines, with SYM_NONE for an
	   unknown one. */
	sym commands[2], machines[2];
};

/* A side has none, or several. */
enum { PLACE_UNSET = INT32_MAX, PLACE_SEVERAL = INT32_MAX - 1 };

/* The base of its unit as an index: a symbol + 1, or 0 for no unit. */
static inline size_t
samples_unit(const struct key *k)
{
	return k->parts[PART_UNIT] == SYM_NONE ? 0 :
	    k->parts[PART_UNIT] + (size_t)1;
}

struct version {
	uint32_t *parents;	/* indexes */
	size_t n_parents;
	sym author, subject;
	int64_t time_s;		/* or INT_UNKNOWN */
	bool is_record;		/* it came as a version record */
	bool has_samples;
};

/* samples_init() begins it; it lives until the program ends. */
struct samples {
	bool of_sides;		/* versions are sides */
	struct intern texts;	/* of parts, authors and subjects */
	struct map map;		/* from parts to keys */
	struct key *keys;
	size_t n, cap;
	size_t n_samples;

	struct intern ids;	/* of versions, numbered as they come */
	struct version *versions;	/* by number */
	size_t versions_cap;
	uint32_t head;		/* the first version record, or INDEX_NONE */
	struct arena arena;	/* of parents */

	/* The unit that was read last, and its base. */
	sym last_text, last_base;
	struct unit last_unit;
};

void samples_init(struct samples *, bool of_sides);

/*
 * Adds a value to the key with these parts, of which that of the unit is the
 * text of the input; returns the key.
 */
struct key *samples_add(struct samples *, const sym parts[N_PARTS],
    struct sample, bool exact);

/*
 * Joins keys that differ only in the program of the command, or in the
 * workload, if there are just two of them, one of each side.
 */
void samples_join_sides(struct samples *, enum part);

/*
 * Sets values to those of the runs of n samples, in the order of the first
 * sample of each; returns how many there are.  The value of a run is that of
 * its samples by samples_value().  within: each sample is a run.
 */
size_t samples_find_runs(const struct key *, const struct sample *, size_t n,
    bool best, bool within, double *values);

/* The median of n values, or the best one.  Sorts them. */
double samples_value(const struct key *, double *values, size_t n, bool best);

/* Finds or adds a version; returns its index. */
uint32_t samples_version(struct samples *, struct span id);

/* The text of a part, empty if it was not given. */
struct span samples_part(const struct samples *, uint32_t key, enum part);

/* A text by its symbol; empty for SYM_NONE. */
struct span samples_text(const struct samples *, sym);

/* The order of keys: by the texts of their parts. */
int samples_compare(const struct samples *, uint32_t a, uint32_t b);

/* --- results.c ----------------------------------------------------------- */

/* What is known of a key, or of a change. */
enum verdict { VERDICT_SAME, VERDICT_DEGRADED, VERDICT_IMPROVED,
    VERDICT_UNVERIFIED, VERDICT_SUSPECTED, VERDICT_NEW, VERDICT_GONE,
    N_VERDICTS };

/*
 * How a key differs: between two sides; in a history today from before, or at
 * one of its commits.  A number may be NAN: it is not known, or does not apply.
 */
struct change {
	uint32_t key;
	enum verdict verdict;
	bool accepted;
	double before, after;		/* medians or levels */
	double p, q;			/* q: adjusted for the number of keys */

	/* In a history its places are positions in results.order: `at` is the
	   first commit with the change, first and last those that may have
	   caused it. */
	size_t at, first, last, last_good;
	bool grows;
	bool is_past;			/* a later change undid it */
	bool is_today;			/* the state today has just its step */
	double size;			/* D */
	size_t *steps, n_steps;		/* of the state today */
	size_t *merged, n_merged;	/* versions, if it is a merge of them */
	size_t cluster;			/* an index + 1; 0: it is in none */

	/* Of two sides; in a history the shift with its interval. */
	size_t n_before, n_after;	/* runs */
	struct twosample t;
	bool by_slow;			/* the verdict is from the slow runs */
	double share;			/* of a key on one side only */
};

/*
 * What is said before anything else, some of it of several keys together: they
 * were worse and are not, have ended, differ only in the unit or the machine
 * and were not measured at the same time, or more is better.
 */
enum sentence { SENTENCE_ANSWER, SENTENCE_CLUSTERS, SENTENCE_NEAREST,
    SENTENCE_GONE, SENTENCE_UNITS, SENTENCE_MACHINES, SENTENCE_COMMANDS,
    SENTENCE_UNMEASURED, SENTENCE_UNJUDGED, SENTENCE_DEPENDENT, SENTENCE_MORE,
    N_SENTENCES };

struct result {
	uint32_t key;
	bool is_exact;
	double p;			/* infinite if it was not tested */
	double q, fdr;			/* Holm; Benjamini-Hochberg */
	double factor;			/* by which Holm multiplied p */
	double visible;			/* the smallest effect that would have
					   been seen, a ratio; NAN: none */
	double size;			/* of the change today */
	unsigned sentences;		/* a bit for each that names it */
	bool within;			/* too few runs: compared within them */
	struct change today;		/* or the new side; for a history,
					   unless it is the same */

	/* In a history: a value for each point, and its position. */
	double *values;
	size_t *positions;
	size_t n;
	struct level *levels;		/* oldest first */
	size_t n_levels;
	double phi, factor_f;		/* those of its splits */
	struct newest newest;
	bool is_repairing;		/* worse, but the newest are not */
	struct change *changes;
	size_t n_changes;
};

/* Many keys of a machine that changed at a commit. */
struct cluster {
	sym machine;
	size_t at;			/* a position */
	size_t n, n_worse, n_keys;	/* n_keys: all of that machine */
};

struct options {
	double min_effect;		/* a ratio */
	bool history, uids, improvements, oldest_first, newest_first, best;
	bool within_run;
	struct opt_list more, exact;	/* units and uids */
	struct accepted {
		struct accepted_change {
			const char *commit;	/* the beginning of its id */
			const char *uid;	/* empty: all */
		} *list;
		size_t n, cap;
	} accepted;
	uint64_t top;
};

struct results {
	const struct samples *samples;
	const struct options *options;
	struct result *list;		/* keys that have samples; in the order
					   of the report */
	size_t n;
	size_t counts[N_VERDICTS];	/* of keys, but for what is accepted */
	size_t n_accepted;		/* changes */
	size_t n_past;			/* keys that were worse, and are not */
	size_t n_worse_suspected;
	size_t n_tested;
	size_t n_untested;		/* keys that have too few samples */
	size_t n_judged, n_exact;	/* tested, with a smallest effect; of
					   them, those that are exact */
	double smallest_effect;		/* the greatest of all judged keys */
	struct arena room;		/* of numbers and structs */

	/* Two sides: the commits, NULL for files. */
	const char *commits[2];
	const char *asked_commit;	/* --nearest: for which that of the old
					   side stands, or NULL */
	double phi;			/* the greatest that is not by chance */
	size_t n_within;		/* keys with too few runs */

	/* A history. */
	uint32_t *order;		/* versions, the oldest first */
	size_t n_order;
	bool is_ordered;		/* the order is known */
	size_t n_measured, newest;	/* of them, and the position of the
					   last one that was measured */
	size_t n_ignored;		/* versions that are not in it */
	uint32_t *positions;		/* by version; INDEX_NONE: not in it */
	struct cluster *clusters;
	size_t n_clusters;
};

/* The smallest p that counts. */
#define ALPHA 0.05

/*
 * Adds a key; adds a change of a key, which is not verified.  A change may be
 * moved when the next one of its key is added.
 */
struct result *results_add(struct results *, uint32_t key);
struct change *results_add_change(struct result *);

/* The id of the version at a position of a history. */
struct span results_version(const struct results *, size_t position);

/* What a key is judged by. */
struct yardstick results_yardstick(const struct results *,
    const struct result *);

/* Is after worse than before, by any amount? */
bool results_is_worse(const struct results *, const struct change *);

/* Adjusts the p of all tested keys. */
void results_adjust(struct results *);

/* What the adjustment makes of another p of a tested key. */
double results_adjusted(const struct result *, double p);

/* Is this key, or its unit, in a list of an option? */
bool results_is_listed(const struct results *, const struct opt_list *,
    uint32_t key);

/* Sets what is said of the keys, counts it, and orders the keys for it. */
void results_finish(struct results *);

/* --- compare.c ----------------------------------------------------------- */

/* With fewer runs on a side, no difference is verified. */
enum { RUNS_MIN = 5 };

void compare_sides(struct results *);

/* How many runs a side a verdict needs if there are so many keys. */
size_t compare_runs_needed(size_t keys);

/* --- emit.c -------------------------------------------------------------- */

void emit_answer(const struct results *, struct filter *);

/* --- history.c ----------------------------------------------------------- */

/* Finds the changes in a history, and the state of each key today. */
void history_find(struct results *, struct filter *);

/* --- clusters.c ---------------------------------------------------------- */

/* Finds the commits at which many keys of a machine have changed. */
void clusters_find(struct results *);

/* --- read.c -------------------------------------------------------------- */

/* The declared keys of the records that are read. */
extern const char *const read_keys[];

/*
 * Reads samples from `sample` records (which need no type), from `profile`
 * records and from profiles themselves.  by_trace: each stack of a uid is a key
 * of its own.
 */
void read_init(struct samples *, bool by_trace);

/*
 * Reads the files of the filter.  The samples belong to a side or, if side is
 * INDEX_NONE, to the minor_version of their record.
 */
void read_files(struct filter *, uint32_t side);

/*
 * Reads only the samples of two uids, which are the sides of keys that have the
 * uid of the new one.  Ends the program if one of them does not come.
 */
void read_pair(struct filter *, const char *old, const char *new);

/* Reads a profile; returns why it cannot be read, or NULL. */
const char *read_document(struct filter *, struct span document,
    uint32_t version);

/* --- report.c ------------------------------------------------------------ */

void report_answer(const struct results *, struct filter *);

/* --- say.c --------------------------------------------------------------- */

/*
 * What reports and pictures say of keys, changes and commits.  The texts live
 * until the program ends.
 */

const char *say(const char *fmt, ...) PRINTF_LIKE(1, 2);

/* The uid and, in parentheses, the other parts in which keys differ. */
const char *say_key(const struct results *, uint32_t key);

/* A value with its unit, "12.35 ms"; 12345 us is "12.35 ms", too. */
const char *say_value(const struct results *, uint32_t key, double value);

/*
 * "+5.0 %", or "from 0" if there is no ratio; of a key on one side only its
 * share of that side.
 */
const char *say_effect(const struct change *);

/* "slower" or "quicker" for times, "worse" or "better" for anything else. */
const char *say_comparative(const struct results *, const struct change *);

/* The first digits of a commit's id, or another id. */
const char *say_id(struct span id);

/* The id of a commit, its date, and its subject and author; "" if unknown. */
const char *say_commit(const struct results *, size_t position);
const char *say_date(const struct results *, size_t position);
const char *say_subject(const struct results *, size_t position);

/*
 * The sentence that answers the question, and what else must be known before it
 * is believed; without the full stop, "" where it does not apply.
 */
const char *say_sentence(const struct results *, enum sentence);

/* --- svg.c --------------------------------------------------------------- */

void svg_draw(const struct results *, struct filter *);
