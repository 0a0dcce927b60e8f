#ifndef PIDX_INIT_MAKE_H
#define PIDX_INIT_MAKE_H

#include "filters/pidx-init/init.h"

/*
 * Creates a complete store or, if `exists` is true, what the existing store
 * lacks.  settings is the text of local.yml, which is written if that file is
 * missing.  Dies on failure; then a new store is either complete or not created
 * at all.
 */
void init_make_store(const struct paths *, bool exists, struct span settings,
    struct made *);

#endif
