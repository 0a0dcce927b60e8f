#pragma once

#include <limits.h>
#include <stdbool.h>

#include "common/base/buf.h"
#include "common/base/text.h"

/* Absolute paths; that of the directory has no symbolic links. */
struct paths {
	char directory[PATH_MAX];	/* in which the store is created */
	char store[PATH_MAX + 8];	/* directory, and "/.perun" */
};

/* What is in a new store: first the directories, then the files. */
enum { N_DIRECTORIES = 6, SETTINGS_FILE = N_DIRECTORIES, GITIGNORE_FILE,
    N_ITEMS };
extern const char *const init_items[N_ITEMS];

/* What init_make_store() has created. */
struct made {
	bool store;			/* .perun did not exist */
	bool items[N_ITEMS];
};

/*
 * Creates a complete store or, if `exists` is true, what the existing store
 * lacks.  settings is the text of local.yml, which is written if that file is
 * missing.  Dies on failure; then a new store is either complete or not created
 * at all.
 */
void init_make_store(const struct paths *, bool exists, struct span settings,
    struct made *);

/*
 * Appends the contents of a new local.yml, which has the settings of the store.
 * index_version is the name of a layout.
 */
void init_put_settings(struct buf *, const char *vcs_type, struct span url,
    const char *index_version);
