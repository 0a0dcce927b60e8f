#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "common/base/buf.h"
#include "common/base/text.h"

/*
 * Reads the tables that mclient prints for TRACE and for sys.tracelog(), in
 * boxes,
 *	| usec | statement                                        |
 *	+======+==================================================+
 *	|    3 | X_1=0@0:void := querylog.define("trace select 1; |
 *	:      : ":str, "default_pipe":str, 6:int);               :
 * as records of lines like "usec      | 3" (-f expanded), or as CSV with one of
 * the separators comma, tab, semicolon and |.  A row becomes an object of
 * format R (event.h), {"row":1,"usec":3,"stmt":"..."}; "row" counts the rows of
 * a table.
 */
enum { MCLIENT_COLUMNS = 16 };

struct mclient {
	const struct mclient_column *columns[MCLIENT_COLUMNS];	/* NULL: not
								   used */
	size_t n;		/* of columns; 0: no table is open */
	size_t borders[MCLIENT_COLUMNS];	/* of a box: before each
						   column, in characters */
	size_t width;		/* of a box */
	bool is_other;		/* the last border is of another table, but what
				   can be a row is one */
	char separator;		/* of CSV; NUL: the table is a box */
	bool has_names;		/* its header states the names */
	bool has_begun;		/* a table of a trace came in this file */
	uint64_t n_rows;	/* of the table so far */
	bool has_pcs;		/* statements have a comment with the pc, which
				   is missing where one is truncated */
	bool is_truncated;	/* the statement of the last row */
	struct buf cells[MCLIENT_COLUMNS];
};

enum mclient_line {
	MCLIENT_NONE,		/* not a part of such a table */
	MCLIENT_FRAME,		/* what mclient prints around tables */
	MCLIENT_ROW,
	MCLIENT_RECORD,		/* the first line of a record of lines */
	/* A table begins with one of these: */
	MCLIENT_HEADER,		/* the names of its columns */
	MCLIENT_FIRST_ROW,	/* if it states no names */
	MCLIENT_FIRST_RECORD
};

void mclient_release(struct mclient *);

/* Call this at the start of a file. */
void mclient_reset(struct mclient *);

/*
 * What the line is with which the text begins.  Its first MCLIENT_PREFIX bytes
 * decide.
 */
enum { MCLIENT_PREFIX = 512 };
enum mclient_line mclient_classify(const struct mclient *, struct span text);

/* Whether a line belongs to the header, row or record that the one begins. */
bool mclient_continues(enum mclient_line, struct span next);

/*
 * Reads all lines of what is not MCLIENT_NONE.  A row of a trace is written to
 * *to, as an object; otherwise *to becomes empty.  Returns the reason to reject
 * the lines, or NULL.
 */
const char *mclient_read(struct mclient *, enum mclient_line, struct span lines,
    struct buf *to);
