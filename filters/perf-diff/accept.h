#pragma once

#include <stdbool.h>

#include "common/base/mem.h"

/*
 * A file of changes that are accepted: on each line a commit, by its id or the
 * first 7 or more characters of it, and the uid; or the commit alone, for all
 * uids.  A line that begins with # is a comment.
 */
struct accepted {
	struct accepted_change {
		struct span commit, uid;	/* an empty uid: all */
	} *list;
	size_t n, cap;
	struct arena arena;
};

/* Reads the file, or dies. */
void accepted_read(struct accepted *, const char *path);

/* Does the line name this commit? */
bool accepted_is_at(const struct accepted_change *, struct span commit);

/* Is the change of the uid at the commit accepted? */
bool accepted_has(const struct accepted *, struct span commit, struct span uid);
