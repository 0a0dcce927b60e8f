#ifndef WEIR_PERUN_H
#define WEIR_PERUN_H

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
};

/* Opens the store in a directory or the nearest one above it, or dies. */
void perun_open(struct perun *, const char *directory);
void perun_close(struct perun *);

/*
 * Resolves the name of a commit to its id.  The first call opens the
 * repository.  False on an error: *why is then the reason, until the next call.
 */
bool perun_resolve_version(struct perun *, const char *name,
    unsigned char *version, const char **why);

/*
 * Reads the index of a version; an absent one is empty and of layout 0.  Its
 * texts are borrowed from bytes.  The caller releases the index, even after an
 * error.  STORE_FAILED if it cannot be read or is malformed: why is then a
 * NUL-terminated message with the file and the first wrong byte, and the index
 * has the entries before that byte.
 */
enum store_found perun_read_index(const struct store *,
    const unsigned char *version, struct buf *bytes, struct pidx *,
    struct buf *why);

/*
 * Sets why to the message for a malformed index or, if error is NULL, for an
 * index that cannot be read for the reason in errno.
 */
void perun_explain_index_error(const struct store *,
    const unsigned char *version, const struct pidx_error *error,
    struct buf *why);

/*
 * Reads an object and compares its SHA-1 with its name.  packed becomes the
 * bytes of its file; the object's texts do not refer to them.  False if it is
 * absent or damaged: *why is then the reason.
 */
bool perun_read_object(const struct store *, const unsigned char *name,
    struct buf *packed, struct object *, const char **why);

#endif
