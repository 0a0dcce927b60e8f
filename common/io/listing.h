#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The names in a directory except "." and "..", in byte order. */
struct listing {
	char **names;
	size_t n, cap;
};

/*
 * Lists the directory `name`, which must not be a symbolic link, in the
 * directory of the descriptor parent.  False on an error, which sets errno; an
 * incomplete list is an error.  The caller releases the listing in either case.
 */
bool listing_read(struct listing *, int parent, const char *name);
void listing_release(struct listing *);
