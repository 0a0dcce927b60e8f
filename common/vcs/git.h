#pragma once

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
	size_t n_branches, branches_cap;
	struct buf head_name;	/* from get_head_major_version() */
};
