#ifndef WEIR_SELECT_H
#define WEIR_SELECT_H

#include <stdbool.h>

#include "common/perun/pidx.h"

/*
 * A selector names entries of an index, as in Perun:
 *
 *	3@i		the fourth entry in the order that Perun's status shows
 *	3@p		the same for the pending profiles (pending.h)
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

/* False for a range that descends, or that mixes i and p. */
bool selector_parse(struct selector *, const char *text);

/* An entry is selected if any selector and all of the strings match. */
struct selection {
	const struct selector *selectors;
	size_t n_selectors;		/* 0: all entries */
	const char *type, *cmd, *workload, *collector;	/* NULL: any */
};

/*
 * The order in which Perun's status shows entries: descending by one of these
 * values.  Entries with the same value keep the order of the index.
 */
struct order {
	enum { ORDER_TIME, ORDER_PATH, ORDER_TYPE, ORDER_CMD, ORDER_WORKLOAD,
	    ORDER_COLLECTOR, ORDER_OBJECT } by;
};

/* Parses Perun's name of an order, such as "time"; false if it is unknown. */
bool order_parse(struct order *, const char *key);

/*
 * Sets selected[i] for each entry of an index.  pending says that it is the
 * index of the pending profiles, in which 3@p selects an entry and 3@i nothing;
 * in any other index, it is the reverse.  False if a single number is out of
 * range: *missing is then its selector, otherwise NULL.
 */
bool select_entries(const struct selection *, const struct order *,
    const struct pidx *, bool pending, bool *selected,
    const struct selector **missing);

#endif
