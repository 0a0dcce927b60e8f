#pragma once

#include <stdbool.h>

#include "common/base/mem.h"
#include "common/filter/filter.h"
#include "common/perun/pidx.h"

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
void findings_release(struct findings *);
