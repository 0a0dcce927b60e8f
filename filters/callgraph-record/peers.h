#ifndef CALLGRAPH_RECORD_PEERS_H
#define CALLGRAPH_RECORD_PEERS_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "common/base/buf.h"

/*
 * The instrumented processes and their connections (peers).  A connection
 * carries messages, which are lines of JSON (weir-instrument(3)).  The first
 * message is hello; any number of the others follow:
 *
 *	hello			the program of the process
 *	module			an ELF file that was loaded
 *	begin, nodes..., end	an emission: the calls since the last one
 *	crash, mark		become a record at once
 *	marks_dropped		becomes a warning
 *
 * A process may have several connections, for instance another one for its
 * crash.  What arrives on them is collected by process, and a process is
 * remembered for some time after its last connection was closed.
 */
struct peers {
	const char *release_dir;	/* or NULL */
	bool any_hello;			/* some process has sent hello */

	/* Private to peers.c. */
	struct peer *list;
	size_t n, cap;
	struct process *processes;	/* a linked list, newest first */
	size_t n_processes;
	struct recio *recio;
};

void peers_init(struct peers *, const char *release_dir);
void peers_release(struct peers *);

/* Takes over a connection; closes it at once if the peer is another user's. */
void peers_add(struct peers *, int fd);

/* Fills in an array for poll(): one element for each of the n peers. */
void peers_fill_pollfds(const struct peers *, struct pollfd *);

/*
 * Reads from the connections that poll() reported in that array, and writes the
 * records that are complete.  False if poll() reported none.
 */
bool peers_read(struct peers *, const struct pollfd *, struct buf *);

/* Requests an emission from one process, or from all if pid is 0. */
void peers_request(struct peers *, pid_t pid);

/* Whether a process has sent the emission requested, or no longer can. */
bool peers_has_answered(const struct peers *, pid_t pid);

/* Closes all connections and writes the emissions that were not finished. */
void peers_finish(struct peers *, struct buf *);

/*
 * The checksum of the first program that a process executed; NULL if the
 * process has not sent hello.
 */
const char *peers_checksum(const struct peers *, pid_t pid);

#endif
