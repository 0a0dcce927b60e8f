#ifndef PIDX_INIT_INIT_H
#define PIDX_INIT_INIT_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/base/buf.h"
#include "common/base/text.h"

/* The directory of the new store, resolved, and .perun in it. */
struct place {
	char directory[PATH_MAX];
	char store[PATH_MAX + 8];
};

/* Appends the url of the repository around the place; false if none. */
bool repository_find(const struct place *, struct buf *url);

/* Dies unless there is a repository at the url, which is relative to .perun. */
void repository_check(const struct place *, const char *url);

/* Warns if a directory above has a store. */
void warn_of_store_above(const struct place *);

/* Appends the contents of a new local.yml. */
void settings_put(struct buf *, const char *vcs_type, struct span url,
    int index_version);

enum { N_DIRECTORIES = 6 };
extern const char *const directories[N_DIRECTORIES];

/* What make_store() created. */
struct made {
	bool store;			/* .perun did not exist */
	bool directories[N_DIRECTORIES], settings;
};

/*
 * Creates a complete store, or adds to an existing one what it lacks.  settings
 * is the contents of local.yml, if that does not exist.  Dies if it cannot; a
 * new store is then not created at all.
 */
void make_store(const struct place *, bool exists, struct span settings,
    struct made *);

#endif
