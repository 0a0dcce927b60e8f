#ifndef WEIR_RELEASE_H
#define WEIR_RELEASE_H

#include <stdbool.h>

#include "common/base/buf.h"
#include "common/program/symtab.h"

/*
 * The functions, symbols and lines of a program as release records, which
 * weir-records(5) defines.  Each covers a stretch of addresses, so that a
 * reader who looks for one address reads one of them.
 */
struct release_writer {
	const char *checksum, *build_id, *path;	/* build_id "" if none */
	const struct symtab *table;	/* of the whole program */

	/* The rest is release.c's own; begin with zeros. */
	uint64_t start;		/* of the next record */
	bool ended;
	uint32_t *numbers;	/* of the table's scopes in this record */
};

/* Adds the next record; false behind the last. */
bool release_write(struct release_writer *, struct buf *);

/*
 * A file of such records, as they were written.  NULL, and why; the words live
 * until the next call.
 */
struct release;
struct release *release_open(const char *path, const char **why);
void release_close(struct release *);
extern const char *const symbol_kinds[];	/* by kind */

const char *release_build_id(const struct release *);	/* "" if none */

/* What has the address: lives as long as the release; NULL if nothing. */
const struct symtab *release_find(struct release *, uint64_t address);

/* What is wrong with a record that was needed, or NULL. */
const char *release_damage(const struct release *);

#endif
