#ifndef MALSTAT_ANSWER_H
#define MALSTAT_ANSWER_H

#include "filters/malstat/trace.h"

/*
 * The answers for a set of instances: all of a trace, or those of a query.
 * Definitions are in malstat(1).
 */
struct operation {
	sym name;
	enum instance_kind kind;
	uint64_t n;
	int64_t self_us, total_us, most_us;
};

/* The use of the cores, in a session or in a block of it. */
struct cores {
	uint32_t session;
	int64_t from_us, to_us;
	int64_t busy_us;
	size_t n_threads;	/* with work that lies wholly within */
	int64_t idle_us, serial_us;
	int64_t *with_us;	/* by number of threads: how long so many ... */
	size_t n_with;		/* ... worked; 0: too many for a block */
	uint32_t block;		/* an instance, or INDEX_NONE: the session */
};

struct answer {
	const struct trace *trace;
	uint32_t root;			/* an execution, or INDEX_NONE: all */
	int64_t busy_us;
	struct operation *operations;	/* work, costliest first */
	size_t n_operations;
	struct operation *containers;	/* by kind and name */
	size_t n_containers;
	uint32_t *costliest;		/* work instances, costliest first */
	size_t n_work, n_instances;
	struct cores *cores;		/* each session, and then its blocks */
	size_t n_cores, cores_cap, n_sessions;
};

/* The parts of a trace that a scope is: a slice of each list. */
struct scope {
	uint32_t root;
	const uint32_t *instances;
	size_t n_instances;
	const struct piece *pieces;	/* in the same order */
	size_t n_pieces;
};

void answer_make(struct answer *, const struct trace *, const struct scope *);
void answer_release(struct answer *);

/*
 * For a session and its blocks, of which what and when is set: how many threads
 * were in work at once, and how many had work within; part is all that the
 * session has.  O(n log n), however blocks and threads lie.
 */
void cores_measure(struct cores *, size_t n, const struct scope *part);
void workers_count(struct cores *, size_t n, const struct trace *,
    const struct scope *part);

/*
 * All scopes of a trace.  The first is all; if queries are wanted, one for each
 * execution that no other initiates follows, with all that it does.  Pieces
 * are borrowed.
 */
struct scopes {
	struct scope *list;
	size_t n;
	uint32_t *instances;
	struct piece *pieces;
};
void scopes_make(struct scopes *, const struct trace *,
    const struct pieces *, bool queries);
void scopes_release(struct scopes *);

#endif
