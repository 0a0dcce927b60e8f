#ifndef WEIR_INSTRUMENT_HELPER_H
#define WEIR_INSTRUMENT_HELPER_H

#include "instrument/instrument.h"

#pragma GCC visibility push(hidden)

/* All signals must be blocked: the new thread inherits the mask. */
void helper_start(void);
void helper_stop(void);		/* returns when it has ended */

#pragma GCC visibility pop

#endif
