#ifndef WEIR_INSTRUMENT_MODULES_H
#define WEIR_INSTRUMENT_MODULES_H

#include "instrument/instrument.h"

#pragma GCC visibility push(hidden)

void modules_fork(void);

/* Adds all modules that are loaded now. */
void modules_read_all(void);

/* Adds the module that contains the address, unless it is known. */
void modules_ensure_known(uintptr_t address);

/*
 * Sets shared->program to the program, which is not the dynamic linker or an
 * emulator if that was executed to run it.
 */
void modules_find_program(void);

/*
 * Sets is_uncounted of the modules, of those loaded now, whose calls are not
 * counted.  For one thread at a time.
 */
void modules_find_uncounted(void);

#pragma GCC visibility pop

#endif
