#ifndef PROFILE_MAKE_WRITE_H
#define PROFILE_MAKE_WRITE_H

#include "common/io/output.h"
#include "filters/profile-make/amounts.h"
#include "filters/profile-make/records.h"

/* Writes the profile, one line. */
void write_profile(struct output *, const struct header *,
    const struct amounts *);

#endif
