#pragma once

#include "common/filter/format.h"

/*
 * The formats of build graphs, in the order in which they are tried: ya accepts
 * every object.  filters/execlog-parse/formats.h lists what a new format needs;
 * here it needs the same, with this filter's files, page and tests.  Each
 * reader emits `node` records; see weir-records(5).
 */
#define FORMATS(FORMAT)		\
	FORMAT(dbt_graph)	\
	FORMAT(ya_graph)	\
	FORMAT(ninja_graph)

FORMATS(FORMAT_DECLARATION)

struct format_options {
	const char *deps_file;	/* ninja: the output of `ninja -t deps`, or
				   NULL */
};
