#pragma once

#include "common/base/intern.h"
#include "common/build/network.h"

/* --- fold.c -------------------------------------------------------------- */

/*
 * A graph in which tasks that do the same after the same are one node: see
 * "Folding" in graph-export(1).
 */

/* What a label is made of: its first character. */
enum label_kind {
	LABEL_CALL = 'c',	/* a task that contains other tasks */
	LABEL_COPY = 'f',	/* "f" and the rule that made what is copied */
	LABEL_INSTRUCTION = 'i',
	LABEL_NAME = 'n',	/* a task without a rule */
	LABEL_PREPARE = 'p',
	LABEL_RULE = 'r',
	LABEL_PLACEHOLDER = 'z'
};

struct folded {
	sym label;		/* in fold.labels */
	uint32_t depth;		/* the most nodes on a way to it, from 0 */
	size_t first_parent;	/* in fold.parents: the nodes on which it */
	uint32_t n_parents;	/* depends, ascending, each less than itself */
	uint32_t example;	/* a vertex: the longest of its tasks that are
				   on the path, or else of all its tasks */
	uint64_t n_tasks;
	int64_t sum_us, max_us;
	int64_t size_bytes;	/* the sum, or INT_UNKNOWN */
	uint64_t n_critical;	/* tasks on the path */
	int64_t critical_us;	/* their time */
};

struct fold {
	const struct network *net;
	bool is_each;		/* nothing is folded: each task is a node, whose
				   name says what it is and where it ran */
	struct intern labels;
	struct folded *nodes;	/* by depth, label and parents: the order does
				   not depend on that of the records */
	size_t n, cap;
	uint32_t *parents;
	size_t n_parents, parents_cap;
	uint32_t *node_of;	/* by vertex; INDEX_NONE if it is left out */
	int64_t total_us;	/* of all tasks but calls */
};

/* Folds a network; path has the n_path vertices of its critical path. */
void fold_make(struct fold *, const struct network *, bool is_each,
    const uint32_t *path, size_t n_path);
void fold_release(struct fold *);

/* The kind of a node's label, and the rule or name in it. */
enum label_kind fold_label(const struct fold *, const struct folded *,
    struct span *text);

/* --- chart.c ------------------------------------------------------------- */

/* What is drawn of a folded graph: its most important nodes. */

struct edge {
	uint32_t from, to;	/* indexes of picture.shown: `to` depends on
				   `from` */
	bool is_indirect;	/* only through nodes that are not shown */
	bool is_critical;	/* the path leads along it */
};

struct chart {
	const struct fold *fold;
	bool points_to_needs;	/* arrows point to what a task needs, and not
				   to what waits for it */
	uint32_t *shown;	/* indexes of fold->nodes, ascending */
	size_t n_shown;
	struct edge *edges;	/* by `to` and `from` */
	size_t n_edges, edges_cap;
	uint64_t n_more;	/* nodes that are not shown */
	int64_t more_us;	/* their time, without calls */
	int64_t path_us;	/* the length of the path */
	size_t n_path;		/* its steps */
};

/*
 * Selects n_max nodes: those on the path, and then the others, in both cases
 * the costliest first.  Release with chart_release(), before the fold.
 */
void chart_make(struct chart *, const struct fold *, const uint32_t *path,
    size_t n_path, size_t n_max, bool points_to_needs);
void chart_release(struct chart *);

/*
 * The width of an edge.  It grows with the logarithm of what the node `from`
 * made, from 1 for less than 16 KiB to 6 for 1 GiB or more; on the path it is
 * at least 3.
 */
enum { EDGE_WIDTH_MAX = 6 };
unsigned chart_edge_width(const struct chart *, const struct edge *);

static inline const struct folded *
chart_node(const struct chart *p, size_t i)
{
	return &p->fold->nodes[p->shown[i]];
}

/* --- caption.c ----------------------------------------------------------- */

/*
 * The texts of a picture, in plain UTF-8: lines with a newline between them.
 * Names from the input are escaped as text_escape() does, and shortened.
 */

/* What the picture shows: the run, its tasks and its critical path. */
void caption_title(struct buf *, const struct chart *);

/* A node: what it does, its time, and its part of the path. */
void caption_node(struct buf *, const struct chart *, const struct folded *);

/* The nodes that are not shown. */
void caption_more(struct buf *, const struct chart *);

/* From 0 to HEAT_MAX: how much of the time of all tasks a node took. */
enum { HEAT_MAX = 4 };
extern const char *const heat_fills[HEAT_MAX + 1];	/* colors, "#rrggbb" */
unsigned caption_heat(const struct chart *, const struct folded *);

/*
 * The next character of a text at *at, which is moved behind it.  What XML does
 * not allow, and what text_escape() did not change, becomes U+FFFD.
 */
uint32_t caption_char(struct span text, size_t *at);

/* --- formats.c ----------------------------------------------------------- */

/* The formats.  Only nodes, their edges and the title depend on the input. */
struct format {
	const char *name;
	void (*put)(struct buf *, const struct chart *);
	size_t edges_max;	/* more cannot be drawn, or not in time */
	size_t bytes_max;	/* of one graph */
	bool is_one_per_file;	/* a file can have one graph */
};

/* --- dot.c --------------------------------------------------------------- */

/* DOT, the language of graphviz (dot.c). */
void dot_put(struct buf *, const struct chart *);

/* --- mermaid.c ----------------------------------------------------------- */

/* A flowchart of Mermaid (mermaid.c). */
void mermaid_put(struct buf *, const struct chart *);
