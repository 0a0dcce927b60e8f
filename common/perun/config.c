/* config - reads settings in YAML */

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "common/base/err.h"
#include "common/base/mem.h"
#include "common/base/sort.h"
#include "common/json/json.h"
#include "common/perun/config.h"
#include "common/perun/store.h"

/*
 * libyaml parses a file into events: the start of a mapping, a scalar, an alias
 * and so on.  A recursive descent over the events builds a tree of values.
 * read_value() starts with the current event, r->event, as the first one of a
 * value and returns with the last one of that value:
 *
 *	a: [x, *b]	MAPPING-START  SCALAR(a)  SEQUENCE-START  SCALAR(x)
 *			ALIAS(b)  SEQUENCE-END  MAPPING-END
 *
 * An alias is a pointer to the value of its anchor, so the result is a graph
 * without cycles.  A file of a few lines can therefore describe a tree of any
 * size (the "billion laughs" attack); the size and height of each value, with
 * aliases expanded, are computed bottom-up and limited.
 */
struct anchor {
	const char *name;
	const struct config_value *value;	/* incomplete if height is 0 */
};

struct reader {
	struct config *config;
	const char *file;
	struct span yaml;
	yaml_parser_t parser;
	yaml_event_t event;		/* the current one */
	struct anchor anchors[CONFIG_ANCHORS_MAX];
	size_t n_anchors;
	uint32_t n_values;		/* with aliases and merged keys */
};

/* Sets the message (line and column count from 1) and returns false. */
static PRINTF_LIKE(4, 5) bool
fail(struct reader *r, size_t line, size_t column, const char *fmt, ...)
{
	struct buf *why = &r->config->why;
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	why->len = 0;
	buf_printf(why, "%s:%zu:%zu: %s", r->file, line, column, text);
	buf_cstr(why);
	return false;
}

static bool
fail_here(struct reader *r, const char *what)
{
	yaml_mark_t at = r->event.start_mark;

	return fail(r, at.line + 1, at.column + 1, "%s", what);
}

/* For an error in the encoding, libyaml reports an offset but no line. */
static bool
fail_at_offset(struct reader *r, size_t offset, const char *what)
{
	size_t line = 1, column = 1;

	for (size_t i = 0; i < offset && i < r->yaml.n; i++) {
		column = r->yaml.p[i] == '\n' ? 1 : column + 1;
		line += r->yaml.p[i] == '\n';
	}
	return fail(r, line, column, "%s", what);
}

static bool
next_event(struct reader *r)
{
	const yaml_parser_t *p = &r->parser;

	yaml_event_delete(&r->event);
	if (yaml_parser_parse(&r->parser, &r->event))
		return true;
	if (p->error == YAML_MEMORY_ERROR)
		die("out of memory");
	if (p->error == YAML_READER_ERROR)
		return fail_at_offset(r, p->problem_offset, p->problem);
	return fail(r, p->problem_mark.line + 1, p->problem_mark.column + 1,
	    "%s%s%s", p->context != NULL ? p->context : "",
	    p->context != NULL ? ", " : "", p->problem);
}

static struct config_value *
new_value(struct config *c, enum config_kind kind, const char *file,
    size_t line)
{
	struct config_value *v = mem_alloc(sizeof *v);

	*v = (struct config_value){ .kind = kind, .file = file, .line = line,
	    .size = 1, .previous = c->newest };
	c->newest = v;
	return v;
}

static void
add_item(struct config_value *to, struct config_item item)
{
	to->items = mem_grow(to->items, &to->cap, to->n + 1,
	    sizeof *to->items);
	to->items[to->n++] = item;
}

static bool
count_values(struct reader *r, uint32_t n)
{
	r->n_values += n;
	if (r->n_values > CONFIG_VALUES_MAX)
		return fail_here(r, "there are too many values");
	return true;
}

/*
 * With aliases expanded.  The limits bound the length of a value's output and
 * the depth of the recursion over it.
 */
static bool
compute_size(struct reader *r, struct config_value *v)
{
	const struct config_value *item;

	v->height = 1;
	for (size_t i = 0; i < v->n; i++) {
		item = v->items[i].value;
		v->size += item->size;
		if (v->size > CONFIG_VALUES_MAX)
			return fail_here(r, "there are too many values, with "
			    "aliases expanded");
		if (v->height < item->height + 1)
			v->height = item->height + 1;
	}
	if (v->height > CONFIG_DEPTH_MAX)
		return fail_here(r, "values are nested too deeply");
	return true;
}

/* An anchor may be redefined; read_alias() finds the last definition. */
static bool
set_anchor(struct reader *r, const yaml_char_t *name,
    const struct config_value *v)
{
	if (name == NULL)
		return true;
	if (r->n_anchors == CONFIG_ANCHORS_MAX)
		return fail_here(r, "there are too many anchors");
	r->anchors[r->n_anchors++] = (struct anchor){ arena_span(
	    &r->config->texts, span_str((const char *)name)).p, v };
	return true;
}

