#ifndef WEIR_VCS_GIT_H
#define WEIR_VCS_GIT_H

#include <git2.h>
#include <iconv.h>

#include "common/base/buf.h"
#include "common/base/map.h"
#include "common/vcs/backend.h"

/*
 * Shared by the files of the back end for git, and private to them.  Each
 * depends only on those before it: git-repo, git-commit, git-walk, git-name,
 * git.
 */

/* The fields of a commit object, borrowed from it. */
struct gitvcs_fields {
	struct span parents;	/* lines of GIT_PARENT_LINE bytes */
	struct span author, committer, encoding, message;
};

enum { GIT_PARENT_LINE = sizeof "parent " - 1 + VCS_ID_LEN + 1 };

/* A walk over the history; see git-walk.c. */
struct gitvcs_walk {
	struct walk_commit *commits;	/* all that were seen */
	size_t n, cap;
	struct map map;			/* from ids to indices in commits */
	uint32_t *parents;		/* of all commits, as such indices */
	size_t n_parents, parents_cap;
	struct heap_item *heap;		/* commits in the queue */
	size_t n_heap, heap_cap;
	uint32_t n_pushed;		/* how many were ever put into it */
	uint32_t n_interesting;		/* in the queue and not excluded */
	uint32_t *to_exclude;		/* a stack: their parents are next */
	size_t n_to_exclude, to_exclude_cap;
	uint32_t *result;		/* if limited: the commits, in order */
	size_t n_result, result_cap, next;
	bool limited;			/* some tips are excluded */
	bool first_parent;
};

struct gitvcs {
	git_repository *repo;
	git_odb *odb;
	git_oid *shallow;	/* sorted: commits stored without parents */
	size_t n_shallow, shallow_cap;
	git_odb_object *object;	/* the last version is borrowed from it */
	struct vcs_id *parents;	/* of the last version */
	size_t parents_cap;
	struct buf text;	/* the last version as UTF-8, if converted */
	iconv_t recoder;
	char recoder_encoding[32];	/* what recoder reads */
	struct gitvcs_walk walk;
	struct vcs_branch *branches;
	size_t n_branches, branches_cap, next_branch;
	struct buf name;
};

/* --- git-repo: the repository and its objects --- */

enum vcs_found gitvcs_open(struct vcs *, const char *path, bool upwards);
void gitvcs_close(struct vcs *);
bool gitvcs_init(struct vcs *, const char *path);

/* The hexadecimal form of an id. */
void gitvcs_format_id(struct vcs_id *, const git_oid *);
int gitvcs_compare_ids(const void *, const void *);	/* for sort() */

/* Reads a commit object, which the caller frees. */
bool gitvcs_read_commit(struct vcs *, const git_oid *, git_odb_object **);

/* Does the history of a shallow clone end at this commit? */
bool gitvcs_is_shallow(const struct gitvcs *, const git_oid *);

/* vcs_fail() with libgit2's message after the text. */
bool gitvcs_fail(struct vcs *, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* --- git-commit: parsing of commits --- */

/* A commit where a shallow clone ends has no parents, as for git. */
bool gitvcs_parse_fields(struct vcs *, git_odb_object *,
    struct gitvcs_fields *);

/* The time in an author or committer line, or INT_UNKNOWN. */
int64_t gitvcs_person_time(struct span person);

/* Parses a commit as a version.  The handle takes ownership of the object. */
bool gitvcs_parse_version(struct vcs *, git_odb_object *,
    struct vcs_version *);

/* --- git-walk: the history --- */

bool gitvcs_walk_begin(struct vcs *, const struct vcs_tip *, size_t, bool);
enum vcs_found gitvcs_walk_next(struct vcs *, struct vcs_version *);

/* The next commit of the walk as an object, which the caller frees. */
enum vcs_found gitvcs_walk_next_object(struct vcs *, git_odb_object **);
void gitvcs_walk_end(struct gitvcs_walk *);

/* --- git-name: names of objects --- */

bool gitvcs_massage_parameter(struct vcs *, const char *, enum vcs_kind,
    struct vcs_id *, enum vcs_kind *);

#endif
