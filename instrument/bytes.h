#ifndef WEIR_INSTRUMENT_BYTES_H
#define WEIR_INSTRUMENT_BYTES_H

#include "instrument/instrument.h"

#pragma GCC visibility push(hidden)

size_t bytes_length(const char *);
bool bytes_equal(const char *, const char *);

/* memmove() for to <= from, or for memory that does not overlap. */
void bytes_move_down(char *to, const char *from, size_t n);

/* Copies at most size - 1 bytes and a NUL; false if it truncated the string. */
bool bytes_copy_string(char *to, const char *from, size_t size);

#pragma GCC visibility pop

#endif
