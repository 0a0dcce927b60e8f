#ifndef PERF_DIFF_ACCEPT_H
#define PERF_DIFF_ACCEPT_H

#include <stdbool.h>

#include "common/base/text.h"

/*
 * A file of changes that are accepted: on each line a commit, by its id or the
 * first 7 or more digits of it, and the uid; or the commit alone, for all uids.
 * A line that begins with # is a comment.
 */
struct accepted;

/* Reads the file, or dies. */
struct accepted *accepted_read(const char *path);
void accepted_free(struct accepted *);

/* Is the change of the uid at the commit accepted?  NULL: none is. */
bool accepted_has(const struct accepted *, struct span commit, struct span uid);

#endif
