#ifndef PIDX_FSCK_CHECK_H
#define PIDX_FSCK_CHECK_H

#include <stdbool.h>

#include "common/perun/object.h"
#include "common/perun/perun.h"
#include "filters/pidx-fsck/finding.h"

/* A file of objects/, and what it was found to be. */
enum state { FILE_SOUND, FILE_INDEX, FILE_DAMAGED, FILE_MISNAMED,
    FILE_UNREADABLE, FILE_GONE };

struct file {
	unsigned char name[STORE_NAME];
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
	char **leftovers;
	size_t n_leftovers, leftovers_cap;
	bool no_vcs;			/* it cannot be opened, which was told */
	struct buf bytes, other;	/* of the file at hand, and of one more */
	struct object object;
};

/*
 * The steps, in this order.  Whoever repairs or prunes has locked the store
 * against writers; else files may come and go, which is no finding.
 */
void check_begin(struct check *, struct perun *, struct filter *);
void check_files(struct check *);	/* what each is, objects whole */
void check_indexes(struct check *);
void check_references(struct check *);	/* what nothing refers to */
void check_release(struct check *);

/* For these steps. */
struct file *check_find(const struct check *, const unsigned char *name);
bool check_is_sound(void *check, const unsigned char *name);

/* Reads a file into a buffer; false if it is gone or no file, or told of. */
bool check_read(struct check *, struct file *, struct buf *);

/* What is an index refers to all that is called by any twenty bytes of it. */
void check_mark(void *check, struct span bytes);

enum commit { COMMIT_NONE, COMMIT_THERE, COMMIT_UNKNOWN };
enum commit check_commit(struct check *, const unsigned char *name);

#endif
