#ifndef WEIR_INSTRUMENT_MARKS_H
#define WEIR_INSTRUMENT_MARKS_H

#include "instrument/instrument.h"

#pragma GCC visibility push(hidden)

void marks_add(const char *name, double value);	/* lock-free */
void marks_emit(void);	/* writes marks to link_out, which must be locked */
void marks_fork(void);

#pragma GCC visibility pop

#endif
