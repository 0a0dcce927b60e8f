#pragma once

#include <stdbool.h>

#include "common/base/mem.h"
#include "common/perun/pidx.h"
#include "common/perun/profile.h"
#include "common/perun/store.h"

/*
 * The pending profiles of a store, those that are not registered yet: the files
 * in the directory jobs whose names end in "perf".  Perun has an index of them,
 * jobs/.index, which gets out of date; here the files themselves are read.
 */

/*
 * Returns the names of the pending profiles, sorted.  They are stored in the
 * arena; the caller frees the array.  Dies if the directory cannot be read.
 */
const char **pending_names(const struct store *, struct arena *, size_t *n);

struct stat;

/*
 * Opens a pending profile, which must be a regular file: a symbolic link is not
 * followed.  Returns a descriptor and sets the status of the file, or returns
 * -1, with errno, if it is missing or not a regular file.  Dies if it cannot be
 * opened for another reason.
 */
int pending_open(const struct store *, const char *name, struct stat *);

/* Removes a pending profile, unless it is gone; dies if it cannot. */
void pending_remove(const struct store *, const char *name);

/*
 * The modification time of a file in seconds, rounded as Perun does: to the
 * nearest second, halves to the even one.
 */
int64_t pending_time(const struct stat *);

/*
 * The pending profiles as an index, sorted by name.  The time of an entry is
 * that of its file.  Its object is zero: the object is made only when the
 * profile is registered.
 */
struct pending {
	struct pidx index;
	struct span *origins;	/* per entry: the profile's commit, or empty */
	struct pending_error {
		const char *name, *why;
	} *errors;		/* files that are not profiles or that
				   cannot be read, sorted by name */
	size_t n_errors;

	/* Private to pending.c. */
	const struct store *store;
	struct arena arena;
	struct profile profile;
	struct buf text;
};

void pending_read(struct pending *, const struct store *);
void pending_release(struct pending *);

/*
 * Reads a pending profile and sets *document to its JSON text, borrowed until
 * this function is called again.  False if the file can no longer be read or is
 * no longer a profile: *why is then the reason.
 */
bool pending_document(struct pending *, const char *name,
    struct span *document, const char **why);
