#ifndef WEIR_DEBUG_H
#define WEIR_DEBUG_H

#include "common/program/elf.h"
#include "common/program/symtab.h"

/*
 * The DWARF debug information of an ELF file, read by libdw.  A compilation
 * unit is decoded when one of its addresses is asked for first: decoding all
 * units of a large library takes seconds.
 */
struct debug;

/*
 * debug is the file with the DWARF, code the program that it describes, which
 * may be the same: addresses outside its sections of code were discarded by the
 * linker.  Both must live as long.  NULL, and *why, if the DWARF cannot be
 * read.
 */
struct debug *debug_open(const struct elf *code, const struct elf *debug,
    const char **why);
void debug_close(struct debug *);

/* The unit that covers an address, or NULL: lives as long as the debug. */
const struct symtab *debug_find(struct debug *, uint64_t address);

/*
 * Adds all units to one symtab, without ELF symbols; its strings live as long
 * as the debug.
 */
void debug_flatten(struct debug *, struct symtab *);

/* How many of the units decoded so far lack their .dwo file. */
size_t debug_n_missing(const struct debug *);

#endif
