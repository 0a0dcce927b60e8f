#ifndef CALLGRAPH_RECORD_PEERS_H
#define CALLGRAPH_RECORD_PEERS_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "common/base/buf.h"

/*
 * The instrumented processes and their connections (peers).  A connection
 * carries lines of JSON (weir-instrument(3)):
 *
 *	hello		the program; then any of
 *	module		an ELF file that is loaded
 *	begin, nodes..., end	an emission: the calls since the last one
 *	crash, mark	at once
 *
 * A process may have several connections, for instance one for its crash, and
 * what they carry is added up by process.  So a process is not a connection: it
 * is remembered for some time after its last connection was closed.
 */
struct peers {
	const char *release_dir;	/* or NULL */
	bool has_heard;			/* any process has said hello */

	/* Private to peers.c. */
	struct peer *list;
	size_t n, cap;
	struct process *processes;	/* newest first */
	size_t n_processes;
	struct recio *recio;
};

void peers_init(struct peers *, const char *release_dir);
void peers_release(struct peers *);

/* Owns the connection; closes it at once if it is another user's. */
void peers_add(struct peers *, int fd);

/* Fills in what to poll for: n descriptors. */
void peers_poll(const struct peers *, struct pollfd *);

/*
 * Reads from the connections that poll() reported in that array, and writes the
 * records that are complete.  False if there was nothing to read.
 */
bool peers_read(struct peers *, const struct pollfd *, struct buf *);

/* Requests an emission from all processes (pid 0) or from one. */
void peers_request(struct peers *, pid_t pid);

/* Whether a process has sent what was requested, or cannot any more. */
bool peers_has_answered(const struct peers *, pid_t pid);

/* Closes all connections and writes the emissions that were not finished. */
void peers_finish(struct peers *, struct buf *);

/* The checksum of the first program of a process; NULL if it is not known. */
const char *peers_checksum(const struct peers *, pid_t pid);

#endif
