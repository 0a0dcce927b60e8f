#ifndef PIDX_WRITE_REGISTRY_H
#define PIDX_WRITE_REGISTRY_H

#include <stdbool.h>

#include "common/base/mem.h"
#include "common/perun/object.h"
#include "common/perun/pidx.h"
#include "common/perun/store.h"

/*
 * Profiles on their way into a store: objects are staged as they come, and
 * what is to be said of them in indexes is kept until all are durable.
 */
struct filter;
struct profile;

struct registration {
	unsigned char version[STORE_NAME];	/* whose index */
	struct pidx_entry entry;	/* its text is in the arena */
	size_t place;			/* among all, as they came */
	struct span job;		/* the file it was pending in, or empty */
	bool existed;			/* the entry, in the index */
	bool failed;			/* its index is of no use */
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

/* Where a profile came from, and where it is to go. */
struct source {
	unsigned char version[STORE_NAME];
	struct span path;	/* its base name */
	uint32_t time;		/* seconds since 1970 */
	struct span job;
};

/*
 * Stages the profile's object, unless the store has it, sound, and notes what
 * its entry will be.
 */
void registry_add(struct registry *, const struct profile *,
    const struct source *);

/*
 * Makes all of it durable: the objects, and then each index, once.  The list
 * is in the order of the adding, before and after.  An index
 * that is malformed is left alone and told of; its registrations have failed.
 * new_layout is that of an index that is not there yet.
 */
void registry_commit(struct registry *, struct filter *,
    enum pidx_layout new_layout);

#endif
