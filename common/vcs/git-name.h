#ifndef WEIR_GIT_NAME_H
#define WEIR_GIT_NAME_H

#include "common/vcs/git.h"

/* Names of objects. */

bool gitvcs_massage_parameter(struct vcs *, const char *, enum vcs_kind,
    struct vcs_id *, enum vcs_kind *);

#endif
