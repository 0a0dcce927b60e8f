#ifndef EXECLOG_FORMATS_H
#define EXECLOG_FORMATS_H

#include <stdbool.h>

#include "common/frame/format.h"

/*
 * The formats of execution logs.  A new format needs
 *
 * - a source file in this folder, with its reader and, if the input can be
 *   recognized, a function for that (common/frame/format.h);
 * - their declarations and the format's name, below;
 * - an entry in the table in formats.c, from which --help and messages list the
 *   formats;
 * - in man/execlog-parse.1: the format in DESCRIPTION and at --format, a
 *   section about the log, and in RECORDS what is kept in memory;
 * - in man/weir-records.5: a value of `format` in the build record, and any new
 *   keys of task records;
 * - tests: cases in test/execlog-parse.bats; a log as
 *   test/data/execlog-parse/sample*, which test/contract.bats finds by its name
 *   (.json if it is one document); and a log in test/data/examples/ that
 *   sample_records in test/pages.bats lists, so that all keys are checked.
 */
extern const struct input_format formats[];

#define FORMAT_DISTBUILD "distbuild"
#define FORMAT_LOCAL "local"
#define FORMAT_NINJA "ninja"

struct format_options {
	bool all_outputs;	/* ninja: the last record of every output */
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

#endif
