#pragma once

#include "common/program/elf.h"
#include "common/program/symtab.h"

/*
 * The DWARF debug information of an ELF file, read by libdw.  A compilation
 * unit is decoded at the first lookup of one of its addresses: decoding all
 * units of a large library takes seconds.
 */
struct debug;

/*
 * Opens the DWARF in the file `debug`, which describes the program in the file
 * `code`; both may be the same file, and they must outlive the result.  What
 * DWARF says of addresses outside the program's code is ignored: the linker has
 * discarded those functions.  If the DWARF cannot be read, returns NULL and
 * sets *why, which is borrowed until the next call.
 */
struct debug *debug_open(const struct elf *code, const struct elf *debug,
    const char **why);
void debug_close(struct debug *);

/* That of the unit that covers an address, until debug_close(); or NULL. */
const struct symtab *debug_find(struct debug *, uint64_t address);

/*
 * Adds the scopes and rows of all units to one symtab, but no ELF symbols.  The
 * strings in the symtab live until debug_close().
 */
void debug_flatten(struct debug *, struct symtab *);

/* How many units decoded so far lack their .dwo file (of -gsplit-dwarf). */
size_t debug_n_missing(const struct debug *);

/*
 * The first damage found so far, or NULL: functions or lines may be missing.
 * A lack of memory in libdw is not taken for damage: it ends the program.
 */
const char *debug_damage(const struct debug *);
