/* altstack - a stack for the signal handlers of a thread */

#include <signal.h>

#include "instrument/instrument.h"
#include "instrument/sys.h"

/*
 * A stack that has overflown cannot take a handler: it gets one of its own,
 * unless the program has seen to that.
 */
void
altstack_set(void *base)
{
	stack_t stack = { .ss_sp = base, .ss_size = ALTSTACK_SIZE }, old;

	if (SYS(sigaltstack, NULL, &old) == 0 && (old.ss_flags & SS_DISABLE))
		SYS(sigaltstack, &stack, NULL);
}

void
altstack_unset(void *base)
{
	stack_t none = { .ss_flags = SS_DISABLE }, old;

	if (SYS(sigaltstack, NULL, &old) == 0 && old.ss_sp == base)
		SYS(sigaltstack, &none, NULL);
}
