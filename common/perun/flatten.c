/* flatten - converts the resources of a profile to Perun's flattened form */

#include <stdlib.h>

#include "common/base/num.h"
#include "common/base/sort.h"
#include "common/json/recio.h"
#include "common/perun/flatten.h"
#include "common/perun/pyjson.h"

/* The keys of a resource: all before KEY_UID become columns (arrays). */
#define RESOURCE_KEYS(K)						\
	K(AMOUNT, "amount") K(UNIT_SIZE, "structure-unit-size")		\
	K(CALL_ORDER, "call-order") K(ORDER, "order")			\
	K(ADDRESS, "address") K(TIMESTAMP, "timestamp")			\
	K(EXCLUSIVE, "exclusive") K(KEY_UID, "uid")
KEY_LIST(keys, RESOURCE_KEYS);
enum { N_COLUMNS = KEY_UID - 1 };

/* No field of a uid is looked up, but rec.h wants "type" to be declared. */
static const char *const uid_keys[] = { "type", NULL };

struct column {
	unsigned key;		/* an index in keys; 0: unused */
	struct buf values;	/* with ", " between them */
};

struct resource_type {
	struct span uid;
	uint32_t number;	/* among the types with this uid */
	struct column columns[N_COLUMNS + 1];	/* an unused one ends them */
};

void
flatten_init(struct flatten *f)
{
	*f = (struct flatten){ .recio = recio_new(keys),
	    .uid_recio = recio_new(uid_keys) };
	intern_init(&f->raw_types);
	intern_init(&f->type_texts);
	intern_init(&f->uids);
}

void
flatten_release(struct flatten *f)
{
	for (size_t i = 0; i < f->n_types; i++)
		for (size_t k = 0; k < N_COLUMNS; k++)
			buf_release(&f->types[i].columns[k].values);
	recio_free(f->recio);
	recio_free(f->uid_recio);
	free(f->columns);
	free(f->members);
	intern_release(&f->raw_types);
	free(f->types_of_raw);
	intern_release(&f->type_texts);
	intern_release(&f->uids);
	free(f->types);
	free(f->next_numbers);
	buf_release(&f->raw);
	buf_release(&f->text);
	buf_release(&f->overridden);
	buf_release(&f->uid);
}

/* A member of a type: its key, and its value as JSON. */
struct member {
	struct span key, token;
};

static void
add_member(struct flatten *f, struct span key, struct span token)
{
	f->members = mem_grow(f->members, &f->members_cap, f->n_members + 1,
	    sizeof *f->members);
	f->members[f->n_members++] = (struct member){ key, token };
}

static int
compare_members(const void *a, const void *b)
{
	const struct member *x = a, *y = b;

	return span_compare(x->key, y->key);
}

/*
 * Sets f->text to the canonical form of the type of a resource: its members as
 * text, sorted by key, and a NUL.  If snapshot or time replaces a member of the
 * resource itself, the replaced value, in f->overridden, follows the NUL: it
 * distinguishes types but is not written.
 */
static void
put_type_text(struct flatten *f, const struct rec *r, struct span time,
    struct span snapshot)
{
	const struct field *field = r->fields;

	f->n_members = f->overridden.len = f->text.len = 0;
	for (size_t i = 0; i < r->n; i++, field++) {
		if (f->columns[i] != 0)
			continue;
		if ((snapshot.n == 0 || !span_eq(field->key, "snapshot")) &&
		    (time.n == 0 || !span_eq(field->key, "time"))) {
			add_member(f, field->key, field->token);
			continue;
		}
		buf_printf(&f->overridden, "%.*s:", SPAN_ARG(field->key));
		pyjson_put(&f->overridden, field->token);
		buf_char(&f->overridden, ',');
	}
	if (snapshot.n > 0)
		add_member(f, span_str("snapshot"), snapshot);
	if (time.n > 0)
		add_member(f, span_str("time"), time);
	sort(f->members, f->n_members, sizeof *f->members, compare_members);
	for (size_t i = 0; i < f->n_members; i++) {
		if (i > 0)
			buf_str(&f->text, ", ");
		pyjson_string(&f->text, f->members[i].key);
		buf_str(&f->text, ": ");
		pyjson_put(&f->text, f->members[i].token);
	}
	buf_char(&f->text, '\0');
	buf_add(&f->text, f->overridden.data, f->overridden.len);
}

/*
 * Appends the rank of a member of a uid, as decimal digits.  Perun ranks the
 * members that it knows from 0 to 6.  For others it concatenates the code
 * points of the key, each increased by 6, into one long number.
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

/*
 * Compares ranks of any length: the one with more digits is greater.  Members
 * of the same rank keep their order, which is that of their addresses.
 */
static int
compare_ranks(const void *a, const void *b)
{
	const struct field *x = *(const struct field *const *)a;
	const struct field *y = *(const struct field *const *)b;
	struct buf rank_x = { 0 }, rank_y = { 0 };
	int order;

	put_rank(&rank_x, x->key);
	put_rank(&rank_y, y->key);
	order = cmp_u64(rank_x.len, rank_y.len);
	if (order == 0)
		order = span_compare(buf_span(&rank_x), buf_span(&rank_y));
	buf_release(&rank_x);
	buf_release(&rank_y);
	return order != 0 ? order : (x > y) - (x < y);
}

