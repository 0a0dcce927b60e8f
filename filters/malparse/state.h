#ifndef MALPARSE_STATE_H
#define MALPARSE_STATE_H

#include <stdbool.h>

#include "common/io/output.h"
#include "filters/malparse/rows.h"

/*
 * The state file (--state), with which the numbering of rows continues from one
 * trace to the next.  It has one record: the next id of each table, and the
 * types whose row has been written.
 */

/*
 * Sets the first ids and the types.  False if the file does not exist yet.
 * Ends the program if it is invalid.
 */
bool state_read(struct rows *, const char *path);

/* Writes the state; output_close() then replaces the file. */
void state_write(const struct rows *, struct output *, const char *path);

#endif
