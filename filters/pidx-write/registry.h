#ifndef PIDX_WRITE_REGISTRY_H
#define PIDX_WRITE_REGISTRY_H

#include <stdbool.h>

#include "common/base/mem.h"
#include "common/perun/object.h"
#include "common/perun/pidx.h"
#include "common/perun/store.h"

/*
 * The registration of profiles: objects are staged as they arrive, and their
 * index entries are collected until all objects are durable.
 */
struct filter;
struct profile;

struct registration {
	unsigned char version[STORE_NAME_SIZE];	/* of the index */
	struct pidx_entry entry;	/* its text is in the arena */
	size_t position;		/* in the order of arrival */
	struct span job;		/* its file in jobs, or empty */
	bool existed;			/* the index had the entry already */
	bool failed;			/* the index is damaged */
};

struct registry {
	struct store *store;
	struct registration *list;
	size_t n, cap;
	struct arena arena;
	struct buf packed, found, why;
	struct object object;
};

void registry_init(struct registry *, struct store *);
void registry_release(struct registry *);

/* Where a profile comes from, and where it is to be registered. */
struct source {
	unsigned char version[STORE_NAME_SIZE];
	struct span path;	/* its base name */
	uint32_t time;		/* seconds since 1970 */
	struct span job;
};

/*
 * Stages the profile's object, unless the store has a valid one, and adds a
 * registration to the list.
 */
void registry_add(struct registry *, const struct profile *,
    const struct source *);

/*
 * Makes everything durable: the objects, then each index, once.  The list stays
 * in the order of arrival.  A malformed index is reported and not changed; its
 * registrations are marked as failed.  New indexes get new_layout.
 */
void registry_commit(struct registry *, struct filter *,
    enum pidx_layout new_layout);

#endif
