#pragma once

#include "common/base/buf.h"
#include "common/program/release.h"

/* Writes the next record to the buffer.  False if there are no more. */
bool release_write(struct release_writer *, struct buf *);
