#pragma once

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
	struct span job_file;	/* the file's name in .perun/jobs, or empty */

	/* Set by registry_add(). */
	size_t position;		/* from 0, in the order of arrival */

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
	struct object object;		/* what registry_add() has unpacked */
};

/*
 * Between the first registry_add() and registry_release() objects cannot be
 * removed from the store.
 */
void registry_init(struct registry *, struct perun *);
void registry_release(struct registry *);

/*
 * Stages the profile's object, unless the store has a valid one, and adds a
 * registration to the list.  Of its entry, only path and time are set before.
 * Strings are copied.
 */
void registry_add(struct registry *, const struct profile *,
    struct registration);

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
