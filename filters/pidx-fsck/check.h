#pragma once

#include <stdbool.h>

#include "common/base/intern.h"
#include "common/perun/object.h"
#include "common/perun/perun.h"
#include "common/perun/profile.h"
#include "filters/pidx-fsck/finding.h"

/*
 * What a file in the directory objects of the store is.  There, the name of an
 * object is the SHA-1 of its contents, and that of an index the id of a commit.
 */
enum file_state {
	FILE_VALID,		/* an object under its right name */
	FILE_MISNAMED,		/* an object under another name */
	FILE_INDEX,		/* an index, which may be damaged */
	FILE_DAMAGED,		/* neither object nor index, or not regular */
	FILE_GONE		/* removed, by this process or another one */
};

struct file {
	unsigned char name[STORE_NAME_SIZE];
	unsigned char state;		/* enum file_state */
	bool referenced;		/* by an index, or by a file in lost/ */
};

/* The caller sets perun, findings.filter, repair, prune and now. */
struct check {
	struct perun *perun;
	struct findings findings;
	struct totals totals;
	bool repair, prune;
	int64_t now;			/* seconds since 1970 */
	struct file *files;		/* in objects/, sorted by name */
	size_t n, cap;			/* of files */
	struct intern leftovers;	/* paths of staging directories, which
					   dead writers left behind */
	bool no_vcs;			/* the repository cannot be opened */
	struct buf bytes;		/* of the file being checked */
	struct buf other;		/* of a file that an entry refers to */
	struct object object;		/* unpacked from `bytes` or `other` */
	struct profile profile;		/* read from `object` */
};

/*
 * The steps of a check, to be called in this order.  To repair or prune, the
 * caller must have locked the store against writers.  Without the lock, files
 * may appear and disappear during the check; neither counts as a fault.
 */
void check_files(struct check *);	/* classifies all, repairs objects */
/* check_indexes() of index.h is the next step. */
void check_references(struct check *);	/* finds and prunes unused objects */
void check_release(struct check *);

/* The file of this name, or NULL. */
struct file *check_find(const struct check *, const unsigned char *name);

/* Is this the name of a valid object? */
bool check_is_valid(const struct check *, const unsigned char *name);

/*
 * Reads a file, or dies.  False if it is gone (its state becomes FILE_GONE) or
 * is not a regular file (its state stays).
 */
bool check_read(struct check *, struct file *, struct buf *);

/*
 * Marks as referenced every file whose name occurs anywhere in the bytes of a
 * damaged index or of a file in lost/.  A callback; context is a struct check.
 */
void check_mark_references(void *context, struct span bytes);

/*
 * Is the name the id of a commit or of an annotated tag?  Only under such a
 * name may Perun store an index.  Unknown if the repository cannot be opened.
 */
enum commit { COMMIT_ABSENT, COMMIT_PRESENT, COMMIT_UNKNOWN };
enum commit check_commit(struct check *, const unsigned char *name);