/* Appends a scalar as Python's str() prints it, an array or object as JSON. */
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

/* Returns the index of the type that f->text describes; adds it if new. */
static size_t
find_type(struct flatten *f, const struct field *uid)
{
	sym type = intern_add(&f->type_texts, buf_span(&f->text));
	const struct rec *parts = NULL;
	const struct field **sorted;
	const char *why;
	struct resource_type *t;
	sym uid_text;
	size_t old_cap;

	if (type < f->n_types)
		return type;
	f->types = mem_grow(f->types, &f->types_cap, f->n_types + 1,
	    sizeof *f->types);
	t = &f->types[f->n_types++];
	*t = (struct resource_type){ 0 };

	/* The values of an object are joined by ':', in order of rank. */
	f->uid.len = 0;
	if (uid->kind == REC_OBJECT)
		parts = recio_parse(f->uid_recio, uid->token, &why);
	if (parts == NULL) {
		put_str(&f->uid, uid);
	} else {
		sorted = mem_resize(NULL, parts->n, sizeof *sorted);
		for (size_t i = 0; i < parts->n; i++)
			sorted[i] = &parts->fields[i];
		sort(sorted, parts->n, sizeof *sorted, compare_ranks);
		for (size_t i = 0; i < parts->n; i++) {
			if (i > 0)
				buf_char(&f->uid, ':');
			put_str(&f->uid, sorted[i]);
		}
		free(sorted);
	}
	uid_text = intern_add(&f->uids, buf_span(&f->uid));
	t->uid = intern_span(&f->uids, uid_text);

	/* Types with the same uid are numbered from 0. */
	old_cap = f->next_numbers_cap;
	f->next_numbers = mem_grow(f->next_numbers, &f->next_numbers_cap,
	    (size_t)uid_text + 1, sizeof *f->next_numbers);
	memset(f->next_numbers + old_cap, 0,
	    (f->next_numbers_cap - old_cap) * sizeof *f->next_numbers);
	t->number = f->next_numbers[uid_text]++;
	return type;
}

/*
 * The type of a resource.  Looks it up by its raw form first, because that is
 * faster than building the canonical form: f->raw is time, snapshot and those
 * members of the resource that belong to its type, as they are in the input,
 * each with its length.  Equal bytes mean equal types, but equal types may have
 * different bytes, such as members in another order.
 */
static struct resource_type *
type_of(struct flatten *f, const struct rec *r, struct span time,
    struct span snapshot)
{
	const struct field *field = r->fields;
	size_t sizes[2] = { time.n, snapshot.n };
	sym raw;

	f->raw.len = 0;
	buf_add(&f->raw, (const char *)sizes, sizeof sizes);
	buf_add(&f->raw, time.p, time.n);
	buf_add(&f->raw, snapshot.p, snapshot.n);
	for (size_t i = 0; i < r->n; i++, field++) {
		if (f->columns[i] != 0)
			continue;
		sizes[0] = field->key.n;
		sizes[1] = field->token.n;
		buf_add(&f->raw, (const char *)sizes, sizeof sizes);
		buf_add(&f->raw, field->key.p, field->key.n);
		buf_add(&f->raw, field->token.p, field->token.n);
	}

	raw = intern_add(&f->raw_types, buf_span(&f->raw));
	if (raw == f->n_raw) {
		f->types_of_raw = mem_grow(f->types_of_raw, &f->raw_cap,
		    f->n_raw + 1, sizeof *f->types_of_raw);
		put_type_text(f, r, time, snapshot);
		f->types_of_raw[f->n_raw++] = find_type(f,
		    rec_get(r, KEY_UID));
	}
	return &f->types[f->types_of_raw[raw]];
}

bool
flatten_add(struct flatten *f, struct span resources, struct span time,
    struct span snapshot)
{
	const struct rec *r;
	const struct field *field;
	struct resource_type *t;
	struct column *c;
	struct span item;
	const char *why;

	while ((r = recio_item(f->recio, &resources, &item, &why)) != NULL) {
		if (rec_get(r, KEY_UID) == NULL)
			return false;
		f->columns = mem_grow(f->columns, &f->columns_cap, r->n,
		    sizeof *f->columns);
		memset(f->columns, 0, r->n * sizeof *f->columns);
		for (unsigned key = 1; key <= N_COLUMNS; key++)
			if ((field = rec_get(r, key)) != NULL)
				f->columns[field - r->fields] =
				    (unsigned char)key;

		t = type_of(f, r, time, snapshot);
		for (size_t i = 0; i < r->n; i++) {
			if (f->columns[i] == 0)
				continue;
			c = t->columns;
			while (c->key != 0 && c->key != f->columns[i])
				c++;
			if (c->key != 0)
				buf_str(&c->values, ", ");
			c->key = f->columns[i];
			pyjson_put(&c->values, r->fields[i].token);
		}
	}
	return why == NULL;
}

/* Begins a member such as "main#0": {. */
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
	const struct column *c;

	for (size_t i = 0; i < f->n_types; i++) {
		put_name(b, &f->types[i], i == 0);
		for (c = f->types[i].columns; c->key != 0; c++) {
			if (c > f->types[i].columns)
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
		/* Only the text before the NUL, without overridden values. */
		buf_str(b, intern_str(&f->type_texts, (sym)i));
		buf_char(b, '}');
	}
}
