#ifndef WEIR_INSTRUMENT_LINK_H
#define WEIR_INSTRUMENT_LINK_H

#include "instrument/instrument.h"

#pragma GCC visibility push(hidden)

/*
 * Hands the shared memory over to the wrapper, over a connection that is closed
 * at once.  False if there is no wrapper, or no memory to share.
 */
bool link_share_memory(void);

#pragma GCC visibility pop

#endif
