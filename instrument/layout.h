#ifndef WEIR_LAYOUT_H
#define WEIR_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

/*
 * The memory in which an instrumented process counts, and which it shares with
 * the wrapper.  The process only writes: the wrapper takes snapshots, and
 * writes the differences as records.
 *
 * It is a memfd of a fixed size: a struct shared, then slabs of SLAB_SIZE bytes
 * from SLABS_OFFSET on, which are sparse.  A slab belongs to one tree.  It is a
 * struct slab and an array of nodes, each of node_size bytes; nodes that are
 * not used yet are zero.  All pointers are addresses in the process.
 *
 * Each process connects to the wrapper's socket, sends GREETING with the
 * descriptor of its memory (SCM_RIGHTS), and closes the connection.  A process
 * that has no memory to share sends GREETING alone.
 */
#define GREETING "weir 4\n"	/* with the version of this file */

/* Not a bool, of which the compiler expects that it is 0 or 1. */
typedef unsigned char flag;

/*
 * The wrapper's socket has an abstract name, which is in the environment: @ in
 * place of the NUL byte with which such names begin, "weir-", and a number.
 *
 * The number is also the soft limit RLIMIT_LOCKS of the program, which Linux
 * has ignored since 2.4.25: so a program that is started without the
 * environment finds the wrapper, too.  Its lowest bits are settings.
 */
#define SOCKET_NAME "@weir-%016llx"
#define SOCKET_TAG (UINT64_C(0x77656972) << 32)	/* "weir" */
#define SOCKET_TAG_MASK (UINT64_C(0xffffffff) << 32)
enum {
	SOCKET_NAME_LEN = sizeof "@weir-" - 1 + 16,
	SOCKET_TIMED = 1, SOCKET_FOLDS = 2, SOCKET_SAMPLED = 4,
	SOCKET_FLAGS = 7
};

/*
 * A node of the call tree: a function, called from one call site, below one
 * chain of callers.  The counts only grow.
 */
struct node {
	uintptr_t function, call_site;	/* call_site: the return address */
	struct node *last_child;	/* called latest, or &nil_node */
	struct node *successor;	/* called after this one last time; likewise */
	uint64_t calls, self_ticks;
	struct node *parent;	/* NULL: the root, or not in the tree yet */
	struct node *children;	/* root of a hash trie, see tree.c */
	struct node *branch[2];	/* this node's links in its parent's trie */
	/* Allocated only if time is measured. */
	uint64_t off_ns;	/* the part of self_ticks off the CPU */
};

/* Nodes of one tree, parents before their children. */
struct slab {
	uint64_t used;		/* nodes claimed, perhaps more than fit */
	/* Calls counted at an ancestor while this slab was the newest. */
	uint64_t overflow_calls;
	unsigned char nodes[];
};

enum { PROBE_SCALE = 256 };
enum {
	MODULES_MAX = 2048, PATHS_SIZE = 256 * 1024, MARKS_MAX = 1024,
	CRASHES_MAX = 16, CRASH_FRAMES_MAX = 1000, SAMPLED_MAX = 1024
};

/* A range of addresses: an ELF file, or other executable memory. */
struct shared_module {
	uintptr_t start, end;	/* addresses in [start, end) */
	uintptr_t base;		/* what to add to an address in the ELF file */
	uint64_t inode;		/* of the file; 0 if there is none */
	size_t path;		/* offset in paths */
	uintptr_t dynamic;	/* the dynamic section, or 0 */
	flag is_elf;
	flag is_replaced;	/* another file has code at its addresses */
	flag is_uncounted;	/* at the end: its calls were not counted */
	unsigned char build_id_len, build_id[20];
};

/* A call of weir_mark(): slot number % MARKS_MAX. */
struct shared_mark {
	uint64_t number;	/* 1 for the first; set last */
	int64_t time_us;	/* since 1970 */
	double value;
	char name[64];
};

/* A fatal signal, with the calls that had not returned. */
struct shared_crash {
	flag is_complete;	/* set last */
	int signal;
	int64_t time_us;	/* since 1970 */
	size_t n_frames;
	size_t n_omitted;	/* outer calls, for which there is no room */
	struct {
		uintptr_t function, call_site;
	} frames[CRASH_FRAMES_MAX];	/* the innermost first */
};

/* What is sampled.  Each has a cache line: its thread writes at each call. */
struct shared_thread {
	int tid;		/* 0: ended */
	struct node *current;
	char rest_of_line[48];
};

struct shared {
	uint64_t address;	/* of this structure in the process */
	uint64_t size;		/* bytes, with all slabs */
	uint64_t node_size;
	uint64_t n_slabs;	/* in use, perhaps more than fit */
	/* Ticks that hooks add to an interval (calibrate.c), * PROBE_SCALE. */
	uint64_t probe_ticks;
	uint64_t n_lost_processes;	/* see shared_lose_process() */
	size_t program;		/* its path, an offset in paths */
	uint64_t program_inode;	/* or 0 */
	flag is_sampled, folds_recursion;
	flag has_off_time;	/* off_ns of all nodes is complete */
	flag is_misplaced;	/* calls may be below the wrong callers */
	flag has_given_up;	/* nothing is counted any more */
	flag is_finished;	/* the process ends normally */
	flag is_abandoned;	/* set by the wrapper: nobody reads this */
	int n_modules;		/* only grows */
	uint64_t n_marks;	/* slots claimed */
	uint64_t n_marks_read;	/* set by the wrapper */
	uint64_t n_marks_dropped;
	size_t n_crashes;	/* claimed, perhaps more than fit */
	int n_threads;		/* likewise */
	struct shared_module modules[MODULES_MAX];
	struct shared_mark marks[MARKS_MAX];
	struct shared_crash crashes[CRASHES_MAX];
	__attribute__((aligned(64))) struct shared_thread threads[SAMPLED_MAX];
	char paths[PATHS_SIZE];	/* strings */
};

enum {
	SLAB_SIZE = 32 * 1024,
	SLABS_OFFSET = (sizeof(struct shared) + SLAB_SIZE - 1) &
	    ~(SLAB_SIZE - 1)
};

#endif
