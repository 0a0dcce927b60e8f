/*
 * mark - weir_mark(), which programs call
 *
 * Marks go to a ring in the shared memory.  Any thread or signal handler adds
 * marks, and the wrapper takes them out; there is no lock.
 */

#include "instrument/bytes.h"
#include "instrument/hooks.h"
#include "instrument/instrument.h"
#include "instrument/shared.h"
#include "instrument/state.h"
#include "instrument/sys.h"
#include "instrument/weir-instrument.h"

/* Claims the next slot, and sets its number; NULL if the ring is full. */
static struct shared_mark *
claim_slot(uint64_t *number)
{
	uint64_t n = __atomic_load_n(&shared->n_marks, __ATOMIC_RELAXED);

	do {
		if (n - __atomic_load_n(&shared->n_marks_read,
		    __ATOMIC_ACQUIRE) >= MARKS_MAX)
			return NULL;
	} while (!__atomic_compare_exchange_n(&shared->n_marks, &n, n + 1,
	    false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	*number = n + 1;
	return &shared->marks[n % MARKS_MAX];
}

EXPORT void
weir_mark(const char *name, double value)
{
	struct shared_mark *m;
	uint64_t number;

	if (!hooks_start() || dormant || is_confined || !state_is_ours())
		return;
	m = claim_slot(&number);
	if (m == NULL) {
		__atomic_add_fetch(&shared->n_marks_dropped, 1,
		    __ATOMIC_RELAXED);
		return;
	}
	bytes_copy_string(m->name, name, sizeof m->name);
	m->value = value;
	m->time_us = sys_time_us();
	__atomic_store_n(&m->number, number, __ATOMIC_RELEASE);
}
