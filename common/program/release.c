/* release - reads releases; release-write.c writes them */

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "common/base/err.h"
#include "common/base/hex.h"
#include "common/base/num.h"
#include "common/base/search.h"
#include "common/io/fd.h"
#include "common/json/recio.h"
#include "common/json/skip.h"
#include "common/program/elf.h"
#include "common/program/release.h"

/*
 * A record and the range of addresses that it covers.  The record is decoded at
 * the first lookup of an address in the range.
 */
struct part {
	struct span text;
	uint64_t start, end;
	bool is_decoded;
	struct symtab symtab;
};

struct release {
	char *data;		/* the file, mapped */
	size_t size;
	struct part *parts;	/* by address */
	size_t n_parts, parts_cap;
	struct recio *records, *symbols;
	char build_id[2 * BUILD_ID_MAX + 1];
	const char *damage;
};

#define RECORD_KEYS(K)							\
	K(R_BUILD_ID, "build_id") K(R_SYMBOLS, "symbols")		\
	K(R_FILES, "files") K(R_NAMES, "names") K(R_SCOPES, "scopes")	\
	K(R_INLINES, "inlines") K(R_LINES, "lines")
KEY_LIST(record_keys, RECORD_KEYS);

#define SYMBOL_KEYS(K)							\
	K(S_ADDRESS, "address") K(S_SIZE, "size") K(S_NAME, "name")	\
	K(S_KIND, "kind")
KEY_LIST(symbol_keys, SYMBOL_KEYS);

const char *const release_symbol_kinds[] = { [SYMBOL_LABEL] = "label",
    [SYMBOL_INDIRECT] = "indirect", [SYMBOL_FUNCTION] = "function" };

/* --- decoding a record --------------------------------------------------- */

/* An array of strings, numbered from 1; list[0] is NULL. */
struct strings {
	const char **list;
	size_t n;
};

static bool
read_strings(struct rec *rec, unsigned key, struct symtab *t,
    struct strings *s)
{
	const struct span *items;

	if (rec_strings(rec, key, &items, &s->n) != REC_OK)
		return false;
	s->list = mem_resize(NULL, s->n + 1, sizeof *s->list);
	s->list[0] = NULL;
	for (size_t i = 0; i < s->n; i++)
		s->list[i + 1] = arena_text(&t->arena, items[i].p, items[i].n);
	return true;
}

/* Gets a string by its number, or NULL for 0.  False if there is none. */
static bool
find_string(const struct strings *s, uint64_t number, const char **found)
{
	*found = number <= s->n ? s->list[number] : NULL;
	return number <= s->n;
}

/*
 * Reads the next number of an array.  Returns false at the end of the array or
 * if the array is malformed; rest is empty only in the first case.  For speed
 * this does without the JSON reader: arrays of numbers are most of a release.
 */
static bool
next_number(struct span *rest, uint64_t *value)
{
	const char *p = rest->p, *end = p + rest->n, *digits = p + 1;
	uint64_t v = 0;

	if (p == end || (*p != '[' && *p != ','))
		return false;
	p = text_digits(digits, end, &v);
	if (p == digits) {
		if (*p == ']')
			rest->n = 0;
		return false;
	}
	/* No number of 19 digits overflows. */
	if (p - digits > 19 &&
	    !text_u64(span_of(digits, (size_t)(p - digits)), &v))
		return false;
	*value = v;
	*rest = span_of(p, *p == ']' ? 0 : (size_t)(end - p));
	return true;
}

/* Reads the next n numbers.  An array that ends between them is malformed. */
static bool
next_numbers(struct span *rest, uint64_t *values, size_t n)
{
	const struct span start = *rest;

	for (size_t i = 0; i < n; i++)
		if (!next_number(rest, &values[i])) {
			if (i > 0)
				*rest = start;
			return false;
		}
	return true;
}

/* The token of an array; its first byte is not '[' if there is no array. */
static struct span
array_of(struct rec *rec, unsigned key)
{
	const struct field *f = rec_get(rec, key);

	return f != NULL ? f->token : span_of("?", 1);
}

