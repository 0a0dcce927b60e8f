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
 * Appends only the members that describe the profile; none for an entry of an
 * index of version 1, which has no strings.
 */
void entry_put_strings(struct buf *, const struct pidx_entry *);

/*
 * The next name in an entry's postprocessors; false after the last one, when
 * rest.p is NULL.  An empty text is one empty name, as for Perun.
 */
bool entry_postprocessor(struct span *rest, struct span *name);

#endif
