#ifndef WEIR_RELEASE_H
#define WEIR_RELEASE_H

#include <stdbool.h>

#include "common/base/buf.h"
#include "common/program/symtab.h"

/*
 * A release: the functions, inlined calls, lines and symbols of a program,
 * stored apart from it so that the program itself can be stripped.
 *
 * It is a file of `release` records, which weir-records(5) defines.  Each
 * covers a range of addresses (a part) and is complete in itself: its strings
 * and scopes are numbered from 1 within the record.  So a reader that is asked
 * for one address decodes one record.  Its arrays "lines" and "inlines" are
 * delta-encoded: "lines":[0,1,5, 4,1,6] says that code is of line 5 of file 1
 * from the start of the part on, and of line 6 from 4 bytes further on.
 */
struct release_writer {
	const char *checksum, *build_id, *path;	/* build_id: "" if unknown */
	const struct symtab *symtab;	/* of the whole program */

	/* Private to release-write.c.  Begin with zeros. */
	uint64_t start;		/* of the next part */
	bool has_ended;
	uint32_t *scope_numbers;	/* in this part, by index; 0: none */
};

/* Adds the next record to the buffer.  False after the last one. */
bool release_write(struct release_writer *, struct buf *);

/* The values of "kind" in a record, by enum symbol_kind. */
extern const char *const release_symbol_kinds[];

/*
 * Opens a release, which must not be changed meanwhile.  NULL, and *why:
 * borrowed until the next call.
 */
struct release;
struct release *release_open(const char *path, const char **why);
void release_close(struct release *);

const char *release_build_id(const struct release *);	/* "" if unknown */

/* The part that covers an address, or NULL: lives as long as the release. */
const struct symtab *release_find(struct release *, uint64_t address);

/* What was wrong with a record that was needed so far, or NULL. */
const char *release_damage(const struct release *);

#endif
