#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "common/base/text.h"

/*
 * Reads a time such as "2026-11-22T17:40:06.123456789+01:00" (RFC 3339) as
 * microseconds since 1970 in UTC.  There may be any number of decimals, or
 * none; those after the sixth are cut.  A time without a zone counts as UTC.
 * False if the text is not such a time, or if it is too far from 1970 for a
 * record (2^53 us or more: the years before 1685 and after 2254).
 */
bool read_rfc3339_us(struct span, int64_t *us);
