/* flatten - resources of a profile in Perun's compact form */

#include <stdlib.h>

#include "common/base/num.h"
#include "common/json/recio.h"
#include "common/perun/flatten.h"
#include "common/perun/pyjson.h"

/* What is collected, and the uid, whose place is behind them. */
enum { N_COLLECTED = 7, KEY_UID = N_COLLECTED + 1 };
static const char *const keys[] = { "type", "amount", "structure-unit-size",
    "call-order", "order", "address", "timestamp", "exclusive", "uid", NULL };

static const char *const no_keys[] = { "type", NULL };

struct collected {
	unsigned key;		/* a place in keys, or 0 */
	struct buf values;
};

struct resource_type {
	struct span uid;
	uint32_t number;	/* of those with this uid */
	struct collected collected[N_COLLECTED + 1];	/* and a last */
};

void
flatten_init(struct flatten *f)
{
	*f = (struct flatten){ .recio = recio_new(keys),
	    .uid_recio = recio_new(no_keys) };
	intern_init(&f->raws);
	intern_init(&f->sets);
	intern_init(&f->uids);
}

void
flatten_release(struct flatten *f)
{
	for (size_t i = 0; i < f->n_types; i++)
		for (size_t k = 0; k < N_COLLECTED; k++)
			buf_release(&f->types[i].collected[k].values);
	recio_free(f->recio);
	recio_free(f->uid_recio);
	free(f->places);
	free(f->members);
	intern_release(&f->raws);
	free(f->types_of_raws);
	intern_release(&f->sets);
	intern_release(&f->uids);
	free(f->types);
	free(f->numbers);
	buf_release(&f->raw);
	buf_release(&f->set);
	buf_release(&f->hidden);
	buf_release(&f->uid);
}

/* A member of a resource that belongs to its type. */
struct member {
	struct span key, token;
};

/* Keeps the members sorted; the last value of a key counts. */
static void
add_member(struct flatten *f, struct span key, struct span token)
{
	size_t i = f->n_members;
	struct member *m;

	f->members = mem_grow(f->members, &f->members_cap, i + 1,
	    sizeof *f->members);
	m = f->members;
	while (i > 0 && span_compare(m[i - 1].key, key) > 0)
		i--;
	if (i == 0 || span_compare(m[i - 1].key, key) != 0) {
		memmove(m + i + 1, m + i, (f->n_members - i) * sizeof *m);
		f->n_members++;
	} else {
		pyjson_put(&f->hidden, m[--i].token);
	}
	m[i] = (struct member){ key, token };
}

/* For each field its place among keys if it is collected, and 0 otherwise. */
static void
find_places(struct flatten *f, const struct rec *r)
{
	const struct field *field;

	f->places = mem_grow(f->places, &f->places_cap, r->n,
	    sizeof *f->places);
	memset(f->places, 0, r->n * sizeof *f->places);
	for (unsigned key = 1; key <= N_COLLECTED; key++)
		if ((field = rec_get(r, key)) != NULL)
			f->places[field - r->fields] = (unsigned char)key;
}

/* What the set is made of, as it was written: it tells no more apart. */
static void
put_raw(struct flatten *f, const struct rec *r, struct span time,
    struct span snapshot)
{
	const struct field *field = r->fields;
	size_t sizes[2] = { time.n, snapshot.n };

	f->raw.len = 0;
	buf_add(&f->raw, (const char *)sizes, sizeof sizes);
	buf_add(&f->raw, time.p, time.n);
	buf_add(&f->raw, snapshot.p, snapshot.n);
	for (size_t i = 0; i < r->n; i++, field++) {
		if (f->places[i] != 0)
			continue;
		sizes[0] = field->key.n;
		sizes[1] = field->token.n;
		buf_add(&f->raw, (const char *)sizes, sizeof sizes);
		buf_add(&f->raw, field->key.p, field->key.n);
		buf_add(&f->raw, field->token.p, field->token.n);
	}
}

/*
 * The set of what makes the resource's type, as the text of its members.  A
 * value that another of its key has replaced still tells types apart: it goes
 * behind a NUL.
 */
