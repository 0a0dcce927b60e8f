#ifndef WEIR_KIND_H
#define WEIR_KIND_H

#include "common/vcs/vcs.h"

/* The name of a kind: "any", "commit", "tree", "blob" or "tag". */
const char *vcs_kind_name(enum vcs_kind);

/* Finds the kind of this name; false if there is none. */
bool vcs_kind_of(const char *name, enum vcs_kind *);

#endif
