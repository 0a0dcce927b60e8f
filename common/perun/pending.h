#ifndef WEIR_PENDING_H
#define WEIR_PENDING_H

#include <stdbool.h>

#include "common/base/mem.h"
#include "common/perun/pidx.h"
#include "common/perun/profile.h"
#include "common/perun/store.h"

/*
 * The pending profiles of a store: the files of its directory jobs whose names
 * end in "perf".  Perun keeps an index of them, jobs/.index, which goes stale;
 * here the files themselves count.
 */

/*
 * Their names, sorted, which the arena keeps.  Dies if there is no such
 * directory.
 */
const char **pending_names(const struct store *, struct arena *, size_t *n);

/* Removes one; false with errno. */
bool pending_remove(const struct store *, const char *name);

/* When a file was changed, in seconds; half ones go to the even, as in Perun. */
struct stat;
int64_t pending_time(const struct stat *);

/*
 * They as an index: by name, with the times of the files, without objects,
 * since those have no names yet.
 */
struct pending {
	struct pidx index;
	struct span *origins;	/* by entry: the minor version, or empty */
	struct pending_fault {
		const char *name, *why;
	} *faults;		/* files that are no profiles, by name */
	size_t n_faults;

	/* The rest is pending.c's own. */
	const struct store *store;
	struct arena arena;
	struct recio *recio;
	struct profile profile;
	struct buf text;
};
void pending_read(struct pending *, const struct store *);
void pending_release(struct pending *);

/*
 * The document of one of them, on one line, borrowed until the next.  False if
 * it cannot be read any more: *why then says so.
 */
bool pending_document(struct pending *, const char *name,
    struct span *document, const char **why);

#endif
