#ifndef CALLGRAPH_SYMBOLIZE_ANSWERS_H
#define CALLGRAPH_SYMBOLIZE_ANSWERS_H

#include "common/base/buf.h"
#include "filters/callgraph-symbolize/sources.h"

/*
 * What is added to a node, as members of an object with a comma before each:
 * made once for what is said often.
 */
void answers_init(bool demangles);
void answers_release(void);

/* What is known of a function: false, and nothing is added, if nothing is. */
bool answers_add_function(struct source *, uint64_t address, struct buf *);

/* What is known of a call that returns to this address of the file. */
bool answers_add_call(struct source *, uint64_t return_address, struct buf *);

#endif
