#ifndef WEIR_SYMTAB_H
#define WEIR_SYMTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/intervals.h"
#include "common/base/mem.h"

/*
 * The symbol table of a program or of a part of it: functions, the calls
 * inlined into them, lines and ELF symbols in sorted arrays, by the addresses
 * of the ELF file.
 *
 * A symtab owns its arrays and what is in its arena.  Names and files, NULL if
 * unknown, are borrowed from there or from memory that lives longer.  Start
 * with { 0 }.
 */

/*
 * A function, or a call that was inlined into one.  If main() inlines f(),
 * which inlines g(), that code has three scopes: main, whose parent is
 * INDEX_NONE, then f, then g, whose depth is 2.
 */
struct scope {
	const char *name;	/* the linkage name: perhaps mangled */
	const char *file;	/* where the function is declared; of an */
	uint32_t line;		/* inlined call, where it is; 0: unknown */
	uint32_t parent;	/* the scope that it was inlined into, earlier
				   in the array, or INDEX_NONE */
	uint32_t depth;		/* number of scopes around it */
	bool is_incomplete;	/* its function lacks a file or a linkage name:
				   the ELF symbol may know more */
};

enum symbol_kind { SYMBOL_LABEL, SYMBOL_INDIRECT, SYMBOL_FUNCTION };

struct symbol {			/* of the ELF file's symbol table */
	uint64_t address, size;	/* in bytes */
	const char *name;
	enum symbol_kind kind;
	int rank;		/* of several at one address the highest wins */
};

struct row {			/* the line of the code from this address on */
	uint64_t address;
	const char *file;	/* NULL: no line from here on */
	uint32_t line;
};

struct symtab {
	struct scope *scopes;
	size_t n_scopes, scopes_cap;
	struct intervals scope_index;	/* of indexes in scopes */
	struct symbol *symbols;
	size_t n_symbols, symbols_cap;
	struct intervals symbol_index;	/* of indexes in symbols */
	struct row *rows;
	size_t n_rows, rows_cap;
	struct arena arena;
};

void symtab_release(struct symtab *);

/*
 * Adds a scope, whose depth and is_incomplete it computes, and returns its
 * index.  INDEX_NONE, and nothing is added, if its depth is SCOPE_DEPTH_MAX.
 */
uint32_t symtab_add_scope(struct symtab *, struct scope);
enum { SCOPE_DEPTH_MAX = 1000 };

void symtab_add_symbol(struct symtab *, struct symbol);

/*
 * Adds a row at or above the last one; one at the same address replaces it.
 */
void symtab_add_row(struct symtab *, struct row);

/*
 * Sorts the symbols, completes their sizes and builds symbol_index.
 * code_end() returns where the section of an address ends, which no symbol
 * exceeds.  A symbol without a size ends where the next one begins.  A label is
 * dropped where it is inside a function.
 */
void symtab_finish_symbols(struct symtab *,
    uint64_t (*code_end)(const void *owner, uint64_t address),
    const void *owner);

/* Builds symbol_index alone, for symbols that were finished once before. */
void symtab_index_symbols(struct symtab *);

/* The row that covers an address, or NULL if it has no line. */
const struct row *symtab_row(const struct symtab *, uint64_t address);

/* The index of the first row above an address. */
size_t symtab_rows_above(const struct symtab *, uint64_t address);

#endif
