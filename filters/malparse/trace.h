#ifndef MALPARSE_TRACE_H
#define MALPARSE_TRACE_H

#include "filters/malparse/event.h"
#include "filters/malparse/links.h"
#include "filters/malparse/plan.h"
#include "filters/malparse/rows.h"

/*
 * A trace: what its objects tell about each other goes through here, on its
 * way to rows or tasks.
 */
struct trace {
	struct rows rows;
	struct plans plans;
	struct links links;
	struct buf decoded;	/* strings of MAL's without their escapes */
	struct intern unknown;	/* sets of keys of objects of no format */
	uint64_t n_unknown;	/* objects */
	int64_t *pcs;		/* that the event waited for */
	size_t n_pcs, pcs_cap;
};

void trace_init(struct trace *, struct filter *);
void trace_end(struct trace *);		/* all that is still open */
void trace_release(struct trace *);

/* Takes an object in; if it must be rejected, *why says why. */
void trace_add(struct trace *, const struct rec *, const char **why);

#endif
