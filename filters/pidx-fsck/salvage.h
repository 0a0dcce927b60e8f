#ifndef PIDX_FSCK_SALVAGE_H
#define PIDX_FSCK_SALVAGE_H

#include <stdbool.h>

#include "common/perun/pidx.h"

/*
 * Recovers entries from a malformed index, in the order of their offsets.  A
 * piece of the bytes is a candidate if it parses as an entry and is_object()
 * says that the store has its object, which excludes random bytes.
 *
 * Of the candidates, which may overlap, the largest set without overlaps is
 * recovered; of sets of the same size the one with the fewest gaps between the
 * header, the entries and the end of the file; of these the one whose entries
 * come first.
 *
 * Of the layouts that the header allows, or of all layouts if the header is
 * damaged, the one that recovers the most entries is used.  Paths and strings
 * are borrowed from bytes.  Release the result with pidx_release().
 */
void salvage(struct pidx *, struct span bytes,
    bool (*is_object)(void *context, const unsigned char *name), void *context);

#endif
