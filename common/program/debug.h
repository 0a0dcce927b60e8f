#ifndef WEIR_DEBUG_H
#define WEIR_DEBUG_H

#include "common/program/elf.h"
#include "common/program/symtab.h"

/*
 * The DWARF of an ELF file, by libdw.  Its compilation units become tables
 * when an address of theirs is asked for: to read them all takes seconds for a
 * large library.
 */
struct debug;

/*
 * code is the file whose sections of code count (what lies elsewhere was
 * discarded by the linker), debug the one that has the DWARF.  Both must live
 * as long.  NULL, and why.
 */
struct debug *debug_open(const struct elf *code, const struct elf *debug,
    const char **why);
void debug_close(struct debug *);

/* What the address belongs to, or NULL: lives as long as the debug. */
const struct symtab *debug_find(struct debug *, uint64_t address);

/*
 * All units as one table without symbols, which says of each address what
 * debug_find() does.  Strings live as long as the debug.
 */
void debug_flatten(struct debug *, struct symtab *);

/* How many of the units read so far lack their .dwo file. */
size_t debug_missing(const struct debug *);

#endif
