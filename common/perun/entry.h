#ifndef WEIR_ENTRY_H
#define WEIR_ENTRY_H

#include "common/base/buf.h"
#include "common/perun/pidx.h"

/*
 * The members of an `entry` record (weir-records(5)): an entry of the index of
 * a minor version.  Its caller begins and ends the record.
 */
void entry_put(struct buf *, const unsigned char *version,
    const struct pidx_entry *);

/*
 * Those of them that tell of the profile; none if the index does not know,
 * which is of version 1.
 */
void entry_put_strings(struct buf *, const struct pidx_entry *);

/*
 * The next of an entry's postprocessors; false behind the last, where rest.p
 * is NULL.  An empty text is one empty name, as Perun reads it.
 */
bool entry_postprocessor(struct span *rest, struct span *name);

#endif