static void
put_set(struct flatten *f, const struct rec *r, struct span time,
    struct span snapshot)
{
	f->n_members = f->hidden.len = f->set.len = 0;
	for (size_t i = 0; i < r->n; i++)
		if (f->places[i] == 0)
			add_member(f, r->fields[i].key, r->fields[i].token);
	if (snapshot.n > 0)
		add_member(f, span_str("snapshot"), snapshot);
	if (time.n > 0)
		add_member(f, span_str("time"), time);
	for (size_t i = 0; i < f->n_members; i++) {
		if (i > 0)
			buf_str(&f->set, ", ");
		pyjson_string(&f->set, f->members[i].key);
		buf_str(&f->set, ": ");
		pyjson_put(&f->set, f->members[i].token);
	}
	buf_char(&f->set, '\0');
	buf_add(&f->set, f->hidden.data, f->hidden.len);
}

/*
 * Where a part of a uid stands, as digits: Perun ranks the parts that it knows
 * and makes one long number of the letters of others.
 */
static void
put_rank(struct buf *b, struct span key)
{
	static const struct { const char *key; char rank; } known[] = {
		{ "bin", '0' }, { "file", '1' }, { "source", '1' },
		{ "package", '1' }, { "module", '2' }, { "class", '3' },
		{ "struct", '3' }, { "structure", '3' }, { "function", '4' },
		{ "func", '4' }, { "method", '4' }, { "procedure", '4' },
		{ "line", '5' }, { "instruction", '6' }
	};
	uint32_t code;
	size_t n;

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (span_eq(key, known[i].key)) {
			buf_char(b, known[i].rank);
			return;
		}
	for (size_t i = 0; i < key.n; i += n) {
		n = utf8_char(key.p + i, key.n - i, &code);
		n += n == 0;
		buf_u64(b, code + 6);
	}
}

static int
compare_ranks(struct span key_a, struct span key_b)
{
	struct buf a = { 0 }, b = { 0 };
	int order;

	put_rank(&a, key_a);
	put_rank(&b, key_b);
	order = cmp_u64(a.len, b.len);
	if (order == 0)
		order = span_compare(buf_span(&a), buf_span(&b));
	buf_release(&a);
	buf_release(&b);
	return order;
}

/* A value as Python's str() shows it. */
static void
put_str(struct buf *b, const struct field *f)
{
	switch (f->kind) {
	case REC_STRING:
		buf_add(b, f->text.p, f->text.n);
		break;
	case REC_TRUE:
		buf_str(b, "True");
		break;
	case REC_FALSE:
		buf_str(b, "False");
		break;
	case REC_NULL:
		buf_str(b, "None");
		break;
	default:
		pyjson_put(b, f->token);
	}
}

/* The parts of a uid that is an object, in their order, with ':' between. */
static void
put_uid_parts(struct flatten *f, const struct rec *r)
{
	const struct field **parts = mem_resize(NULL, r->n, sizeof *parts);
	size_t k;

	for (size_t i = 0; i < r->n; i++) {
		for (k = i; k > 0 && compare_ranks(parts[k - 1]->key,
		    r->fields[i].key) > 0; k--)
			parts[k] = parts[k - 1];
		parts[k] = &r->fields[i];
	}
	for (size_t i = 0; i < r->n; i++) {
		if (i > 0)
			buf_char(&f->uid, ':');
		put_str(&f->uid, parts[i]);
	}
	free(parts);
}

static void
put_uid(struct flatten *f, const struct field *uid)
{
	const char *why;
	const struct rec *r;

	f->uid.len = 0;
	r = uid->kind != REC_OBJECT ? NULL :
	    recio_parse(f->uid_recio, uid->token, &why);
	if (r != NULL)
		put_uid_parts(f, r);
	else
		put_str(&f->uid, uid);
}

