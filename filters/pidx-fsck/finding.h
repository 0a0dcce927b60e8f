#ifndef PIDX_FSCK_FINDING_H
#define PIDX_FSCK_FINDING_H

#include <stdbool.h>

#include "common/base/mem.h"
#include "common/frame/filter.h"
#include "common/perun/pidx.h"

enum finding_kind {
	DAMAGED_INDEX, DAMAGED_OBJECT, MISNAMED_OBJECT, DANGLING_ENTRY,
	UNSORTED_INDEX, DUPLICATE_ENTRY, UNREADABLE_FILE,
	FIRST_HARMLESS,			/* all kinds from here on are */
	UNKNOWN_COMMIT = FIRST_HARMLESS, FOREIGN_TO_PERUN, UNREFERENCED_OBJECT,
	LEFTOVER, FOREIGN_FILE,
	N_KINDS
};

/* Members that do not apply are NULL or false. */
struct finding {
	enum finding_kind kind;
	const char *file;		/* relative to .perun */
	const char *why;
	bool young;			/* too young to be removed */
	bool repaired, removed;
	bool has_offset, has_saved;
	size_t offset;			/* of the first wrong byte */
	size_t saved;			/* entries that were or can be saved */
	const unsigned char *version;	/* of the index */
	const struct pidx_entry *entry;	/* of the index */
	const unsigned char *object;	/* right name of a misnamed object */
	const char *lost;		/* its copy, relative to .perun */
};

struct findings {
	struct filter *filter;
	size_t counts[N_KINDS], n_repaired, n_removed;
	struct buf lines[N_KINDS];	/* of the report */

	/* Private to finding.c: records, to be written sorted by file. */
	struct buf records;		/* in the order of arrival */
	struct record_extent {
		const char *file;
		size_t start, end;	/* in records */
	} *extents;			/* of each record */
	size_t n_records, cap, n_written;
	struct arena files;		/* their names in extents */
	bool sorted;			/* whether extents is sorted */
};

/*
 * Adds a finding.  Records are written sorted by file; those of one file in the
 * order in which they were added.
 */
void findings_add(struct findings *, const struct finding *);

/*
 * Does the same without keeping the record in memory.  All calls must follow
 * the last findings_add() and come in the order of their files.
 */
void findings_add_sorted(struct findings *, const struct finding *);

struct totals {
	size_t indexes, entries, objects;
	uint64_t bytes;			/* of indexes and objects */
};

/* Writes the remaining records and the totals, or the report. */
void findings_end(struct findings *, const char *store,
    const struct totals *);
void findings_release(struct findings *);

#endif
