#ifndef PIDX_FSCK_CHECK_H
#define PIDX_FSCK_CHECK_H

#include <stdbool.h>

#include "common/perun/object.h"
#include "common/perun/perun.h"
#include "filters/pidx-fsck/finding.h"

/* What a file in objects/ was found to be; FILE_VALID is an object. */
enum state { FILE_VALID, FILE_INDEX, FILE_DAMAGED, FILE_MISNAMED,
    FILE_UNREADABLE, FILE_GONE };

struct file {
	unsigned char name[STORE_NAME_SIZE];
	unsigned char state;		/* enum state */
	bool referenced;
};

struct check {
	struct perun *perun;
	struct findings findings;
	struct totals totals;
	bool repair, prune;
	int64_t now;			/* seconds since 1970 */
	struct file *files;		/* sorted by name */
	size_t n, cap;
	char **leftovers;		/* staging directories */
	size_t n_leftovers, leftovers_cap;
	bool no_vcs;			/* the repository cannot be opened */
	struct buf bytes, other;	/* of the current file, and another */
	struct object object;
};

/*
 * The steps, in this order.  To repair or prune, the caller has locked the
 * store against writers; otherwise files may come and go, which is not a
 * finding.
 */
void check_begin(struct check *, struct perun *, struct filter *);
void check_files(struct check *);	/* classifies all, repairs objects */
void check_indexes(struct check *);
void check_references(struct check *);	/* finds and prunes the unused */
void check_release(struct check *);

/* Helpers of these steps. */
struct file *check_find(const struct check *, const unsigned char *name);
bool check_is_valid(void *check, const unsigned char *name);

/*
 * Reads a file; false if it is gone, not a regular file, or cannot be read,
 * which is reported.
 */
bool check_read(struct check *, struct file *, struct buf *);

/*
 * Marks as referenced every file whose name occurs anywhere in the bytes of a
 * damaged index.
 */
void check_mark(void *check, struct span bytes);

/* Is a name that of a commit? */
enum commit { COMMIT_ABSENT, COMMIT_PRESENT, COMMIT_UNKNOWN };
enum commit check_commit(struct check *, const unsigned char *name);

#endif
