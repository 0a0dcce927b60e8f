#pragma once

#include <stdint.h>

#include "common/base/buf.h"

/*
 * Many texts in little memory, for those of which only a few are read again.
 * Texts that were added one after the other usually begin alike, as paths do:
 * of each only what differs from the previous one is stored (front coding).
 * Start with { 0 }.
 */
struct texts {
	struct buf bytes;
	uint32_t *groups;	/* where each group of TEXTS_GROUP texts begins
				   in bytes; the first of a group is whole */
	size_t n_groups, groups_cap;
	size_t n;		/* texts */
	struct buf last;	/* the text that was added last */
};

enum { TEXTS_GROUP = 16 };

void texts_release(struct texts *);

/* Adds a text and returns its place, which is below INDEX_NONE. */
uint32_t texts_add(struct texts *, struct span);

/* Replaces the contents of a buffer by the text at a place. */
void texts_get(const struct texts *, uint32_t place, struct buf *);
