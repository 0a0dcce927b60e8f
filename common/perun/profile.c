/* profile - makes the stored form of a Perun profile */

#include <string.h>

#include "common/filter/lacks.h"
#include "common/json/items.h"
#include "common/json/json.h"
#include "common/json/recio.h"
#include "common/perun/flatten.h"
#include "common/perun/profile.h"
#include "common/perun/pyjson.h"

/* The keys of a profile; those of a `profile` record are in profile.h. */
#define DOCUMENT_KEYS(K)						\
	K(ORIGIN, "origin") K(HEADER, "header")				\
	K(COLLECTOR, "collector_info")					\
	K(POSTPROCESSORS, "postprocessors") K(RESOURCES, "resources")	\
	K(SNAPSHOTS, "snapshots") K(GLOBAL, "global")			\
	K(TYPE_MAP, "resource_type_map") K(MODELS, "models")		\
	K(LACKS, "lacks")
enum { BEFORE_DOCUMENT = PROFILE_RECORD_KEYS - 1, DOCUMENT_KEYS(KEY_INDEX) };
const char *const profile_keys[] = { "type", PROFILE_KEYS(KEY_TEXT)
    DOCUMENT_KEYS(KEY_TEXT) NULL };

/* The keys of the header. */
#define HEADER_KEYS(K)							\
	K(CMD, "cmd") K(ARGS, "args") K(WORKLOAD, "workload")		\
	K(LABEL, "label")
KEY_LIST(header_keys, HEADER_KEYS);

/* The keys of the collector and of postprocessors. */
#define NAME_KEYS(K) K(NAME, "name")
KEY_LIST(name_keys, NAME_KEYS);

void
profile_init(struct profile *p)
{
	*p = (struct profile){ .recio = recio_new(profile_keys),
	    .header_recio = recio_new(header_keys),
	    .name_recio = recio_new(name_keys) };
	recio_accept_python(p->recio);
}

void
profile_release(struct profile *p)
{
	recio_free(p->recio);
	recio_free(p->header_recio);
	recio_free(p->name_recio);
	arena_release(&p->arena);
	buf_release(&p->postprocessors);
	buf_release(&p->names);
	buf_release(&p->body);
}

static bool
copy_string(struct profile *p, const struct rec *r, unsigned key,
    struct span *to)
{
	struct span s;

	if (rec_str(r, key, &s) != REC_OK)
		return false;
	*to = arena_span(&p->arena, s);
	return true;
}

/* Returns what is missing or invalid, or NULL. */
static const char *
read_header(struct profile *p, const struct rec *r)
{
	const struct rec *header = recio_member(p->header_recio, r, HEADER);
	const struct rec *collector;

	if (header == NULL)
		return "there is no object 'header'";
	if (!copy_string(p, header, KEY_TYPE, &p->type))
		return "there is no string 'type' in the header";
	if (p->type.n == 0 || memchr(p->type.p, ' ', p->type.n) != NULL ||
	    memchr(p->type.p, '\0', p->type.n) != NULL)
		return "the type in the header is empty or has spaces";
	if (!copy_string(p, header, CMD, &p->cmd))
		return "there is no string 'cmd' in the header";
	p->args = p->workload = p->label = span_of("", 0);
	copy_string(p, header, ARGS, &p->args);
	copy_string(p, header, WORKLOAD, &p->workload);
	copy_string(p, header, LABEL, &p->label);
	collector = recio_member(p->name_recio, r, COLLECTOR);
	if (collector == NULL ||
	    !copy_string(p, collector, NAME, &p->collector))
		return "there is no string 'name' in 'collector_info'";
	return NULL;
}

