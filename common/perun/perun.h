#pragma once

#include <stdbool.h>

#include "common/perun/config.h"
#include "common/perun/object.h"
#include "common/perun/pidx.h"
#include "common/perun/store.h"
#include "common/vcs/vcs.h"

/* A Perun store with its settings and the repository that it belongs to. */
struct perun {
	struct store store;
	struct config config;
	struct vcs vcs;
	bool has_vcs;		/* vcs is open */
	enum pidx_layout six_strings;	/* what six strings mean in other
					   indexes, or 0: see layout.c */
};

/*
 * Opens the store in a directory (NULL: the current one) or in the nearest one
 * above it, or dies.
 */
void perun_open(struct perun *, const char *directory);

/*
 * The same, but returns false if there is no store: *why is then a message that
 * says so, borrowed until the next call.
 */
bool perun_find(struct perun *, const char *directory, const char **why);

void perun_close(struct perun *);

/*
 * Opens the repository, unless it is open.  False on an error: *why is then the
 * reason, borrowed until the next call.
 */
bool perun_open_repository(struct perun *, const char **why);

/*
 * Opens the version control of a directory, by default the current one, for the
 * filters that need no store: as vcs_open() does, in the directory or above,
 * but if the type, or without one vcs.type of the nearest store, is a system
 * that needs a store, opens what vcs.url of that store names.  Dies if the
 * settings of the store cannot be read.
 */
bool perun_open_vcs(struct vcs *, const char *type, const char *directory);

/*
 * Resolves the name of a commit and sets version, which has STORE_NAME_SIZE
 * bytes, to its id.  The first call opens the repository, or dies.  False if
 * the name cannot be resolved: *why is then the reason, borrowed until the next
 * call.
 */
bool perun_resolve_version(struct perun *, const char *name,
    unsigned char *version, const char **why);

/*
 * Is this the name of an annotated tag?  perun_resolve_version() must have
 * resolved it before.  If so, sets tag to the id of the tag object, not of its
 * commit: if profiles are registered with the name of the tag, Perun stores
 * their index under this id.
 */
bool perun_resolve_tag(struct perun *, const char *name, unsigned char *tag);

/*
 * Reads an object and compares its SHA-1 with its name.  packed becomes the
 * bytes of its file; the object's texts do not refer to them.  False if it is
 * absent or damaged: *why is then the reason.  Dies if it cannot be read.
 */
bool perun_read_object(const struct store *, const unsigned char *name,
    struct buf *packed, struct object *, const char **why);
