#ifndef WEIR_VCS_H
#define WEIR_VCS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/err.h"
#include "common/base/text.h"

/*
 * Version control as Perun has it (its module perun.vcs): minor versions are
 * commits, major versions are branches.  What is here is the same for every
 * system; a back end fills the table at the end.  weir-vcs(7) tells how.
 *
 * A function that fails returns false, or VCS_FAILED, and why in the handle
 * says the reason: lower case, no full stop, what was looked at in quotes.
 */
enum { VCS_ID_LEN = 40, VCS_WHY_MAX = 1024 };

struct vcs {
	const struct vcs_backend *backend;
	void *own;		/* the back end's */
	char why[VCS_WHY_MAX];
};

struct vcs_id {
	char hex[VCS_ID_LEN + 1];
};

enum vcs_found { VCS_FAILED = -1, VCS_NONE, VCS_FOUND };
enum vcs_kind { VCS_ANY, VCS_COMMIT, VCS_TREE, VCS_BLOB, VCS_TAG };

/*
 * A minor version.  Its text is UTF-8 as far as its encoding is known, and
 * otherwise the bytes that there are.  All of it is borrowed until the next
 * call with the same handle.
 */
struct vcs_version {
	struct vcs_id id;
	const struct vcs_id *parents;
	size_t n_parents;
	struct span author, email;	/* who wrote it */
	int64_t time_s;			/* of the commit, since 1970 in UTC */
	int64_t utc_offset_minutes;	/* of the commit's time zone */
	int64_t author_time_s;		/* when it was written first */
	struct span message;		/* whole and unchanged */
};

/* A major version; the name is borrowed until the next call. */
struct vcs_branch {
	const char *name;	/* short: "topic/x" */
	bool is_head;
	bool has_id;		/* false: no commit yet */
	struct vcs_id id;
};

/* An end of a walk: from here on, or (hidden) without what leads to here. */
struct vcs_limit {
	struct vcs_id id;
	bool hidden;
};

struct vcs_limits {
	struct vcs_limit *list;
	size_t n, cap;
};

/* Kinds as "any", "commit", "tree", "blob", "tag"; false: none of them. */
const char *vcs_kind_name(enum vcs_kind);
bool vcs_kind_of(const char *name, enum vcs_kind *);

/*
 * Opens the repository at path, or with upwards at path or the nearest folder
 * above; path NULL is the current folder, or what the system's own
 * environment names.  type is "git" or "none"; NULL is the first of them that
 * is found.  After a failure there is nothing to close.
 */
bool vcs_open(struct vcs *, const char *type, const char *path, bool upwards);
void vcs_close(struct vcs *);

/*
 * init: makes a repository and opens it.  One that is there already is opened
 * and stays as it is.
 */
bool vcs_init(struct vcs *, const char *type, const char *path);

/* get_minor_head: the version that is checked out; fails if there is none. */
bool vcs_get_minor_head(struct vcs *, struct vcs_id *);

/*
 * get_head_major_version: the branch that is checked out, though it may have
 * no commit yet; the id where it is none.  Borrowed until the next call.
 */
bool vcs_get_head_major_version(struct vcs *, const char **name);

/*
 * massage_parameter: what a name stands for.  If a kind is asked for, tags
 * and commits are peeled until it is of that kind; else it is the thing named
 * itself, and *found, which may be NULL, says what it is.
 */
bool vcs_massage_parameter(struct vcs *, const char *name, enum vcs_kind,
    struct vcs_id *, enum vcs_kind *found);

/*
 * check_minor_version_validity: does the name stand for a minor version?
 * Perun's accepts trees and blobs as well.
 */
bool vcs_check_minor_version_validity(struct vcs *, const char *name);

/* get_minor_version_info: the version of a name. */
bool vcs_get_minor_version_info(struct vcs *, const char *name,
    struct vcs_version *);

/*
 * walk_minor_versions: begins a walk from the limits to the first versions,
 * in the order of git-rev-list(1); vcs_next_minor_version() gives one after
 * the other.  One walk at a time.  vcs_add_limits() reads "REV", "^REV" and
 * "REV..REV", and adds what they stand for to limits, which begin as { 0 }.
 */
bool vcs_add_limits(struct vcs *, const char *text, struct vcs_limits *);
bool vcs_walk_minor_versions(struct vcs *, const struct vcs_limit *, size_t n,
    bool first_parent);
enum vcs_found vcs_next_minor_version(struct vcs *, struct vcs_version *);

/*
 * walk_major_versions: begins a walk over the branches by name, in the order
 * of bytes; where HEAD is on none, or on one without a commit, it comes last.
 */
bool vcs_walk_major_versions(struct vcs *);
enum vcs_found vcs_next_major_version(struct vcs *, struct vcs_branch *);

/*
 * is_dirty: is something that is under version control changed and not yet
 * committed?  Untracked files do not count; where there are no files (a bare
 * repository) nothing is.
 */
bool vcs_is_dirty(struct vcs *, bool *dirty);

#endif
