#ifndef CALLGRAPH_RECORD_PEERS_H
#define CALLGRAPH_RECORD_PEERS_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/base/buf.h"
#include "filters/callgraph-record/listener.h"

/*
 * The instrumented processes and their connections (peers).  A connection
 * carries messages, which are lines of JSON (weir-instrument(3)).  The first
 * message is hello; any number of the others follow:
 *
 *	hello			the program of the process, with the
 *				descriptor of the memory that it shares
 *	module			an ELF file that was loaded
 *	begin, nodes..., end	an emission: the calls since the previous one
 *	crash			the stack at a crash; becomes a record at once
 *	mark			a number that the program reports; becomes a
 *				record at once
 *	marks_dropped		how many marks were lost; becomes a warning
 *
 * A process may have several connections, for instance another one for its
 * crash.  What arrives on them is collected by process, and a process is
 * remembered for some time after its last connection was closed.
 *
 * A process that is killed, or executes another program, has not sent all that
 * it has counted: the rest is read from the memory that it shares (memory.h).
 */
struct peers {
	const struct listener *listener;
	const char *release_dir;	/* or NULL */
	bool any_hello;			/* some process has sent hello */
	int64_t n_records;		/* records written */

	/* Private to peers.c, except n, the number of connections. */
	struct peer *list;
	size_t n, cap;
	struct process *processes;	/* a linked list, newest first */
	size_t n_processes;
	bool has_refused;		/* a connection */
	uint64_t n_lost;		/* processes that could not connect */
	struct recio *recio;
};

void peers_init(struct peers *, const struct listener *,
    const char *release_dir);
void peers_release(struct peers *);

/*
 * Takes over a connection; closes it at once if the peer is another user's, and
 * not a descendant of the program.
 */
void peers_add(struct peers *, int fd);

/* Fills in an array for poll(): one element for each of the n peers. */
void peers_fill_pollfds(const struct peers *, struct pollfd *);

/*
 * Reads from the connections that poll() reported in that array of n elements,
 * and writes the records that are complete.  Call peers_add() before, for all
 * new connections: the memory of a process that has ended is read as soon as no
 * connection of the process is left.
 */
void peers_read(struct peers *, const struct pollfd *, size_t n, struct buf *);

/* Requests an emission from all processes. */
void peers_request_emissions(struct peers *);

/* Closes all connections: their processes learn that they are not recorded. */
void peers_close(struct peers *);

/*
 * Closes all connections and writes all counts that were not sent.  Warns if
 * processes are still running.
 */
void peers_finish(struct peers *, struct buf *);

/*
 * Sets path and checksum of the first instrumented program that a process
 * executed.  False if the process has not sent hello.
 */
bool peers_find(const struct peers *, pid_t pid, const char **program,
    const char **checksum);

#endif
