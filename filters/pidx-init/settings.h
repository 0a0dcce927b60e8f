#ifndef PIDX_INIT_SETTINGS_H
#define PIDX_INIT_SETTINGS_H

#include "common/base/buf.h"

/*
 * Appends the contents of a new local.yml, which has the settings of the store.
 * index_version is the name of a layout, or NULL to leave the setting out.
 */
void settings_put(struct buf *, const char *vcs_type, struct span url,
    const char *index_version);

#endif
