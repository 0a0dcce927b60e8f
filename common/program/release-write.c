/* release-write - a program's table as release records */

#include <stdlib.h>

#include "common/base/intern.h"
#include "common/base/num.h"
#include "common/base/search.h"
#include "common/base/sort.h"
#include "common/json/json.h"
#include "common/program/release.h"

/*
 * Rows, marks and symbols that a record has together: some 100 KB of text,
 * which take a third of a millisecond to read.
 */
enum { PART_ENTRIES = 8192 };

/* A record being written: its strings, numbered from 1, and its scopes. */
struct part {
	uint64_t start, end;
	struct intern names, files;
	uint32_t *scopes;	/* in the order of their numbers */
	size_t n_scopes, cap;
};

/* The index of the first symbol at or above an address. */
static size_t
symbols_from(const struct symtab *t, uint64_t address)
{
	return SEARCH_FIRST(i, t->n_symbols, t->symbols[i].address >= address);
}

/* How many entries stand below an address. */
static size_t
entries_below(const struct symtab *t, uint64_t address)
{
	return symtab_rows_above(t, address - 1) +
	    intervals_above(&t->scope_index, address - 1) +
	    symbols_from(t, address);
}

/* Where a record that begins at start ends: the last stretch has no end. */
static uint64_t
end_of_part(const struct symtab *t, uint64_t start)
{
	size_t most = (start > 0 ? entries_below(t, start) : 0) + PART_ENTRIES;
	uint64_t low = start + 1, high = UINT64_MAX, middle;

	if (entries_below(t, high) <= most)
		return high;
	while (low < high) {
		middle = low + (high - low) / 2;
		if (entries_below(t, middle) <= most)
			low = middle + 1;
		else
			high = middle;
	}
	/* At one address there may stand more than a record should have. */
	return low - 1 > start ? low - 1 : low;
}

static uint32_t
number_of(struct intern *strings, const char *s)
{
	return s != NULL ? intern_add(strings, span_str(s)) + 1 : 0;
}

/* A scope is numbered after those that it was inlined into. */
static uint32_t
number_of_scope(struct release_writer *w, struct part *p, uint32_t scope)
{
	size_t first = p->n_scopes, last;
	uint32_t swap;

	if (scope == INDEX_NONE)
		return 0;
	for (uint32_t s = scope; s != INDEX_NONE && w->numbers[s] == 0;
	    s = w->table->scopes[s].parent) {
		p->scopes = mem_grow(p->scopes, &p->cap, p->n_scopes + 1,
		    sizeof *p->scopes);
		p->scopes[p->n_scopes++] = s;
	}
	for (last = p->n_scopes; first + 1 < last; first++, last--) {
		swap = p->scopes[first];
		p->scopes[first] = p->scopes[last - 1];
		p->scopes[last - 1] = swap;
	}
	for (size_t i = p->n_scopes; i-- > 0 &&
	    w->numbers[p->scopes[i]] == 0;)
		w->numbers[p->scopes[i]] = (uint32_t)i + 1;
	return w->numbers[scope];
}

static void
put_number(struct buf *b, uint64_t n)
{
	if (b->data[b->len - 1] != '[')
		buf_char(b, ',');
	buf_u64(b, n);
}

static void
put_lines(struct release_writer *w, struct part *p, struct buf *b)
{
	const struct symtab *t = w->table;
	const struct row *row = symtab_row(t, p->start);
	uint64_t at = p->start;

	json_open(b, "lines", '[');
	if (row != NULL) {
		put_number(b, 0);
		put_number(b, number_of(&p->files, row->file));
		put_number(b, row->line);
	}
	for (size_t i = symtab_rows_above(t, p->start); i < t->n_rows &&
	    t->rows[i].address < p->end; i++) {
		row = &t->rows[i];
		put_number(b, row->address - at);
		put_number(b, number_of(&p->files, row->file));
		put_number(b, row->line);
		at = row->address;
	}
	json_close(b, ']');
}

