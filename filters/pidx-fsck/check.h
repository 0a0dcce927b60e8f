#ifndef PIDX_FSCK_CHECK_H
#define PIDX_FSCK_CHECK_H

#include <stdbool.h>

#include "common/perun/object.h"
#include "common/perun/perun.h"
#include "filters/pidx-fsck/finding.h"

/* What a file in objects/ is. */
enum file_state {
	FILE_VALID,		/* an object under its right name */
	FILE_MISNAMED,		/* an object under another name */
	FILE_INDEX,		/* an index, which may be damaged */
	FILE_DAMAGED,		/* neither, or not a regular file */
	FILE_UNREADABLE,
	FILE_GONE		/* removed, by this process or another one */
};

struct file {
	unsigned char name[STORE_NAME_SIZE];
	unsigned char state;		/* enum file_state */
	bool referenced;
};

struct check {
	struct perun *perun;
	struct findings findings;
	struct totals totals;
	bool repair, prune;		/* set before check_begin() */
	int64_t now;			/* seconds since 1970 */
	struct file *files;		/* sorted by name */
	size_t n, cap;
	char **leftovers;		/* staging directories */
	size_t n_leftovers, leftovers_cap;
	bool no_vcs;			/* the repository cannot be opened */
	struct buf bytes;		/* of the file being checked */
	struct buf other;		/* of a file that an entry refers to */
	struct object object;		/* unpacked from bytes or other */
};

/*
 * The steps, to be called in this order.  To repair or prune, the caller has
 * locked the store against writers; otherwise files may come and go, which is
 * not a finding.
 */
void check_begin(struct check *, struct perun *, struct filter *);
void check_files(struct check *);	/* classifies all, repairs objects */
void check_indexes(struct check *);
void check_references(struct check *);	/* finds and prunes unused objects */
void check_release(struct check *);

/* The file of this name, or NULL. */
struct file *check_find(const struct check *, const unsigned char *name);

/* Is this the name of a valid object?  A callback: context is the check. */
bool check_is_valid(void *context, const unsigned char *name);

/*
 * Reads a file.  False if it is gone, is not a regular file or cannot be read.
 * Updates the state if it is gone or cannot be read, and reports the latter.
 */
bool check_read(struct check *, struct file *, struct buf *);

/*
 * Marks as referenced every file whose name occurs anywhere in the bytes of a
 * damaged index.  A callback: context is the check.
 */
void check_mark_references(void *context, struct span bytes);

/* Is it the name of a commit?  Unknown if the repository cannot be opened. */
enum commit { COMMIT_ABSENT, COMMIT_PRESENT, COMMIT_UNKNOWN };
enum commit check_commit(struct check *, const unsigned char *name);

#endif
