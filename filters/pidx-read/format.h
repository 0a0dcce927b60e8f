#pragma once

#include "common/base/buf.h"
#include "common/perun/select.h"

/*
 * Appends an entry as a line, by a format string in Perun's syntax.  The tags
 * are %type%, %cmd%, %args%, %workload%, %collector%, %postprocessors%, %time%
 * (local), %source% or %realpath% (the path) and %checksum% (the object).
 * %tag:20% appends spaces to a value of less than 20 columns, one for each
 * column that is missing; %tag:20f-% instead appends the text after the f, here
 * "-".  %checksum:6% truncates to 6 digits.  Unknown and malformed tags are
 * copied.  Control characters in values are escaped.
 */
void format_entry(struct buf *, const char *format, const struct pidx_entry *);

/*
 * Appends a table of the entries for which selected[i] is true, each with the
 * number that selects it: 0@i or, for pending profiles, 0@p.
 */
void format_table(struct buf *, const struct pidx *, const struct order *,
    bool pending, const bool *selected);
