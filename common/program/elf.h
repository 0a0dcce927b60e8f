#ifndef WEIR_ELF_H
#define WEIR_ELF_H

#include <stdbool.h>
#include <stdint.h>

#include "common/program/symtab.h"

/*
 * An ELF file, by libelf: a program, a shared library, or what holds their
 * debug information.  Of a damaged file what can be read is read.
 */
enum { BUILD_ID_MAX = 64 };	/* bytes */

struct elf {
	void *handle;		/* libelf's Elf */
	int fd;
	char *path;
	uint64_t size;		/* in bytes */
	char build_id[2 * BUILD_ID_MAX + 1];	/* hexadecimal; "" if none */
	bool has_debug;		/* it has DWARF */
	bool has_zstd;		/* compressed so that libelf may not read it */
	bool has_symbols;	/* a .symtab */
	struct intervals code;	/* of its sections of code */
};

/* False, and why not; the words live until the next call. */
bool elf_open(struct elf *, const char *path, const char **why);
void elf_close(struct elf *);

/*
 * Opens the file that holds the debug information of one that has none: named
 * by the build id under debug_dir, or by .gnu_debuglink beside the file, in
 * .debug there, or under debug_dir.  False if there is none.
 */
bool elf_open_debug(const struct elf *, const char *debug_dir, struct elf *);

/*
 * Whether two files are the same program, one of which may be stripped: the
 * same code and data at the same addresses, and the same build id.  False,
 * and what differs.
 */
bool elf_same_program(const struct elf *, const struct elf *,
    const char **why);

/* Adds the functions of its symbol table, settled; names live as the file. */
void elf_add_symbols(const struct elf *, struct symtab *);

bool elf_is_code(const struct elf *, uint64_t address);

#endif
