#ifndef WEIR_FLATTEN_H
#define WEIR_FLATTEN_H

#include <stdbool.h>

#include "common/base/buf.h"
#include "common/base/intern.h"
#include "common/json/rec.h"

/*
 * The resources (measurements) of a profile in Perun's flattened form.  The
 * members of a resource that vary (amount, address, order...) are collected in
 * arrays; all other members form its type.  A type is named by the uid of the
 * resource and a number.  Two resources and their flattened form:
 *
 *	[{"uid": "f", "type": "t", "amount": 1},
 *	 {"uid": "f", "type": "t", "amount": 2}]
 *
 *	resources		{"f#0": {"amount": [1, 2]}}
 *	resource_type_map	{"f#0": {"type": "t", "uid": "f"}}
 */
struct recio;
struct resource_type;
struct member;

struct flatten {
	struct recio *recio, *uid_recio;
	unsigned char *columns;		/* by field of a resource */
	size_t columns_cap;
	struct intern raw_types;	/* types as they are in the input */
	size_t *types_of_raw, n_raw, raw_cap;
	struct member *members;		/* of a type, sorted */
	size_t n_members, members_cap;
	struct intern type_texts;	/* types in their canonical form */
	struct intern uids;
	struct resource_type *types;	/* by symbol of type_texts */
	size_t n_types, types_cap;
	uint32_t *next_numbers;		/* by symbol of a uid */
	size_t next_numbers_cap;
	struct buf raw, text, overridden, uid;
};

void flatten_init(struct flatten *);
void flatten_release(struct flatten *);

/*
 * Adds an array of resources.  time and snapshot are tokens of members that are
 * added to each resource, if not empty.  False if a resource has no uid or is
 * not an object.
 */
bool flatten_add(struct flatten *, struct span resources, struct span time,
    struct span snapshot);

/* Appends the members of the objects `resources` and `resource_type_map`. */
void flatten_put_resources(const struct flatten *, struct buf *);
void flatten_put_types(const struct flatten *, struct buf *);

#endif
