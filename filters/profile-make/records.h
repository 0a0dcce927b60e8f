#ifndef PROFILE_MAKE_RECORDS_H
#define PROFILE_MAKE_RECORDS_H

#include "common/filter/filter.h"
#include "filters/profile-make/amounts.h"
#include "filters/profile-make/header.h"

struct records;

/* Both arguments must live as long as the result, which the caller frees. */
struct records *records_new(struct amounts *, struct header *);
void records_free(struct records *);

/*
 * Adds the amounts of a record, which was read from the text.  Returns why they
 * cannot be added, or NULL; the reason is valid until the next call.  A record
 * that has no amounts is ignored.
 */
const char *records_read(struct records *, const struct rec *,
    struct span text, uint32_t stream);

#endif
