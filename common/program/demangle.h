#ifndef WEIR_DEMANGLE_H
#define WEIR_DEMANGLE_H

#include <stdbool.h>

#include "common/base/buf.h"
#include "common/base/intern.h"

/* Whether a name may be a mangled one of C++ or Rust. */
static inline bool
is_mangled(const char *name)
{
	return name[0] == '_' && (name[1] == 'Z' || name[1] == 'R');
}

/*
 * A cache of demangled names: to demangle one takes microseconds.  It holds
 * each name that was asked for.
 */
struct demangler {
	struct intern names;	/* mangled */
	struct demangled {
		size_t start, n;	/* in text */
	} *list;		/* by symbol */
	size_t cap;
	struct buf text;
};

void demangler_init(struct demangler *);
void demangler_release(struct demangler *);

/*
 * The name as in the source, or as it is if it is not mangled or its source
 * would be longer than 64 KiB.  Borrowed until the next call.
 */
struct span demangler_name(struct demangler *, const char *name);

#endif
