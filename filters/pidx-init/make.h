#pragma once

#include <limits.h>
#include <stdbool.h>

#include "common/base/buf.h"
#include "common/base/text.h"

/* What is in a new store: first the directories, then the files. */
enum { N_DIRECTORIES = 6, SETTINGS_FILE = N_DIRECTORIES, GITIGNORE_FILE,
    N_ITEMS };
extern const char *const init_items[N_ITEMS];

struct new_store {
	/* Absolute paths; that of the directory has no symbolic links. */
	char directory[PATH_MAX];	/* in which the store is created */
	char path[PATH_MAX + 8];	/* directory, and "/.perun" */
	struct buf settings;		/* text of a new local.yml */

	/* Set by init_make_store(): what it has created. */
	bool is_made;			/* .perun did not exist */
	bool made[N_ITEMS];
	const char *making;		/* for messages */
};

/*
 * Creates a complete store or, if `exists` is true, what the existing store
 * lacks.  The settings are written if local.yml is missing.  Dies on failure;
 * then a new store is either complete or not created at all.
 */
void init_make_store(struct new_store *, bool exists);

/*
 * Appends the contents of a new local.yml, which has the settings of the store.
 * index_version is the name of a layout.
 */
void init_put_settings(struct buf *, const char *vcs_type, struct span url,
    const char *index_version);
