#ifndef WEIR_VCS_GIT_H
#define WEIR_VCS_GIT_H

#include <git2.h>
#include <iconv.h>

#include "common/base/buf.h"
#include "common/base/map.h"
#include "common/vcs/backend.h"

/* What the files of the back end git share; nobody else includes it. */

/* The fields of a commit as they stand in it. */
struct gitvcs_fields {
	struct span parents;	/* lines of GIT_PARENT_LINE bytes */
	struct span author, committer, encoding, message;
};

enum { GIT_PARENT_LINE = sizeof "parent " - 1 + VCS_ID_LEN + 1 };

/* A walk over the history; see vcs-git-walk.c. */
struct gitvcs_walk {
	struct walked *commits;
	size_t n, cap;
	struct map map;			/* from ids to places in commits */
	uint32_t *parents;		/* of all commits, places likewise */
	size_t n_parents, parents_cap;
	struct waiting *heap;
	size_t n_heap, heap_cap;
	uint32_t n_pushed, n_shown;	/* ever; in the heap and not hidden */
	uint32_t *to_hide;		/* a stack of those whose parents are */
	size_t n_to_hide, to_hide_cap;
	uint32_t *found;		/* all that is to come, if limited */
	size_t n_found, found_cap, next;
	bool limited, first_parent;
};

struct gitvcs {
	git_repository *repo;
	git_odb *odb;
	git_oid *shallow;	/* in order: commits without their parents */
	size_t n_shallow, shallow_cap;
	git_odb_object *object;	/* what the last version is borrowed from */
	struct vcs_id *parents;	/* its parents */
	size_t parents_cap;
	struct buf text;	/* its text, where it had to be recoded */
	iconv_t recoder;
	char recoded[32];	/* the encoding that recoder reads */
	struct gitvcs_walk walk;
	struct vcs_branch *branches;
	size_t n_branches, branches_cap, next_branch;
	struct buf name;
};

/* --- git-repo: the repository and its objects --- */

enum vcs_found gitvcs_open(struct vcs *, const char *path, bool upwards);
void gitvcs_close(struct vcs *);
bool gitvcs_init(struct vcs *, const char *path);

void gitvcs_id(struct vcs_id *, const git_oid *);
int gitvcs_compare_ids(const void *, const void *);	/* for sort() */

/* The object of a commit, which the caller frees. */
bool gitvcs_read_commit(struct vcs *, const git_oid *, git_odb_object **);

/* Is it a commit where a shallow clone ends? */
bool gitvcs_is_shallow(const struct gitvcs *, const git_oid *);

/* vcs_fail() with what libgit2 said behind the text. */
bool gitvcs_fail(struct vcs *, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* --- git-commit: what is in a commit --- */

/*
 * The fields of the commit in an object, its parents as git sees them: none
 * where a shallow clone ends.
 */
bool gitvcs_fields_of(struct vcs *, git_odb_object *, struct gitvcs_fields *);

/* The time in a line such as committer's, or INT_UNKNOWN. */
int64_t gitvcs_time(struct span person);

/* The version in an object, which is the handle's from now on. */
bool gitvcs_version(struct vcs *, git_odb_object *, struct vcs_version *);

/* --- git-walk: the history --- */

bool gitvcs_walk_begin(struct vcs *, const struct vcs_limit *, size_t, bool);
enum vcs_found gitvcs_walk_next(struct vcs *, struct vcs_version *);

/* The next commit of the walk, which the caller frees. */
enum vcs_found gitvcs_walk_object(struct vcs *, git_odb_object **);
void gitvcs_walk_end(struct gitvcs_walk *);

/* --- git-name: names of objects --- */

bool gitvcs_massage_parameter(struct vcs *, const char *, enum vcs_kind,
    struct vcs_id *, enum vcs_kind *);

#endif
