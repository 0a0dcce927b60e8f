#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "common/base/err.h"
#include "common/base/text.h"

/*
 * Version control in the terms of Perun (its module perun.vcs): minor versions
 * are commits, major versions are branches.  These functions are the same for
 * every system; a back end implements them (backend.h).  See weir-vcs(7).
 * "NAME:" at the start of a comment is the name of Perun's function.
 *
 * A function that fails returns false or VCS_FAILED.  The handle's why is then
 * the reason: lower case, no full stop, paths and names in quotes.
 */
enum { VCS_ID_LEN = 40, VCS_WHY_SIZE = 1024 };

/*
 * The systems that are known, in the order in which they are tried; they begin
 * with their names, and end with NULL.
 */
struct vcs_backend;
extern const struct vcs_backend *const vcs_backends[];

struct vcs {
	const struct vcs_backend *backend;
	void *state;		/* the back end's */
	char why[VCS_WHY_SIZE];
};

/* VCS_ID_LEN hexadecimal digits or, for svs, "HEAD". */
struct vcs_id {
	char hex[VCS_ID_LEN + 1];
};

enum vcs_found { VCS_FAILED = -1, VCS_NOT_FOUND, VCS_FOUND };

/* The kinds of objects; their names, "commit" and so on, end with NULL. */
enum vcs_kind { VCS_COMMIT, VCS_TREE, VCS_BLOB, VCS_TAG, VCS_ANY };
extern const char *const vcs_kinds[];

/*
 * A minor version.  Its text is UTF-8 if its encoding is known, otherwise the
 * bytes as they are stored.  A time or an offset may be INT_UNKNOWN.
 * Everything is borrowed until the next call with the same handle.
 */
struct vcs_version {
	struct vcs_id id;
	const struct vcs_id *parents;
	size_t n_parents;
	struct span author, email;
	int64_t time_s;			/* of the commit, since 1970 in UTC */
	int64_t utc_offset_minutes;	/* of the committer's time zone */
	int64_t author_time_s;
	struct span message;		/* complete, nothing is trimmed */
};

/* A major version. */
struct vcs_branch {
	const char *name;	/* short: "topic/x" */
	bool has_id;		/* the branch has a commit */
	struct vcs_id id;
};

/*
 * A commit from which a walk starts or, if excluded ("^REV"), a commit that the
 * walk leaves out with its history.
 */
struct vcs_tip {
	struct vcs_id id;
	bool excluded;
};

/* Start with { 0 }; the caller frees list. */
struct vcs_tips {
	struct vcs_tip *list;
	size_t n, cap;
};

/*
 * Opens the repository at path or, if upwards, at path or in the nearest
 * directory above it.  A NULL path is the current directory or, for git, the
 * repository that GIT_DIR and similar variables name, if they are set.  type is
 * the name of a system, such as "git"; if it is NULL, all are tried that do not
 * need a store.  For svs, nothing is found upwards, and a path that is missing
 * only makes the time of the version unknown.  There is something to close only
 * after VCS_FOUND; otherwise there is a reason.
 */
enum vcs_found vcs_open(struct vcs *, const char *type, const char *path,
    bool upwards);
void vcs_close(struct vcs *);

/* The name of the system, such as "git". */
const char *vcs_type(const struct vcs *);

/*
 * Are the repositories of this system known only by a store that names them?
 * False if there is no such system.
 */
bool vcs_needs_store(const char *type);

/*
 * init: creates a repository and opens it.  An existing one is opened and not
 * changed.
 */
bool vcs_init(struct vcs *, const char *type, const char *path);

/* get_minor_head: the commit that is checked out; fails if there is none. */
bool vcs_get_minor_head(struct vcs *, struct vcs_id *);

/*
 * get_head_major_version: the name of the branch that is checked out, which may
 * not have a commit yet; the commit's id if HEAD is detached.  The name is
 * borrowed until the next call of this function.
 */
bool vcs_get_head_major_version(struct vcs *, const char **name);

/*
 * massage_parameter: resolves a name to an id.  If a kind is given, tags and
 * commits are peeled until an object of this kind is reached; with VCS_ANY the
 * named object itself is returned.  Sets *actual_kind to the kind of the object
 * returned unless actual_kind is NULL.
 */
bool vcs_massage_parameter(struct vcs *, const char *name, enum vcs_kind,
    struct vcs_id *, enum vcs_kind *actual_kind);

/* get_minor_version_info: describes the commit that a name resolves to. */
bool vcs_get_minor_version_info(struct vcs *, const char *name,
    struct vcs_version *);

/*
 * walk_minor_versions: starts a walk from the tips to the root commits, in the
 * order of git-rev-list(1); vcs_next_minor_version() returns the next commit,
 * VCS_NOT_FOUND at the end.  A handle has one walk at a time.  vcs_add_tips()
 * parses "REV", "^REV" or "REV..REV" and adds the commits to the tips, from
 * which a walk can then be started.  NULL, or nothing at an end of a range, is
 * the commit that is checked out.
 */
bool vcs_add_tips(struct vcs *, const char *text, struct vcs_tips *);
bool vcs_walk_minor_versions(struct vcs *, const struct vcs_tip *, size_t n,
    bool first_parent);
enum vcs_found vcs_next_minor_version(struct vcs *, struct vcs_version *);

/*
 * walk_major_versions: the branches, in byte order of their names, borrowed
 * until the next call of this function.  The one that is checked out may not be
 * among them: see vcs_get_head_major_version().
 */
bool vcs_walk_major_versions(struct vcs *, const struct vcs_branch **,
    size_t *n);

/*
 * is_dirty: does a tracked file have changes that are not committed?  Untracked
 * files do not count; a bare repository is never dirty.
 */
bool vcs_is_dirty(struct vcs *, bool *dirty);
