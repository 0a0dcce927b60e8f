#pragma once

#include <stdbool.h>

#include "common/base/text.h"

/*
 * Reads what a Perun profile measures, in any form that Perun reads:
 *
 *	why = resources_begin(r, document);
 *	while (why == NULL && resources_next(r, &resource))
 *		...
 *
 * Each text is borrowed until the next resources_begin(); its p is NULL if the
 * profile does not have it, or not as a string.
 */
struct resources;

struct profile_parts {
	struct span cmd;	/* with args, which old profiles separate */
	struct span workload, label, machine;	/* machine: its host */
	unsigned lacks;		/* what it was made of lacked (lacks.h) */
};

/* Resources that differ only in their amounts, and the like. */
struct resource_group {
	struct span uid, type, subtype;
	struct span unit_name;	/* what has the unit in the header: the type,
				   or TYPE(SUBTYPE) */
	struct span unit;
	struct span trace;	/* the functions of its stack, "a < b" */
	struct span run;	/* of the program, in which all amounts were
				   measured; p is NULL: each in its own */
	bool exact;		/* the amounts have no noise: counts */
	bool is_valid;		/* an object with an array of amounts */
	struct span amounts;	/* an array, as JSON; for items_next() */
};

/* It lives until the program ends. */
struct resources *resources_new(void);

/* Returns why the document is not a profile, or NULL. */
const char *resources_begin(struct resources *, struct span document);

const struct profile_parts *resources_parts(const struct resources *);

/*
 * The next group that has amounts, or is not valid: its array is then empty.
 * False at the end.
 */
bool resources_next(struct resources *, struct resource_group *);
