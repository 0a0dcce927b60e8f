#ifndef WEIR_SELECT_H
#define WEIR_SELECT_H

#include <stdbool.h>

#include "common/perun/pidx.h"

/*
 * Which entries of an index are wanted.  A look-up is Perun's: "3@i" is the
 * fourth of the index as Perun's status shows it, "3@p" of the pending ones,
 * "1@i-3@i" a range; 40 hex digits, or four and more, are an object or the
 * beginning of its name; all else is a path.
 */
struct look_up {
	enum look_up_kind { LOOK_INDEX, LOOK_PENDING, LOOK_OBJECT, LOOK_PATH }
	    kind;
	uint64_t first, last;
	struct span text;
};

/* False if it is a range of no sense. */
bool look_up_read(struct look_up *, const char *text);

struct selection {
	const struct look_up *look_ups;
	size_t n_look_ups;		/* any of them; 0: all */
	const char *type, *cmd, *workload, *collector;	/* NULL: any */
};

/* Perun's order: what must be greater comes first; the index settles ties. */
struct order {
	enum { ORDER_TIME, ORDER_PATH, ORDER_TYPE, ORDER_CMD, ORDER_WORKLOAD,
	    ORDER_COLLECTOR, ORDER_OBJECT } by;
};
bool order_read(struct order *, const char *key);

/*
 * Marks what is wanted of an index.  pending: it is that of the pending
 * profiles.  An index that a look-up names and that is not there makes it
 * false, and *missing is that look-up.
 */
bool select_entries(const struct selection *, const struct order *,
    const struct pidx *, bool pending, bool *wanted,
    const struct look_up **missing);

#endif
