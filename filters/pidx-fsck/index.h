#pragma once

#include "filters/pidx-fsck/check.h"

/* The step between check_files() and check_references(): checks and repairs the
   indexes. */
void check_indexes(struct check *);
