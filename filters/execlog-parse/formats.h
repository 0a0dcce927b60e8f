#pragma once

#include <stdbool.h>

#include "common/filter/format.h"

/*
 * The formats of execution logs, in the order in which they are tried: spark to
 * cargo are before local and go, which recognize any object or any array.
 *
 * A new format needs a line here, a source file in this folder that defines
 * NAME_format, and
 *
 * - in man/execlog-parse.1: the format in DESCRIPTION and at --format, a
 *   section about the log, and in RECORDS what is kept in memory;
 * - in man/weir-records.5: a value of `format` in the build record, and any new
 *   keys of task records;
 * - tests: cases in test/execlog-parse*.bats; a log as
 *   test/data/execlog-parse/sample*, which test/contract.bats finds by its name
 *   (.json if it is one document), or by another name if it is not text; and a
 *   log in test/data/demo/ that sample_records in test/pages.bats lists, so
 *   that all keys are checked.
 *
 * Each reader emits `task` records and, after them, a `build` record, by
 * emit_build() in records.h; see weir-records(5).
 */
#define FORMATS(FORMAT)		\
	FORMAT(bazel_graph)	\
	FORMAT(distbuild)	\
	FORMAT(spark)		\
	FORMAT(dbt)		\
	FORMAT(chrome)		\
	FORMAT(cargo)		\
	FORMAT(local)		\
	FORMAT(ninja)		\
	FORMAT(go)

FORMATS(FORMAT_DECLARATION)

struct format_options {
	bool all_outputs;	/* ninja: use the last line of every output,
				   whichever run of ninja it is from, instead
				   of only the lines of the last run */
	bool all_runs;		/* ninja: use all runs, each by itself */
	bool nested;		/* chrome: events within others are tasks */
};
