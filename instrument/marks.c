/*
 * marks - the queue of weir_mark()
 *
 * A mark is a value with a name.  Any thread or signal handler adds marks
 * without a lock; the holder of the link's lock removes them.  The queue is a
 * ring of slots, each with a state that says whether it may be filled or sent.
 * "next" counts the slots that were claimed, and "oldest" those that were sent.
 * Modulo MARKS_MAX, these counts are the slots to fill and to send next.
 */

#include "instrument/bytes.h"
#include "instrument/instrument.h"
#include "instrument/link.h"
#include "instrument/marks.h"
#include "instrument/put.h"
#include "instrument/sys.h"

enum { MARKS_MAX = 256, NAME_SIZE = 64 };

static struct mark {
	int state;
	int64_t time_us;
	double value;
	char name[NAME_SIZE];
} marks[MARKS_MAX];
enum { FREE, FILLING, FULL };

static uint64_t n_dropped;	/* marks, since their number was last sent */
static uint64_t next, oldest;		/* see above */

static void
put_mark(const struct mark *m)
{
	uint64_t bits;

	__builtin_memcpy(&bits, &m->value, sizeof bits);
	put_begin_record(&link_out, "mark");
	put_number(&link_out, "time_us", (uint64_t)m->time_us);
	put_text(&link_out, "name", m->name);
	put_address(&link_out, "bits", bits);
	put_end_record(&link_out);
}

void
marks_emit(void)
{
	struct mark *m;
	uint64_t dropped;

	for (;;) {
		m = &marks[oldest % MARKS_MAX];
		if (__atomic_load_n(&m->state, __ATOMIC_ACQUIRE) != FULL ||
		    !link_make_room())
			break;
		put_mark(m);
		oldest++;
		__atomic_store_n(&m->state, FREE, __ATOMIC_RELEASE);
	}
	dropped = __atomic_exchange_n(&n_dropped, 0, __ATOMIC_RELAXED);
	if (dropped > 0 && link_make_room()) {
		put_begin_record(&link_out, "marks_dropped");
		put_number(&link_out, "n", dropped);
		put_end_record(&link_out);
	} else if (dropped > 0) {
		__atomic_add_fetch(&n_dropped, dropped, __ATOMIC_RELAXED);
	}
}

/*
 * Claims the next slot, which is then FILLING.  Returns NULL if the ring is
 * full, or if another thread or a signal handler was faster in each of
 * MARKS_MAX tries.
 */
static struct mark *
claim_slot(void)
{
	uint64_t i = __atomic_load_n(&next, __ATOMIC_RELAXED);
	struct mark *m;
	int expected;

	for (int tries = 0; tries < MARKS_MAX; tries++) {
		m = &marks[i % MARKS_MAX];
		expected = FREE;
		if (__atomic_compare_exchange_n(&m->state, &expected, FILLING,
		    false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
			if (__atomic_compare_exchange_n(&next, &i, i + 1,
			    false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
				return m;
			__atomic_store_n(&m->state, FREE, __ATOMIC_RELEASE);
			continue;	/* the exchange has updated i */
		}
		if (expected == FULL)
			return NULL;
		/* FILLING: whoever claimed the slot may have advanced next. */
		i = __atomic_load_n(&next, __ATOMIC_RELAXED);
	}
	return NULL;
}

void
marks_add(const char *name, double value)
{
	struct mark *m = claim_slot();

	if (m == NULL) {
		__atomic_add_fetch(&n_dropped, 1, __ATOMIC_RELAXED);
		return;
	}
	bytes_copy_string(m->name, name, NAME_SIZE);
	m->value = value;
	m->time_us = sys_time_us();
	__atomic_store_n(&m->state, FULL, __ATOMIC_RELEASE);
}

void
marks_fork(void)
{
	next = oldest = n_dropped = 0;
	for (int i = 0; i < MARKS_MAX; i++)
		marks[i].state = FREE;
}
