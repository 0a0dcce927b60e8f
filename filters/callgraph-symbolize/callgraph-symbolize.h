#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "common/base/buf.h"
#include "common/filter/filter.h"
#include "common/filter/opt.h"
#include "common/program/symbols.h"

/* --- sources.c ----------------------------------------------------------- */

/*
 * Where symbols are looked for, in this order: in releases, in the executables
 * named on the command line, and in the files from which modules were loaded.
 */
struct sources_options {
	struct opt_list release_dirs, executables;
	const char *debug_dir;
};

/* A module as a record describes it; unknown values are empty. */
struct module {
	struct span path, build_id;
	struct span checksum;	/* of the program that ran, not of the module */
	bool is_program;	/* the module is that program */
};

/* The symbols of a module, and texts made from them. */
struct source {
	struct module module;		/* a copy */
	const char *path;		/* the module's, NUL-terminated */
	bool is_system;			/* a library of the system */
	uint64_t n_unknown;		/* addresses without symbols */
	bool was_opened;		/* source_symbols() was called */
	struct symbols *symbols;	/* NULL: not opened, or it failed */
	bool is_executable;		/* they are those of an executable named
					   on the command line, which is closed
					   by itself */
	struct span *texts;		/* for answers.c: of locations, by their
					   number; p is NULL if not composed */
	size_t texts_cap;
};

void sources_init(const struct sources_options *);
void sources_release(void);

/*
 * Warns of programs and libraries without lines or names, once of each, and of
 * the libraries of the system once in all.  n is the number of addresses that
 * were looked up.
 */
void sources_report_missing(uint64_t n);

/* Calls filter_fail() for all symbols found to be damaged or incomplete. */
void sources_report_damage(struct filter *);

/* The source of a module, until sources_release(); equal modules share one. */
struct source *source_of(const struct module *);

/*
 * The symbols of a source, which the first call opens.  If they cannot be
 * opened, the first call warns unless it is a library of the system, and all
 * calls return NULL.  They live until sources_release().
 */
struct symbols *source_symbols(struct source *);

/* --- answers.c ----------------------------------------------------------- */

/*
 * Writes the members that are added to a node, each with a comma before it.
 * The texts of locations are cached.  Addresses are those in the module's file,
 * not in memory.
 */
void answers_init(bool demangles);
void answers_release(void);

/*
 * Adds name, file and line of a function.  If none is known, adds nothing and
 * returns false.
 */
bool answers_add_function(struct source *, uint64_t address, struct buf *);

/*
 * Adds call_file, call_line and call_inlined of the call that returns to an
 * address.  If none is known, adds nothing and returns false.
 */
bool answers_add_call(struct source *, uint64_t return_address, struct buf *);
