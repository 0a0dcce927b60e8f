/* resources - reads what a Perun profile measures */


#include "common/base/intern.h"
#include "common/filter/lacks.h"
#include "common/json/items.h"
#include "common/json/recio.h"
#include "common/perun/profile.h"
#include "common/perun/resources.h"

/* The keys of a profile, of its header, its machine and its resources. */
#define DOCUMENT_KEYS(K)						\
	K(P_HEADER, "header") K(P_MACHINE, "machine")			\
	K(P_RESOURCES, "resources") K(P_TYPES, "resource_type_map")	\
	K(P_LACKS, "lacks")
KEY_LIST(document_keys, DOCUMENT_KEYS);
#define HEADER_KEYS(K)							\
	K(H_CMD, "cmd") K(H_ARGS, "args") K(H_WORKLOAD, "workload")	\
	K(H_LABEL, "label") K(H_UNITS, "units")
KEY_LIST(header_keys, HEADER_KEYS);
#define MACHINE_KEYS(K) K(M_HOST, "host")
KEY_LIST(machine_keys, MACHINE_KEYS);
#define RESOURCE_KEYS(K) K(R_SUBTYPE, "subtype") K(R_AMOUNT, "amount")	\
	K(R_TRACE, "trace") K(R_EXACT, "exact") K(R_RUN, "run")
KEY_LIST(resource_keys, RESOURCE_KEYS);
#define FRAME_KEYS(K) K(F_FUNC, "func") K(F_FUNCTION, "function")
KEY_LIST(frame_keys, FRAME_KEYS);
static const char *const no_keys[] = { "type", NULL };

/* What the resource_type_map of a profile says of one of its types. */
struct resource_type {
	uint32_t profile;	/* the number of that profile */
	struct span type, subtype, trace, run;
	bool exact;
};

struct resources {
	struct recio *document, *header, *machine, *types_io, *units_io;
	struct recio *members, *resource, *frame;
	struct recio *unflattened;	/* parses with profile_keys */
	struct profile profile;		/* flattens old profiles */

	/* Of the current profile. */
	uint32_t number;
	struct profile_parts parts;
	const struct rec *units;	/* or NULL */
	const struct rec *groups;	/* or NULL */
	size_t next;			/* field of groups */
	struct buf command, unit_name, trace;

	struct resource_type *types;	/* by symbol of the name */
	size_t types_cap;
	struct intern names;		/* of types */
	struct intern texts;		/* of the members of types */
};

struct resources *
resources_new(void)
{
	struct resources *r = mem_zero(1, sizeof *r);

	r->document = recio_new(document_keys);
	r->header = recio_new(header_keys);
	r->machine = recio_new(machine_keys);
	r->types_io = recio_new(no_keys);
	r->units_io = recio_new(no_keys);
	r->members = recio_new(no_keys);
	r->resource = recio_new(resource_keys);
	r->frame = recio_new(frame_keys);
	r->unflattened = recio_new(profile_keys);
	recio_accept_python(r->document);
	recio_accept_python(r->unflattened);
	profile_init(&r->profile);
	intern_init(&r->names);
	intern_init(&r->texts);
	return r;
}

/* --- the header ----------------------------------------------------------- */

/* A string member; its p is NULL if it is absent or not a string. */
static struct span
text_of(const struct rec *rec, unsigned key)
{
	struct span text;

	return rec_str(rec, key, &text) == REC_OK ? text : span_of(NULL, 0);
}

/* The command with its arguments, which old profiles have separately. */
static struct span
read_command(struct resources *r, const struct rec *header)
{
	struct span cmd = text_of(header, H_CMD);
	struct span args = text_of(header, H_ARGS);

	if (cmd.p == NULL || args.n == 0)
		return cmd;
	r->command.len = 0;
	buf_add(&r->command, cmd.p, cmd.n);
	buf_char(&r->command, ' ');
	buf_add(&r->command, args.p, args.n);
	return buf_span(&r->command);
}

/* --- types ---------------------------------------------------------------- */

static struct span
keep_member(struct resources *r, const struct rec *rec, unsigned key)
{
	struct span text = text_of(rec, key);

	return text.p == NULL ? text :
	    intern_span(&r->texts, intern_add(&r->texts, text));
}

/*
 * The functions of a stack, the innermost first, without their lines, which
 * move.  A frame is an object or a string.
 */
static struct span
keep_trace(struct resources *r, const struct field *f)
{
	struct span rest, item, name;
	const struct rec *frame;
	const char *why;

	r->trace.len = 0;
	if (f == NULL || f->kind != REC_ARRAY)
		return span_of(NULL, 0);
	rest = f->token;
	while (items_next(&rest, &item)) {
		name = item;
		frame = recio_parse(r->frame, item, &why);
		if (frame != NULL && rec_str(frame, F_FUNC, &name) != REC_OK &&
		    rec_str(frame, F_FUNCTION, &name) != REC_OK)
			continue;
		buf_str(&r->trace, r->trace.len > 0 ? " < " : "");
		buf_add(&r->trace, name.p, name.n);
	}
	return r->trace.len == 0 ? span_of(NULL, 0) : intern_span(&r->texts,
	    intern_add(&r->texts, buf_span(&r->trace)));
}