static bool
read_alias(struct reader *r, const struct config_value **value)
{
	const char *name = (const char *)r->event.data.alias.anchor;
	size_t i = r->n_anchors;

	while (i > 0 && strcmp(r->anchors[i - 1].name, name) != 0)
		i--;
	if (i == 0)
		return fail_here(r, "the alias has no anchor");
	*value = r->anchors[i - 1].value;
	if ((*value)->height == 0)
		return fail_here(r, "the alias is in the value of its anchor");
	return count_values(r, 1);
}

static bool
read_text(struct reader *r, struct config_value *v)
{
	const char *p = (const char *)r->event.data.scalar.value;
	size_t n = r->event.data.scalar.length;

	if (memchr(p, '\0', n) != NULL)
		return fail_here(r, "the text contains a NUL character");
	v->text = arena_span(&r->config->texts, span_of(p, n));
	v->is_null = r->event.data.scalar.plain_implicit &&
	    r->event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
	    (n == 0 || span_eq(v->text, "~") || span_eq(v->text, "null") ||
	    span_eq(v->text, "Null") || span_eq(v->text, "NULL"));
	v->height = 1;
	return true;
}

static bool read_value(struct reader *, uint32_t, const struct config_value **);

static bool
read_list(struct reader *r, uint32_t depth, struct config_value *v)
{
	const struct config_value *item;

	for (;;) {
		if (!next_event(r))
			return false;
		if (r->event.type == YAML_SEQUENCE_END_EVENT)
			return compute_size(r, v);
		if (!read_value(r, depth, &item))
			return false;
		add_item(v, (struct config_item){ .value = item });
	}
}

/* Appends the items of a mapping; remove_overridden() removes duplicates. */
static bool
merge_mapping(struct reader *r, struct config_value *to,
    const struct config_value *from)
{
	if (from->kind != CONFIG_MAPPING)
		return fail_here(r, "<< needs a mapping or a list of mappings");
	if (!count_values(r, (uint32_t)from->n))
		return false;
	for (size_t i = 0; i < from->n; i++)
		add_item(to, from->items[i]);
	return true;
}

/* Compares by key, then by position in the mapping. */
static int
compare_items(const void *a, const void *b)
{
	const struct config_item *x = *(struct config_item *const *)a;
	const struct config_item *y = *(struct config_item *const *)b;
	return strcmp(x->key.p, y->key.p) ?: (x > y) - (x < y);
}

/*
 * Removes merged items whose key the mapping itself or an earlier merge
 * defines.  The first n_own items are the mapping's own, among which no key may
 * occur twice; the merged ones follow.
 */
static bool
remove_overridden(struct reader *r, struct config_value *v, size_t n_own)
{
	struct config_item **sorted = mem_resize(NULL, v->n, sizeof *sorted);
	struct config_item *first = NULL, *item;
	bool ok = true;
	size_t n_kept = 0;

	for (size_t i = 0; i < v->n; i++)
		sorted[i] = &v->items[i];
	sort(sorted, v->n, sizeof *sorted, compare_items);
	for (size_t i = 0; ok && i < v->n; i++) {
		item = sorted[i];
		if (first == NULL || strcmp(item->key.p, first->key.p) != 0)
			first = item;
		else if (item < v->items + n_own)
			ok = fail(r, item->line, item->column,
			    "the key '%.*s' occurs twice", SPAN_ARG(item->key));
		else
			item->value = NULL;
	}
	free(sorted);

	for (size_t i = 0; i < v->n; i++)
		if (v->items[i].value != NULL)
			v->items[n_kept++] = v->items[i];
	v->n = n_kept;
	return ok;
}

/*
 * Reads a key, whose event is the current one, and its value.  Adds the pair to
 * v or, if the key is <<, the items of the value (a mapping or a list of
 * mappings) to merged.
 */
static bool
read_pair(struct reader *r, uint32_t depth, struct config_value *v,
    struct config_value *merged)
{
	const struct config_value *key, *value;
	const yaml_event_t *e = &r->event;
	yaml_mark_t at = e->start_mark;
	bool is_merge = e->type == YAML_SCALAR_EVENT &&
	    e->data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
	    strcmp((const char *)e->data.scalar.value, "<<") == 0;

	if (!read_value(r, depth, &key))
		return false;
	if (key->kind != CONFIG_TEXT)
		return fail(r, at.line + 1, at.column + 1,
		    "the key is a list or a mapping");
	if (!next_event(r) || !read_value(r, depth, &value))
		return false;

