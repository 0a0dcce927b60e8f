#ifndef PIDX_INIT_MAKE_H
#define PIDX_INIT_MAKE_H

#include <limits.h>
#include <stdbool.h>

#include "common/base/text.h"

/* Absolute paths; that of the directory has no symbolic links. */
struct paths {
	char directory[PATH_MAX];	/* in which the store is created */
	char store[PATH_MAX + 8];	/* directory, and "/.perun" */
};

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
