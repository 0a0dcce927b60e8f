#pragma once

#include "common/vcs/git.h"

/* The repository of git and its objects. */

enum vcs_found gitvcs_open(struct vcs *, const char *path, bool upwards);
void gitvcs_close(struct vcs *);
bool gitvcs_init(struct vcs *, const char *path);

/* Writes an id in hexadecimal digits. */
void gitvcs_format_id(struct vcs_id *, const git_oid *);

/* Reads a commit object, which the caller frees. */
bool gitvcs_read_commit(struct vcs *, const git_oid *, git_odb_object **);

/* Does the history of a shallow clone end at this commit? */
bool gitvcs_is_shallow(const struct gitvcs *, const git_oid *);

/*
 * Opens the commit-graph unless the clone is shallow or core.commitGraph is
 * false; an empty one otherwise, or if there is none that can be read.
 */
void gitvcs_open_graph(const struct gitvcs *, struct commit_graph *);

/*
 * Dies if libgit2 has failed because of the machine, with a message that begins
 * with `what`.  error is what libgit2 has returned.  errno was 0 before that:
 * libgit2 takes many a file that it cannot read for one that is missing.
 */
void gitvcs_check(int error, const char *what);

/*
 * Dies if a pack of the repository cannot be read: libgit2 then goes on as if
 * it were not there, and finds nothing that is in it, or says that it is
 * invalid.  Preserves errno.
 */
void gitvcs_check_packs(const struct gitvcs *);

/*
 * Both for an object that libgit2 has not found.  It has looked in several
 * places, and errno is about the last of them; here each is tried by itself.
 */
void gitvcs_check_object(const struct gitvcs *, const git_oid *);

/* gitvcs_check(), or vcs_fail() with libgit2's message after the text. */
bool gitvcs_fail(struct vcs *, const char *fmt, ...) PRINTF_LIKE(2, 3);
