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
 * Takes the next name from rest, which starts as an entry's postprocessors;
 * false after the last one.  An empty text is one empty name, as for Perun; a
 * span of NULL is none.
 */
bool entry_next_postprocessor(struct span *rest, struct span *name);

#endif
