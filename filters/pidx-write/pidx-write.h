#pragma once

#include <stdbool.h>
#include <time.h>

#include "common/base/intern.h"
#include "common/base/mem.h"
#include "common/perun/perun.h"

struct filter;
struct profile;

/* --- name.c -------------------------------------------------------------- */

/*
 * Generates file names for profiles that have none, from a template in Perun's
 * syntax: tags such as %collector% and %date% are replaced by values of the
 * profile.
 */
struct names {
	const char *template;
	struct intern taken;	/* names that are not returned (again) */
	struct intern stems;	/* names before number and suffix */
	unsigned *numbers;	/* the last number of each stem */
	size_t numbers_cap;
	struct buf name;	/* the latest of them */
};

/* The template is borrowed; NULL means Perun's default. */
void names_init(struct names *, const char *template);
void names_release(struct names *);

/*
 * Returns a name that ends in ".perf", borrowed until the next call.  If it is
 * taken, "-2", "-3" and so on is inserted before ".perf".  It is taken from
 * then on.  names_take() is given what is before that; names_make() makes it of
 * the template, in which %date% is now, in UTC.
 */
struct span names_take(struct names *, struct span stem);
struct span names_make(struct names *, const struct profile *, time_t now);

/*
 * Returns NULL if a profile of this name may be in an index, and otherwise the
 * reason why not, a static string.
 */
const char *name_error(struct span name);

/* --- registry.c ---------------------------------------------------------- */

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
 * objects are durable.  Start with { .perun }.
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
 * Stages the profile's object, unless the store has a valid one, and adds a
 * registration to the list.  Of its entry, only path and time are set before.
 * Strings are copied.  From the first call on, until the store is closed,
 * objects cannot be removed from it.
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
