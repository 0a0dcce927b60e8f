#ifndef WEIR_SYMBOLS_H
#define WEIR_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Symbolization: the functions, inlined calls, files and lines of a program's
 * addresses.  They come from its ELF file, from a separate file of debug
 * information, or from a release (release.h); the answers are the same.
 */
struct symbols;

/*
 * Opens an ELF file.  debug_dir is the root of separate debug information:
 * /usr/lib/debug.  If the file cannot be read: NULL, and *why.  Otherwise *why
 * is what it lacks, or NULL.  *why is borrowed until the next call.
 */
struct symbols *symbols_open(const char *path, const char *debug_dir,
    const char **why);
struct symbols *symbols_open_release(const char *path, const char **why);
void symbols_close(struct symbols *);

const char *symbols_build_id(const struct symbols *);	/* "" if none */

/* The damage that was found so far, or NULL. */
const char *symbols_damage(const struct symbols *);

/* A function and a line in a file; NULL and 0 if unknown. */
struct place {
	const char *name;	/* the linkage name: perhaps mangled */
	const char *file;
	uint32_t line;
};

/*
 * What an address of the file resolves to.  If main() calls f() on line 8,
 * which was inlined and calls g() on line 3, and g() was inlined too, then the
 * answer for an address of g()'s line 1 is
 *
 *	line 1, inlined: g (called on line 3), f (called on line 8),
 *	function: main (declared on line 5)
 *
 * An answer and all that it points to live as long as the symbols.  Addresses
 * with equal answers share one.  Answers are numbered from 0 in the order in
 * which they are first given, and so are the places in them.
 */
struct answer {
	const char *file;	/* of the address itself */
	uint32_t line;
	uint32_t number;
	uint32_t function;	/* a place: where it is declared */
	uint32_t n_inlined;
	const uint32_t *inlined;	/* places: the calls inlined around the
					   address, innermost first; the
					   callee's name, the line of the
					   call */
};

const struct answer *symbols_find(struct symbols *, uint64_t address);

/*
 * A place by its number: borrowed until the next symbols_find(), its texts as
 * long as the symbols.
 */
const struct place *symbols_place(const struct symbols *, uint32_t number);

#endif
