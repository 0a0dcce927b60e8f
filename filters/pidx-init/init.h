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

#endif
