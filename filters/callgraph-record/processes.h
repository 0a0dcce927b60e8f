#pragma once

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/base/buf.h"
#include "filters/callgraph-record/listener.h"

/*
 * The instrumented processes.  Each connects once, to hand over the memory in
 * which it counts (instrument/layout.h), and is read from then on until it has
 * ended or has executed another program.
 */
struct processes {
	const struct listener *listener;
	const char *release_dir;	/* or NULL */
	pid_t main_pid;			/* of the program; 0: not started yet */
	/* The first instrumented program that process executed, or NULL. */
	char *main_program;
	const char *main_checksum;
	int64_t n_records;		/* records written */
	bool any;			/* some process has connected, */
	bool has_counted;		/* and has counted a call, or said
					   that it could not */
	bool has_refused;		/* a connection */

	/* Private to processes.c, except n. */
	struct process *list;
	size_t n, cap;		/* connections and processes */
	uint64_t n_lost;		/* processes that could not connect */
};

void processes_init(struct processes *, const struct listener *,
    const char *release_dir);
void processes_release(struct processes *);

/*
 * Takes over a connection; closes it at once if the process is another user's,
 * and not a descendant of the program.
 */
void processes_add(struct processes *, int fd);

/*
 * Fills in an array for poll(): one element for each of the n.  Unless
 * reads_ends, the ends of processes are left out.
 */
void processes_fill_pollfds(const struct processes *, bool reads_ends,
    struct pollfd *);

/*
 * Handles what poll() reported in that array of n elements: greetings, and ends
 * of processes, whose last records it writes.
 */
void processes_read(struct processes *, const struct pollfd *, size_t n,
    struct buf *);

/* Writes the marks and crashes since the last time. */
void processes_look(struct processes *, struct buf *);

/* Writes a callgraph of each process: the calls since the last one. */
void processes_snapshot(struct processes *, struct buf *);

void processes_sample(struct processes *, uint64_t period_ns);

/* How many have connected, and have not ended or begun to end. */
size_t processes_running(const struct processes *);

/* From now on nothing is recorded, which the processes learn. */
void processes_close(struct processes *);

/* Writes all that was counted.  Warns if processes are still running. */
void processes_finish(struct processes *, struct buf *);
