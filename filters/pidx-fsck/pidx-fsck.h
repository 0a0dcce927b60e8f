#pragma once

#include <stdbool.h>

#include "common/base/intern.h"
#include "common/base/mem.h"
#include "common/filter/filter.h"
#include "common/perun/object.h"
#include "common/perun/perun.h"
#include "common/perun/pidx.h"
#include "common/perun/profile.h"

/* --- finding.c ----------------------------------------------------------- */

/* What may be wrong with a store; pidx-fsck(1) explains each kind. */
enum finding_kind {
	DAMAGED_INDEX, DAMAGED_OBJECT, MISNAMED_OBJECT, DANGLING_ENTRY,
	UNSORTED_INDEX, DUPLICATE_ENTRY, UNREADABLE_PROFILE,
	FIRST_HARMLESS,			/* from here on, kinds are harmless */
	UNKNOWN_COMMIT = FIRST_HARMLESS, FOREIGN_TO_PERUN, UNREFERENCED_OBJECT,
	LEFTOVER, FOREIGN_FILE,
	N_KINDS
};

/* Members that do not apply are NULL or false. */
struct finding {
	enum finding_kind kind;
	const char *file;		/* path relative to .perun */
	const char *why;
	bool young;			/* too young to be removed */
	bool repaired, removed;
	bool has_offset, has_saved;
	size_t offset;			/* of the first wrong byte */
	size_t saved;			/* entries of a damaged index that were
					   saved, or can be */
	const unsigned char *version;	/* the commit of the index */
	const struct pidx_entry *entry;	/* the entry that is at fault */
	const unsigned char *object;	/* right name of a misnamed object */
	const char *lost;		/* copy of the file in lost/, relative
					   to .perun */
};

struct findings {
	struct filter *filter;
	size_t counts[N_KINDS], n_repaired, n_removed;
	struct buf lines[N_KINDS];	/* of the report, by kind */

	/* Private to finding.c: the records, to be written sorted by file. */
	struct buf records;		/* their bytes, in order of arrival */
	struct record_extent {
		const char *file;	/* finding.file */
		size_t start, end;	/* offsets in `records` */
	} *extents;			/* one for each record */
	size_t n_records, cap;		/* of extents */
	size_t n_written;		/* the first ones have been written */
	struct arena files;		/* holds the names in `extents` */
	bool sorted;			/* `extents` is sorted */
};

/*
 * Adds a finding; copies all that it refers to.  Records are written sorted by
 * file, and those of one file in the order in which they were added.
 */
void findings_add(struct findings *, const struct finding *);

/*
 * Like findings_add(), but to save memory writes the record at once, after all
 * stored records of its own file and of files before it.  These calls must come
 * after the last findings_add(), in the order of their files.
 */
void findings_add_sorted(struct findings *, const struct finding *);

struct totals {
	size_t indexes, entries, objects;
	uint64_t bytes;			/* of the readable files in objects/ */
};

/* Writes the remaining records and the totals or, for text, the report. */
void findings_end(struct findings *, const char *store,
    const struct totals *);

/* --- check.c ------------------------------------------------------------- */

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
/* check_indexes() is the next step: it checks and repairs the indexes. */
void check_references(struct check *);	/* finds and prunes unused objects */

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

/* --- index.c ------------------------------------------------------------- */

void check_indexes(struct check *);
