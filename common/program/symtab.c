/* symtab - a table of functions, inlined calls, lines and symbols by address */

#include <stdlib.h>
#include <string.h>

#include "common/base/num.h"
#include "common/base/search.h"
#include "common/base/sort.h"
#include "common/program/demangle.h"
#include "common/program/symtab.h"

void
symtab_release(struct symtab *t)
{
	free(t->scopes);
	intervals_release(&t->scope_index);
	free(t->symbols);
	intervals_release(&t->symbol_index);
	free(t->rows);
	arena_release(&t->arena);
	*t = (struct symtab){ 0 };
}

uint32_t
symtab_add_scope(struct symtab *t, struct scope scope)
{
	if (scope.parent == INDEX_NONE) {
		scope.depth = 0;
		scope.is_incomplete = scope.file == NULL ||
		    scope.name == NULL || !demangler_is_mangled(scope.name);
	} else {
		scope.depth = t->scopes[scope.parent].depth + 1;
		scope.is_incomplete = t->scopes[scope.parent].is_incomplete;
	}
	if (scope.depth == SCOPE_DEPTH_MAX)
		return INDEX_NONE;
	t->scopes = mem_grow(t->scopes, &t->scopes_cap, t->n_scopes + 1,
	    sizeof *t->scopes);
	t->scopes[t->n_scopes] = scope;
	return (uint32_t)t->n_scopes++;
}

void
symtab_add_symbol(struct symtab *t, struct symbol symbol)
{
	t->symbols = mem_grow(t->symbols, &t->symbols_cap, t->n_symbols + 1,
	    sizeof *t->symbols);
	t->symbols[t->n_symbols++] = symbol;
}

void
symtab_add_row(struct symtab *t, struct row row)
{
	const struct row *last;

	if (t->n_rows > 0 && t->rows[t->n_rows - 1].address == row.address)
		t->n_rows--;
	last = t->n_rows > 0 ? &t->rows[t->n_rows - 1] : NULL;
	if (last != NULL && last->file == row.file && last->line == row.line)
		return;
	t->rows = mem_grow(t->rows, &t->rows_cap, t->n_rows + 1,
	    sizeof *t->rows);
	t->rows[t->n_rows++] = row;
}

/*
 * By address.  Of the symbols at one address, the best is the last, because an
 * interval index prefers the greatest index.  Names are compared in reverse, so
 * that of equal symbols the first by name is the best.
 */
static int
compare_symbols(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;
	return cmp_u64(x->address, y->address) ?: cmp_u64(x->kind, y->kind) ?:
	    cmp_i64(x->rank, y->rank) ?: cmp_u64(x->size, y->size) ?:
	    strcmp(y->name, x->name);
}

void
symtab_index_symbols(struct symtab *t, bool with_labels)
{
	struct interval *ranges = mem_resize(NULL, t->n_symbols + 1,
	    sizeof *ranges);
	size_t n = 0;

	for (size_t i = 0; i < t->n_symbols; i++) {
		const struct symbol *s = &t->symbols[i];

		if ((s->kind == SYMBOL_LABEL && !with_labels) ||
		    s->size > UINT64_MAX - s->address)
			continue;
		ranges[n++] = (struct interval){ s->address,
		    s->address + s->size, (uint32_t)i };
	}
	t->symbol_index.n = 0;
	intervals_build(&t->symbol_index, ranges, n);
	free(ranges);
}

void
symtab_finish_symbols(struct symtab *t, const struct intervals *code)
{
	uint64_t address = UINT64_MAX;	/* of the current symbol */
	uint64_t next_address = UINT64_MAX;	/* of the next higher symbol */
	uint64_t end, max_size;
	size_t n = 0;

	sort(t->symbols, t->n_symbols, sizeof *t->symbols, compare_symbols);
	for (size_t i = t->n_symbols; i-- > 0;) {
		struct symbol *s = &t->symbols[i];

		if (s->address != address) {
			next_address = address;
			address = s->address;
		}
		/* A section ends at the next boundary. */
		end = code->list[intervals_above(code, s->address)].start;
		max_size = end - s->address;
		if (s->size == 0 || s->kind == SYMBOL_LABEL)
			s->size = next_address < end ?
			    next_address - s->address : max_size;
		else if (s->size > max_size)
			s->size = max_size;
	}
	/* Drop labels inside functions, found by an index without labels. */
	symtab_index_symbols(t, false);
	for (size_t i = 0; i < t->n_symbols; i++)
		if (t->symbols[i].kind != SYMBOL_LABEL || intervals_find(
		    &t->symbol_index, t->symbols[i].address) == INDEX_NONE)
			t->symbols[n++] = t->symbols[i];
	t->n_symbols = n;
	symtab_index_symbols(t, true);
}

size_t
symtab_rows_above(const struct symtab *t, uint64_t address)
{
	return SEARCH_FIRST(i, t->n_rows, t->rows[i].address > address);
}

const struct row *
symtab_row(const struct symtab *t, uint64_t address)
{
	size_t above = symtab_rows_above(t, address);

	return above > 0 && t->rows[above - 1].file != NULL ?
	    &t->rows[above - 1] : NULL;
}
