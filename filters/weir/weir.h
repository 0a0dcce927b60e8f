#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buf.h"
#include "common/filter/boundary.h"

struct buf;
struct file;

/* --- file.c -------------------------------------------------------------- */

/* What questions can be asked about a file: by its most telling records. */
enum role {
	ROLE_NONE,
	ROLE_TASKS, ROLE_NODES, ROLE_DEPS, ROLE_PATH,	/* builds */
	ROLE_ROWS, ROLE_DATABASE,			/* queries */
	ROLE_CALLGRAPHS, ROLE_PROGRAM,			/* programs */
	ROLE_SAMPLES, ROLE_PROFILES, ROLE_COMMITS,	/* history */
	ROLE_STORE, ROLE_REPOSITORY
};

struct file {
	const char *path;	/* "-": standard input */
	enum role role;
	/*
	 * The command that makes records of it, such as "execlog-parse"; empty
	 * if other filters read the file as it is.
	 */
	struct buf reader;
	bool has_deps;		/* a task names what it waited for */
	struct buf uids;	/* two uids of its samples, quoted for sh; or
				   empty */
	bool is_unreadable;
	struct buf is;		/* a clause: "a log of ninja, 702 tasks" */
};

/*
 * Examines the file at f->path: reads at most 16 MiB of it, decompressed, and
 * lets the filter that reads such files count what it has.
 */
void file_examine(struct file *);
void file_release(struct file *);

/* Sets the folder of this program; false if that is not known. */
bool file_own_folder(char *folder, size_t size);

/* --- questions.c --------------------------------------------------------- */

/*
 * Writes the usual questions about the files, each with the pipeline that
 * answers it, and what is still missing for some.
 */
void questions_write(struct buf *, const struct file *, size_t n);

/* --- quote.c ------------------------------------------------------------- */

/*
 * Adds the name of a file, or another text, as an argument for sh: as it is, in
 * quotation marks or, if it has control characters, as a command that prints
 * it.  One that begins with a hyphen gets ./ before it.
 */
void quote_for_shell(struct buf *, const char *name);

/* --- tally.c ------------------------------------------------------------- */

/* The records that files have; the first type that came decides the role. */
enum { N_RECORD_TYPES = 12 };

extern const struct record_type {
	const char *name, *one, *many;
	enum role role;
} record_types[N_RECORD_TYPES];

/* What the records of a file are.  Start with { 0 }. */
struct tally {
	uint64_t counts[N_RECORD_TYPES];
	uint64_t n_other;	/* of other types */
	uint64_t n_lines, n_bad;	/* bad: no records */
	struct boundaries boundaries;
	struct buf why;		/* the first message of the command */
	char format[32];	/* of a build record, or "" */
	bool has_deps;		/* a task names what it waited for */
	struct buf uids[2];	/* of samples: the first, and one like it */
	struct buf dimension;	/* its unit and subtype */
};

/*
 * Counts the records that a command for sh makes of the text.  Ends the program
 * if it cannot be run.
 */
void tally_run(struct tally *, const char *command, struct span text);

/*
 * Counts the records in the text; a last line without a newline is left out
 * unless is_whole.  Returns false if the first line is not a record.
 */
bool tally_stream(struct tally *, struct span text, bool is_whole);

/* The number of records of record_types. */
uint64_t tally_useful(const struct tally *);
void tally_release(struct tally *);
