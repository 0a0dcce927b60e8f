#pragma once

#include "common/vcs/git.h"

/* Names of objects. */

bool gitvcs_massage_parameter(struct vcs *, const char *, enum vcs_kind,
    struct vcs_id *, enum vcs_kind *);
