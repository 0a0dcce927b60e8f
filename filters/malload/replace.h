#ifndef MALLOAD_REPLACE_H
#define MALLOAD_REPLACE_H

#include <stdint.h>

#include "filters/malload/references.h"

/*
 * Replaces executions that were loaded from a truncated trace: malload
 * committed such traces before streams had end records.
 *
 * An execution of the database can be replaced by one of the trace with the
 * same session, client and tag that has all its events, with the same times.
 * Executions with a session are replaced only if at least one of the new ones
 * has more rows than the old one: otherwise the trace adds nothing.  Executions
 * without a session are never merged, so an old one with events is replaced in
 * any case.  The rows of the old executions are deleted.  Each old and new
 * execution become a row of same_execution (references.h), so that
 * references_finish() gives the id of the old one to the new rows.
 *
 * Returns the number of executions replaced.
 */
uint64_t replace_partial(struct trace *);

#endif
