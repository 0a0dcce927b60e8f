#ifndef CALLGRAPH_SYMBOLIZE_SOURCES_H
#define CALLGRAPH_SYMBOLIZE_SOURCES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/text.h"
#include "common/frame/filter.h"
#include "common/frame/opt.h"
#include "common/program/symbols.h"
#include "filters/callgraph-symbolize/texts.h"

/*
 * The sources of symbols, by preference: releases, the executables named on the
 * command line, and the files from which the modules were loaded.
 */
struct sources_options {
	struct opt_list release_dirs, executables;
	const char *debug_dir;
};

/* A module as in a record; unknown values are empty. */
struct module {
	struct span path, build_id;
	struct span checksum;	/* of the record's program */
	bool is_program;
};

/* The symbols of a module, and texts made from them. */
struct source {
	struct module module;		/* a copy */
	const char *path;		/* the module's */
	bool was_opened;
	struct symbols *symbols;	/* by source_symbols(); or NULL */
	struct texts places, calls;	/* for answers.c */
};

void sources_init(const struct sources_options *);
void sources_release(void);

/* Reports the symbols that were found to be damaged by filter_fail(). */
void sources_report_damage(struct filter *);

/* The source of a module; equal modules share one.  Until sources_release(). */
struct source *source_of(const struct module *);

/* Opens the symbols at the first call.  NULL, after a warning, if it cannot. */
struct symbols *source_symbols(struct source *);

#endif
