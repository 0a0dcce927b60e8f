#ifndef PIDX_WRITE_NAME_H
#define PIDX_WRITE_NAME_H

#include <time.h>

#include "common/base/intern.h"

struct profile;

/*
 * The names of profiles that come without a file: from Perun's template, whose
 * tags (%collector%, %date%...) stand for what the profile says.
 */
struct names {
	const char *template;
	struct intern given;
	struct buf name;
};

void names_init(struct names *, const char *template);
void names_release(struct names *);

/* A name ending in ".perf" that was not given before; borrowed until the next. */
struct span names_make(struct names *, const struct profile *, time_t now);

/* The rule that a name breaks, or NULL: Perun must be able to read it. */
const char *name_fault(struct span name);

#endif
