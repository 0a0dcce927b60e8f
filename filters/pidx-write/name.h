#pragma once

#include <time.h>

#include "common/base/intern.h"

struct profile;

/*
 * Generates file names for profiles that have none, from a template in Perun's
 * syntax: tags such as %collector% and %date% are replaced by values of the
 * profile.
 */
struct names {
	const char *template;
	struct intern taken;	/* names that are not returned (again) */
	struct intern stems;	/* names before number and suffix */
	unsigned *numbers;	/* the last number of each stem */
	size_t numbers_cap;
	struct buf name;	/* the latest of them */
};

/* The template is borrowed; NULL means Perun's default. */
void names_init(struct names *, const char *template);
void names_release(struct names *);

/*
 * Returns a name that ends in ".perf", borrowed until the next call.  If it is
 * taken, "-2", "-3" and so on is inserted before ".perf".  It is taken from
 * then on.  names_take() is given what is before that; names_make() makes it of
 * the template, in which %date% is now, in UTC.
 */
struct span names_take(struct names *, struct span stem);
struct span names_make(struct names *, const struct profile *, time_t now);

/*
 * Returns NULL if a profile of this name may be in an index, and otherwise the
 * reason why not, a static string.
 */
const char *name_error(struct span name);
