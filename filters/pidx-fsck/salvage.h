#ifndef PIDX_FSCK_SALVAGE_H
#define PIDX_FSCK_SALVAGE_H

#include <stdbool.h>

#include "common/perun/pidx.h"

/*
 * What can be saved of an index that is malformed.  An entry is real if it
 * stands whole somewhere in the bytes and its object is in the store, which no
 * other twenty bytes are.  Of those that do not overlap as many as possible are
 * taken; of as many those that leave fewer gaps between the header, each other
 * and the end of the file; and then the foremost.
 *
 * The layout is the one that the header says, or else the one that saves most.
 * Paths and strings are borrowed from bytes.  Release it with pidx_release().
 */
void salvage(struct pidx *, struct span bytes,
    bool (*is_object)(void *of, const unsigned char *name), void *of);

#endif
