#ifndef WEIR_LAYOUT_H
#define WEIR_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The memory of an instrumented process that the wrapper maps too.  It contains
 * the call trees and the modules.  When the process has ended without a final
 * emission, in whatever way, the wrapper reads from this memory what the
 * process has not sent.
 *
 * It is a memfd of a fixed size: a struct shared, then slabs of SLAB_SIZE bytes
 * from SLABS_OFFSET on, which are sparse.  A slab belongs to one tree.  It is a
 * struct slab and an array of nodes, each of node_size bytes; nodes that are
 * not used yet are zero.  All pointers are addresses in the process.
 */

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
	SOCKET_TIMED = 1, SOCKET_FOLDS = 2, SOCKET_NO_HELPER = 4,
	SOCKET_FLAGS = 7
};

/*
 * A node of the call tree: a function, called from one call site, below one
 * chain of callers.
 */
struct node {
	uintptr_t function, call_site;	/* call_site: the return address */
	struct node *last_child;	/* called latest, or &nil_node */
	struct node *successor;	/* called after this one last time; likewise */
	uint64_t calls, self_ticks;
	struct node *parent;	/* NULL: the root, or not in the tree yet */
	struct node *children;	/* root of a hash trie, see tree.c */
	struct node *branch[2];	/* this node's links in its parent's trie */
	uint64_t sent_calls;	/* value of calls when last sent */
	uint32_t samples;	/* since the last emission */
	uint32_t index;		/* number in this emission, see emit.c; or 0 */
	/* Allocated only if time is measured. */
	uint64_t off_ns;	/* the part of self_ticks off the CPU */
	uint64_t sent_ticks, sent_off_ns;	/* values when last sent */
};

/* Nodes of one tree, parents before their children. */
struct slab {
	struct slab *older;
	struct slab *newer;	/* set and valid during a visit, see tree.c */
	uint64_t used;		/* nodes claimed, perhaps more than fit */
	/* Calls counted at an ancestor while this slab was the newest. */
	uint64_t overflow_calls;
	uint32_t visited;	/* nodes that the current visit covers */
	uint32_t padding;
	unsigned char nodes[];
};

/* A range of addresses: an ELF file, or other executable memory. */
struct shared_module {
	uintptr_t start, end;	/* addresses in [start, end) */
	uintptr_t base;		/* what to add to an address in the ELF file */
	uint64_t inode;		/* of the file; 0 if there is none */
	size_t path;		/* offset in paths */
	uintptr_t dynamic;	/* the dynamic section, or 0 */
	bool is_elf;
	bool is_replaced;	/* another file has code at its addresses */
	unsigned char build_id_len, build_id[20];
};

enum { PROBE_SCALE = 256 };
enum { MODULES_MAX = 2048, PATHS_SIZE = 256 * 1024 };

struct shared {
	uint64_t address;	/* of this structure in the process */
	uint64_t size;		/* bytes, with all slabs */
	uint64_t node_size;
	uint64_t n_slabs;	/* in use, perhaps more than fit */
	/* Ticks that hooks add to an interval (calibrate.c), * PROBE_SCALE. */
	uint64_t probe_ticks;
	uint64_t n_lost_processes;	/* see shared_lose_process() */
	bool sampled, folded_recursion;
	bool has_off_time;	/* off_ns of all nodes is complete */
	int n_modules;		/* only grows; modules[0..n) never change */
	struct shared_module modules[MODULES_MAX];
	char paths[PATHS_SIZE];	/* strings */
};

enum {
	SLAB_SIZE = 32 * 1024,
	SLABS_OFFSET = (sizeof(struct shared) + SLAB_SIZE - 1) &
	    ~(SLAB_SIZE - 1)
};

#endif
