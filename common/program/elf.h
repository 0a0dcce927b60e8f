#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "common/program/symtab.h"

enum { BUILD_ID_MAX = 64 };	/* in bytes; longer ones are ignored */

/*
 * An ELF file, read by libelf: a program, a shared library, or a file of debug
 * information.  A damaged file is read as far as possible.
 */
struct elf {
	void *handle;		/* libelf's Elf */
	int fd;
	char *path;
	uint64_t size;		/* in bytes */
	char build_id[2 * BUILD_ID_MAX + 1];	/* hexadecimal; "" if absent */
	bool has_debug;		/* the file has DWARF */
	bool has_zstd;		/* some DWARF is compressed by zstd */
	bool has_symbols;	/* the file has a .symtab */
	struct intervals code;	/* the executable sections */
};

/*
 * If the file cannot be read, returns false and sets *why, which is borrowed
 * until the next call.
 */
bool elf_open(struct elf *, const char *path, const char **why);
void elf_close(struct elf *);

/*
 * Opens the separate debug information of a file, searching as debuggers do:
 * for the build id under debug_dir; or else for the name in .gnu_debuglink, in
 * the file's directory DIR, in DIR/.debug and in debug_dir/DIR.  Returns false
 * if there is none.
 */
bool elf_open_debug(const struct elf *, const char *debug_dir, struct elf *);

/* The file that .gnu_debuglink names, without its directory, or NULL. */
const char *elf_debug_link(const struct elf *);

/*
 * Whether two files, either of which may be stripped, are the same program:
 * they have equal code and data at equal addresses and, if both have build ids,
 * equal ones.  If not, *why is the first difference.
 */
bool elf_same_program(const struct elf *, const struct elf *,
    const char **why);

/*
 * Adds the functions and labels of .symtab, or else .dynsym, and calls
 * symtab_finish_symbols().  Their names live until elf_close().
 */
void elf_add_symbols(const struct elf *, struct symtab *);

/*
 * Decompresses the debug information in memory.  False if some sections cannot
 * be decompressed; libdw, which would also decompress them, ignores those.
 */
bool elf_decompress(const struct elf *);

/*
 * The bytes of .debug_line, which live until elf_close(); empty if there are
 * none.  Call elf_decompress() before.
 */
struct span elf_debug_line(const struct elf *, bool *is_big_endian);

/* Whether an address is in an executable section. */
bool elf_is_code(const struct elf *, uint64_t address);

/*
 * Ends the program if memory ran out in libelf, which reports that in the same
 * way as damage to the file.  This is for users of `handle`: the functions
 * above make this check themselves.
 */
void elf_check_memory(void);