	if (!is_merge) {
		add_item(v, (struct config_item){ key->text, at.line + 1,
		    at.column + 1, value });
		return true;
	}
	if (value->kind != CONFIG_LIST)
		return merge_mapping(r, merged, value);
	for (size_t i = 0; i < value->n; i++)
		if (!merge_mapping(r, merged, value->items[i].value))
			return false;
	return true;
}

static bool
read_mapping(struct reader *r, uint32_t depth, struct config_value *v)
{
	struct config_value merged = { .kind = CONFIG_MAPPING };
	size_t n_own;
	bool ok;

	while ((ok = next_event(r)) &&
	    r->event.type != YAML_MAPPING_END_EVENT)
		if (!(ok = read_pair(r, depth, v, &merged)))
			break;
	n_own = v->n;
	ok = ok && merge_mapping(r, v, &merged) &&
	    remove_overridden(r, v, n_own) && compute_size(r, v);
	free(merged.items);
	return ok;
}

/*
 * The current event is the first one of the value and, on return, its last.
 * depth is the number of lists and mappings around the value.
 */
static bool
read_value(struct reader *r, uint32_t depth, const struct config_value **value)
{
	const yaml_event_t *e = &r->event;
	size_t line = e->start_mark.line + 1;
	const yaml_char_t *anchor;
	struct config_value *v;

	if (e->type == YAML_ALIAS_EVENT)
		return read_alias(r, value);
	if (depth == CONFIG_DEPTH_MAX)
		return fail_here(r, "values are nested too deeply");
	if (!count_values(r, 1))
		return false;
	v = new_value(r->config, CONFIG_TEXT, r->file, line);
	*value = v;
	switch (e->type) {
	case YAML_SEQUENCE_START_EVENT:
		v->kind = CONFIG_LIST;
		anchor = e->data.sequence_start.anchor;
		return set_anchor(r, anchor, v) && read_list(r, depth + 1, v);
	case YAML_MAPPING_START_EVENT:
		v->kind = CONFIG_MAPPING;
		anchor = e->data.mapping_start.anchor;
		return set_anchor(r, anchor, v) &&
		    read_mapping(r, depth + 1, v);
	case YAML_SCALAR_EVENT:
		return set_anchor(r, e->data.scalar.anchor, v) &&
		    read_text(r, v);
	default:
		bug("libyaml's event %d does not begin a value", (int)e->type);
	}
}

/* A file that is empty or has only comments is an empty mapping. */
static bool
read_root(struct reader *r, const struct config_value **root)
{
	*root = NULL;
	/* Skip the starts of the stream and of the document. */
	if (!next_event(r) || !next_event(r))
		return false;
	if (r->event.type != YAML_STREAM_END_EVENT) {
		if (!next_event(r) || !read_value(r, 0, root))
			return false;
		/* Expect the ends of the document and of the stream. */
		if (!next_event(r) || !next_event(r))
			return false;
		if (r->event.type != YAML_STREAM_END_EVENT)
			return fail_here(r, "there is a second document");
	}

	if (*root == NULL || (*root)->is_null)
		*root = new_value(r->config, CONFIG_MAPPING, r->file, 1);
	if ((*root)->kind != CONFIG_MAPPING)
		return fail(r, (*root)->line, 1,
		    "the document is not a mapping");
	return true;
}

/*
 * Limits %TAG directives, for which libyaml takes quadratic time.  Counts the
 * text %TAG wherever it occurs.
 */
static bool
check_directives(struct reader *r)
{
	const char *p = r->yaml.p, *end = p + r->yaml.n;
	size_t n = 0;

	for (; (p = memchr(p, '%', (size_t)(end - p))) != NULL; p++) {
		if (end - p < 4 || memcmp(p, "%TAG", 4) != 0)
			continue;
		if (++n > CONFIG_DIRECTIVES_MAX)
			return fail_at_offset(r, (size_t)(p - r->yaml.p),
			    "there are too many %TAG directives");
	}
	return true;
}

bool
config_add(struct config *c, const char *file, struct span yaml,
    const char **why)
{
	struct reader *r = mem_zero(1, sizeof *r);
	bool ok;

	if (c->n == CONFIG_LEVELS_MAX)
		bug("more than %d levels", CONFIG_LEVELS_MAX);
	r->config = c;
	r->file = arena_span(&c->texts, span_str(file)).p;
	if (yaml.n >= 3 && memcmp(yaml.p, "\xef\xbb\xbf", 3) == 0)
		yaml = span_of(yaml.p + 3, yaml.n - 3);	/* byte order mark */
	r->yaml = span_of(yaml.n > 0 ? yaml.p : "", yaml.n);
	if (!yaml_parser_initialize(&r->parser))
		die("out of memory");
	yaml_parser_set_input_string(&r->parser,
	    (const unsigned char *)r->yaml.p, yaml.n);
	yaml_parser_set_encoding(&r->parser, YAML_UTF8_ENCODING);
	ok = check_directives(r) && read_root(r, &c->levels[c->n]);
	c->n++;
	yaml_event_delete(&r->event);
	yaml_parser_delete(&r->parser);
	free(r);
	*why = c->why.data;
	return ok;
}