/* The next number of a uid. */
static uint32_t
take_number(struct flatten *f, sym uid)
{
	size_t old = f->numbers_cap;

	f->numbers = mem_grow(f->numbers, &f->numbers_cap, (size_t)uid + 1,
	    sizeof *f->numbers);
	memset(f->numbers + old, 0,
	    (f->numbers_cap - old) * sizeof *f->numbers);
	return f->numbers[uid]++;
}

static size_t
find_type(struct flatten *f, const struct field *uid)
{
	sym set = intern_add(&f->sets, buf_span(&f->set));
	struct resource_type *t;
	sym name;

	if (set < f->n_types)
		return set;
	f->types = mem_grow(f->types, &f->types_cap, f->n_types + 1,
	    sizeof *f->types);
	t = &f->types[f->n_types++];
	*t = (struct resource_type){ 0 };
	put_uid(f, uid);
	name = intern_add(&f->uids, buf_span(&f->uid));
	t->uid = intern_span(&f->uids, name);
	t->number = take_number(f, name);
	return set;
}

/* To make the set takes longer than to find that it was made before. */
static struct resource_type *
type_of(struct flatten *f, const struct rec *r, struct span time,
    struct span snapshot)
{
	sym raw;

	put_raw(f, r, time, snapshot);
	raw = intern_add(&f->raws, buf_span(&f->raw));
	if (raw == f->n_raws) {
		f->types_of_raws = mem_grow(f->types_of_raws, &f->raws_cap,
		    f->n_raws + 1, sizeof *f->types_of_raws);
		put_set(f, r, time, snapshot);
		f->types_of_raws[f->n_raws++] = find_type(f,
		    rec_get(r, KEY_UID));
	}
	return &f->types[f->types_of_raws[raw]];
}

/* The values go behind those of the resources before. */
static void
collect(struct resource_type *t, unsigned key, struct span token)
{
	struct collected *c = t->collected;

	while (c->key != 0 && c->key != key)
		c++;
	if (c->key != 0)
		buf_str(&c->values, ", ");
	c->key = key;
	pyjson_put(&c->values, token);
}

static bool
add_resource(struct flatten *f, const struct rec *r, struct span time,
    struct span snapshot)
{
	struct resource_type *t;

	if (rec_get(r, KEY_UID) == NULL)
		return false;
	find_places(f, r);
	t = type_of(f, r, time, snapshot);
	for (size_t i = 0; i < r->n; i++)
		if (f->places[i] != 0)
			collect(t, f->places[i], r->fields[i].token);
	return true;
}

bool
flatten_add(struct flatten *f, struct span resources, struct span time,
    struct span snapshot)
{
	const struct rec *r;
	struct span item;
	const char *why;

	while ((r = recio_item(f->recio, &resources, &item, &why)) != NULL)
		if (!add_resource(f, r, time, snapshot))
			return false;
	return why == NULL;
}

/* "main#0": { */
static void
put_name(struct buf *b, const struct resource_type *t, bool is_first)
{
	struct buf name = { 0 };

	buf_add(&name, t->uid.p, t->uid.n);
	buf_printf(&name, "#%u", (unsigned)t->number);
	if (!is_first)
		buf_str(b, ", ");
	pyjson_string(b, buf_span(&name));
	buf_str(b, ": {");
	buf_release(&name);
}

void
flatten_put_resources(const struct flatten *f, struct buf *b)
{
	const struct collected *c;

	for (size_t i = 0; i < f->n_types; i++) {
		put_name(b, &f->types[i], i == 0);
		for (c = f->types[i].collected; c->key != 0; c++) {
			if (c > f->types[i].collected)
				buf_str(b, ", ");
			buf_printf(b, "\"%s\": [", keys[c->key]);
			buf_add(b, c->values.data, c->values.len);
			buf_char(b, ']');
		}
		buf_char(b, '}');
	}
}

void
flatten_put_types(const struct flatten *f, struct buf *b)
{
	for (size_t i = 0; i < f->n_types; i++) {
		put_name(b, &f->types[i], i == 0);
		buf_str(b, intern_str(&f->sets, (sym)i));
		buf_char(b, '}');
	}
}