static void
read_types(struct resources *r, const struct rec *document)
{
	const struct rec *map = recio_member(r->types_io, document, P_TYPES);
	const struct rec *type;
	const char *why;
	sym name;

	r->number++;
	for (size_t i = 0; map != NULL && i < map->n; i++) {
		name = intern_add(&r->names, map->fields[i].key);
		r->types = mem_grow(r->types, &r->types_cap, r->names.n,
		    sizeof *r->types);
		r->types[name] = (struct resource_type){
		    .profile = r->number };
		type = recio_parse(r->resource, map->fields[i].token, &why);
		if (type == NULL)
			continue;
		r->types[name].type = keep_member(r, type, KEY_TYPE);
		r->types[name].subtype = keep_member(r, type, R_SUBTYPE);
		r->types[name].run = keep_member(r, type, R_RUN);
		r->types[name].exact = rec_true(type, R_EXACT);
		r->types[name].trace = keep_trace(r, rec_get(type, R_TRACE));
	}
}

/*
 * The unit of a group: that of its type or, as in a profile of type mixed, of
 * "mixed(subtype)".
 */
static void
find_unit(struct resources *r, struct resource_group *g)
{
	struct buf *name = &r->unit_name;
	const struct field *f;

	g->unit_name = g->unit = span_of(NULL, 0);
	if (r->units == NULL || g->type.p == NULL)
		return;
	name->len = 0;
	buf_printf(name, "%.*s(%.*s)", SPAN_ARG(g->type),
	    SPAN_ARG(g->subtype));
	for (size_t i = 0; i < r->units->n; i++) {
		f = &r->units->fields[i];
		if (f->kind != REC_STRING ||
		    (span_compare(f->key, g->type) != 0 && (g->subtype.p == NULL
		    || span_compare(f->key, buf_span(name)) != 0)))
			continue;
		g->unit_name = f->key;
		g->unit = f->text;
		return;
	}
}

/* --- profiles ------------------------------------------------------------- */

const char *
resources_begin(struct resources *r, struct span text)
{
	const char *why;
	const struct rec *document = recio_parse(r->document, text, &why);
	const struct rec *header, *machine;
	const struct field *resources;

	if (document == NULL)
		return why;
	resources = rec_get(document, P_RESOURCES);
	if (resources == NULL || resources->kind != REC_OBJECT) {
		document = recio_parse(r->unflattened, text, &why);
		if (document == NULL ||
		    !profile_make(&r->profile, document, true, &why))
			return why;
		document = recio_parse(r->document,
		    buf_span(&r->profile.body), &why);
		if (document == NULL)
			return why;
	}

	header = recio_member(r->header, document, P_HEADER);
	if (header == NULL)
		return "the profile has no object 'header'";
	machine = recio_member(r->machine, document, P_MACHINE);
	r->parts = (struct profile_parts){
		.cmd = read_command(r, header),
		.workload = text_of(header, H_WORKLOAD),
		.label = text_of(header, H_LABEL),
		.machine = machine != NULL ? text_of(machine, M_HOST) :
		    span_of(NULL, 0),
		.lacks = lacks_read(document, rec_get(document, P_LACKS)),
	};
	r->units = recio_member(r->units_io, header, H_UNITS);

	read_types(r, document);
	r->groups = recio_member(r->members, document, P_RESOURCES);
	r->next = 0;
	return NULL;
}

const struct profile_parts *
resources_parts(const struct resources *r)
{
	return &r->parts;
}

bool
resources_next(struct resources *r, struct resource_group *g)
{
	static const struct resource_type unknown;
	const struct resource_type *type = &unknown;
	const struct rec *group;
	const struct field *amount, *field;
	const char *why;
	sym symbol;
	size_t n;

	while (r->groups != NULL && r->next < r->groups->n) {
		field = &r->groups->fields[r->next++];
		group = recio_parse(r->resource, field->token, &why);
		amount = group != NULL ? rec_get(group, R_AMOUNT) : NULL;
		if (group != NULL && amount == NULL)
			continue;

		symbol = intern_find(&r->names, field->key);
		if (symbol != SYM_NONE && r->types[symbol].profile == r->number)
			type = &r->types[symbol];
		/* The name of a type is UID#NUMBER. */
		for (n = field->key.n; n > 0 && field->key.p[n - 1] != '#';)
			n--;
		g->uid = span_of(field->key.p, n > 0 ? n - 1 : field->key.n);
		g->type = type->type;
		g->subtype = type->subtype;
		g->trace = type->trace;
		g->run = type->run;
		g->exact = type->exact;
		find_unit(r, g);
		g->is_valid = amount != NULL && amount->kind == REC_ARRAY;
		g->amounts = g->is_valid ? amount->token : span_of("[]", 2);
		return true;
	}
	return false;
}
