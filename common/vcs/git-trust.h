#ifndef WEIR_GIT_TRUST_H
#define WEIR_GIT_TRUST_H

#include "common/vcs/git.h"

/*
 * False, with advice, if the open repository belongs to another user and no
 * safe.directory that git would obey names it.
 */
bool gitvcs_require_trust(struct vcs *);

#endif
