#ifndef WEIR_PIDX_H
#define WEIR_PIDX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buf.h"
#include "common/base/text.h"

/*
 * The index of a minor version of Perun's store: which profiles are registered
 * with it.  weir-pidx(5) has the format byte by byte; all integers in it are
 * little-endian.  Nothing here touches a file.
 */
enum { PIDX_SHA = 20, PIDX_HEADER = 12 };

/* The strings of an entry, in the order of layout 2; args is of the older. */
enum pidx_string { PIDX_TYPE, PIDX_CMD, PIDX_WORKLOAD, PIDX_COLLECTOR,
    PIDX_POSTPROCESSORS, PIDX_ARGS, PIDX_STRINGS };

struct pidx_entry {
	uint32_t time;			/* seconds since 1970 UTC */
	unsigned char object[PIDX_SHA];	/* which profile */
	struct span path;		/* its file's base name */
	struct span strings[PIDX_STRINGS];	/* empty in version 1 */
};

/* Version 2 has had six strings (with args), and has five since 2024. */
enum pidx_layout { PIDX_1 = 1, PIDX_2, PIDX_2_ARGS };

struct pidx {
	enum pidx_layout layout;
	struct pidx_entry *entries;	/* sorted by path and time */
	size_t n, cap;
};

struct pidx_error {
	size_t offset;		/* of the first byte that is wrong */
	char why[128];
};

/*
 * Reads an index.  Paths and strings are borrowed from bytes.  Which layout of
 * version 2 it is, nothing tells: it is the one whose entries end exactly where
 * the bytes end.  False if it is malformed; what could be read before the error
 * is there all the same.  Release it in either case.
 */
bool pidx_read(struct pidx *, struct span bytes, struct pidx_error *);
void pidx_release(struct pidx *);

/*
 * The entry that may begin at an offset, for those who look for entries in
 * what is malformed; *end is behind it.  False if none does.
 */
bool pidx_entry_at(struct span bytes, size_t offset, enum pidx_layout,
    struct pidx_entry *, size_t *end);

/* < 0, 0, > 0: by path, then time; and then by object, which tells all apart. */
int pidx_compare(const struct pidx_entry *, const struct pidx_entry *);
int pidx_compare_object(const struct pidx_entry *, const struct pidx_entry *);

/*
 * The bytes of an index.  Layout 2 with args is written as layout 2, which
 * today's Perun reads, with the args behind the command.
 */
void pidx_write(const struct pidx *, struct buf *);

/*
 * Adds entries to the bytes of an index, each where Perun would insert it:
 * before the first with a greater path, or the same path and no earlier time.
 * new is sorted by pidx_compare_object(); existed[i] becomes whether the index,
 * or new before i, has the same: it is not added again.  False if the index is
 * malformed; it is as it was then.
 */
bool pidx_add(struct buf *index, const struct pidx_entry *new, size_t n,
    bool *existed, struct pidx_error *);

#endif