static bool
read_scopes(struct span rest, const struct strings *names,
    const struct strings *files, struct symtab *t)
{
	uint64_t v[4];
	struct scope scope;

	while (next_numbers(&rest, v, 4)) {
		if (!find_string(names, v[0], &scope.name) ||
		    !find_string(files, v[1], &scope.file) ||
		    v[2] > UINT32_MAX || v[3] > t->n_scopes)
			return false;
		scope.line = (uint32_t)v[2];
		scope.parent = v[3] > 0 ? (uint32_t)v[3] - 1 : INDEX_NONE;
		if (symtab_add_scope(t, scope) == INDEX_NONE)
			return false;
	}
	return rest.n == 0;
}

static bool
read_inlines(struct span rest, const struct part *part, struct symtab *t)
{
	uint64_t v[2], address = part->start;

	while (next_numbers(&rest, v, 2)) {
		if (v[0] > part->end - address || v[1] > t->n_scopes)
			return false;
		address += v[0];
		intervals_append(&t->scope_index, address,
		    v[1] > 0 ? (uint32_t)v[1] - 1 : INDEX_NONE);
	}
	return rest.n == 0;
}

static bool
read_lines(struct span rest, const struct part *part,
    const struct strings *files, struct symtab *t)
{
	uint64_t v[3], address = part->start;
	struct row row;

	while (next_numbers(&rest, v, 3)) {
		if (v[0] > part->end - address || v[2] > UINT32_MAX ||
		    !find_string(files, v[1], &row.file))
			return false;
		row.address = address += v[0];
		row.line = (uint32_t)v[2];
		symtab_add_row(t, row);
	}
	return rest.n == 0;
}

static bool
read_symbols(struct release *r, struct span rest, struct symtab *t)
{
	struct span item, address, name, kind;
	struct symbol symbol = { 0 };
	struct rec *rec;
	const char *why;
	int64_t size;
	unsigned k;

	if (*rest.p != '[')
		return false;
	while ((rec = recio_item(r->symbols, &rest, &item, &why)) != NULL) {
		if (rec_str(rec, S_ADDRESS, &address) != REC_OK ||
		    !hex_address(address, &symbol.address) ||
		    rec_int(rec, S_SIZE, &size) != REC_OK || size < 0 ||
		    rec_str(rec, S_NAME, &name) != REC_OK ||
		    rec_str(rec, S_KIND, &kind) != REC_OK)
			return false;
		k = 0;
		while (k <= SYMBOL_FUNCTION &&
		    !span_eq(kind, release_symbol_kinds[k]))
			k++;
		if (k > SYMBOL_FUNCTION)
			return false;
		symbol.kind = (enum symbol_kind)k;
		symbol.size = (uint64_t)size;
		symbol.name = arena_text(&t->arena, name.p, name.n);
		symtab_add_symbol(t, symbol);
	}
	if (why != NULL)
		return false;
	symtab_index_symbols(t, true);
	return true;
}

const struct symtab *
release_find(struct release *r, uint64_t address)
{
	size_t above = SEARCH_FIRST(i, r->n_parts,
	    r->parts[i].start > address);
	struct strings names = { 0 }, files = { 0 };
	struct part *part;
	struct symtab *t;
	struct rec *rec;
	const char *why;

	if (above == 0 || address >= r->parts[above - 1].end)
		return NULL;
	part = &r->parts[above - 1];
	t = &part->symtab;
	if (part->is_decoded)
		return t;
	part->is_decoded = true;
	rec = recio_parse(r->records, part->text, &why);
	if (rec == NULL ||
	    !read_strings(rec, R_NAMES, t, &names) ||
	    !read_strings(rec, R_FILES, t, &files) ||
	    !read_scopes(array_of(rec, R_SCOPES), &names, &files, t) ||
	    !read_inlines(array_of(rec, R_INLINES), part, t) ||
	    !read_lines(array_of(rec, R_LINES), part, &files, t) ||
	    !read_symbols(r, array_of(rec, R_SYMBOLS), t)) {
		r->damage = "a release record is damaged";
		symtab_release(t);
	}
	free(names.list);
	free(files.list);
	return t;
}

