#ifndef WEIR_CONFIG_H
#define WEIR_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buf.h"
#include "common/base/text.h"

/*
 * Settings in YAML, in levels.  A Perun store has two: its own local.yml and
 * the user's shared.yml for all stores, in $PERUN_CONFIG_DIR or else in
 * ~/.config/perun.  A key is looked up in the levels in order; the first level
 * that has it counts.
 *
 * Scalars are texts as they were written, because the type of `yes` or `010`
 * depends on the version of YAML.  Aliases and merge keys (<<) are resolved.  A
 * duplicate key in a mapping is an error.  So is exceeding one of these limits:
 */
enum {
	CONFIG_BYTES_MAX = 1 << 20,	/* of a file */
	CONFIG_VALUES_MAX = 1 << 18,	/* in all, aliases expanded */
	CONFIG_DEPTH_MAX = 100,
	CONFIG_ANCHORS_MAX = 256,
	CONFIG_DIRECTIVES_MAX = 16,	/* %TAG */
	CONFIG_LEVELS_MAX = 4
};

enum { CONFIG_LOCAL, CONFIG_SHARED };	/* levels of config_load() */

enum config_kind { CONFIG_TEXT, CONFIG_LIST, CONFIG_MAPPING };

struct config_value {
	enum config_kind kind;
	const char *file;		/* in which the value is */
	size_t line;			/* from 1 */
	struct span text;		/* NUL-terminated, without NULs in it */
	bool is_null;			/* empty, ~ or null, without quotes */
	struct config_item *items;	/* of a list or a mapping, in order */
	size_t n;

	/* Private to config.c. */
	char *text_storage;
	size_t cap;
	uint32_t size, height;		/* of the tree with this root */
	struct config_value *previous;	/* in the list of all values */
};

struct config_item {
	struct span key;		/* of a mapping; NUL-terminated */
	size_t line, column;		/* of the key, from 1 */
	const struct config_value *value;
};

/* Start with { 0 }.  It owns all values, which live until config_release(). */
struct config {
	const struct config_value *levels[CONFIG_LEVELS_MAX];	/* mappings */
	size_t n;

	/* Private to config.c. */
	struct config_value *newest;	/* of the list of all values */
	char *files[CONFIG_LEVELS_MAX];
	struct buf why;
};

/*
 * Reads local.yml of a store (the directory .perun) and shared.yml.  A missing
 * file counts as an empty one.  False on an error: *why is then the message,
 * "FILE:LINE:COLUMN: what is wrong", borrowed from the config.
 */
bool config_load(struct config *, const char *store, const char **why);
void config_release(struct config *);

/* Adds a level from a file.  A missing file and errors are as above. */
bool config_load_file(struct config *, const char *path, const char **why);

/* Adds a level from a text; file is its name in messages. */
bool config_add(struct config *, const char *file, struct span yaml,
    const char **why);

/* The value of a dotted key such as "vcs.url" in one level, or NULL. */
const struct config_value *config_at(const struct config *, size_t level,
    const char *key);

/*
 * The value of a dotted key in the first level that has it, or NULL.  Perun
 * calls this look-up recursive.
 */
const struct config_value *config_find(const struct config *, const char *key);

/*
 * The lists that all levels have for a key, concatenated (Perun calls this
 * gathered).  A value that is not a list counts as a list of one item.  The
 * result is empty if no level has the key.
 */
const struct config_value *config_gather(struct config *, const char *key);

/* The value of an undotted key; NULL if absent or v is not a mapping. */
const struct config_value *config_in(const struct config_value *v,
    struct span key);

/* Like config_find(), for a text: NULL if absent, null or not a text. */
const char *config_string(const struct config *, const char *key);

/* Like config_find(), for a decimal integer, which is set if CONFIG_FOUND. */
enum config_found { CONFIG_ABSENT, CONFIG_FOUND, CONFIG_INVALID };
enum config_found config_int(const struct config *, const char *key,
    int64_t *);

/* Appends a value as JSON, with every text as a string. */
void config_put_json(struct buf *, const struct config_value *);

#endif
