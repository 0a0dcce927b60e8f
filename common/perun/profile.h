#ifndef WEIR_PROFILE_H
#define WEIR_PROFILE_H

#include <stdbool.h>

#include "common/base/buf.h"
#include "common/json/rec.h"
#include "common/perun/pidx.h"

/*
 * A profile of Perun's: the document that its store keeps, from a JSON object,
 * and what an index says about it.
 *
 * The document is what Perun would write (pyjson.h), without `origin`.  Since
 * Perun 0.17 it is flattened: resources that share what does not change become
 * one type, which is named, and arrays of what does.
 */
struct recio;

struct profile {
	struct span origin;	/* the minor version, or empty */
	struct span type, cmd, workload, collector;
	struct buf postprocessors;	/* names, with blanks between */
	struct buf body;

	/* The rest is profile.c's own. */
	struct recio *parts, *names;
	struct arena arena;
};

/*
 * The keys to read profiles with, and `profile` records (weir-records(5)),
 * which hold one with what an index says about it.
 */
enum { PROFILE_VERSION = KEY_TYPE + 1, PROFILE_PATH, PROFILE_TIME,
    PROFILE_DOCUMENT, PROFILE_RECORD_KEYS };
extern const char *const profile_keys[];

/* Is it a profile itself? */
bool profile_is_document(const struct rec *);

void profile_init(struct profile *);
void profile_release(struct profile *);

/*
 * Makes the document of a record, which was read with profile_keys; flat tells
 * in which form.  Texts live until the next.  False if it is no profile: *why
 * then says what is missing.
 */
bool profile_make(struct profile *, const struct rec *, bool flat,
    const char **why);

/* The same without the document: what an index says about it. */
bool profile_describe(struct profile *, const struct rec *, const char **why);

/* What an index says about it, without args; the arena keeps the texts. */
void profile_strings(const struct profile *, struct arena *,
    struct span strings[PIDX_STRINGS]);

#endif
