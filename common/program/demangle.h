#ifndef WEIR_DEMANGLE_H
#define WEIR_DEMANGLE_H

#include <stdbool.h>

#include "common/base/buf.h"
#include "common/base/intern.h"

/* Whether a name looks like a mangled name of C++ or Rust. */
static inline bool
is_mangled(const char *name)
{
	return name[0] == '_' && (name[1] == 'Z' || name[1] == 'R');
}

/*
 * Demangles names and caches every result: demangling one takes microseconds.
 */
struct demangler {
	struct intern names;	/* mangled */
	struct demangled {
		size_t start, n;	/* in text */
	} *list;		/* by symbol in names */
	size_t cap;
	struct buf text;
};

void demangler_init(struct demangler *);
void demangler_release(struct demangler *);

/*
 * Returns the demangled name, or the name itself if it is not mangled or if it
 * would be longer than 64 KiB.  Borrowed until the next call.
 */
struct span demangler_name(struct demangler *, const char *name);

#endif
