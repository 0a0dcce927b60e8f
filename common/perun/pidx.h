#ifndef WEIR_PIDX_H
#define WEIR_PIDX_H

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
 * The strings of an entry in the order of the layout PIDX_2, followed by the
 * args, which only PIDX_2_ARGS has: see enum pidx_layout.
 */
enum pidx_string { PIDX_TYPE, PIDX_CMD, PIDX_WORKLOAD, PIDX_COLLECTOR,
    PIDX_POSTPROCESSORS, PIDX_ARGS, PIDX_N_STRINGS };

struct pidx_entry {
	uint32_t time;			/* seconds since 1970 UTC */
	unsigned char object[PIDX_SHA_SIZE];	/* SHA-1 of the profile */
	struct span path;		/* base name of the profile's file */
	struct span strings[PIDX_N_STRINGS];	/* all NULL in version 1 */
	/*
	 * The names of the postprocessors as a JSON array; NULL unless they
	 * were read from the profile.  An index has them only as one string,
	 * with spaces between them.
	 */
	struct span postprocessors;
};

/*
 * Version 2 has three layouts: six strings, with args, in Perun up to 0.21.8
 * (PIDX_2_ARGS); five from 0.22 to 0.23.7 (PIDX_2); and six, with a label,
 * since 0.23.8.  Nothing in the file says which layout it has.  pidx_parse()
 * does not know the one with a label, and takes it for PIDX_2_ARGS.
 */
enum pidx_layout { PIDX_1 = 1, PIDX_2, PIDX_2_ARGS };

struct pidx {
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
 * version 2 has the layout, PIDX_2 or else PIDX_2_ARGS, whose entries end
 * exactly at the end of the bytes.  False if the index is malformed: the
 * entries before the error are then in the struct.  The caller releases it,
 * even after an error.
 */
bool pidx_parse(struct pidx *, struct span bytes, struct pidx_error *);
void pidx_release(struct pidx *);

/*
 * Parses the bytes at an offset as an entry, to search a malformed index for
 * entries, and sets *end to the offset after it.  False if they are not an
 * entry.
 */
bool pidx_entry_at(struct span bytes, size_t offset, enum pidx_layout,
    struct pidx_entry *, size_t *end);

/* Compare by path, then by time; only pidx_compare_object() then by object. */
int pidx_compare(const struct pidx_entry *, const struct pidx_entry *);
int pidx_compare_object(const struct pidx_entry *, const struct pidx_entry *);

/*
 * Appends the bytes of an index.  PIDX_2_ARGS is written as PIDX_2, with the
 * args appended to the command.
 */
void pidx_serialize(const struct pidx *, struct buf *);

/*
 * Adds entries to the bytes of an index, each where Perun would insert it:
 * before the first entry with a greater path, or with the same path and the
 * same or a later time.  new must be sorted by pidx_compare_object().  If that
 * comparison finds new[i] equal to an entry of the index or to an earlier item
 * of new, existed[i] is true and new[i] is not added.  An index of PIDX_2_ARGS
 * is converted to PIDX_2.  False if the index is malformed, and then unchanged.
 */
bool pidx_add(struct buf *index, const struct pidx_entry *new, size_t n,
    bool *existed, struct pidx_error *);

#endif
