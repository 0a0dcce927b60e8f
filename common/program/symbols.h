#ifndef WEIR_SYMBOLS_H
#define WEIR_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The functions, files and lines that the addresses of a program stand for:
 * from its ELF file, from the file that has its debug information, or from a
 * release (release.h), which all say the same.
 */
struct symbols;

/*
 * debug_dir is where files of debug information are kept: /usr/lib/debug.
 * NULL, and *why: the file cannot be read.  Otherwise *why is what is missing
 * in it, or NULL.  The words live until the next call.
 */
struct symbols *symbols_open(const char *path, const char *debug_dir,
    const char **why);
struct symbols *symbols_open_release(const char *path, const char **why);
void symbols_close(struct symbols *);

const char *symbols_build_id(const struct symbols *);	/* "" if none */

/* What was found to be damaged so far, or NULL. */
const char *symbols_damage(const struct symbols *);

/* NULL and 0 are what is not known. */
struct place {
	const char *name;	/* as the linker has it: perhaps mangled */
	const char *file;
	uint32_t line;
};

/*
 * What an address of the file stands for.  It and all that it points to live
 * as long as the symbols.  Addresses of which the same is said share an answer;
 * answers are numbered from 0 in the order in which they were first given, and
 * so are the places in them.
 */
struct answer {
	const char *file;	/* of the address itself */
	uint32_t line;
	uint32_t number;
	uint32_t function;	/* the place where it is declared */
	uint32_t n_inlined;
	const uint32_t *inlined;	/* the functions inlined into it that
					   the address is of, innermost first,
					   each with where it was called */
};

const struct answer *symbols_find(struct symbols *, uint64_t address);

/* By number.  It lives until the next symbols_find(), its texts longer. */
const struct place *symbols_place(const struct symbols *, uint32_t number);

#endif
