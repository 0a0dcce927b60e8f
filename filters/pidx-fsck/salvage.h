#ifndef PIDX_FSCK_SALVAGE_H
#define PIDX_FSCK_SALVAGE_H

#include <stdbool.h>

#include "common/perun/pidx.h"

/*
 * Recovers entries from a malformed index, in the order of their offsets.  A
 * range of the bytes is a candidate if it can be parsed as an entry and the
 * store has the entry's object, as is_object() returns: random bytes do not
 * contain the name of an object.
 *
 * Candidates may overlap.  The largest set of candidates without overlaps is
 * recovered; of two candidates that overlap, the one that starts later, because
 * a damaged length makes the earlier one too long.
 *
 * This is done for each layout (pidx.h) that the header allows, or for all
 * layouts if the header is damaged.  The result with the most entries is used;
 * among those, the one with the fewest gaps between the header, the entries and
 * the end of the file.  Paths and strings are borrowed from bytes.  Release the
 * result with pidx_release().
 */
void salvage(struct pidx *, struct span bytes,
    bool (*is_object)(void *context, const unsigned char *name), void *context);

#endif
