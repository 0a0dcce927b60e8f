/* altstack - a thread's alternate signal stack */

#include <signal.h>

#include "instrument/altstack.h"
#include "instrument/instrument.h"
#include "instrument/sys.h"

/* Without an alternate stack, no handler can run after a stack overflow. */
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
