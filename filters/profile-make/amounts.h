#pragma once

#include <stdbool.h>

#include "common/base/intern.h"

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
void amounts_release(struct amounts *);

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
