#pragma once

#include <stdbool.h>

#include "common/base/text.h"

/* A file that a filter gets by mistake, because another filter reads it. */
struct foreign {
	const char *what;	/* "a log of ninja" */
	const char *reader;	/* the filter that reads it, or the adapter
				   (weir-adapters(7)): "jmh.jq"; or NULL */
};

struct input;
struct recio;

/*
 * Recognizes a foreign file by its first bytes, which remain unconsumed; NULL
 * if it is not known, or the filter `program` reads it, which may be NULL.  A
 * program that reads records passes a recio, and no file that begins with a
 * record is foreign to it.
 */
const struct foreign *foreign_find(struct input *, const char *program,
    struct recio *);

/*
 * Recognizes a file by its first bytes, which do not begin with white space;
 * NULL if it is not known.
 */
const struct foreign *foreign_recognize(struct span);

/* Whether an adapter reads the file, so that jq is needed. */
bool foreign_has_adapter(const struct foreign *);
