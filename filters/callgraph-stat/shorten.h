#ifndef CALLGRAPH_STAT_SHORTEN_H
#define CALLGRAPH_STAT_SHORTEN_H

#include "common/base/buf.h"
#include "common/base/text.h"

/*
 * Adds the name of a function.  In a long one, of C++ or Rust, dots stand for
 * what is in its brackets, which is most of it: "std::map<..>::find(..) const".
 * A name whose brackets do not match is added as it is.
 */
void shorten(struct buf *, struct span name);

#endif
