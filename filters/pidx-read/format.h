#ifndef PIDX_READ_FORMAT_H
#define PIDX_READ_FORMAT_H

#include "common/base/buf.h"
#include "common/perun/pidx.h"

/*
 * A line for an entry, after a format of Perun's: %type%, %cmd%, %workload%,
 * %collector%, %time% (local), %source% (the path) and %checksum% (the object)
 * stand for what the entry says; %tag:20% fills up to 20 columns with blanks,
 * %tag:20f-% with what is behind the f, and %checksum:6% cuts to 6.  What is
 * no tag stays.  Controls are escaped.
 */
void format_entry(struct buf *, const char *format, const struct pidx_entry *);

#endif
