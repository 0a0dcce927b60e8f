/* release-write - writes a symtab as release records */

#include <stdlib.h>

#include "common/base/intern.h"
#include "common/base/num.h"
#include "common/base/search.h"
#include "common/base/sort.h"
#include "common/json/json.h"
#include "common/program/release-write.h"
#include "common/program/release.h"

/*
 * The maximum number of entries in one record: rows, symbols and boundaries of
 * scopes together.  A record of this size has about 100 KB of text, which is
 * decoded in a third of a millisecond.
 */
enum { PART_ENTRIES_MAX = 8192 };

/* A record that is being written. */
struct part {
	uint64_t start, end;
	struct intern names, files;	/* numbered from 1 */
	uint32_t *scopes;	/* indexes, in the order of their numbers */
	size_t n_scopes, cap;
};

/* The index of the first symbol at or above an address. */
static size_t
symbols_from(const struct symtab *t, uint64_t address)
{
	return SEARCH_FIRST(i, t->n_symbols, t->symbols[i].address >= address);
}

/* The number of entries below an address. */
static size_t
entries_below(const struct symtab *t, uint64_t address)
{
	return symtab_rows_above(t, address - 1) +
	    intervals_above(&t->scope_index, address - 1) +
	    symbols_from(t, address);
}

/*
 * The end of the part that begins at start: the highest address up to which it
 * has no more than PART_ENTRIES_MAX entries, found by binary search.  The last
 * part ends at UINT64_MAX.
 */
static uint64_t
end_of_part(const struct symtab *t, uint64_t start)
{
	/* entries_below(t, 0) would underflow. */
	size_t max = (start > 0 ? entries_below(t, start) : 0) +
	    PART_ENTRIES_MAX;
	uint64_t low = start + 1, high = UINT64_MAX, middle;

	if (entries_below(t, high) <= max)
		return high;
	while (low < high) {
		middle = low + (high - low) / 2;
		if (entries_below(t, middle) <= max)
			low = middle + 1;
		else
			high = middle;
	}
	/*
	 * low is the first end with too many entries.  If that is start + 1,
	 * one address alone has too many, and its part exceeds the limit.
	 */
	return low - 1 > start ? low - 1 : low;
}

/* The number of a string in this part; 0 for NULL. */
static uint32_t
number_of(struct intern *strings, const char *s)
{
	return s != NULL ? intern_add(strings, span_str(s)) + 1 : 0;
}

/*
 * The number of a scope in this part; 0 for INDEX_NONE.  A scope is numbered at
 * its first use, after its parents, of which there are SCOPE_DEPTH_MAX at most.
 */
static uint32_t
number_of_scope(struct release_writer *w, struct part *p, uint32_t scope)
{
	if (scope == INDEX_NONE)
		return 0;
	if (w->scope_numbers[scope] == 0) {
		number_of_scope(w, p, w->symtab->scopes[scope].parent);
		p->scopes = mem_grow(p->scopes, &p->cap, p->n_scopes + 1,
		    sizeof *p->scopes);
		p->scopes[p->n_scopes++] = scope;
		w->scope_numbers[scope] = (uint32_t)p->n_scopes;
	}
	return w->scope_numbers[scope];
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
	const struct symtab *t = w->symtab;
	const struct row *row = symtab_row(t, p->start);
	uint64_t last_address = p->start;

	json_open(b, "lines", '[');
	if (row != NULL) {
		put_number(b, 0);
		put_number(b, number_of(&p->files, row->file));
		put_number(b, row->line);
	}
	for (size_t i = symtab_rows_above(t, p->start); i < t->n_rows &&
	    t->rows[i].address < p->end; i++) {
		row = &t->rows[i];
		put_number(b, row->address - last_address);
		put_number(b, number_of(&p->files, row->file));
		put_number(b, row->line);
		last_address = row->address;
	}
	json_close(b, ']');
}

