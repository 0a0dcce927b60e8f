#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buf.h"

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
