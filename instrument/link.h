#ifndef WEIR_INSTRUMENT_LINK_H
#define WEIR_INSTRUMENT_LINK_H

#include "instrument/instrument.h"
#include "instrument/put.h"

#pragma GCC visibility push(hidden)

/*
 * How long a program waits when it ends, crashes or calls seccomp():
 * STALL_TIMEOUT_NS for a wrapper that does not read at all, and
 * TOTAL_TIMEOUT_FACTOR times as long for a wrapper that reads slowly.
 */
#define STALL_TIMEOUT_NS INT64_C(1000000000)
enum { TOTAL_TIMEOUT_FACTOR = 10 };

extern struct out link_out;	/* the main connection; protected by the lock */

/*
 * Locks the link, with all signals blocked, so that no handler waits for a lock
 * that the interrupted code holds.  Stores the previous mask for link_unlock().
 * Returns false, with signals as before, if another thread holds the lock and
 * sends nothing for stall_timeout_ns, or holds it for TOTAL_TIMEOUT_FACTOR
 * times as long; or if is_confined.
 */
bool link_lock(int64_t stall_timeout_ns, uint64_t *mask);
void link_unlock(uint64_t mask);

int link_connect(void);		/* a new socket, or < 0 */
void link_put_hello(struct out *);	/* the first line of a connection */

/*
 * link_open() connects link_out and sends hello; link_ensure_open() does so
 * only if the program has closed the connection.  Both return false if link_out
 * cannot be used; if there is no wrapper to connect to, they set dormant.
 */
bool link_open(void);
bool link_ensure_open(void);
void link_fork(void);

/*
 * Sends what is in the buffer.  Returns false if nothing could be sent for
 * stall_timeout_ns, or after an error such as that the other end is closed:
 * this sets dormant.
 */
bool link_flush(struct out *, int64_t stall_timeout_ns);

/*
 * Makes room in link_out for a line of LINE_SIZE_MAX bytes: drops lines that
 * have been sent, but sends none.  Returns false if that does not free enough.
 */
bool link_make_room(void);

#pragma GCC visibility pop

#endif
