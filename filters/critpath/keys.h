#pragma once

#include "common/build/build.h"

struct filter;

/*
 * Keys that options name: any key of the record of a task or of its node.  All
 * are added, and then declared, before records are read.
 */

/* The numbers of the keys that are always kept; others follow. */
enum { KEY_KIND, KEY_HOST, KEY_RULE, KEY_TARGET, KEY_NAME, KEY_REMOTE_US,
    KEY_REMOTE_EXECUTION, N_OWN_KEYS };

/* The names of those up to KEY_NAME; they end with NULL. */
extern const char *const keys_own[];

/* Adds a key, unless it has been added before, and returns its number. */
unsigned keys_add(struct span name);

void keys_declare(struct filter *);

/*
 * A task's value of a key.  Kind, host, rule, target and name are those that
 * reports show; build_value() defines all others.  Empty if there is none.
 * Valid until the next call.
 */
struct span keys_value(const struct build *, const struct task *, unsigned key);
