#ifndef MALPARSE_STATE_H
#define MALPARSE_STATE_H

#include <stdbool.h>

#include "filters/malparse/rows.h"

/*
 * The numbering of rows, kept in a file from one trace to the next: one record
 * with the next id of each table and the names of the types that have a row.
 */

/* False if there is no such file yet; dies if it is no such record. */
bool state_read(struct rows *, const char *path);
void state_write(const struct rows *, const char *path);

#endif
