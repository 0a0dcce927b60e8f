#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buf.h"
#include "common/base/text.h"

/*
 * The index of a minor version (a commit) in a Perun store: the list of the
 * profiles that are registered with it.  weir-pidx(5) describes the format; all
 * integers are little-endian.  These functions work on bytes in memory.
 */
enum { PIDX_SHA_SIZE = 20, PIDX_HEADER_SIZE = 12 };

/*
 * The strings of an entry.  Version 1 has none; which ones version 2 has, and
 * in which order, depends on the layout.
 */
enum pidx_string { PIDX_TYPE, PIDX_CMD, PIDX_ARGS, PIDX_WORKLOAD, PIDX_LABEL,
    PIDX_COLLECTOR, PIDX_POSTPROCESSORS, PIDX_N_STRINGS };

/*
 * Version 1 has one layout.  Version 2 has three, and nothing in the file says
 * which: five strings in Perun from 0.22 to 0.23.7 (PIDX_2); six up to 0.21.8,
 * of which the third is the args and the fourth the workload (PIDX_2_ARGS); and
 * six since 0.23.8, of which the third is the workload and the fourth a label
 * (PIDX_2_LABEL).  Entries of both kinds of six strings may be in one file.
 */
enum pidx_layout { PIDX_1 = 1, PIDX_2_ARGS, PIDX_2, PIDX_2_LABEL };

struct pidx_entry {
	uint32_t time;			/* seconds since 1970 UTC */
	unsigned char object[PIDX_SHA_SIZE];	/* SHA-1 of the profile */
	struct span path;		/* base name of the profile's file */
	struct span strings[PIDX_N_STRINGS];	/* NULL if it has none */
	/*
	 * The names of the postprocessors as a JSON array; NULL unless they
	 * were read from the profile.  An index has them only as one string,
	 * with spaces between them.
	 */
	struct span postprocessors;
	struct span bytes;		/* in the index; NULL for a new entry */
	/*
	 * Six strings whose meaning nothing has decided, or not the object but
	 * something else: see layout.h.
	 */
	bool is_undecided, is_assumed;
	uint8_t evidence;		/* of its object; only for layout.c */
};

struct pidx {
	/* Of all entries; for six strings, PIDX_2_LABEL until decided. */
	enum pidx_layout layout;
	struct pidx_entry *entries;	/* usually sorted by path and time */
	size_t n, cap;
};

struct pidx_error {
	size_t offset;		/* of the first byte that is wrong */
	char why[128];
};

/*
 * Parses an index.  Paths and strings are borrowed from bytes.  An index of
 * version 2 has as many strings, five or else six, as make its last entry end
 * exactly at the end of the bytes.  Six are read as PIDX_2_LABEL and marked as
 * undecided.  Bytes that are no entry may follow the last entry of six strings,
 * because Perun 0.25 does not truncate an index that it makes shorter.  False
 * if the index is malformed: the entries before the error are then in the
 * struct.  The caller releases it, even after an error.
 */
bool pidx_parse(struct pidx *, struct span bytes, struct pidx_error *);
void pidx_release(struct pidx *);

/*
 * The same, but only with five strings, which bytes that are no entry may
 * follow.  Almost every index of one entry with six strings can be read so,
 * too: the object of an entry has to decide (layout.h).
 */
bool pidx_parse_five(struct pidx *, struct span bytes);

/* Reads six strings as those of this layout, which is then decided. */
void pidx_decide(struct pidx_entry *, enum pidx_layout);

/*
 * Parses the bytes at an offset as an entry, to search a malformed index for
 * entries, and sets *end to the offset after it.  False if they are not an
 * entry.
 */
bool pidx_entry_at(struct span bytes, size_t offset, enum pidx_layout,
    struct pidx_entry *, size_t *end);

/*
 * Compares in the order of an index: by path and time or, since entries are
 * replaced (PIDX_2_LABEL), by path alone.
 */
int pidx_compare(enum pidx_layout, const struct pidx_entry *,
    const struct pidx_entry *);

/* Compares by path, time and object. */
int pidx_compare_object(const struct pidx_entry *, const struct pidx_entry *);

/*
 * Appends the bytes of an index.  Entries that were read are copied as they
 * were; new ones get the strings that the layout has.
 */
void pidx_serialize(const struct pidx *, struct buf *);

/* What became of a new entry. */
struct pidx_outcome {
	bool existed;		/* an equal one was there: it was not added */
	bool has_replaced;	/* it took the place of another entry ... */
	unsigned char replaced[PIDX_SHA_SIZE];	/* ... of this object */
};

/*
 * Appends the bytes of an index with new entries, each where Perun would insert
 * it.  new must be sorted by pidx_compare_object().  The layout of the index is
 * the one that the new entries get, with as many strings as it was read with.
 *
 * PIDX_2_LABEL, as Perun 0.25: an entry with the same path is replaced, unless
 * it has the same time, object and label, and is thus equal.  Otherwise the new
 * one is inserted before the first entry with a greater path.
 *
 * Other layouts: before the first entry with a greater path, or with the same
 * path and the same or a later time.  An entry that pidx_compare_object() finds
 * equal is not added again.
 */
void pidx_add(const struct pidx *, const struct pidx_entry *new, size_t n,
    struct pidx_outcome *, struct buf *);
