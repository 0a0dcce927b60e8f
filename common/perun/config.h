#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buf.h"
#include "common/base/mem.h"
#include "common/base/text.h"

/*
 * Settings in YAML files, each of which is a level.  A Perun store has two: its
 * own local.yml and the user's shared.yml for all stores, in $PERUN_CONFIG_DIR
 * or else in ~/.config/perun.  A key is looked up in the levels in order; the
 * first level that has the key counts.
 *
 * Scalars are texts as they were written, because the type of `yes` or `010`
 * depends on the version of YAML.  Aliases and merge keys (<<) are resolved.  A
 * duplicate key in a mapping is an error.  So is a file that exceeds one of
 * these limits:
 */
enum {
	CONFIG_BYTES_MAX = 1 << 20,
	CONFIG_VALUES_MAX = 1 << 18,	/* with aliases expanded */
	CONFIG_DEPTH_MAX = 100,		/* of nested values */
	CONFIG_ANCHORS_MAX = 256,
	CONFIG_DIRECTIVES_MAX = 16,	/* those named %TAG */
	CONFIG_LEVELS_MAX = 4		/* per config; more are a bug */
};

enum { CONFIG_LOCAL, CONFIG_SHARED };	/* levels of config_load() */

enum config_kind { CONFIG_TEXT, CONFIG_LIST, CONFIG_MAPPING };

struct config_value {
	enum config_kind kind;
	const char *file;		/* that contains the value */
	size_t line;			/* from 1 */
	struct span text;		/* NUL-terminated, without NULs in it */
	bool is_null;			/* empty, ~ or null, without quotes */
	struct config_item *items;	/* of a list or a mapping, in order */
	size_t n;

	/* Private to config.c. */
	size_t cap;
	uint32_t size, height;		/* of the tree with this root, aliases
					   expanded: its values, its levels */
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
	struct config_value *newest;	/* end of the list of all values */
	struct arena texts;		/* values, names of files, anchors */
	struct buf why;
};

/*
 * Reads local.yml of a store (the directory .perun) and shared.yml.  A missing
 * file counts as an empty one.  False on an error: *why is then the message,
 * borrowed from the config: "FILE:LINE:COLUMN: what is wrong" or, for a file
 * that cannot be read or is too long, one without a position.
 */
bool config_load(struct config *, const char *store, const char **why);
void config_release(struct config *);

/* Adds a level from a file.  A missing file and errors are as above. */
bool config_load_file(struct config *, const char *path, const char **why);

/* Adds a level from a text; messages use file as the name of the text. */
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
 * gathered).  Null counts as an empty list, any other value that is not a list
 * as a list of one item.  The result, which is not in any file, has the file ""
 * and the line 0; it is empty if no level has the key.
 */
const struct config_value *config_gather(struct config *, const char *key);

/*
 * The value of a key, whose dots are literal, in the mapping v; NULL if it is
 * absent or v is not a mapping.
 */
const struct config_value *config_in(const struct config_value *v,
    struct span key);

/* Like config_find(), for a text: NULL if absent, null or not a text. */
const char *config_string(const struct config *, const char *key);

/* Appends a value as JSON, in which every scalar is a string. */
void config_put_json(struct buf *, const struct config_value *);
