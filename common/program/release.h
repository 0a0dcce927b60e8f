#pragma once

#include <stdbool.h>

#include "common/program/symtab.h"

/*
 * A release: the functions, inlined calls, lines and symbols of a program,
 * stored apart from it so that the program itself can be stripped.
 *
 * It is a file of `release` records, which weir-records(5) defines.  Each
 * covers a range of addresses (a part) and is complete in itself: strings and
 * scopes are numbered from 1 within the record, and 0 means none.  So to look
 * up one address, a reader decodes only one record.  The arrays "lines" and
 * "inlines" are delta-encoded.  For example, "lines":[0,1,5, 4,1,6] are two
 * rows of address increment, file number and line: the code at the start of the
 * part belongs to line 5 of file 1, and the code from 4 bytes further on to
 * line 6.
 */
struct release_writer {
	const char *checksum, *build_id, *path;	/* build_id: "" if unknown */
	const struct symtab *symtab;	/* of the whole program */

	/* Private to release-write.c.  Start with zeros. */
	uint64_t start;		/* address at which the next part begins */
	bool has_ended;
	uint32_t *scope_numbers;	/* in the current part, by index of the
					   scope; 0: not numbered yet; freed
					   with the last record */
};

/* The values of "kind" of symbols in a record, by enum symbol_kind. */
extern const char *const release_symbol_kinds[];

struct release;

/*
 * Opens a release, whose file must not change until release_close().  If it
 * cannot be read, returns NULL and sets *why, which is borrowed until the next
 * call.
 */
struct release *release_open(const char *path, const char **why);
void release_close(struct release *);

const char *release_build_id(const struct release *);	/* "" if unknown */

/* That of the part that covers an address, until release_close(); or NULL. */
const struct symtab *release_find(struct release *, uint64_t address);

/* What was wrong with the records decoded so far, or NULL if nothing was. */
const char *release_damage(const struct release *);
