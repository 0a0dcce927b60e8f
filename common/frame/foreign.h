#ifndef WEIR_FOREIGN_H
#define WEIR_FOREIGN_H

#include "common/base/text.h"

/*
 * Input that a filter that reads records gets by mistake: a log or a graph from
 * which another filter makes records.
 */
struct foreign {
	const char *what;	/* "a log of ninja" */
	const char *reader;	/* the filter that reads it */
};

/* Recognizes the first line of such input; NULL if it is something else. */
const struct foreign *foreign_find(struct span line);

#endif
