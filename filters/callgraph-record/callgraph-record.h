#pragma once

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/base/buf.h"
#include "common/base/intervals.h"
#include "instrument/layout.h"

/* --- checksum.c ---------------------------------------------------------- */

/*
 * The SHA-512/224 of a file as hexadecimal digits; "" if it cannot be read.  It
 * is cached by device, inode, size and modification time, and lives until exit.
 */
const char *checksum_of(const char *path);

/*
 * Remembers the checksum of a program, which has this path and inode as its
 * processes report them, for processes that end before theirs can be read.
 */
void checksum_remember(const char *program, uint64_t inode,
    const char *checksum);

/* What was remembered last of such a program, or "". */
const char *checksum_remembered(const char *program, uint64_t inode);

/* --- graph.c ------------------------------------------------------------- */

/*
 * A node of the call tree of one snapshot, with what has been counted since the
 * previous one.  Parents come before their children.
 */
struct counted_node {
	uint64_t function, call_site;	/* addresses; call_site 0: unknown */
	uint64_t calls, samples;
	uint64_t self_ns, off_ns;	/* as measured; off_ns: off the CPU */
	/* graph_put() computes these; probe_ns is the cost of the probes. */
	uint64_t calls_made;	/* calls of its children */
	uint64_t probe_ns, total_ns, total_off_ns;
	uint32_t parent;	/* its index plus 1, or 0 for none */
};

/* What a snapshot has besides nodes and modules. */
struct snapshot {
	bool timed, sampled, folded;	/* folded: recursion was folded */
	bool has_off_time;	/* off_ns of the nodes is complete */
	uint64_t nodes_limited;	/* calls that were counted at an ancestor */
	uint64_t probe_ps;	/* picoseconds that each probe, the hook at the
				   entry or exit of a function, adds to
				   measured times */
};

struct graph {
	struct counted_node *nodes;
	size_t n, cap;
};

/*
 * An ELF file that is loaded into the process, at the addresses from start to
 * end - 1.  base is where address 0 of the file would be.
 */
struct module {
	uint64_t base, start, end;
	char *path;			/* owned; perhaps not UTF-8 */
	char *build_id;			/* owned; hexadecimal digits */
	bool is_marked;			/* see modules_put() */
};

struct modules {
	struct module *list;
	size_t n, cap;
	struct intervals index;		/* maps addresses to indexes in list */
};

/*
 * Adds a node.  Returns false, and adds nothing, if the node's parent was not
 * added before it, or if there are more nodes than 32 bits can number.
 */
bool graph_add(struct graph *, const struct counted_node *);

/*
 * Subtracts the cost of the probes, computes the total times, and writes the
 * array "nodes" in pre-order, siblings in the order in which they arrived;
 * writes times only if timed, and samples only if sampled.  Then empties the
 * graph.
 */
void graph_put(struct graph *, const struct snapshot *, struct buf *);

/*
 * Adds a module and takes over its path and build_id.  Addresses in its range
 * that belonged to an older module belong to the new one, because an overlap
 * shows that the older module has been unloaded.
 */
void modules_add(struct modules *, const struct module *);
void modules_release(struct modules *);

/*
 * Mark, for modules_put(), the modules that contain the function and the call
 * site of one call, or of all nodes.  A call site is a return address: it
 * follows the call, and may be one past the end of the call's module.
 */
void modules_mark_call(struct modules *, uint64_t function,
    uint64_t call_site);
void modules_mark_graph(struct modules *, const struct graph *);

/* Writes the marked modules as the array "modules", and unmarks them. */
void modules_put(struct modules *, struct buf *);

/* --- listener.c ---------------------------------------------------------- */

/*
 * The listening socket, in the namespace of abstract sockets: it needs no
 * directory, is reached after chroot(), and disappears with this process, even
 * if that is killed.
 */
struct listener {
	int fd;			/* -1: closed */
	uint64_t number;	/* see layout.h */
	char name[SOCKET_NAME_LEN + 1];
};
void listener_open(struct listener *, uint64_t flags);
void listener_close(struct listener *);

/* Has this process inherited the number from the program? */
bool listener_is_descendant(const struct listener *, pid_t);

/* --- memory.c ------------------------------------------------------------ */

/*
 * The memory in which an instrumented process counts, and which it shares with
 * this process (instrument/layout.h).  It may change at any time, and the
 * process may be defective: what is read from it is read once, and checked.
 */
struct memory {
	struct shared *shared;
	size_t size, node_size;		/* checked copies from shared */
	uint64_t address;		/* of this memory in the process */
	struct counts *seen;		/* by slot, see memory.c */
	size_t n_seen, seen_cap;
	uint64_t seen_limited;		/* likewise, of nodes_limited */
	int n_modules;			/* that were read */
	size_t n_crashes;		/* likewise */
	uint64_t n_marks, n_dropped;	/* likewise */
	struct sampled {
		int tid;
		uint64_t cpu_ns;	/* that samples have accounted for */
	} *sampled;			/* by index of its thread, or NULL */
};

/*
 * Before the first process starts: ticks are converted by the average frequency
 * of the counter since then.
 */
void memory_init(void);

/* Takes over the descriptor.  False if it is not such memory. */
bool memory_map(struct memory *, int fd);
void memory_unmap(struct memory *);

/* A copy of the path at an offset in shared->paths; the caller frees it. */
char *memory_path(const struct memory *, size_t offset);

/*
 * Adds what has been counted since the last snapshot, with the ancestors of
 * these nodes, to a graph that is empty.
 */
struct snapshot memory_snapshot(struct memory *, struct graph *);

/* Adds new modules.  Those of a node are there when a snapshot has the node. */
void memory_read_modules(struct memory *, struct modules *);

/* Copies the next mark and returns true, or returns false if there is none. */
bool memory_next_mark(struct memory *, bool has_ended, struct shared_mark *);

/* Marks that were dropped since the last call. */
uint64_t memory_dropped_marks(struct memory *);

/* The next crash, or NULL. */
const struct shared_crash *memory_next_crash(struct memory *);

/*
 * Takes a sample at the current node of a thread for each period of CPU time
 * that the thread has used since its last sample.
 */
void memory_sample(struct memory *, pid_t, uint64_t period_ns);

/* --- processes.c --------------------------------------------------------- */

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
