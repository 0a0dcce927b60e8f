#ifndef WEIR_FOREIGN_H
#define WEIR_FOREIGN_H

#include <stdbool.h>

#include "common/base/text.h"

/* A file that a filter gets by mistake, because another filter reads it. */
struct foreign {
	const char *what;	/* "a log of ninja" */
	const char *reader;	/* the filter that reads it, or NULL */
};

struct input;

/*
 * Recognizes a foreign file by its first bytes, which remain unconsumed; NULL
 * if it is not known, or this program reads it.  reads_records is whether this
 * program reads records.
 */
const struct foreign *foreign_find(struct input *, bool reads_records);

#endif
