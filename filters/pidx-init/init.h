#ifndef PIDX_INIT_INIT_H
#define PIDX_INIT_INIT_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/base/buf.h"
#include "common/base/text.h"

/* Absolute paths; that of the directory has no symbolic links. */
struct paths {
	char directory[PATH_MAX];	/* in which the store is created */
	char store[PATH_MAX + 8];	/* directory, and "/.perun" */
};

/*
 * Finds the git repository in the directory, or else the nearest one above it,
 * and appends the path of the repository relative to .perun to *url.  False if
 * there is none.  Dies if the repository cannot be read.
 */
bool repository_find(const struct paths *, struct buf *url);

/*
 * Dies unless the url is the path of a git repository that can be read.  The
 * path is absolute or relative to .perun.
 */
void repository_check(const struct paths *, const char *url);

/* Warns if a directory above paths.directory has a store. */
void init_warn_of_store_above(const struct paths *);

/*
 * Appends the contents of a new local.yml, which has the settings of the store.
 * index_version is the name of a layout, or NULL to leave the setting out.
 */
void settings_put(struct buf *, const char *vcs_type, struct span url,
    const char *index_version);

/* The directories in a store. */
enum { N_SUBDIRECTORIES = 6 };
extern const char *const init_subdirectories[N_SUBDIRECTORIES];

/* What init_make_store() has created. */
struct made {
	bool store;			/* .perun did not exist */
	bool init_subdirectories[N_SUBDIRECTORIES];
	bool settings;			/* the file local.yml */
	bool gitignore;			/* the file .gitignore */
};

/*
 * Creates a complete store or, if `exists` is true, what the existing store
 * lacks.  settings is the text of local.yml, which is written if that file is
 * missing.  Dies on failure; then a new store is either complete or not created
 * at all.
 */
void init_make_store(const struct paths *, bool exists, struct span settings,
    struct made *);

#endif