/* --- the file ------------------------------------------------------------ */

/*
 * Reads an address and the quote after it, and returns a pointer past the
 * quote; NULL if p is NULL or at something else.
 */
static const char *
read_address(const char *p, const char *end, uint64_t *address)
{
	const char *quote = p != NULL ?
	    memchr(p, '"', (size_t)(end - p)) : NULL;

	return quote != NULL && hex_address(span_of(p, (size_t)(quote - p)),
	    address) ? quote + 1 : NULL;
}

/*
 * Indexes the parts.  Reads only their addresses: the writer puts them first
 * and in exactly this form, so that records need not be parsed.  False if there
 * are none, if a line is malformed or has no newline, or if there is a begin
 * record but no end record: then the release is truncated.
 */
static bool
index_parts(struct release *r)
{
	const char *p = r->data, *end = r->data + r->size, *newline;
	uint64_t min_start = 0;
	struct part part;
	int n_open = 0;

	for (; p < end; p = newline + 1) {
		newline = memchr(p, '\n', (size_t)(end - p));
		if (newline == NULL)
			return false;
		if (skip_literal(p, newline, "{\"type\":\"begin\"") != NULL) {
			n_open++;
			continue;
		}
		if (skip_literal(p, newline, "{\"type\":\"end\"") != NULL) {
			n_open--;
			continue;
		}
		part = (struct part){ .text = span_of(p,
		    (size_t)(newline - p)) };
		p = skip_literal(p, newline,
		    "{\"type\":\"release\",\"start\":\"");
		p = read_address(p, newline, &part.start);
		p = skip_literal(p, newline, ",\"end\":\"");
		p = read_address(p, newline, &part.end);
		if (p == NULL || part.start < min_start ||
		    part.end <= part.start)
			return false;
		min_start = part.end;
		r->parts = mem_grow(r->parts, &r->parts_cap, r->n_parts + 1,
		    sizeof *r->parts);
		r->parts[r->n_parts++] = part;
	}
	return r->n_parts > 0 && n_open == 0;
}

struct release *
release_open(const char *path, const char **why)
{
	uint64_t size;
	int fd = fd_open_regular(path, &size, why);
	struct span build_id = span_of("", 0);
	struct rec *rec = NULL;
	struct release *r;
	void *data;

	if (fd < 0)
		return NULL;
	data = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fd, 0);
	fd_close(fd);
	if (data == MAP_FAILED && size > 0)
		die_errno("cannot read '%s'", path);
	if (data == MAP_FAILED) {
		*why = "it is empty";
		return NULL;
	}

	r = mem_zero(1, sizeof *r);
	r->data = data;
	r->size = (size_t)size;
	r->records = recio_new(record_keys);
	r->symbols = recio_new(symbol_keys);
	if (index_parts(r))
		rec = recio_parse(r->records, r->parts[0].text, why);
	if (rec != NULL)
		rec_str(rec, R_BUILD_ID, &build_id);
	if (rec == NULL || build_id.n >= sizeof r->build_id) {
		*why = "it is not a release, or it is damaged";
		release_close(r);
		return NULL;
	}
	memcpy(r->build_id, build_id.p, build_id.n);
	*why = NULL;
	return r;
}

void
release_close(struct release *r)
{
	if (r == NULL)
		return;
	for (size_t i = 0; i < r->n_parts; i++)
		symtab_release(&r->parts[i].symtab);
	free(r->parts);
	recio_free(r->records);
	recio_free(r->symbols);
	munmap(r->data, r->size);
	free(r);
}

const char *
release_build_id(const struct release *r)
{
	return r->build_id;
}

const char *
release_damage(const struct release *r)
{
	return r->damage;
}
