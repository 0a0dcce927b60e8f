/* read - reads samples from records and profiles */

#include <math.h>
#include <stdlib.h>

#include "common/base/num.h"
#include "common/json/items.h"
#include "common/json/recio.h"
#include "common/json/scan.h"
#include "common/perun/profile.h"
#include "filters/perf-diff/number.h"
#include "filters/perf-diff/read.h"

/* The keys of `sample`, `profile` and `version` records. */
enum { UID = KEY_TYPE + 1, VALUE, RESOURCE_TYPE, SUBTYPE, UNIT, CMD, WORKLOAD,
    MACHINE, MINOR_VERSION, PROFILE, HEADER, ID, PARENTS, TIME };
const char *const read_keys[] = { "type", "uid", "value", "resource_type",
    "subtype", "unit", "cmd", "workload", "machine", "minor_version",
    "profile", "header", "id", "parents", "time", NULL };

/* The keys of a profile, of its header, its machine and its resources. */
enum { P_HEADER = KEY_TYPE + 1, P_MACHINE, P_RESOURCES, P_TYPES };
static const char *const document_keys[] = { "type", "header", "machine",
    "resources", "resource_type_map", NULL };
enum { H_CMD = KEY_TYPE + 1, H_ARGS, H_WORKLOAD, H_UNITS };
static const char *const header_keys[] = { "type", "cmd", "args", "workload",
    "units", NULL };
enum { M_HOST = KEY_TYPE + 1 };
static const char *const machine_keys[] = { "type", "host", NULL };
enum { R_SUBTYPE = KEY_TYPE + 1, R_AMOUNT };
static const char *const resource_keys[] = { "type", "subtype", "amount",
    NULL };
static const char *const no_keys[] = { "type", NULL };

/* What the resource_type_map of a profile says of one of its types. */
struct resource_type {
	uint32_t profile;	/* the number of that profile */
	sym type, subtype;
};

struct staged {
	uint32_t key;
	double value;
};

struct reader {
	struct samples *samples;
	struct recio *document, *header, *machine, *members, *resource;
	struct recio *unflattened;	/* parses with profile_keys */
	struct profile profile;		/* flattens old profiles */

	/* Of the current profile. */
	uint32_t number;
	sym parts[N_PARTS];
	struct span units;		/* a token; empty if absent */
	struct resource_type *types;	/* by symbol of the name */
	size_t types_cap;
	struct intern names;		/* of types */
	struct staged *staged;		/* added if the profile is valid */
	size_t n_staged, staged_cap;
	struct buf text;
};

struct reader *
reader_new(struct samples *s)
{
	struct reader *r = mem_zero(1, sizeof *r);

	r->samples = s;
	r->document = recio_new(document_keys);
	r->header = recio_new(header_keys);
	r->machine = recio_new(machine_keys);
	r->members = recio_new(no_keys);
	r->resource = recio_new(resource_keys);
	r->unflattened = recio_new(profile_keys);
	profile_init(&r->profile);
	intern_init(&r->names);
	return r;
}

void
reader_free(struct reader *r)
{
	recio_free(r->document);
	recio_free(r->header);
	recio_free(r->machine);
	recio_free(r->members);
	recio_free(r->resource);
	recio_free(r->unflattened);
	profile_release(&r->profile);
	intern_release(&r->names);
	buf_release(&r->text);
	free(r->types);
	free(r->staged);
	free(r);
}

/* --- profiles ------------------------------------------------------------- */

/* The symbol of a string member; SYM_NONE if it is absent or no string. */
static sym
intern_part(struct reader *r, const struct rec *rec, unsigned key)
{
	struct span text;

	return rec_str(rec, key, &text) == REC_OK ?
	    intern_add(&r->samples->texts, text) : SYM_NONE;
}

/* Parses a member that is an object; NULL if it is not one. */
static const struct rec *
read_member(struct recio *recio, const struct rec *rec, unsigned key)
{
	const struct field *f = rec_get(rec, key);
	const char *why;

	return f == NULL || f->kind != REC_OBJECT ? NULL :
	    recio_parse(recio, f->token, &why);
}

/* The command with its arguments, which old profiles have separately. */
static void
read_command(struct reader *r, const struct rec *header)
{
	struct span cmd, args;

	if (rec_str(header, H_CMD, &cmd) != REC_OK)
		return;
	r->text.len = 0;
	buf_add(&r->text, cmd.p, cmd.n);
	if (rec_str(header, H_ARGS, &args) == REC_OK && args.n > 0) {
		buf_char(&r->text, ' ');
		buf_add(&r->text, args.p, args.n);
	}
	r->parts[PART_CMD] = intern_add(&r->samples->texts,
	    buf_span(&r->text));
}

