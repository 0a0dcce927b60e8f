#ifndef WEIR_PERUN_H
#define WEIR_PERUN_H

#include <stdbool.h>

#include "common/perun/config.h"
#include "common/perun/object.h"
#include "common/perun/pidx.h"
#include "common/perun/store.h"
#include "common/vcs/vcs.h"

/* A Perun store with its settings and the repository that it stands beside. */
struct perun {
	struct store store;
	struct config config;
	struct vcs vcs;
	bool has_vcs;		/* vcs is open */
};

/* Opens what is in a directory or the nearest above; dies if it cannot. */
void perun_open(struct perun *, const char *directory);
void perun_close(struct perun *);

/*
 * The minor version that a name stands for: all that the repository, which is
 * opened at first need, understands.  False if it stands for none: *why then
 * says so, until the next call.
 */
bool perun_version(struct perun *, const char *name, unsigned char *version,
    const char **why);

/*
 * Reads the index of a version, which is empty and of layout 0 if it is absent.
 * Its texts are borrowed from bytes; release it in any case.  STORE_BAD if it
 * cannot be read or is malformed: why, ended by NUL, then names the file and
 * the first byte that is wrong, and what is in front of that is there.
 */
enum store_found perun_index(const struct store *,
    const unsigned char *version, struct buf *bytes, struct pidx *,
    struct buf *why);

/* Such a why, where errno tells if there is no error of the format. */
void perun_index_fault(const struct store *, const unsigned char *version,
    const struct pidx_error *, struct buf *why);

/*
 * Reads an object and verifies that it is what its name says.  Its texts are
 * the object's, packed is for its bytes.  False if it is absent or damaged:
 * *why then says so.
 */
bool perun_object(const struct store *, const unsigned char *name,
    struct buf *packed, struct object *, const char **why);

#endif
