#ifndef PROFILE_MAKE_UID_H
#define PROFILE_MAKE_UID_H

#include "common/base/buf.h"
#include "common/json/rec.h"

/* How a record says what it is about. */
enum subject {
	NOTHING,	/* the prefix says all */
	A_TASK, A_GROUP, A_FUNCTION,
	A_NAME, AN_OPERATION, A_FILE, A_MODULE	/* a member of the record */
};

/*
 * Appends the uid of a record; false if the record does not say what it is
 * about.  query is the text of the query to which an operation belongs.
 */
bool uid_put(struct buf *, enum subject, const struct rec *,
    struct span query);

/*
 * The first of these members, by a list of keys that KEY_TYPE ends, that is a
 * string; empty if none is.
 */
struct span uid_first_text(const struct rec *, const unsigned *keys);

#endif