/* Reads the parts of keys that are the same for all resources. */
static const char *
read_header(struct reader *r, const struct rec *document)
{
	const struct rec *header = read_member(r->header, document, P_HEADER);
	const struct rec *machine;
	const struct field *units;

	if (header == NULL)
		return "the profile has no object 'header'";
	for (unsigned i = 0; i < N_PARTS; i++)
		r->parts[i] = SYM_NONE;
	read_command(r, header);
	r->parts[PART_WORKLOAD] = intern_part(r, header, H_WORKLOAD);
	units = rec_get(header, H_UNITS);
	r->units = units != NULL && units->kind == REC_OBJECT ? units->token :
	    span_of("", 0);
	machine = read_member(r->machine, document, P_MACHINE);
	if (machine != NULL)
		r->parts[PART_MACHINE] = intern_part(r, machine, M_HOST);
	return NULL;
}

/*
 * The unit of a resource: that of its type or, as in a profile of type mixed,
 * of "mixed(subtype)".
 */
static sym
find_unit(struct reader *r, sym type, sym subtype)
{
	struct intern *texts = &r->samples->texts;
	struct span rest = r->units, key, value, wanted;
	struct buf *b = &r->text;

	if (rest.n == 0 || type == SYM_NONE)
		return SYM_NONE;
	b->len = 0;
	buf_printf(b, "\"%s\"", intern_str(texts, type));
	if (subtype != SYM_NONE)
		buf_printf(b, "\"%s(%s)\"", intern_str(texts, type),
		    intern_str(texts, subtype));
	wanted = intern_span(texts, type);
	while (items_next_member(&rest, &key, &value)) {
		if (value.n < 2 || value.p[0] != '"')
			continue;
		if ((key.n == wanted.n + 2 &&
		    memcmp(key.p, b->data, key.n) == 0) ||
		    (key.n == b->len - wanted.n - 2 &&
		    memcmp(key.p, b->data + wanted.n + 2, key.n) == 0))
			return intern_add(texts, span_of(value.p + 1,
			    value.n - 2));
	}
	return SYM_NONE;
}

/* Reads what the types of resources are, by their names. */
static void
read_types(struct reader *r, const struct rec *document)
{
	const struct rec *map = read_member(r->members, document, P_TYPES);
	const struct rec *type;
	const char *why;
	sym name;

	r->number++;
	for (size_t i = 0; map != NULL && i < map->n; i++) {
		name = intern_add(&r->names, map->fields[i].key);
		r->types = mem_grow(r->types, &r->types_cap, r->names.n,
		    sizeof *r->types);
		r->types[name] = (struct resource_type){ r->number, SYM_NONE,
		    SYM_NONE };
		type = recio_parse(r->resource, map->fields[i].token, &why);
		if (type == NULL)
			continue;
		r->types[name].type = intern_part(r, type, KEY_TYPE);
		r->types[name].subtype = intern_part(r, type, R_SUBTYPE);
	}
}

/* The key of the resources of a type, which is named "uid#number". */
static uint32_t
find_key(struct reader *r, struct span name)
{
	sym symbol = intern_find(&r->names, name);
	struct resource_type none = { 0, SYM_NONE, SYM_NONE }, *type = &none;
	struct span uid = name;

	for (size_t i = name.n; i-- > 0;)
		if (name.p[i] == '#') {
			uid.n = i;
			break;
		}
	if (symbol != SYM_NONE && r->types[symbol].profile == r->number)
		type = &r->types[symbol];
	r->parts[PART_UID] = intern_add(&r->samples->texts, uid);
	r->parts[PART_RESOURCE_TYPE] = type->type;
	r->parts[PART_SUBTYPE] = type->subtype;
	r->parts[PART_UNIT] = find_unit(r, type->type, type->subtype);
	return samples_key(r->samples, r->parts);
}

/* Why a value is not a sample; NULL if it is. */
static const char *
check_value(double value)
{
	return !isfinite(value) ? "the value is not finite" :
	    value < 0 ? "the value is negative" : NULL;
}

static const char *
stage_amounts(struct reader *r, struct span name, struct span resource)
{
	const char *why;
	const struct rec *rec = recio_parse(r->resource, resource, &why);
	const struct field *amount;
	struct span rest, item;
	uint32_t key;
	double value;

	if (rec == NULL)
		return why;
	amount = rec_get(rec, R_AMOUNT);
	if (amount == NULL)
		return NULL;
	if (amount->kind != REC_ARRAY)
		return "the amount of a resource is not an array";
	key = find_key(r, name);
	for (rest = amount->token; items_next(&rest, &item);) {
		if (!number_read(item, &value))
			return "an amount is not a number";
		if ((why = check_value(value)) != NULL)
			return why;
		r->staged = mem_grow(r->staged, &r->staged_cap,
		    r->n_staged + 1, sizeof *r->staged);
		r->staged[r->n_staged++] = (struct staged){ key, value };
	}
	return NULL;
}

/* Stages the samples of a flattened document. */
static const char *
stage_document(struct reader *r, const struct rec *document)
{
	const struct rec *resources;
	const char *why = read_header(r, document);

	if (why != NULL)
		return why;
	read_types(r, document);
	resources = read_member(r->members, document, P_RESOURCES);
	for (size_t i = 0; why == NULL && resources != NULL &&
	    i < resources->n; i++)
		why = stage_amounts(r, resources->fields[i].key,
		    resources->fields[i].token);
	return why;
}

