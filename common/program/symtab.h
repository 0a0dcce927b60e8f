#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/intervals.h"
#include "common/base/mem.h"

/*
 * The symbol table of a program or of a part of it: functions, the calls
 * inlined into them, lines and ELF symbols.  Lines and symbols are sorted by
 * address; functions and inlined calls are found by an interval index.
 * Addresses are the virtual addresses in the ELF file, before it is loaded.
 *
 * A symtab owns its arrays and its arena.  Names and files, which are NULL if
 * unknown, are borrowed from the arena or from memory that lives longer.  Start
 * with { 0 }.
 */

/*
 * A function, or a call that was inlined into one.  If f() was inlined into
 * main(), and g() into f(), there are three scopes: main, whose parent is
 * INDEX_NONE, then f, then g, whose depth is 2.
 *
 * The file and line of a function are those of its declaration; of an inlined
 * call, those of the call.
 */
struct scope {
	const char *name;	/* the linkage name: perhaps mangled */
	const char *file;
	uint32_t line;		/* 0: unknown */
	uint32_t parent;	/* the scope that it was inlined into, earlier
				   in the array, or INDEX_NONE */
	uint32_t depth;		/* number of scopes around it */
	bool is_incomplete;	/* DWARF has no file or no name for its
				   function, or only a name that is not
				   mangled: the ELF symbol may have more */
};

/*
 * If symbols of several kinds begin at one address, the last of these kinds
 * wins.  A label is a symbol without a type, as in assembler code; an indirect
 * function (ifunc) chooses its implementation at load time.
 */
enum symbol_kind { SYMBOL_LABEL, SYMBOL_INDIRECT, SYMBOL_FUNCTION };

/* An entry of the ELF symbol table. */
struct symbol {
	uint64_t address, size;	/* in bytes */
	const char *name;
	enum symbol_kind kind;
	int rank;		/* if several symbols of a kind have the same
				   address, the highest rank wins */
};

/* A row of the line table: the line of the code from an address on. */
struct row {
	uint64_t address;
	const char *file;	/* NULL: no line from here on */
	uint32_t line;
};

struct symtab {
	struct scope *scopes;
	size_t n_scopes, scopes_cap;
	struct intervals scope_index;	/* indexes in scopes by address */
	struct symbol *symbols;
	size_t n_symbols, symbols_cap;
	struct intervals symbol_index;	/* indexes in symbols by address */
	struct row *rows;
	size_t n_rows, rows_cap;
	struct arena arena;
};

void symtab_release(struct symtab *);

/* Inlined calls at this depth are refused: only damaged files have them. */
enum { SCOPE_DEPTH_MAX = 1000 };

/*
 * Adds a scope and returns its index; depth and is_incomplete are computed.  If
 * its depth is SCOPE_DEPTH_MAX, adds nothing and returns INDEX_NONE.
 */
uint32_t symtab_add_scope(struct symtab *, struct scope);

void symtab_add_symbol(struct symtab *, struct symbol);

/*
 * Adds a row whose address is not below that of the last row.  A row at the
 * same address replaces the last row.  A row with the file and line of the row
 * before it is left out.
 */
void symtab_add_row(struct symtab *, struct row);

/*
 * Sorts the symbols, completes their sizes and builds symbol_index.  `code` has
 * the sections of code, in which all symbols begin: longer symbols are
 * truncated at the end of their section.  A symbol without a size, like any
 * label, extends to the next symbol or to that end.  Labels inside functions
 * are dropped.
 */
void symtab_finish_symbols(struct symtab *, const struct intervals *code);

/*
 * Only builds symbol_index, with or without labels: the symbols of a release
 * were finished before they were written.
 */
void symtab_index_symbols(struct symtab *, bool with_labels);

/* The row that covers an address, or NULL if it has no line. */
const struct row *symtab_row(const struct symtab *, uint64_t address);

/* The index of the first row above an address, or n_rows. */
size_t symtab_rows_above(const struct symtab *, uint64_t address);