static void
put_inlines(struct release_writer *w, struct part *p, struct buf *b)
{
	const struct intervals *m = &w->table->scope_index;
	uint64_t at = p->start;

	json_open(b, "inlines", '[');
	put_number(b, 0);
	put_number(b, number_of_scope(w, p, intervals_find(m, p->start)));
	for (size_t i = intervals_above(m, p->start); i < m->n &&
	    m->list[i].start < p->end; i++) {
		put_number(b, m->list[i].start - at);
		put_number(b, number_of_scope(w, p, m->list[i].index));
		at = m->list[i].start;
	}
	json_close(b, ']');
}

static void
put_scopes(struct release_writer *w, struct part *p, struct buf *b)
{
	json_open(b, "scopes", '[');
	for (size_t i = 0; i < p->n_scopes; i++) {
		const struct scope *s = &w->table->scopes[p->scopes[i]];

		put_number(b, number_of(&p->names, s->name));
		put_number(b, number_of(&p->files, s->file));
		put_number(b, s->line);
		put_number(b, s->parent != INDEX_NONE ?
		    w->numbers[s->parent] : 0);
	}
	json_close(b, ']');
	for (size_t i = 0; i < p->n_scopes; i++)
		w->numbers[p->scopes[i]] = 0;
}

static void
put_strings(struct buf *b, const char *key, const struct intern *strings)
{
	json_open(b, key, '[');
	for (sym i = 0; i < strings->n; i++)
		json_item(b, intern_span(strings, i));
	json_close(b, ']');
}

static void
put_symbol(struct buf *b, const struct symbol *s)
{
	if (b->data[b->len - 1] != '[')
		buf_char(b, ',');
	buf_char(b, '{');
	json_address(b, "address", s->address);
	json_uint(b, "size", s->size);
	json_cstr(b, "name", s->name);
	json_cstr(b, "kind", symbol_kinds[s->kind]);
	buf_char(b, '}');
}

static int
compare_indexes(const void *a, const void *b)
{
	return cmp_u64(*(const uint32_t *)a, *(const uint32_t *)b);
}

/* Those of before that reach into this record, and those that begin in it. */
static void
put_symbols(struct release_writer *w, struct part *p, struct buf *b)
{
	const struct symtab *t = w->table;
	const struct intervals *m = &t->symbol_index;
	size_t first = symbols_from(t, p->start), n = 0, cap = 0;
	uint32_t *before = NULL, index = intervals_find(m, p->start);

	for (size_t i = intervals_above(m, p->start);; i++) {
		if (index < first) {
			before = mem_grow(before, &cap, n + 1, sizeof *before);
			before[n++] = index;
		}
		if (i >= m->n || m->list[i].start >= p->end)
			break;
		index = m->list[i].index;
	}
	sort(before, n, sizeof *before, compare_indexes);
	json_open(b, "symbols", '[');
	for (size_t i = 0; i < n; i++)
		if (i == 0 || before[i] != before[i - 1])
			put_symbol(b, &t->symbols[before[i]]);
	for (size_t i = first; i < t->n_symbols &&
	    t->symbols[i].address < p->end; i++)
		put_symbol(b, &t->symbols[i]);
	json_close(b, ']');
	free(before);
}

static void
put_part(struct release_writer *w, struct part *p, struct buf *b)
{
	json_begin(b, "release");
	json_address(b, "start", p->start);
	json_address(b, "end", p->end);
	json_cstr(b, "checksum", w->checksum);
	if (*w->build_id != '\0')
		json_cstr(b, "build_id", w->build_id);
	json_cstr(b, "path", w->path);
	put_lines(w, p, b);
	put_inlines(w, p, b);
	put_scopes(w, p, b);
	put_strings(b, "names", &p->names);
	put_strings(b, "files", &p->files);
	put_symbols(w, p, b);
	json_end(b);
}

bool
release_write(struct release_writer *w, struct buf *b)
{
	struct part p = { .start = w->start };

	if (w->ended)
		return false;
	if (w->numbers == NULL)
		w->numbers = mem_zero(w->table->n_scopes + 1,
		    sizeof *w->numbers);
	p.end = end_of_part(w->table, p.start);
	intern_init(&p.names);
	intern_init(&p.files);
	put_part(w, &p, b);
	intern_release(&p.names);
	intern_release(&p.files);
	free(p.scopes);
	w->start = p.end;
	w->ended = p.end == UINT64_MAX;
	if (w->ended)
		free(w->numbers);
	return true;
}
