#pragma once

#include "common/filter/filter.h"
#include "filters/perf-diff/samples.h"

/* The declared keys of the records that are read. */
extern const char *const read_keys[];

/*
 * Reads samples from `sample` records (which need no type), from `profile`
 * records and from profiles themselves.  by_trace: each stack of a uid is a key
 * of its own.
 */
void read_init(struct samples *, bool by_trace);


/*
 * Reads the files of the filter.  The samples belong to a side or, if side is
 * INDEX_NONE, to the minor_version of their record.
 */
void read_files(struct filter *, uint32_t side);

/*
 * Reads only the samples of two uids, which are the sides of keys that have the
 * uid of the new one.  Ends the program if one of them does not come.
 */
void read_pair(struct filter *, const char *old, const char *new);

/* Reads a profile; returns why it cannot be read, or NULL. */
const char *read_document(struct filter *, struct span document,
    uint32_t version);
