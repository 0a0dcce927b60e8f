#pragma once

#include "common/base/buf.h"
#include "common/perun/pidx.h"

/*
 * Appends the members of an `entry` record (weir-records(5)) for an entry in
 * the index of a minor version, which is Perun's term for a commit: version
 * points to the PIDX_SHA_SIZE bytes of its id.  The caller begins and ends the
 * record.
 */
void entry_put(struct buf *, const unsigned char *version,
    const struct pidx_entry *);

/*
 * Appends only the members that describe the profile: its type, command and so
 * on.  Appends nothing if the entry has no strings, as in an index of format
 * version 1.
 */
void entry_put_strings(struct buf *, const struct pidx_entry *);