static void
put_inlines(struct release_writer *w, struct part *p, struct buf *b)
{
	const struct intervals *scopes = &w->symtab->scope_index;
	uint64_t last_address = p->start;

	json_open(b, "inlines", '[');
	put_number(b, 0);
	put_number(b, number_of_scope(w, p,
	    intervals_find(scopes, p->start)));
	for (size_t i = intervals_above(scopes, p->start); i < scopes->n &&
	    scopes->list[i].start < p->end; i++) {
		put_number(b, scopes->list[i].start - last_address);
		put_number(b, number_of_scope(w, p, scopes->list[i].index));
		last_address = scopes->list[i].start;
	}
	json_close(b, ']');
}

/*
 * Writes the scopes of this part, after put_inlines() has numbered them, and
 * clears their numbers for the next part.
 */
static void
put_scopes(struct release_writer *w, struct part *p, struct buf *b)
{
	json_open(b, "scopes", '[');
	for (size_t i = 0; i < p->n_scopes; i++) {
		const struct scope *s = &w->symtab->scopes[p->scopes[i]];

		put_number(b, number_of(&p->names, s->name));
		put_number(b, number_of(&p->files, s->file));
		put_number(b, s->line);
		put_number(b, s->parent != INDEX_NONE ?
		    w->scope_numbers[s->parent] : 0);
	}
	json_close(b, ']');
	for (size_t i = 0; i < p->n_scopes; i++)
		w->scope_numbers[p->scopes[i]] = 0;
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
	buf_str(b, b->data[b->len - 1] == '[' ? "{" : ",{");
	json_address(b, "address", s->address);
	json_uint(b, "size", s->size);
	json_cstr(b, "name", s->name);
	json_cstr(b, "kind", release_symbol_kinds[s->kind]);
	buf_char(b, '}');
}

/*
 * Writes the symbols that begin before this part but reach into it, and then
 * those that begin in it.
 */
static void
put_symbols(struct release_writer *w, struct part *p, struct buf *b)
{
	const struct symtab *t = w->symtab;
	const struct intervals *symbols = &t->symbol_index;
	size_t first = symbols_from(t, p->start), n = 0, cap = 0;
	uint64_t *earlier = NULL, index = intervals_find(symbols,
	    p->start);

	/* INDEX_NONE is the greatest number, and so never below first. */
	for (size_t i = intervals_above(symbols, p->start);; i++) {
		if (index < first) {
			earlier = mem_grow(earlier, &cap, n + 1,
			    sizeof *earlier);
			earlier[n++] = index;
		}
		if (i >= symbols->n || symbols->list[i].start >= p->end)
			break;
		index = symbols->list[i].index;
	}
	sort_u64(earlier, n);

	json_open(b, "symbols", '[');
	/* A symbol has several boundaries if others are nested in it. */
	for (size_t i = 0; i < n; i++)
		if (i == 0 || earlier[i] != earlier[i - 1])
			put_symbol(b, &t->symbols[earlier[i]]);
	for (size_t i = first; i < t->n_symbols &&
	    t->symbols[i].address < p->end; i++)
		put_symbol(b, &t->symbols[i]);
	json_close(b, ']');
	free(earlier);
}

bool
release_write(struct release_writer *w, struct buf *b)
{
	struct part p = { .start = w->start };

	if (w->has_ended)
		return false;
	if (w->scope_numbers == NULL)
		w->scope_numbers = mem_zero(w->symtab->n_scopes + 1,
		    sizeof *w->scope_numbers);
	p.end = end_of_part(w->symtab, p.start);
	intern_init(&p.names);
	intern_init(&p.files);

	json_begin(b, "release");
	json_address(b, "start", p.start);
	json_address(b, "end", p.end);
	json_cstr(b, "checksum", w->checksum);
	json_text(b, "build_id", span_str(w->build_id));
	json_cstr(b, "path", w->path);
	put_lines(w, &p, b);
	put_inlines(w, &p, b);
	put_scopes(w, &p, b);
	put_strings(b, "names", &p.names);
	put_strings(b, "files", &p.files);
	put_symbols(w, &p, b);
	json_end(b);

	intern_release(&p.names);
	intern_release(&p.files);
	free(p.scopes);
	w->start = p.end;
	w->has_ended = p.end == UINT64_MAX;
	if (w->has_ended)
		free(w->scope_numbers);
	return true;
}
