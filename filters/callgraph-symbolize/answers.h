#ifndef CALLGRAPH_SYMBOLIZE_ANSWERS_H
#define CALLGRAPH_SYMBOLIZE_ANSWERS_H

#include "common/base/buf.h"
#include "filters/callgraph-symbolize/sources.h"

/*
 * The members that are added to a node, each with a comma before it.  Texts
 * that are needed often are cached.
 */
void answers_init(bool demangles);
void answers_release(void);

/* Adds name, file and line of a function.  False, and nothing, if unknown. */
bool answers_add_function(struct source *, uint64_t address, struct buf *);

/*
 * Adds call_file, call_line and call_inlined of the call that returns to an
 * address.  False, and nothing, if unknown.  Addresses are those of the file.
 */
bool answers_add_call(struct source *, uint64_t return_address, struct buf *);

#endif
