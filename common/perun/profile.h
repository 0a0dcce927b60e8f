#pragma once

#include <stdbool.h>

#include "common/base/buf.h"
#include "common/json/rec.h"
#include "common/perun/pidx.h"

struct recio;

/*
 * A Perun profile, made from a JSON object: the document to be stored and the
 * strings for the index.
 *
 * The document is byte for byte what Perun would write (pyjson.h), without the
 * member `origin`, which names the commit at which the profile was measured.
 * Since version 0.17 Perun flattens the document (flatten.h).
 */
struct profile {
	struct span origin;	/* empty if absent */
	struct span type, cmd, args, workload, label, collector;
	struct buf postprocessors;	/* names, separated by spaces */
	struct buf names;	/* of the postprocessors, as a JSON array */
	struct buf body;		/* the document */

	/* Private to profile.c. */
	struct recio *recio, *header_recio, *name_recio;
	struct arena arena;
};

/*
 * The declared keys (rec.h) for reading profiles and `profile` records
 * (weir-records(5)), which contain a profile and its index entry.  Keys from
 * PROFILE_RECORD_KEYS on are private to profile.c.
 */
#define PROFILE_KEYS(K)							\
	K(PROFILE_VERSION, "minor_version") K(PROFILE_PATH, "path")	\
	K(PROFILE_TIME, "time") K(PROFILE_DOCUMENT, "profile")		\
	K(PROFILE_NON_FINITE, "non_finite")
enum { PROFILE_TYPE, PROFILE_KEYS(KEY_INDEX) PROFILE_RECORD_KEYS };
extern const char *const profile_keys[];

/* Is the record itself a profile, rather than a `profile` record? */
bool profile_is_document(const struct rec *);

void profile_init(struct profile *);
void profile_release(struct profile *);

/*
 * Sets the body, flattened if flat is true, and the strings from a record that
 * was read with profile_keys.  They live until the next call.  False if the
 * record is not a valid profile: *why is then the reason.
 */
bool profile_make(struct profile *, const struct rec *, bool flat,
    const char **why);

/* What the profile in a record was made of lacked (lacks.h). */
unsigned profile_lacks(const struct rec *);

/* Why a profile with the numbers of this one must not be stored, or NULL. */
const char *profile_number_error(const struct rec *);

/*
 * Sets the strings as profile_make() does, but not the body, from a profile as
 * it is stored.
 */
bool profile_describe(struct profile *, struct span text, const char **why);

/* Sets the strings and the postprocessors of an entry, copied to the arena. */
void profile_strings(const struct profile *, struct arena *,
    struct pidx_entry *);
