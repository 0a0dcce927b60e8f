#ifndef WEIR_VCS_GIT_H
#define WEIR_VCS_GIT_H

#include <git2.h>
#include <iconv.h>

#include "common/base/buf.h"
#include "common/base/heap.h"
#include "common/base/map.h"
#include "common/vcs/backend.h"
#include "common/vcs/commit-graph.h"

/*
 * Shared by the files of the back end for git, and private to them.  Each
 * depends only on those before it in this list: git-repo, git-commit, git-walk,
 * git-name, git.
 */

/* A line "parent ID\n" of a commit object. */
enum { GIT_PARENT_LINE_BYTES = sizeof "parent " - 1 + VCS_ID_LEN + 1 };

/* The fields of a commit object, borrowed from it. */
struct gitvcs_fields {
	struct span parents;	/* lines of GIT_PARENT_LINE_BYTES each */
	struct span author, committer, encoding, message;
};

/* A walk over the history; git-walk.c explains it and defines its types. */
struct gitvcs_walk {
	struct walk_commit *commits;	/* tips, and parents of parsed ones */
	size_t n, cap;
	struct map map;			/* from ids to indices in commits */
	uint32_t *parents;		/* of all commits: indices in commits */
	size_t n_parents, parents_cap;
	struct heap queue;
	uint32_t n_pushed;		/* into the queue since the start */
	uint32_t n_interesting;		/* in the queue and not excluded */
	uint32_t *to_exclude;		/* commits whose parents to exclude */
	size_t n_to_exclude, to_exclude_cap;
	uint32_t *result;		/* if limited: commits in order */
	size_t n_result, result_cap, next_result;
	bool limited;			/* some tips are excluded, so all of
					   the walk is done at its start */
	bool first_parent;		/* ignore the other parents */
	struct commit_graph graph;	/* of a limited walk */
};

struct gitvcs {
	git_repository *repo;
	git_odb *odb;
	git_oid *shallow;	/* commits where a shallow clone ends, sorted */
	size_t n_shallow, shallow_cap;
	git_odb_object *object;	/* the commit last returned as a version */
	struct vcs_id *parents;	/* of that commit */
	size_t parents_cap;
	struct buf text;	/* that commit in UTF-8; or a message in which
				   a pattern is searched for */
	iconv_t recoder;	/* to UTF-8 from recoder_encoding */
	char recoder_encoding[32];
	struct gitvcs_walk walk;
	struct vcs_branch *branches;
	size_t n_branches, branches_cap, next_branch;
	struct buf head_name;	/* from get_head_major_version() */
};

/* --- git-repo: the repository and its objects --- */

enum vcs_found gitvcs_open(struct vcs *, const char *path, bool upwards);
void gitvcs_close(struct vcs *);
bool gitvcs_init(struct vcs *, const char *path);

/* Writes an id in hexadecimal digits. */
void gitvcs_format_id(struct vcs_id *, const git_oid *);
int gitvcs_compare_ids(const void *, const void *);	/* for sort() */

/* Reads a commit object, which the caller frees. */
bool gitvcs_read_commit(struct vcs *, const git_oid *, git_odb_object **);

/* Does the history of a shallow clone end at this commit? */
bool gitvcs_is_shallow(const struct gitvcs *, const git_oid *);

/*
 * Opens the commit-graph unless the clone is shallow or core.commitGraph is
 * false; an empty one otherwise, or if there is none that can be read.
 */
void gitvcs_open_graph(const struct gitvcs *, struct commit_graph *);

/* vcs_fail() with libgit2's message after the text. */
bool gitvcs_fail(struct vcs *, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* --- git-commit: parsing of commits --- */

/*
 * Finds the fields of a commit object.  A commit where a shallow clone ends has
 * no parents, as in git.
 */
bool gitvcs_parse_fields(struct vcs *, git_odb_object *,
    struct gitvcs_fields *);

/* The time of an author or committer in seconds since 1970, or INT_UNKNOWN. */
int64_t gitvcs_person_time(struct span person);

/*
 * Parses a commit as a version.  The handle takes ownership of the object, even
 * if this fails.
 */
bool gitvcs_parse_version(struct vcs *, git_odb_object *,
    struct vcs_version *);

/* --- git-walk: walks over the history --- */

/* Starts a walk, which replaces the current walk of the handle. */
bool gitvcs_walk_begin(struct vcs *, const struct vcs_tip *, size_t, bool);
enum vcs_found gitvcs_walk_next(struct vcs *, struct vcs_version *);

/* The next commit of the walk as an object, which the caller frees. */
enum vcs_found gitvcs_walk_next_object(struct vcs *, git_odb_object **);
void gitvcs_walk_end(struct gitvcs_walk *);

/* --- git-name: names of objects --- */

bool gitvcs_massage_parameter(struct vcs *, const char *, enum vcs_kind,
    struct vcs_id *, enum vcs_kind *);

#endif
