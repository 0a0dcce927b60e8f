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
 * Where the symbols of modules come from: releases, executables that were
 * named, and the files that the modules were loaded from.
 */
struct sources_options {
	struct opt_list release_dirs, executables;
	const char *debug_dir;
};

/* A module, as a record tells of it; what it does not tell is empty. */
struct module {
	struct span path, build_id;
	struct span checksum;	/* of the program, if the module is that */
	bool is_program;
};

/* The symbols of a module and what has been made of them. */
struct source {
	struct module module;		/* a copy */
	const char *path;
	bool is_open;
	struct symbols *symbols;	/* see source_symbols() */
	struct texts places, calls;	/* for answers.c */
};

void sources_init(const struct sources_options *);
void sources_release(void);

/* Says which symbols turned out to be damaged, as filter_fail(). */
void sources_report_damage(struct filter *);

/* The source of a module, the same for equal ones: until sources_release(). */
struct source *source_of(const struct module *);

/* Opened when they are first needed; NULL, and a warning, without any. */
struct symbols *source_symbols(struct source *);

#endif
