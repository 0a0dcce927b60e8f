#ifndef WEIR_INSTRUMENT_MODULES_H
#define WEIR_INSTRUMENT_MODULES_H

#include "instrument/instrument.h"

#pragma GCC visibility push(hidden)

void modules_fork(void);

/*
 * Adds all modules that are loaded now.  Returns false if another thread is
 * adding modules, or if there is no memory for them (shared is NULL).
 */
bool modules_read_all(void);
int modules_count(void);

/*
 * Adds the module that contains the address, unless it is known.  Returns false
 * if it has read /proc/self/maps and found no module: the next attempt would
 * cost as much and probably fail again.  Returns true otherwise, even if it has
 * not read the maps because another thread is reading them.
 */
bool modules_ensure_known(uintptr_t address);

/*
 * The program, not the dynamic linker or an emulator if that was executed to
 * run it; or NULL.
 */
const struct shared_module *modules_program(void);

/* Is the function of this name empty that the module calls? */
bool modules_calls_empty(const struct shared_module *, const char *name);

#pragma GCC visibility pop

#endif
