#pragma once

#include <stdbool.h>

#include "common/base/buf.h"
#include "common/base/intern.h"

/* Whether a name looks like a mangled name of C++, Rust or D. */
static inline bool
demangler_is_mangled(const char *name)
{
	return name[0] == '_' && (name[1] == 'Z' || name[1] == 'R' ||
	    (name[1] == 'D' && name[2] >= '1' && name[2] <= '9'));
}

/* Caches every result: demangling a name takes microseconds. */
struct demangler {
	struct intern names;	/* mangled */
	struct demangled {
		size_t start, n;	/* in text */
	} *list;		/* by the number of the name in names */
	size_t cap;
	struct buf text;
};

void demangler_init(struct demangler *);
void demangler_release(struct demangler *);

/*
 * Returns the demangled name, or the name itself if that is not a valid mangled
 * name or if the result would be longer than 64 KiB.  Borrowed until the next
 * call.
 */
struct span demangler_name(struct demangler *, const char *name);
