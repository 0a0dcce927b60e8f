#ifndef WEIR_INSTRUMENT_CRASH_H
#define WEIR_INSTRUMENT_CRASH_H

#include "instrument/instrument.h"

#pragma GCC visibility push(hidden)

void crash_init(void);		/* installs the handlers */
void crash_uninstall(void);

#pragma GCC visibility pop

#endif
