#ifndef CALLGRAPH_STAT_SHORTEN_H
#define CALLGRAPH_STAT_SHORTEN_H

#include "common/base/buf.h"
#include "common/base/text.h"

/*
 * Adds the name of a function.  In a long name of C++ or Rust, what is in
 * brackets (arguments, which are most of the name) becomes two dots:
 * "std::map<..>::find(..) const".  A name with unbalanced brackets is added
 * unchanged.
 */
void shorten(struct buf *, struct span name);

#endif
