#ifndef PIDX_WRITE_NAME_H
#define PIDX_WRITE_NAME_H

#include <time.h>

#include "common/base/intern.h"

struct profile;

/*
 * Names for profiles that do not come from a file of their own, by Perun's
 * template, whose tags (%collector%, %date%...) are replaced by values of the
 * profile.
 */
struct names {
	const char *template;
	struct intern used;
	struct buf name;
};

void names_init(struct names *, const char *template);
void names_release(struct names *);

/* A new name, ending in ".perf"; borrowed until the next call. */
struct span names_make(struct names *, const struct profile *, time_t now);

/* Why Perun could not read a profile with this name, or NULL. */
const char *name_error(struct span name);

#endif
