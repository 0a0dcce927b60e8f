#ifndef WEIR_SYMTAB_H
#define WEIR_SYMTAB_H

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

struct symtab {
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

void symtab_release(struct symtab *);

/* Its index.  The rest is found out; INDEX_NONE if it is SCOPE_DEPTH. */
uint32_t symtab_add_scope(struct symtab *, struct scope);
enum { SCOPE_DEPTH = 1000 };

void symtab_add_symbol(struct symtab *, struct symbol);

/*
 * Rows are added in the order of addresses; of several at one address the last
 * counts.
 */
void symtab_add_row(struct symtab *, struct row);

/*
 * Sorts the symbols and makes their index.  end() tells where the code ends
 * that an address stands in, which no symbol exceeds; one without a size ends
 * where the next begins, and a label counts only where no function is.
 */
void symtab_finish_symbols(struct symtab *, uint64_t (*end)(const void *owner,
    uint64_t address), const void *owner);

/* The index of symbols that have been settled: their sizes are known. */
void symtab_index_symbols(struct symtab *);

/* The row of an address, or NULL. */
const struct row *symtab_row(const struct symtab *, uint64_t address);

/* The first row above an address. */
size_t symtab_rows_above(const struct symtab *, uint64_t address);

#endif
