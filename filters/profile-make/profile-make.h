#pragma once

#include <stdbool.h>

#include "common/base/intern.h"
#include "common/filter/filter.h"

/* --- amounts.c ----------------------------------------------------------- */

/*
 * The amounts of each resource, one for each run or sample.  A resource is what
 * was measured: a uid with the type and the subtype of its amounts; if several
 * may be of one run of the program, as those of samples, also with that.
 */
struct resource {
	sym uid, type, subtype;	/* subtype: or SYM_NONE */
	sym sample_run;		/* or SYM_NONE */
	uint32_t function;	/* instead of a uid, until
				   amounts_name_functions(); or INDEX_NONE */
	uint32_t is_exact;	/* the amounts have no noise: 1, or 0 */
};

struct amount {
	uint32_t resource, run;	/* run: INDEX_NONE if nothing is added to it */
	sym token;		/* the number as it was written; or SYM_NONE */
	int64_t thousandths;	/* if there is no token: the value times 1000 */
};

struct amounts {
	struct intern texts;
	struct map resource_map, amount_map;
	struct resource *resources;
	size_t n_resources, resources_cap;
	struct amount *list;	/* in the order of the input */
	size_t n, cap;
	struct intern runs;		/* by their bytes: see amounts_run() */

	/* Units, by the symbol of what has the unit: "time", "mixed(calls)". */
	struct intern unit_names;
	sym *units;
	size_t units_cap;
};

void amounts_init(struct amounts *);

/* Finds or adds a resource; returns its index. */
uint32_t amounts_resource(struct amounts *, struct resource);

/*
 * Gives functions their uids, by number.  Several may have the same: false if a
 * sum is then too great.
 */
bool amounts_name_functions(struct amounts *, const sym *uids);

/*
 * A number for the run of this name or, if that is SYM_NONE, for the run of a
 * stream whose records have no run; the stream is 0 if there is a name.
 */
uint32_t amounts_run(struct amounts *, uint32_t stream, sym name);

/*
 * Adds a value to the amount of a run.  False if the sum is too great for a
 * record; the amount is then unchanged.
 */
bool amounts_add(struct amounts *, uint32_t resource, uint32_t run,
    int64_t thousandths);

/* Appends an amount of its own; token is a JSON number. */
void amounts_append(struct amounts *, uint32_t resource, struct span token);

/*
 * Sets the unit of a name such as "time".  Returns the unit that it has, which
 * is another one if it was set before.
 */
struct span amounts_unit(struct amounts *, struct span name,
    struct span unit);

/* --- records.c ----------------------------------------------------------- */

/*
 * What the whole profile has: it is given by an option, or is what all samples
 * have.  Two different values cannot be in one profile.
 */
enum header_part { PART_CMD, PART_WORKLOAD, PART_LABEL, PART_MACHINE,
    PART_ORIGIN, N_PARTS };

struct header {
	const char *type;	/* --type, or NULL */
	struct span unit;	/* --unit: of values without one; or empty */
	struct part {
		const char *text;	/* or NULL; of an option, or of
					   amounts.texts */
		bool is_fixed;	/* by an option */
	} parts[N_PARTS];
	unsigned lacks;		/* of profiles that were read (lacks.h) */
	struct span program;	/* cmd, if no sample has one; or empty */
};

struct records;

extern const char *const records_keys[];	/* for reading records */

/* Both arguments must live as long as the result. */
struct records *records_new(struct amounts *, struct header *);

/*
 * Adds the amounts of a record, which was read from the text.  Returns why they
 * cannot be added, or NULL; the reason is valid until the next call.  A record
 * that has no amounts is ignored.
 */
const char *records_read(struct records *, const struct rec *,
    struct span text, uint32_t stream);

/*
 * When all have been read: names the functions (functions.h).  False if a sum
 * is 2^53 or more.
 */
bool records_finish(struct records *);
