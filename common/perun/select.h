#ifndef WEIR_SELECT_H
#define WEIR_SELECT_H

#include <stdbool.h>

#include "common/perun/pidx.h"

/*
 * A selector names entries of an index, as in Perun:
 *
 *	3@i		the fourth entry in the order that Perun's status shows
 *	3@p		the same for the pending profiles
 *	1@i-3@i		a range, both ends included
 *	4f2a09		40 hex digits, or the first 4 or more: an object
 *	x.perf		any other text: a path (hex digits may also be a path)
 */
struct selector {
	enum selector_kind { SELECTOR_INDEX, SELECTOR_PENDING, SELECTOR_OBJECT,
	    SELECTOR_PATH } kind;
	uint64_t first, last;	/* of a range; equal for a single number */
	struct span text;	/* borrowed */
};

/* False for a range that descends or goes from i to p. */
bool selector_parse(struct selector *, const char *text);

/* An entry is selected if any selector and each of the strings matches. */
struct selection {
	const struct selector *selectors;
	size_t n_selectors;		/* 0: all entries */
	const char *type, *cmd, *workload, *collector;	/* NULL: any */
};

/*
 * The order in which Perun shows entries: descending by one of these; entries
 * that are equal in it keep the order of the index.
 */
struct order {
	enum { ORDER_TIME, ORDER_PATH, ORDER_TYPE, ORDER_CMD, ORDER_WORKLOAD,
	    ORDER_COLLECTOR, ORDER_OBJECT } by;
};

/* Parses Perun's name of an order, such as "time"; false if it is unknown. */
bool order_parse(struct order *, const char *key);

/*
 * Sets selected[i] for each entry of an index.  pending says that it is the
 * index of the pending profiles, so that 3@p refers to it and 3@i does not.
 * False if a single number is out of range: *missing is then its selector.
 */
bool select_entries(const struct selection *, const struct order *,
    const struct pidx *, bool pending, bool *selected,
    const struct selector **missing);

#endif
