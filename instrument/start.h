#ifndef WEIR_INSTRUMENT_START_H
#define WEIR_INSTRUMENT_START_H

#include "instrument/instrument.h"

#pragma GCC visibility push(hidden)

/*
 * Initializes the instrument, unless that has been done; waits while another
 * thread does it.  Returns true when it is initialized, false if this thread is
 * in the middle of the initialization, or if the C library is not initialized
 * yet: in a dynamic program it sets environ after the functions in
 * .preinit_array.  Then a later call decides whether there is a wrapper.  If
 * the program calls the hooks of another copy of the instrument
 * (!are_hooks_ours), this copy becomes dormant.  In a child that was not made
 * by fork(), does what is to be done after fork().
 */
bool start_once(bool are_hooks_ours);

#pragma GCC visibility pop

#endif
