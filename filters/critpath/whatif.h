#ifndef CRITPATH_WHATIF_H
#define CRITPATH_WHATIF_H

#include "common/build/network.h"

/*
 * Reads a time such as "2.5s" as microseconds; only 0 needs no unit.  Returns
 * false if it is not a time, or too long.
 */
bool whatif_read_time(const char *text, int64_t *us);

/*
 * Marks every vertex to which an id or, if no vertex has that id, a name
 * refers, and returns their number.  Exits if it is the name of several tasks.
 */
size_t whatif_mark(const struct network *, struct span text, bool *marks);

/*
 * Apply --set TASK=TIME, where TASK may contain '=', and --drop KEY=VALUE, and
 * return to how many tasks.
 */
size_t whatif_set(struct network *, const char *text);
size_t whatif_drop(struct network *, const char *text);

/* Adds the KEY of --drop to the keys to be declared (keys.h). */
void whatif_add_key(const char *text);

#endif
