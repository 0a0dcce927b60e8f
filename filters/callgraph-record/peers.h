#ifndef CALLGRAPH_RECORD_PEERS_H
#define CALLGRAPH_RECORD_PEERS_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "common/base/buf.h"

/*
 * The processes that send what they do.  Each connection carries lines of
 * JSON (weir-instrument(3)); a process may have several.
 */
struct peers {
	const char *release_dir;	/* or NULL */
	bool heard;			/* of any process at all */

	/* The rest is peers.c's own. */
	struct peer *list;
	size_t n, cap;
	struct process *processes;
	size_t n_processes;
	struct recio *recio;
};

void peers_init(struct peers *, const char *release_dir);
void peers_release(struct peers *);

/* Takes the connection over, unless it is another user's. */
void peers_add(struct peers *, int fd);

/* Fills in what to wait for: n of them. */
void peers_poll(const struct peers *, struct pollfd *);

/*
 * Reads from those that are ready, by the same array, and writes the records
 * that are complete.  False if nothing was there to be read.
 */
bool peers_read(struct peers *, const struct pollfd *, struct buf *);

/* Asks all for an emission, or all of one process. */
void peers_ask(struct peers *, pid_t pid);	/* 0: all */
bool peers_answered(const struct peers *, pid_t pid);

/* Ends what was begun; nothing more will come. */
void peers_finish(struct peers *, struct buf *);

/* The checksum of the first program of a process; NULL if it said nothing. */
const char *peers_checksum(const struct peers *, pid_t pid);

#endif