/* Parses a profile, after flattening it if it is not; NULL on an error. */
static const struct rec *
parse_flat(struct reader *r, struct span text, const char **why)
{
	const struct rec *document = recio_parse(r->document, text, why);
	const struct field *resources;

	if (document == NULL)
		return NULL;
	resources = rec_get(document, P_RESOURCES);
	if (resources != NULL && resources->kind == REC_OBJECT)
		return document;
	document = recio_parse(r->unflattened, text, why);
	if (document == NULL || !profile_make(&r->profile, document, true,
	    why))
		return NULL;
	return recio_parse(r->document, buf_span(&r->profile.body), why);
}

const char *
reader_add_profile(struct reader *r, struct span text, uint32_t version)
{
	const char *why;
	const struct rec *document = parse_flat(r, text, &why);

	r->n_staged = 0;
	if (document == NULL)
		return why;
	if ((why = stage_document(r, document)) != NULL)
		return why;
	for (size_t i = 0; i < r->n_staged; i++)
		samples_add(r->samples, r->staged[i].key,
		    r->staged[i].value, version);
	return NULL;
}

/* --- records -------------------------------------------------------------- */

/* Sets the version of a record's samples; returns why it has none, or NULL. */
static const char *
find_version(struct reader *r, const struct rec *rec, uint32_t side,
    uint32_t *version)
{
	struct span id;

	*version = side;
	if (side != INDEX_NONE)
		return NULL;
	if (rec_str(rec, MINOR_VERSION, &id) != REC_OK || id.n == 0)
		return "minor_version is missing or not a string";
	*version = samples_version(r->samples, id);
	r->samples->versions[*version].has_samples = true;
	return NULL;
}

static const char *
read_sample(struct reader *r, const struct rec *rec, uint32_t side)
{
	static const unsigned keys[N_PARTS] = { UID, RESOURCE_TYPE, SUBTYPE,
	    UNIT, CMD, WORKLOAD, MACHINE };
	const struct field *f = rec_get(rec, VALUE);
	sym parts[N_PARTS];
	uint32_t version;
	const char *why;
	double value;

	for (unsigned i = 0; i < N_PARTS; i++)
		parts[i] = intern_part(r, rec, keys[i]);
	if (parts[PART_UID] == SYM_NONE)
		return "uid is not a string";
	if (f == NULL || f->kind != REC_NUMBER || !number_read(f->text, &value))
		return "value is missing or not a number";
	if ((why = check_value(value)) != NULL ||
	    (why = find_version(r, rec, side, &version)) != NULL)
		return why;
	samples_add(r->samples, samples_key(r->samples, parts), value,
	    version);
	return NULL;
}

static const char *
read_version(struct reader *r, const struct rec *rec)
{
	struct samples *s = r->samples;
	const struct span *parents;
	struct span id;
	uint32_t version, parent;
	size_t n;

	if (rec_str(rec, ID, &id) != REC_OK || id.n == 0)
		return "the id of a version is not a string";
	if (rec_strings(rec, PARENTS, &parents, &n) != REC_OK)
		return "the parents of a version are not strings";
	version = samples_version(s, id);
	parent = n > 0 ? samples_version(s, parents[0]) : INDEX_NONE;
	s->versions[version].parent = parent;
	s->versions[version].is_record = true;
	if (rec_int(rec, TIME, &s->versions[version].time_s) != REC_OK)
		s->versions[version].time_s = INT_UNKNOWN;
	if (s->head == INDEX_NONE)
		s->head = version;
	return NULL;
}

static const char *
read_profile(struct reader *r, const struct rec *rec, struct span document,
    uint32_t side)
{
	uint32_t version;
	const char *why = find_version(r, rec, side, &version);

	return why != NULL ? why : reader_add_profile(r, document, version);
}

static void
read_record(struct reader *r, struct filter *f, struct span text,
    uint32_t side)
{
	const struct rec *rec = filter_record(f, text);
	const struct field *profile;
	const char *why = NULL;

	if (rec == NULL || filter_consume_boundary(f, rec))
		return;
	profile = rec_get(rec, PROFILE);
	if (rec_get(rec, HEADER) != NULL)
		why = read_profile(r, rec, text, side);
	else if (rec_is(rec, "profile") && profile != NULL)
		why = read_profile(r, rec, profile->token, side);
	else if (rec_is(rec, "version"))
		why = side == INDEX_NONE ? read_version(r, rec) : NULL;
	else if (rec_is(rec, "sample") || (rec_get(rec, KEY_TYPE) == NULL &&
	    rec_get(rec, UID) != NULL))
		why = read_sample(r, rec, side);
	if (why != NULL)
		filter_reject(f, "%s", why);
}

void
reader_read_files(struct reader *r, struct filter *f, uint32_t side)
{
	struct span value;
	struct line line;

	while (filter_next_file(f)) {
		if (scan_is_stream(&f->input)) {
			while (filter_file_line(f, &line))
				read_record(r, f, span_of(line.p, line.len),
				    side);
			continue;
		}
		while (scan_peek(&f->input) != -1) {
			if (filter_value(f, &value))
				read_record(r, f, value, side);
			else
				filter_reject_rest(f, span_of(NULL, 0),
				    "no JSON value begins here");
		}
	}
}
