#ifndef PERF_DIFF_SAMPLES_H
#define PERF_DIFF_SAMPLES_H

#include <stdbool.h>

#include "common/base/intern.h"

/*
 * Samples by key.  What distinguishes keys is never mixed: samples of another
 * unit, workload or machine are those of another key.
 */
enum part { PART_UID, PART_RESOURCE_TYPE, PART_SUBTYPE, PART_UNIT, PART_CMD,
    PART_WORKLOAD, PART_MACHINE, N_PARTS };

/* The members of records that have the parts, by enum part. */
extern const char *const part_names[N_PARTS];

struct sample {
	double value;		/* finite and not negative */
	uint32_t version;	/* an index in samples.versions; or a side */
};

enum { SIDE_OLD, SIDE_NEW };

struct key {
	sym parts[N_PARTS];	/* SYM_NONE: not given */
	struct sample *list;	/* in the order of the input */
	size_t n, cap;
};

struct version {
	uint32_t parent;	/* the first parent's index, or INDEX_NONE */
	int64_t time_s;		/* or INT_UNKNOWN */
	bool is_record;		/* it came as a version record */
	bool has_samples;
};

/* samples_init() begins it; it lives until the program ends. */
struct samples {
	struct intern texts;	/* of parts */
	struct map map;		/* from parts to keys */
	struct key *keys;
	size_t n, cap;
	size_t n_samples;

	struct intern ids;	/* of versions, numbered as they come */
	struct version *versions;	/* by number */
	size_t versions_cap;
	uint32_t head;		/* the first version record, or INDEX_NONE */
};

void samples_init(struct samples *);
void samples_release(struct samples *);

/* Finds or adds a key; returns its index. */
uint32_t samples_key(struct samples *, const sym parts[N_PARTS]);
void samples_add(struct samples *, uint32_t key, double value,
    uint32_t version);

/* Finds or adds a version; returns its index. */
uint32_t samples_version(struct samples *, struct span id);

/* The text of a part, empty if it was not given. */
struct span samples_part(const struct samples *, const struct key *,
    enum part);

/* The order of keys: by the texts of their parts. */
int samples_compare(const struct samples *, uint32_t a, uint32_t b);

#endif
