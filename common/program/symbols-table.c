/* symbols-table - functions, lines and symbols by address */

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/num.h"
#include "common/program/demangle.h"
#include "common/program/symbols-table.h"

void
table_release(struct table *t)
{
	free(t->scopes);
	free(t->scope_marks.list);
	free(t->symbols);
	free(t->symbol_marks.list);
	free(t->rows);
	arena_release(&t->arena);
	*t = (struct table){ 0 };
}

uint32_t
table_add_scope(struct table *t, struct scope scope)
{
	if (scope.parent == INDEX_NONE) {
		scope.depth = 0;
		scope.is_vague = scope.file == NULL ||
		    (scope.name != NULL && !is_mangled(scope.name));
	} else {
		scope.depth = t->scopes[scope.parent].depth + 1;
		scope.is_vague = t->scopes[scope.parent].is_vague;
	}
	if (scope.depth == SCOPE_DEPTH)
		return INDEX_NONE;
	t->scopes = mem_grow(t->scopes, &t->scopes_cap, t->n_scopes + 1,
	    sizeof *t->scopes);
	t->scopes[t->n_scopes] = scope;
	return (uint32_t)t->n_scopes++;
}

void
table_add_symbol(struct table *t, struct symbol symbol)
{
	t->symbols = mem_grow(t->symbols, &t->symbols_cap, t->n_symbols + 1,
	    sizeof *t->symbols);
	t->symbols[t->n_symbols++] = symbol;
}

void
marks_add(struct marks *m, struct mark mark)
{
	if (m->n > 0 && m->list[m->n - 1].address == mark.address)
		m->n--;
	if (m->n > 0 && m->list[m->n - 1].index == mark.index)
		return;
	m->list = mem_grow(m->list, &m->cap, m->n + 1, sizeof *m->list);
	m->list[m->n++] = mark;
}

void
table_add_row(struct table *t, struct row row)
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

static int
compare_extents(const void *a, const void *b)
{
	const struct extent *x = a, *y = b;

	if (x->low != y->low)
		return x->low < y->low ? -1 : 1;
	if (x->index != y->index)
		return x->index < y->index ? -1 : 1;
	return 0;
}

/*
 * The extents that are open at an address lie in a stack, the innermost on
 * top.  One that ended below another's top is dropped when that one goes.
 */
static size_t
close_until(struct marks *m, const struct extent *stack, size_t depth,
    uint64_t address)
{
	uint64_t end;

	while (depth > 0 && stack[depth - 1].high <= address) {
		end = stack[depth - 1].high;
		while (depth > 0 && stack[depth - 1].high <= end)
			depth--;
		marks_add(m, (struct mark){ end,
		    depth > 0 ? stack[depth - 1].index : INDEX_NONE });
	}
	return depth;
}

void
marks_paint(struct marks *m, struct extent *extents, size_t n)
{
	struct extent *stack = NULL;
	size_t depth = 0, cap = 0;

	if (n > 0)
		qsort(extents, n, sizeof *extents, compare_extents);
	for (size_t i = 0; i < n; i++) {
		if (extents[i].low >= extents[i].high)
			continue;
		depth = close_until(m, stack, depth, extents[i].low);
		stack = mem_grow(stack, &cap, depth + 1, sizeof *stack);
		stack[depth++] = extents[i];
		marks_add(m, (struct mark){ extents[i].low,
		    extents[i].index });
	}
	close_until(m, stack, depth, UINT64_MAX);
	free(stack);
}

/* The worst first: the last of an address is the one that is shown. */
static int
compare_symbols(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	if (x->size != y->size)
		return x->size < y->size ? -1 : 1;
	return strcmp(y->name, x->name);
}

static void
paint_symbols(struct table *t, bool with_labels)
{
	struct extent *extents = mem_resize(NULL, t->n_symbols + 1,
	    sizeof *extents);
	size_t n = 0;

	for (size_t i = 0; i < t->n_symbols; i++) {
		const struct symbol *s = &t->symbols[i];

		if ((s->kind == SYMBOL_LABEL && !with_labels) ||
		    s->size > UINT64_MAX - s->address)
			continue;
		extents[n++] = (struct extent){ s->address,
		    s->address + s->size, (uint32_t)i };
	}
	t->symbol_marks.n = 0;
	marks_paint(&t->symbol_marks, extents, n);
	free(extents);
}

void
table_paint_symbols(struct table *t)
{
	paint_symbols(t, true);
}

void
table_settle_symbols(struct table *t, uint64_t (*end)(const void *owner,
    uint64_t address), const void *owner)
{
	uint64_t next = UINT64_MAX, at = UINT64_MAX, stop, most;
	size_t n = 0;

	if (t->n_symbols > 0)
		qsort(t->symbols, t->n_symbols, sizeof *t->symbols,
		    compare_symbols);
	for (size_t i = t->n_symbols; i-- > 0;) {
		struct symbol *s = &t->symbols[i];

		if (s->address != at) {
			next = at;
			at = s->address;
		}
		stop = end(owner, s->address);
		most = stop - s->address;
		if (s->size == 0 || s->kind == SYMBOL_LABEL)
			s->size = next < stop ? next - s->address : most;
		else if (s->size > most)
			s->size = most;
	}
	paint_symbols(t, false);
	for (size_t i = 0; i < t->n_symbols; i++)
		if (t->symbols[i].kind != SYMBOL_LABEL || marks_find(
		    &t->symbol_marks, t->symbols[i].address) == INDEX_NONE)
			t->symbols[n++] = t->symbols[i];
	t->n_symbols = n;
	paint_symbols(t, true);
}

size_t
marks_after(const struct marks *m, uint64_t address)
{
	size_t low = 0, high = m->n, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (m->list[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

uint32_t
marks_find(const struct marks *m, uint64_t address)
{
	size_t after = marks_after(m, address);

	return after > 0 ? m->list[after - 1].index : INDEX_NONE;
}

size_t
rows_after(const struct table *t, uint64_t address)
{
	size_t low = 0, high = t->n_rows, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (t->rows[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct row *
table_row(const struct table *t, uint64_t address)
{
	size_t after = rows_after(t, address);

	return after > 0 && t->rows[after - 1].file != NULL ?
	    &t->rows[after - 1] : NULL;
}
