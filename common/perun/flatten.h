#ifndef WEIR_FLATTEN_H
#define WEIR_FLATTEN_H

#include <stdbool.h>

#include "common/base/buf.h"
#include "common/base/intern.h"
#include "common/json/rec.h"

/*
 * Resources of a profile in Perun's compact form.  What tells how a resource
 * was measured (amount, address, order...) is collected in arrays; all else is
 * its type.  A type is named by the resource's uid and a number.
 */
struct recio;
struct resource_type;
struct member;

struct flatten {
	struct recio *recio, *uid_recio;
	unsigned char *places;		/* of a resource's fields */
	size_t places_cap;
	struct intern raws;		/* of what makes sets, as it was */
	size_t *types_of_raws, n_raws, raws_cap;
	struct member *members;		/* of the type of a resource */
	size_t n_members, members_cap;
	struct intern sets;		/* of what makes types, as text */
	struct intern uids;
	struct resource_type *types;	/* by symbol of its set */
	size_t n_types, types_cap;
	uint32_t *numbers;		/* by symbol of a uid: the next */
	size_t numbers_cap;
	struct buf raw, set, hidden, uid;
};

void flatten_init(struct flatten *);
void flatten_release(struct flatten *);

/*
 * Adds an array of resources.  time and snapshot are tokens that all of them
 * have as well; empty where they have not.  False if one has no uid or is no
 * object.
 */
bool flatten_add(struct flatten *, struct span resources, struct span time,
    struct span snapshot);

/* The members of the objects `resources` and `resource_type_map`. */
void flatten_put_resources(const struct flatten *, struct buf *);
void flatten_put_types(const struct flatten *, struct buf *);

#endif
