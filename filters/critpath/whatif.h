#pragma once

#include "common/build/dag-simulate.h"
#include "common/build/network.h"

/*
 * Reads a time such as "2.5s" or "1h5m30s" as microseconds; only 0 needs no
 * unit.  Returns false if it is not a time, or too long.
 */
bool whatif_read_time(const char *text, int64_t *us);

/*
 * Marks every vertex to which an id or, if no vertex has that id, a name
 * refers, and returns their number.  Exits if it is the name of several tasks.
 */
size_t whatif_mark(const struct network *, struct span text, bool *marks);

/*
 * Apply --set TASK=TIME, where TASK may contain '=', --drop KEY=VALUE or
 * --scale KEY=VALUE=FACTOR (whatif_scale(), option says which), and
 * --limit KEY=VALUE=N, and return to how many tasks.  A task is selected if it
 * has the VALUE; if no task has it, VALUE is a pattern as in the shell.  A task
 * that several limits select is limited by the first.  The caller frees the two
 * arrays of the pools, which start as { 0 }.
 */
size_t whatif_set(struct network *, const char *option, const char *text);
size_t whatif_scale(struct network *, const char *option, const char *text);
size_t whatif_limit(const struct network *, const char *text,
    struct dag_pools *);

/* Adds the KEY of a value of --OPTION to the keys to be declared (keys.h). */
void whatif_add_key(const char *option, const char *text);
