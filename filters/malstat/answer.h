#ifndef MALSTAT_ANSWER_H
#define MALSTAT_ANSWER_H

#include "filters/malstat/cores.h"
#include "filters/malstat/scope.h"
#include "filters/malstat/trace.h"

/* The instances of one operation and kind. */
struct operation {
	sym name;
	enum instance_kind kind;
	uint64_t n;
	int64_t self_us, total_us, longest_us;
};

/* The answers for one scope.  Definitions are in malstat(1). */
struct answer {
	const struct trace *trace;	/* borrowed */
	uint32_t root;			/* an execution; INDEX_NONE: all */
	int64_t busy_us;
	struct operation *operations;	/* work, costliest first */
	size_t n_operations;
	struct operation *containers;	/* the rest of that array: other
					   kinds, by kind and name */
	size_t n_containers;
	uint32_t *costliest;		/* work instances, costliest first */
	size_t n_work;			/* length of costliest */
	size_t n_instances;		/* of all kinds */
	struct cores *cores;		/* each session before its blocks */
	size_t n_cores, cores_cap, n_sessions;
};

void answer_make(struct answer *, const struct trace *, const struct scope *);
void answer_release(struct answer *);

#endif
