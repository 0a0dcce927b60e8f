#pragma once

#include <stdint.h>

/*
 * Symbolization: the functions, inlined calls, files and lines of a program's
 * addresses.  They come from its ELF file, from a separate file of debug
 * information, or from a release (release.h); the answers are the same.
 */
struct symbols;

/*
 * Opens an ELF file.  debug_dir is the root of separate debug information, such
 * as /usr/lib/debug.  If the file cannot be read, returns NULL and sets *why,
 * which is borrowed until the next call.
 */
struct symbols *symbols_open(const char *path, const char *debug_dir,
    const char **why);

/* The same for a release. */
struct symbols *symbols_open_release(const char *path, const char **why);
void symbols_close(struct symbols *);

const char *symbols_build_id(const struct symbols *);	/* "" if none */

/*
 * Why lines or names are missing, as far as addresses have been looked up: the
 * program was stripped, or compiled without -g.  NULL if nothing is missing.
 */
const char *symbols_missing(const struct symbols *);

/* What was found to be damaged or missing so far, or NULL if nothing was. */
const char *symbols_damage(const struct symbols *);

/* A function and a line in a file; NULL and 0 if unknown. */
struct location {
	const char *name;	/* the linkage name: perhaps mangled */
	const char *file;
	uint32_t line;
	uint32_t zero;		/* in place of padding */
};

/*
 * What an address in the file resolves to.  For example, main(), declared on
 * line 5, calls f() on line 8, f() calls g() on line 3, and both calls were
 * inlined.  Then an address that is in g(), on line 1 of the file, resolves to
 *
 *	line 1, inlined: g (called on line 3), f (called on line 8),
 *	function: main (declared on line 5)
 *
 * An answer is borrowed until the next symbols_find(); all that it points to
 * lives until symbols_close().  Addresses on one line of one function or
 * inlined call share an answer.  Answers are numbered from 0 in the order of
 * their first use; so are, separately, the locations in them.
 */
struct answer {
	const char *file;	/* of the address itself */
	uint32_t line;
	uint32_t number;
	uint32_t function;	/* number of a location: the function's name
				   and where it is declared or, if that is
				   unknown, begins */
	uint32_t n_inlined;

	/*
	 * The inlined calls around the address, innermost first: numbers of
	 * locations with the name of the callee and the line of the call.
	 */
	const uint32_t *inlined;
};

const struct answer *symbols_find(struct symbols *, uint64_t address);

/* A location by its number.  Its texts live until symbols_close(). */
struct location symbols_location(const struct symbols *, uint32_t number);
