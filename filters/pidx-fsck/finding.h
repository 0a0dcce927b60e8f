#ifndef PIDX_FSCK_FINDING_H
#define PIDX_FSCK_FINDING_H

#include <stdbool.h>

#include "common/base/mem.h"
#include "common/frame/filter.h"
#include "common/perun/pidx.h"

/* The kinds of findings; those from UNKNOWN_COMMIT on are harmless. */
enum finding_kind { DAMAGED_INDEX, DAMAGED_OBJECT, MISNAMED_OBJECT,
    DANGLING_ENTRY, UNSORTED_INDEX, DUPLICATE_ENTRY, UNREADABLE_FILE,
    UNKNOWN_COMMIT, FOREIGN_TO_PERUN, UNREFERENCED_OBJECT, LEFTOVER,
    FOREIGN_FILE, N_KINDS };

/* NULL or false for what does not apply. */
struct finding {
	enum finding_kind kind;
	const char *file;		/* relative to .perun */
	const char *why;
	bool has_offset, has_saved, young, repaired, removed;
	size_t offset;			/* of the first wrong byte */
	size_t saved;			/* entries that were or can be saved */
	const unsigned char *version;	/* of the index */
	const struct pidx_entry *entry;	/* of the index */
	const unsigned char *object;	/* its right name */
	const char *lost;		/* where the file was preserved */
};

struct findings {
	struct filter *filter;
	size_t counts[N_KINDS], n_repaired, n_removed;
	struct buf lines[N_KINDS];	/* of the report */
	struct buf records;		/* not yet written, unsorted */
	struct mark {
		const char *file;
		size_t start, end;
	} *marks;			/* of each record */
	size_t n_marks, cap, n_written;
	struct arena files;
	bool sorted;
};

/*
 * Adds a finding.  Records are written in the order of files; those of one file
 * in the order in which they were added.
 */
void findings_add(struct findings *, const struct finding *);

/*
 * The same, after all calls of findings_add(), for findings that come in the
 * order of files: they are written at once.
 */
void findings_add_last(struct findings *, const struct finding *);

struct totals {
	size_t indexes, entries, objects;
	uint64_t bytes;			/* of indexes and objects */
};

/* Writes the remaining records and the totals, or the report. */
void findings_end(struct findings *, const char *store,
    const struct totals *);
void findings_release(struct findings *);

#endif
