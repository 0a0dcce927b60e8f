#ifndef WEIR_INSTRUMENT_ALTSTACK_H
#define WEIR_INSTRUMENT_ALTSTACK_H

#include "instrument/instrument.h"

#pragma GCC visibility push(hidden)

enum { ALTSTACK_SIZE = 32768 };

/*
 * Gives the calling thread an alternate signal stack of ALTSTACK_SIZE bytes at
 * base, unless the thread has one.  The caller owns the memory.
 */
void altstack_set(void *base);

/* Undoes altstack_set(), unless the program has set another stack since. */
void altstack_unset(void *base);

#pragma GCC visibility pop

#endif
