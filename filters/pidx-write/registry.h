#ifndef PIDX_WRITE_REGISTRY_H
#define PIDX_WRITE_REGISTRY_H

#include <stdbool.h>

#include "common/base/mem.h"
#include "common/perun/perun.h"

struct filter;
struct profile;

/* An index entry to be written. */
struct registration {
	unsigned char version[STORE_NAME_SIZE];	/* the commit of the index */
	struct pidx_entry entry;
	bool has_generated_name;
	size_t position;		/* from 0, in the order of arrival */
	struct span job_file;		/* as in struct source */

	/* Set by registry_commit(). */
	struct pidx_outcome outcome;	/* in the index */
	bool failed;			/* the index could not be changed */
};

/*
 * Registers profiles in a store.  Their objects are staged (store.h) as the
 * profiles arrive; their index entries are collected, and written when all
 * objects are durable.
 */
struct registry {
	struct perun *perun;
	struct registration *list;	/* in the order of arrival */
	size_t n, cap;

	/* Private to registry.c. */
	struct arena arena;		/* the strings of the registrations */
	struct buf packed;		/* the object of a profile */
	struct buf stored;		/* contents of a file of the store */
	struct buf why;			/* why an index was not changed */
	enum pidx_layout new_layout;	/* of new indexes; 0 if not known yet */
	struct object object;		/* what is_stored() has unpacked */
};

void registry_init(struct registry *, struct perun *);
void registry_release(struct registry *);

/* Where a profile comes from, and where it is to be registered. */
struct source {
	unsigned char version[STORE_NAME_SIZE];	/* id of a commit */
	struct span path;	/* the name in the index */
	bool has_generated_name;
	uint32_t time;		/* seconds since 1970 */
	struct span job_file;	/* the file's name in .perun/jobs, or empty */
};

/*
 * Stages the profile's object, unless the store has a valid one, and adds a
 * registration to the list.  Strings are copied.
 */
void registry_add(struct registry *, const struct profile *,
    const struct source *);

/*
 * Makes the objects durable, and then writes each index once, durably.  A
 * malformed index is reported and not changed; its registrations are marked as
 * failed.  New indexes get a layout, or if that is 0, the one that layout.h
 * finds.  The strings of the registrations become those that their index has.
 * Where an entry with the same name is replaced, generated names get a number
 * if an entry has them.
 */
void registry_commit(struct registry *, struct filter *,
    enum pidx_layout new_layout);

#endif
