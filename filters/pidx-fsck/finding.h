#ifndef PIDX_FSCK_FINDING_H
#define PIDX_FSCK_FINDING_H

#include <stdbool.h>

#include "common/base/mem.h"
#include "common/frame/filter.h"
#include "common/perun/pidx.h"

/* What can be found in a store; those from UNKNOWN_COMMIT on do no harm. */
enum finding_kind { DAMAGED_INDEX, DAMAGED_OBJECT, MISNAMED_OBJECT, DANGLING_ENTRY,
    UNSORTED_INDEX, DUPLICATE_ENTRY, UNREADABLE_FILE, UNKNOWN_COMMIT,
    FOREIGN_TO_PERUN, UNREFERENCED_OBJECT, LEFTOVER, FOREIGN_FILE, KINDS };

/* NULL or false is what is not to be said. */
struct finding {
	enum finding_kind kind;
	const char *file;		/* relative to .perun */
	const char *why;
	bool has_offset, has_saved, young, repaired, removed;
	size_t offset;			/* of the first byte that is wrong */
	size_t saved;			/* entries that are, or can be */
	const unsigned char *version;	/* whose index it is */
	const struct pidx_entry *entry;	/* of that */
	const unsigned char *object;	/* what it is really called */
	const char *lost;		/* where it was set aside */
};

struct findings {
	struct filter *filter;
	size_t counts[KINDS], n_repaired, n_removed;
	struct buf lines[KINDS];	/* of the report */
	struct buf records;		/* that wait for their turn ... */
	struct mark {
		const char *file;
		size_t start, end;
	} *marks;			/* ... one for each */
	size_t n_marks, cap, n_written;
	struct arena files;
	bool sorted;
};

/* Findings may come in any order; those of one file keep theirs. */
void findings_add(struct findings *, const struct finding *);

/*
 * The same for those that come in the order of their files when all others
 * are there: they are written at once.
 */
void findings_add_last(struct findings *, const struct finding *);

struct totals {
	size_t indexes, entries, objects;
	uint64_t bytes;			/* of indexes and objects */
};

/* Writes what has not been written, and the totals. */
void findings_end(struct findings *, const char *store,
    const struct totals *);
void findings_release(struct findings *);

#endif
