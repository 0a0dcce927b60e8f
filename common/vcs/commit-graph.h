#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The commit-graph of a git repository: the times and parents of commits, which
 * git has written to one file or a chain of files, so that a walk need not
 * read the commits themselves.  gitformat-commit-graph(5) describes it.
 *
 * A commit is named by its position: from 0 to n_commits - 1.  Nothing in a
 * file is trusted: a file that is not well-formed is not used at all, and a
 * position in it that is out of range makes commit_graph_read() fail.  Whether
 * a commit really has these parents is not checked.
 */
struct commit_graph {
	struct graph_file *files;
	size_t n_files;
	uint32_t n_commits;
};

/*
 * Opens the graph in a directory of objects; it has no commits if there is
 * none, or none that can be read.
 */
void commit_graph_open(struct commit_graph *, const char *objects);
void commit_graph_close(struct commit_graph *);

/* Finds a commit by the 20 bytes of its id; false if the graph lacks it. */
bool commit_graph_find(const struct commit_graph *, const unsigned char *id,
    uint32_t *position);

/* The 20 bytes of a commit's id, borrowed. */
const unsigned char *commit_graph_id(const struct commit_graph *,
    uint32_t position);

/* Iterates over the parents of a commit. */
struct graph_parents {
	int64_t time_s;			/* of the commit: committer, 34 bits */

	/* Private to commit-graph.c. */
	const struct commit_graph *graph;
	const struct graph_file *file;
	uint32_t fixed[2];
	unsigned n_read;
	uint32_t next_extra;		/* in the list of further parents */
	bool has_extra;
};
void commit_graph_read(const struct commit_graph *, uint32_t position,
    struct graph_parents *);

/*
 * Sets *position to that of the next parent; PARENTS_BAD if the graph is
 * damaged there.
 */
enum parents_found { PARENTS_BAD = -1, PARENTS_END, PARENTS_FOUND };
enum parents_found graph_parents_next(struct graph_parents *,
    uint32_t *position);