/* Joins the names of the postprocessors; returns what is missing, or NULL. */
static const char *
read_postprocessors(struct profile *p, const struct rec *r)
{
	const struct field *list = rec_get(r, POSTPROCESSORS);
	struct span rest, item, name;
	const struct rec *postprocessor;
	const char *why;
	size_t n = 0;

	p->postprocessors.len = p->names.len = 0;
	if (list == NULL || list->kind != REC_ARRAY)
		return "there is no array 'postprocessors'";
	for (rest = list->token; items_next(&rest, &item); n++) {
		postprocessor = recio_parse(p->name_recio, item, &why);
		if (postprocessor == NULL ||
		    rec_str(postprocessor, NAME, &name) != REC_OK)
			return "a postprocessor has no string 'name'";
		if (n > 0)
			buf_char(&p->postprocessors, ' ');
		buf_add(&p->postprocessors, name.p, name.n);
		buf_char(&p->names, n > 0 ? ',' : '[');
		json_quote(&p->names, name);
	}
	buf_str(&p->names, n > 0 ? "]" : "[]");
	return NULL;
}

/*
 * A region is a part of an unflattened profile with resources of its own:
 * `global` or a snapshot.  Its values are JSON.
 */
struct region {
	struct span time, resources, models;	/* empty if absent */
};

/* Reads a region.  Its time defaults to "0.0", a string, as in Perun. */
static struct region
read_region(struct span token)
{
	struct region g = { .time = span_str("\"0.0\"") };
	struct span key, value;

	if (token.n == 0 || token.p[0] != '{')
		return g;
	while (items_next_member(&token, &key, &value)) {
		if (span_eq(key, "\"time\""))
			g.time = value;
		else if (span_eq(key, "\"resources\""))
			g.resources = value;
		else if (span_eq(key, "\"models\""))
			g.models = value;
	}
	return g;
}

/* False if the region has no resources, or an invalid one. */
static bool
add_region(struct flatten *f, const struct region *g, struct span snapshot)
{
	return g->resources.n > 0 && g->resources.p[0] == '[' &&
	    flatten_add(f, g->resources, g->time, snapshot);
}

/* Adds the resources of an array of snapshots, numbered from 0. */
static bool
add_snapshots(struct flatten *f, struct span rest)
{
	struct buf number = { 0 };
	struct region snapshot;
	struct span item;
	bool ok = true;

	for (uint64_t i = 0; ok && items_next(&rest, &item); i++) {
		number.len = 0;
		buf_u64(&number, i);
		snapshot = read_region(item);
		ok = add_region(f, &snapshot, buf_span(&number));
	}
	buf_release(&number);
	return ok;
}

/*
 * Adds the resources of all regions in the order of the document, because this
 * order determines the numbers of the types.  A `global` that is empty or not
 * an object is ignored.
 */
static bool
add_resources(struct flatten *f, const struct rec *r,
    const struct region *global)
{
	const struct span none = span_of(NULL, 0);
	const struct field *field = r->fields, *end = field + r->n;
	struct span rest, key, value;
	bool ok = true;

	for (; ok && field < end; field++) {
		rest = field->token;
		if (field == rec_get(r, SNAPSHOTS))
			ok = field->kind == REC_ARRAY &&
			    add_snapshots(f, field->token);
		else if (field == rec_get(r, GLOBAL) &&
		    field->kind == REC_OBJECT &&
		    items_next_member(&rest, &key, &value))
			ok = add_region(f, global, none);
		else if (field == rec_get(r, RESOURCES) &&
		    field->kind == REC_ARRAY)
			ok = flatten_add(f, field->token, none, none);
	}
	return ok;
}

/*
 * Begins the flattened document with what is written in another form; returns
 * why it is not valid, or NULL.
 */
