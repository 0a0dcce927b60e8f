#ifndef WEIR_ENTRY_H
#define WEIR_ENTRY_H

#include "common/base/buf.h"
#include "common/perun/pidx.h"

/*
 * Appends the members of an `entry` record (weir-records(5)) for an entry in
 * the index of a minor version.  The caller begins and ends the record.
 */
void entry_put(struct buf *, const unsigned char *version,
    const struct pidx_entry *);

/*
 * Appends only the members that describe the profile.  An entry of an index of
 * version 1 has none.
 */
void entry_put_strings(struct buf *, const struct pidx_entry *);

/*
 * Moves the next name from the front of *rest to *name; false after the last
 * one.  For the first call, *rest is an entry's string of postprocessors.  An
 * empty string contains one empty name, as in Perun; a NULL one contains none.
 */
bool entry_next_postprocessor(struct span *rest, struct span *name);

#endif
