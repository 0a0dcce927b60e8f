#pragma once

#include "common/vcs/git.h"

/* Parsing of commits. */

/*
 * Finds the fields of a commit object.  A commit where a shallow clone ends has
 * no parents, as in git.
 */
bool gitvcs_parse_fields(struct vcs *, git_odb_object *,
    struct gitvcs_fields *);

/* The time of an author or committer in seconds since 1970, or INT_UNKNOWN. */
int64_t gitvcs_person_time(struct span person);

/*
 * Parses a commit as a version.  The handle takes ownership of the object, even
 * if this fails.
 */
bool gitvcs_parse_version(struct vcs *, git_odb_object *,
    struct vcs_version *);
