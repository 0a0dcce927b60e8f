#pragma once

#include <stdbool.h>

#include "common/perun/config.h"
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
	const char *strings[PIDX_N_STRINGS];	/* NULL: any */
};

/*
 * The order in which Perun's status shows entries: by the first key, entries
 * with the same value by the second, and so on; those with the same values keep
 * the order of the index.  Perun up to 0.23.7 sorts by time, descending; Perun
 * since then by time, stem and copy (of "stem(copy).perf"), ascending.  The
 * settings of the store decide between them; if they do not, the layout of each
 * index does.
 */
enum { ORDER_KEYS_MAX = 16 };
enum order_by { ORDER_TIME, ORDER_STEM, ORDER_COPY, ORDER_PATH, ORDER_TYPE,
    ORDER_CMD, ORDER_WORKLOAD, ORDER_LABEL, ORDER_COLLECTOR, ORDER_OBJECT };
enum order_direction { ORDER_BY_RULE, ORDER_ASC, ORDER_DESC };

struct order {
	enum order_by keys[ORDER_KEYS_MAX];
	size_t n;			/* 0: the keys of the rule */
	enum order_direction directions[ORDER_KEYS_MAX];
	bool is_new;		/* the settings are of 0.23.8 or later */
};

/*
 * Sets the order from the settings; the keys from sort, "KEY[:asc|:desc],...",
 * unless it is NULL.  Dies if a key or a direction is unknown.
 */
void order_load(struct order *, const struct config *, const char *sort);

/*
 * The positions in the index of its entries, in this order: the first one is
 * that of 0@i.  The caller frees the array.
 */
size_t *order_positions(const struct pidx *, const struct order *);

/*
 * Sets selected[i] for each entry of an index.  pending says that it is the
 * index of the pending profiles, in which 3@p selects an entry and 3@i nothing;
 * in any other index, it is the reverse.  False if a single number is out of
 * range: *missing is then its selector, otherwise NULL.
 */
bool select_entries(const struct selection *, const struct order *,
    const struct pidx *, bool pending, bool *selected,
    const struct selector **missing);
