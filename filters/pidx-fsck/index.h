#ifndef PIDX_FSCK_INDEX_H
#define PIDX_FSCK_INDEX_H

#include "filters/pidx-fsck/check.h"

/* The step between check_files() and check_references(): checks and repairs the
   indexes. */
void check_indexes(struct check *);

#endif
