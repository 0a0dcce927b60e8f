#ifndef PIDX_INIT_INIT_H
#define PIDX_INIT_INIT_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/base/buf.h"
#include "common/base/text.h"

/* Absolute paths without symbolic links. */
struct paths {
	char directory[PATH_MAX];	/* in which the store is created */
	char store[PATH_MAX + 8];	/* .perun in it */
};

/*
 * Finds the repository in the directory or the nearest one above it, and
 * appends its path relative to .perun.  False if there is none.
 */
bool repository_find(const struct paths *, struct buf *url);

/* Dies unless there is a repository at the url, a path relative to .perun. */
void repository_check(const struct paths *, const char *url);

/* Warns if a directory above has a store. */
void warn_of_store_above(const struct paths *);

/* Appends the contents of a new local.yml. */
void settings_put(struct buf *, const char *vcs_type, struct span url,
    int index_version);

/* The directories in a store. */
enum { N_SUBDIRECTORIES = 6 };
extern const char *const subdirectories[N_SUBDIRECTORIES];

/* What make_store() created. */
struct made {
	bool store;			/* .perun did not exist */
	bool subdirectories[N_SUBDIRECTORIES];
	bool settings;			/* local.yml */
};

/*
 * Creates a complete store or, if exists is true, what the existing one lacks.
 * settings is the text for local.yml if that is missing.  Dies on failure; a
 * new store is then not created at all.
 */
void make_store(const struct paths *, bool exists, struct span settings,
    struct made *);

#endif
