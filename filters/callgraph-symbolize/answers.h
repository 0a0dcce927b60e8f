#pragma once

#include "common/base/buf.h"
#include "filters/callgraph-symbolize/sources.h"

/*
 * Writes the members that are added to a node, each with a comma before it.
 * The texts of locations are cached.  Addresses are those in the module's file,
 * not in memory.
 */
void answers_init(bool demangles);
void answers_release(void);

/*
 * Adds name, file and line of a function.  If none is known, adds nothing and
 * returns false.
 */
bool answers_add_function(struct source *, uint64_t address, struct buf *);

/*
 * Adds call_file, call_line and call_inlined of the call that returns to an
 * address.  If none is known, adds nothing and returns false.
 */
bool answers_add_call(struct source *, uint64_t return_address, struct buf *);
