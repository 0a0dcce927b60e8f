#ifndef WEIR_CONFIG_H
#define WEIR_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buf.h"
#include "common/base/text.h"

/*
 * Settings in YAML, in levels of which the first has the last word: those of a
 * Perun store, local.yml, and the user's for all stores, shared.yml, which is
 * in $PERUN_CONFIG_DIR or else in ~/.config/perun.
 *
 * Scalars are texts as they were written, for what YAML makes of yes or 010
 * depends on its version.  Aliases and merge keys (<<) are resolved; a key
 * that comes twice in one mapping is an error, and so is more than the limits.
 */
enum {
	CONFIG_BYTES = 1 << 20,		/* of a file */
	CONFIG_VALUES = 1 << 18,	/* in all, with what aliases repeat */
	CONFIG_DEPTH = 100,
	CONFIG_ANCHORS = 256,
	CONFIG_DIRECTIVES = 16,		/* %TAG */
	CONFIG_LEVELS = 4
};

enum { CONFIG_LOCAL, CONFIG_SHARED };	/* levels of config_load() */

enum config_kind { CONFIG_TEXT, CONFIG_LIST, CONFIG_MAPPING };

struct config_value {
	enum config_kind kind;
	const char *file;		/* where it is from, ... */
	size_t line;			/* ... from 1 */
	struct span text;		/* has a NUL behind it, and none in it */
	bool is_null;			/* nothing, ~ or null, and no quotes */
	struct config_item *items;	/* of a list or a mapping, in order */
	size_t n;

	/* The rest is config.c's own. */
	char *own;			/* text's */
	size_t cap;
	uint32_t size, height;		/* with all that is in it */
	struct config_value *older;
};

struct config_item {
	struct span key;		/* of a mapping; has a NUL behind it */
	size_t line, column;		/* of the key, from 1 */
	const struct config_value *value;
};

/* Start with { 0 }.  It owns all values, which live until its release. */
struct config {
	const struct config_value *levels[CONFIG_LEVELS];	/* mappings */
	size_t n;

	/* The rest is config.c's own. */
	struct config_value *newest;
	char *files[CONFIG_LEVELS];
	struct buf why;
};

/*
 * Reads local.yml of a store (the directory .perun) and shared.yml.  A file
 * that is not there is an empty one, and is not made.  False if one cannot be
 * read: *why then says "FILE:LINE:COLUMN: what is wrong".
 */
bool config_load(struct config *, const char *store, const char **why);
void config_release(struct config *);

/* One more level, from a file, likewise. */
bool config_load_file(struct config *, const char *path, const char **why);

/* One more level, from a text; file is its name in messages. */
bool config_add(struct config *, const char *file, struct span yaml,
    const char **why);

/*
 * The value of a dotted key: of one level, or of the first level that has it
 * (which Perun calls recursive); NULL if there is none.
 */
const struct config_value *config_at(const struct config *, size_t level,
    const char *key);
const struct config_value *config_find(const struct config *, const char *key);

/*
 * The lists of all levels as one, where what is no list counts as one of one
 * item (which Perun calls gathered); empty if no level has the key.
 */
const struct config_value *config_gather(struct config *, const char *key);

/* The value of a key in a mapping, not dotted; NULL also in what is none. */
const struct config_value *config_in(const struct config_value *, struct span);

/* config_find() for texts; NULL if there is none, or it is null. */
const char *config_string(const struct config *, const char *key);

/* The same for decimal integers; the value is set only where it is good. */
enum config_found { CONFIG_ABSENT, CONFIG_GOOD, CONFIG_BAD };
enum config_found config_int(const struct config *, const char *key,
    int64_t *);

/* The value as JSON: every text as a string, as it was written. */
void config_put_json(struct buf *, const struct config_value *);

#endif
