#pragma once

#include "common/base/buf.h"
#include "common/base/text.h"

/* Between a caller and the function that it calls. */
#define CALLS_SIGN " > "

/*
 * Adds the name of a function in at most n cells.  A name of C++ or Rust that
 * is wider loses, in this order, until it fits: its arguments, the arguments of
 * templates, and namespaces and classes from the left.  Two dots replace what
 * is lost:
 *
 * 	ns::Class<A, B>::method(std::vector<int> const&) const
 * 	ns::Class<A, B>::method(..) const
 * 	ns::Class<..>::method(..) const
 * 	..Class<..>::method(..) const
 * 	..method(..)
 * 	method
 *
 * The function's own identifier is never lost; if that is wider than n cells,
 * its middle is.
 */
void shorten(struct buf *, struct span name, size_t n);

/*
 * What precedes CALLS_SIGN, outside brackets, in "caller > function"; the whole
 * text if there is none.
 */
struct span shorten_caller(struct span);

/*
 * Adds a name without return type, arguments, those of templates, and ABI tags:
 * "ns::Class::method".
 */
void shorten_qualified(struct buf *, struct span name);
