#pragma once

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
 *
 * Texts are interned: a symbol (intern.h) is the number of a text, from 0.
 */
struct recio;
struct resource_type;
struct member;

struct flatten {
	struct recio *recio, *uid_recio;
	struct intern raw_types;	/* types as they are in the input */
	size_t *types_of_raw;		/* indices in types, by raw type */
	size_t n_raw, raw_cap;
	struct intern type_texts;	/* types in their canonical form */
	struct resource_type *types;	/* by symbol in type_texts */
	size_t n_types, types_cap;
	struct intern uids;
	uint32_t *next_numbers;		/* of a new type, by symbol of uid */
	size_t next_numbers_cap;

	/* Of the current resource. */
	unsigned char *columns;		/* for each field its index in keys, or
					   0 if it does not go to a column */
	size_t columns_cap;
	struct member *members;		/* of its type, sorted by key */
	size_t n_members, members_cap;
	struct buf raw, text;		/* its type, raw and canonical */
	struct buf uid;			/* its uid as a text */
	struct buf overridden;		/* values that time, snapshot replace */
};

void flatten_init(struct flatten *);
void flatten_release(struct flatten *);

/*
 * Adds an array of resources.  time and snapshot, unless empty, are JSON values
 * that each resource gets as members of these names, in place of its own.
 * False if a resource has no uid or is not an object.
 */
bool flatten_add(struct flatten *, struct span resources, struct span time,
    struct span snapshot);

/* Appends the members of the object `resources`, without braces. */
void flatten_put_resources(const struct flatten *, struct buf *);

/* Appends the members of the object `resource_type_map`, without braces. */
void flatten_put_types(const struct flatten *, struct buf *);
