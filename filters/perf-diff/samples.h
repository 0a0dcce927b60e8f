#pragma once

#include <stdbool.h>

#include "common/base/intern.h"

/*
 * Samples by key.  What distinguishes keys is never mixed: samples of another
 * dimension, workload or machine are those of another key.
 */
enum part { PART_UID, PART_RESOURCE_TYPE, PART_SUBTYPE, PART_UNIT, PART_CMD,
    PART_WORKLOAD, PART_MACHINE, PART_TRACE, N_PARTS };

struct sample {
	double value;		/* finite and not negative */
	uint32_t version;	/* an index in samples.versions; or a side */
};

enum { SIDE_OLD, SIDE_NEW };

/* What a unit means.  An unknown one is its own base. */
struct unit {
	double times, per;	/* it is times / per of the base; integers, so
				   that conversions are rounded once */
	bool is_time;		/* the base is a second */
	bool is_rate;		/* per time: more is better */
};

struct key {
	sym parts[N_PARTS];	/* SYM_NONE: not given; of PART_UNIT: its
				   base */
	sym unit_text;		/* of the first sample, and of all values */
	struct unit unit;
	bool more_is_better;
	struct sample *list;	/* in the order of the input */
	size_t n, cap;
	size_t n_exact;		/* of the samples */
};

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

void samples_init(struct samples *);

/*
 * Finds or adds the key with these parts, of which that of the unit is still
 * the text of the input; returns its index.
 */
uint32_t samples_key(struct samples *, const sym parts[N_PARTS]);

/* Adds a value whose unit has this text. */
void samples_add(struct samples *, uint32_t key, double value, sym unit,
    bool exact, uint32_t version);

/*
 * If the only two keys differ in nothing but the workload, and each has samples
 * of one side only, they become one key.
 */
void samples_join_sides(struct samples *);

/* Finds or adds a version; returns its index. */
uint32_t samples_version(struct samples *, struct span id);

/* The text of a part, empty if it was not given. */
struct span samples_part(const struct samples *, const struct key *,
    enum part);

/* A text by its symbol; empty for SYM_NONE. */
struct span samples_text(const struct samples *, sym);

/* The order of keys: by the texts of their parts. */
int samples_compare(const struct samples *, uint32_t a, uint32_t b);
