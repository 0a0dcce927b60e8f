#ifndef WEIR_DEMANGLE_H
#define WEIR_DEMANGLE_H

#include <stdbool.h>

#include "common/base/buf.h"
#include "common/base/intern.h"

/* Whether a C++ or Rust compiler may have made this name. */
static inline bool
is_mangled(const char *name)
{
	return name[0] == '_' && (name[1] == 'Z' || name[1] == 'R');
}

/*
 * The names that C++ and Rust compilers make, as they were in the source.  Each
 * is taken apart once, which costs microseconds.  Start with
 * demangler_init().
 */
struct demangler {
	struct intern names;
	struct piece {
		size_t at, n;
	} *pieces;		/* of text, by symbol */
	size_t cap;
	struct buf text;
};

void demangler_init(struct demangler *);
void demangler_release(struct demangler *);

/* A name that is none of these is itself.  Borrowed until the next call. */
struct span demangler_name(struct demangler *, const char *name);

#endif
