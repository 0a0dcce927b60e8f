#ifndef WEIR_SYMBOLS_TABLE_H
#define WEIR_SYMBOLS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/mem.h"

/*
 * What the addresses of a piece of a program stand for, in sorted arrays.
 * Addresses are those of the ELF file.  A table owns its arrays and what is in
 * its arena; names and files are borrowed from there or from longer living
 * memory, NULL where they are not known.  Start with { 0 }.
 */
struct scope {			/* a function, or one inlined into another */
	const char *name;	/* as the linker has it */
	const char *file;	/* where the function is declared, or, */
	uint32_t line;		/* inlined, where it was called; 0: not known */
	uint32_t parent;	/* the scope it was inlined into, before it in
				   the array, or INDEX_NONE */
	uint32_t depth;		/* how many scopes it was inlined into */
	bool is_vague;		/* its function has no file, or no name of the
				   linker's: a symbol may say more */
};

enum symbol_kind { SYMBOL_LABEL, SYMBOL_INDIRECT, SYMBOL_FUNCTION };

struct symbol {			/* of the ELF file's own table */
	uint64_t address, size;	/* in bytes */
	const char *name;
	enum symbol_kind kind;
	int rank;		/* of several at an address the highest shows */
};

struct mark {			/* from this address on, this is innermost */
	uint64_t address;
	uint32_t index;		/* of a scope or symbol, or INDEX_NONE */
};

struct row {			/* from this address on, code is of this line */
	uint64_t address;
	const char *file;	/* NULL: of none */
	uint32_t line;
};

struct marks {
	struct mark *list;
	size_t n, cap;
};

struct table {
	struct scope *scopes;
	size_t n_scopes, scopes_cap;
	struct marks scope_marks;
	struct symbol *symbols;
	size_t n_symbols, symbols_cap;
	struct marks symbol_marks;
	struct row *rows;
	size_t n_rows, rows_cap;
	struct arena arena;
};

void table_release(struct table *);

/* Its index.  The rest is found out; INDEX_NONE if it is SCOPE_DEPTH. */
uint32_t table_add_scope(struct table *, struct scope);
enum { SCOPE_DEPTH = 1000 };

void table_add_symbol(struct table *, struct symbol);
void marks_add(struct marks *, struct mark);

/*
 * Rows are added in the order of addresses; of several at one address the last
 * counts.
 */
void table_add_row(struct table *, struct row);

/* The addresses low to high - 1 belong to the scope or symbol of this index. */
struct extent {
	uint64_t low, high;
	uint32_t index;
};

/*
 * Makes marks of extents, which it sorts: of those that share an address the
 * one that begins later is the innermost, and of those that begin at the same
 * one that with the greater index.
 */
void marks_paint(struct marks *, struct extent *, size_t n);

/*
 * Sorts the symbols and makes their marks.  end() tells where the code ends
 * that an address stands in, which no symbol exceeds; one without a size ends
 * where the next begins, and a label counts only where no function is.
 */
void table_settle_symbols(struct table *, uint64_t (*end)(const void *owner,
    uint64_t address), const void *owner);

/* The marks of symbols that have been settled: their sizes are known. */
void table_paint_symbols(struct table *);

/* What stands at an address: an index, or a row; INDEX_NONE or NULL if none. */
uint32_t marks_find(const struct marks *, uint64_t address);
const struct row *table_row(const struct table *, uint64_t address);

/* The first mark or row above an address. */
size_t marks_after(const struct marks *, uint64_t address);
size_t rows_after(const struct table *, uint64_t address);

#endif
