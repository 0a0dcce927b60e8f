#ifndef WEIR_SYMBOLS_TABLE_H
#define WEIR_SYMBOLS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/intervals.h"
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

struct row {			/* from this address on, code is of this line */
	uint64_t address;
	const char *file;	/* NULL: of none */
	uint32_t line;
};

struct table {
	struct scope *scopes;
	size_t n_scopes, scopes_cap;
	struct intervals scope_index;
	struct symbol *symbols;
	size_t n_symbols, symbols_cap;
	struct intervals symbol_index;
	struct row *rows;
	size_t n_rows, rows_cap;
	struct arena arena;
};

void table_release(struct table *);

/* Its index.  The rest is found out; INDEX_NONE if it is SCOPE_DEPTH. */
uint32_t table_add_scope(struct table *, struct scope);
enum { SCOPE_DEPTH = 1000 };

void table_add_symbol(struct table *, struct symbol);

/*
 * Rows are added in the order of addresses; of several at one address the last
 * counts.
 */
void table_add_row(struct table *, struct row);

/*
 * Sorts the symbols and makes their index.  end() tells where the code ends
 * that an address stands in, which no symbol exceeds; one without a size ends
 * where the next begins, and a label counts only where no function is.
 */
void table_settle_symbols(struct table *, uint64_t (*end)(const void *owner,
    uint64_t address), const void *owner);

/* The index of symbols that have been settled: their sizes are known. */
void table_index_symbols(struct table *);

/* The row of an address, or NULL. */
const struct row *table_row(const struct table *, uint64_t address);

/* The first row above an address. */
size_t rows_after(const struct table *, uint64_t address);

#endif