bool
config_load_file(struct config *c, const char *path, const char **why)
{
	/* Without O_NONBLOCK, this would wait for a pipe. */
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct buf bytes = { 0 };
	bool ok;

	c->why.len = 0;
	if (!store_read_all(fd, &bytes, CONFIG_BYTES_MAX + 1) &&
	    errno != ENOENT && errno != ENOTDIR)
		buf_printf(&c->why, "cannot read '%s': %s", path,
		    strerror(errno));
	else if (bytes.len > CONFIG_BYTES_MAX)
		buf_printf(&c->why, "'%s' is longer than %d bytes", path,
		    CONFIG_BYTES_MAX);
	*why = buf_cstr(&c->why);
	ok = c->why.len == 0 && config_add(c, path, buf_span(&bytes), why);
	buf_release(&bytes);
	return ok;
}

bool
config_load(struct config *c, const char *store, const char **why)
{
	const char *dir = getenv("PERUN_CONFIG_DIR"), *home = getenv("HOME");
	struct buf local = { 0 }, shared = { 0 };
	bool ok;

	*c = (struct config){ 0 };
	buf_printf(&local, "%s/local.yml", store);
	if (dir != NULL && *dir != '\0')
		buf_printf(&shared, "%s/shared.yml", dir);
	else if (home != NULL && *home != '\0')
		buf_printf(&shared, "%s/.config/perun/shared.yml", home);
	ok = config_load_file(c, buf_cstr(&local), why) &&
	    (shared.len == 0 || config_load_file(c, buf_cstr(&shared), why));
	buf_release(&local);
	buf_release(&shared);
	return ok;
}

void
config_release(struct config *c)
{
	struct config_value *v, *previous;

	for (v = c->newest; v != NULL; v = previous) {
		previous = v->previous;
		free(v->items);
		free(v);
	}
	arena_release(&c->texts);
	buf_release(&c->why);
	*c = (struct config){ 0 };
}

const struct config_value *
config_in(const struct config_value *v, struct span key)
{
	if (v->kind != CONFIG_MAPPING)
		return NULL;
	for (size_t i = 0; i < v->n; i++)
		if (span_compare(v->items[i].key, key) == 0)
			return v->items[i].value;
	return NULL;
}

const struct config_value *
config_at(const struct config *c, size_t level, const char *key)
{
	const struct config_value *v = c->levels[level];
	size_t n;

	for (;; key += n + 1) {
		n = strcspn(key, ".");
		v = config_in(v, span_of(key, n));
		if (v == NULL || key[n] == '\0')
			return v;
	}
}

const struct config_value *
config_find(const struct config *c, const char *key)
{
	const struct config_value *v = NULL;

	for (size_t i = 0; i < c->n && v == NULL; i++)
		v = config_at(c, i, key);
	return v;
}

const struct config_value *
config_gather(struct config *c, const char *key)
{
	struct config_value *all = new_value(c, CONFIG_LIST, "", 0);
	const struct config_value *v;

	for (size_t i = 0; i < c->n; i++) {
		v = config_at(c, i, key);
		if (v == NULL || v->is_null)
			continue;
		if (v->kind != CONFIG_LIST)
			add_item(all, (struct config_item){ .value = v });
		else
			for (size_t j = 0; j < v->n; j++)
				add_item(all, v->items[j]);
	}
	return all;
}

const char *
config_string(const struct config *c, const char *key)
{
	const struct config_value *v = config_find(c, key);

	return v != NULL && v->kind == CONFIG_TEXT && !v->is_null ?
	    v->text.p : NULL;
}

/* Recursive: compute_size() has limited the depth to CONFIG_DEPTH_MAX. */
void
config_put_json(struct buf *b, const struct config_value *v)
{
	static const char brackets[][2] = { [CONFIG_LIST] = { '[', ']' },
	    [CONFIG_MAPPING] = { '{', '}' } };

	if (v->kind == CONFIG_TEXT) {
		json_quote(b, v->text);
		return;
	}
	buf_char(b, brackets[v->kind][0]);
	for (size_t i = 0; i < v->n; i++) {
		if (i > 0)
			buf_char(b, ',');
		if (v->kind == CONFIG_MAPPING) {
			json_quote(b, v->items[i].key);
			buf_char(b, ':');
		}
		config_put_json(b, v->items[i].value);
	}
	buf_char(b, brackets[v->kind][1]);
}
