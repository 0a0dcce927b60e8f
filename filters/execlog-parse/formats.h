#ifndef EXECLOG_FORMATS_H
#define EXECLOG_FORMATS_H

#include <stdbool.h>

#include "common/filter/format.h"

/*
 * The formats of execution logs.  A new format needs
 *
 * - a source file in this folder, with its reader and, if a function can
 *   recognize the input, that function (common/filter/format.h);
 * - their declarations and the format's name, below;
 * - an entry in the table in formats.c, from which --help and messages list the
 *   formats;
 * - in man/execlog-parse.1: the format in DESCRIPTION and at --format, a
 *   section about the log, and in RECORDS what is kept in memory;
 * - in man/weir-records.5: a value of `format` in the build record, and any new
 *   keys of task records;
 * - tests: cases in test/execlog-parse*.bats; a log as
 *   test/data/execlog-parse/sample*, which test/contract.bats finds by its name
 *   (.json if it is one document), or by another name if it is not text; and a
 *   log in test/data/demo/ that
 *   sample_records in test/pages.bats lists, so that all keys are checked.
 */
extern const struct input_format formats[];

#define FORMAT_DISTBUILD "distbuild"
#define FORMAT_LOCAL "local"
#define FORMAT_NINJA "ninja"
#define FORMAT_GO "go"
#define FORMAT_CHROME "chrome"
#define FORMAT_SPARK "spark"
#define FORMAT_DBT "dbt"
#define FORMAT_CARGO "cargo"
#define FORMAT_BAZEL_GRAPH "bazel-graph"

struct format_options {
	bool all_outputs;	/* ninja: use the last line of every output,
				   whichever run of ninja it is from, instead
				   of only the lines of the last run */
	bool all_runs;		/* ninja: use all runs, each by itself */
};

/*
 * Each reader emits `task` records and, after them, a `build` record, by
 * emit_build() in records.h; see weir-records(5).  A format that reads JSON has
 * an array of the keys that it uses.
 */
void distbuild_read(struct filter *, const struct format_options *);

bool local_detect(struct input *);
void local_read(struct filter *, const struct format_options *);
extern const char *const local_keys[];

bool ninja_detect(struct input *);
void ninja_read(struct filter *, const struct format_options *);

bool go_detect(struct input *);
void go_read(struct filter *, const struct format_options *);
extern const char *const go_keys[];

bool chrome_detect(struct input *);
void chrome_read(struct filter *, const struct format_options *);
extern const char *const chrome_keys[];

bool spark_detect(struct input *);
void spark_read(struct filter *, const struct format_options *);
extern const char *const spark_keys[];

bool dbt_detect(struct input *);
void dbt_read(struct filter *, const struct format_options *);
extern const char *const dbt_keys[];

bool cargo_detect(struct input *);
void cargo_read(struct filter *, const struct format_options *);
extern const char *const cargo_keys[];

bool bazel_graph_detect(struct input *);
void bazel_graph_read(struct filter *, const struct format_options *);

#endif
