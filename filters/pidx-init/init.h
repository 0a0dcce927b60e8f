#ifndef PIDX_INIT_INIT_H
#define PIDX_INIT_INIT_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/base/buf.h"
#include "common/base/text.h"

/* Where the store is to be: a directory, resolved, and .perun in it. */
struct place {
	char directory[PATH_MAX];
	char store[PATH_MAX + 8];
};

/* The url of the repository that the place is in; false if there is none. */
bool repository_find(const struct place *, struct buf *url);

/* Dies unless there is a repository at the url, as it is seen from .perun. */
void repository_check(const struct place *, const char *url);

/* Warns of a store in a directory above. */
void warn_of_store_above(const struct place *);

/* What a new local.yml is to say. */
void settings_put(struct buf *, const char *vcs_type, struct span url,
    int index_version);

enum { N_FOLDERS = 6 };
extern const char *const folders[N_FOLDERS];

/* What was made. */
struct made {
	bool created;			/* .perun was not there */
	bool folders[N_FOLDERS], settings;
};

/*
 * Makes what a store is to have and is not there: a whole one, or nothing.
 * settings are for local.yml, if there is none.  Dies if it cannot.
 */
void make_store(const struct place *, bool is_there, struct span settings,
    struct made *);

#endif