static const char *
begin_flat(struct profile *p, const struct rec *r)
{
	const struct field *map = rec_get(r, TYPE_MAP);
	const struct field *models = rec_get(r, MODELS);
	const struct field *resources = rec_get(r, RESOURCES);
	const struct field *global_field = rec_get(r, GLOBAL);
	struct region global = { 0 };
	struct flatten f;
	struct buf *b = &p->body;
	size_t at;
	bool ok;

	if (global_field != NULL)
		global = read_region(global_field->token);
	flatten_init(&f);
	ok = add_resources(&f, r, &global);

	/* Resources that are already in this form come first. */
	buf_str(b, "{\"resources\": {");
	at = b->len;
	if (resources != NULL && resources->kind == REC_OBJECT) {
		pyjson_put(b, resources->token);
		/* Only the members, without the braces around them. */
		memmove(b->data + at, b->data + at + 1, b->len - at - 2);
		b->len -= 2;
	}
	if (f.n_types > 0 && b->len > at)
		buf_str(b, ", ");
	flatten_put_resources(&f, b);

	buf_str(b, "}, \"resource_type_map\": ");
	if (map != NULL) {
		pyjson_put(b, map->token);
	} else {
		buf_char(b, '{');
		flatten_put_types(&f, b);
		buf_char(b, '}');
	}
	flatten_release(&f);

	/* The profile's own models count, not those of `global`. */
	buf_str(b, ", \"models\": ");
	if (models != NULL)
		pyjson_put(b, models->token);
	else if (global.models.n > 0)
		pyjson_put(b, global.models);
	else
		buf_str(b, "[]");
	return ok ? NULL : "a resource has no uid or a region has no resources";
}

bool
profile_is_document(const struct rec *r)
{
	return rec_get(r, HEADER) != NULL;
}

const char *
profile_number_error(const struct rec *r)
{
	return r->too_great.p != NULL ? "a number is too great for a double: "
	    "Python would write Infinity in its place" : NULL;
}

/* Sets the strings; false if the record is not a valid profile. */
static bool
describe(struct profile *p, const struct rec *r, const char **why)
{
	arena_reset(&p->arena);
	p->origin = span_of(NULL, 0);
	*why = read_header(p, r);
	if (*why == NULL)
		*why = read_postprocessors(p, r);
	copy_string(p, r, ORIGIN, &p->origin);
	return *why == NULL;
}

bool
profile_describe(struct profile *p, struct span text, const char **why)
{
	const struct rec *r = recio_parse(p->recio, text, why);

	return r != NULL && describe(p, r, why) &&
	    (*why = profile_number_error(r)) == NULL;
}

/*
 * Is the field `origin` or "type": "profile", which no stored document has, or
 * one that begin_flat() has written in another form?
 */
static bool
is_left_out(const struct rec *r, const struct field *f, bool flat)
{
	static const unsigned keys[] = { ORIGIN, RESOURCES, SNAPSHOTS, GLOBAL,
	    TYPE_MAP, MODELS };
	size_t n = flat ? sizeof keys / sizeof *keys : 1;

	for (size_t i = 0; i < n; i++)
		if (f == rec_get(r, keys[i]))
			return true;
	return f == rec_get(r, KEY_TYPE) && rec_is(r, "profile");
}

bool
profile_make(struct profile *p, const struct rec *r, bool flat,
    const char **why)
{
	struct buf *b = &p->body;
	const struct field *f = r->fields;

	b->len = 0;
	if (!describe(p, r, why))
		return false;
	if (flat)
		*why = begin_flat(p, r);
	else
		buf_char(b, '{');
	for (; f < r->fields + r->n; f++) {
		if (is_left_out(r, f, flat))
			continue;
		if (b->len > 1)
			buf_str(b, ", ");
		pyjson_string(b, f->key);
		buf_str(b, ": ");
		pyjson_put(b, f->token);
	}
	buf_char(b, '}');
	return *why == NULL;
}

unsigned
profile_lacks(const struct rec *r)
{
	return lacks_read(r, rec_get(r, LACKS));
}

void
profile_strings(const struct profile *p, struct arena *arena,
    struct pidx_entry *e)
{
	struct span *strings = e->strings;

	strings[PIDX_TYPE] = p->type;
	strings[PIDX_CMD] = p->cmd;
	strings[PIDX_ARGS] = p->args;
	strings[PIDX_WORKLOAD] = p->workload;
	strings[PIDX_LABEL] = p->label;
	strings[PIDX_COLLECTOR] = p->collector;
	strings[PIDX_POSTPROCESSORS] = buf_span(&p->postprocessors);
	for (int i = 0; i < PIDX_N_STRINGS; i++)
		strings[i] = arena_span(arena, strings[i]);
	e->postprocessors = arena_span(arena, buf_span(&p->names));
}
