#pragma once

#include "common/base/intern.h"
#include "common/program/callgraph.h"

/*
 * The functions of callgraphs, identified by their names, so that two versions
 * of a program can be compared: the paths and builds of its modules, addresses
 * and lines do not matter.  If a name occurs more than once in a run, as many
 * of the last components of the files as necessary tell the functions apart,
 * or else the names of their modules.
 *
 * What is necessary is known only at the end.  So functions_find() returns
 * provisional numbers, one for each name, file and module, and
 * functions_resolve() makes the functions from them.
 *
 * A function without a name is identified by its offset in its module, and the
 * module by its build id, or else by its path.  An address outside all modules
 * differs from run to run: all functions there are one.
 */
struct function_id {
	struct span name, file;	/* or empty, as module */
	struct span module;	/* its name */
	struct span build;	/* without a name: the module's id or path */
	uint64_t offset;	/* without a name: in the module's file */
	int64_t line;		/* 0: unknown */
	bool is_program;	/* not in a library */
};

enum { FILE_PART, MODULE_PART, N_NAME_PARTS };
struct function {
	sym name, file, module;	/* or SYM_NONE */
	sym build;		/* or SYM_NONE if it has a name */
	uint64_t offset;
	int64_t line;		/* 0: unknown, or several */
	/* What tells it apart from others of its name, such as "src/a.c" and
	   "libz", or "".  Before functions_resolve(): in functions.c. */
	sym parts[N_NAME_PARTS];

	/* Private to functions.c. */
	uint32_t group;		/* of the functions of one name */
	uint32_t record;	/* the last one that had it */
	uint8_t sides;		/* those that had it: a bit for each */
};

struct functions {
	struct intern texts;
	struct function *list;
	size_t n, cap;
	unsigned side;		/* of the current record */

	/* Private to functions.c. */
	struct intern keys;		/* by provisional number */
	struct intern groups;		/* their names without ABI tags */
	struct function_group *group_info;
	size_t groups_cap;
	const struct callgraph *graph;
	uint32_t record;		/* the number of the current one */
	uint32_t *in_record;		/* the functions that it has */
	size_t n_in_record, in_record_cap;
	struct buf text;
};

void functions_init(struct functions *);
void functions_release(struct functions *);

/*
 * Begins a record of a run; NULL: it is not a callgraph, and has the functions
 * of functions_add().  There are at most two runs, called sides; side 0 must be
 * read first, and has the names and lines that are shown.
 */
void functions_begin(struct functions *, const struct callgraph *,
    unsigned side);

/* The provisional number of the function of a node of that record. */
uint32_t functions_find(struct functions *, const struct graph_node *);

/* The same for a function that is not of a callgraph. */
uint32_t functions_add(struct functions *, const struct function_id *);

/*
 * Makes the list that of the functions.  Returns by provisional number the
 * number of the function, an array that the caller frees.
 */
uint32_t *functions_resolve(struct functions *);

/*
 * Adds a function's name, or else "app+0x1136" (module, offset), or "??".
 * with_where adds what tells it apart from others: "init (a.c)".
 */
void functions_label(const struct functions *, uint32_t function,
    bool with_where, struct buf *);

/* The name of a program or library without a version: libfoo-1.2.so.3. */
struct span functions_unversioned(struct span name);
