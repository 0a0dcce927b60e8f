#ifndef MALSTAT_TRACE_H
#define MALSTAT_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/intern.h"
#include "common/base/map.h"

/*
 * The instances of instructions that rows of MonetDB traces tell of: a start
 * opens (execution, pc), a done closes it.  About 80 bytes each, and the
 * statements.
 */
struct filter;
struct rec;

enum instance_kind { KIND_WORK, KIND_CALL, KIND_DATAFLOW, KIND_PLAN,
    N_KINDS };

struct instance {
	uint32_t execution;		/* place among executions */
	uint32_t lane;			/* its session and thread */
	int64_t pc, thread;
	int64_t start_us, end_us, self_us;
	int64_t server_us;		/* as the server has it, or INT_UNKNOWN */
	sym operation, statement;	/* statement: or SYM_NONE */
	enum instance_kind kind;
	bool has_no_start;		/* a done alone: see trace_settle() */
};

/* Of which clock the times of an execution are. */
enum clock { CLOCK_UNKNOWN, CLOCK_RELATIVE, CLOCK_ABSOLUTE };

struct execution {
	struct {
		uint64_t trace;
		int64_t id;
	} key;
	uint32_t session;		/* place among sessions */
	bool only_ends;			/* of a server that tells no starts */
	bool has_row;
	enum clock clock;		/* that of its first event with any */
	int64_t tag;			/* or INT_UNKNOWN */
	uint32_t parent;		/* that initiated it, or INDEX_NONE */
	sym query;			/* its text, or SYM_NONE */
};

/*
 * What has one clock: a server process, whichever traces tell of it; or what is
 * known of one trace only, a client or that without a name.
 */
struct session {
	struct {
		uint64_t name;		/* a symbol, or SYM_NONE */
		uint64_t trace;		/* or ANY_TRACE: a server process */
	} key;
	int64_t workers;		/* of the server, if above 0 */
};
#define ANY_TRACE UINT64_MAX

struct trace {
	struct intern names;
	struct session *sessions;
	size_t n_sessions, sessions_cap;
	struct map by_key;
	struct execution *executions;
	size_t n_executions, executions_cap;
	struct map by_id;
	struct open *open;		/* by execution and pc */
	size_t n_open, open_cap;
	struct map by_place;
	struct instance *instances;
	size_t n, cap;
	uint64_t number;		/* of `trace` records so far */
	int64_t *workers;		/* of servers, by that number */
	size_t n_workers, workers_cap;
	uint64_t n_events, n_no_start, n_restarted, n_unfinished, n_no_clock;
};

extern const char *const trace_keys[];

/* Empty if it has none. */
struct span trace_session_name(const struct trace *, uint32_t session);

/*
 * Sessions by name, those without first, and trace; executions by trace and id.
 */
int trace_compare_sessions(const struct trace *, uint32_t, uint32_t);
int trace_compare_executions(const struct trace *, uint32_t, uint32_t);

void trace_init(struct trace *);
void trace_release(struct trace *);

/* Takes a row in; what is wrong with it is rejected. */
void trace_add(struct trace *, struct filter *, const struct rec *);

/* All of a database that malload filled. */
void trace_read_database(struct trace *, struct filter *, const char *path);

/*
 * Ends the adding.  Dones without a start count where the server tells ends
 * only, and begin as long before as the server says that they took.  Lanes are
 * found, and self times: each microsecond of a lane belongs to the open
 * instance that began last.
 */
void trace_settle(struct trace *);

/* Pieces of time in which an instance was the innermost of its lane. */
struct piece {
	int64_t from_us, to_us;
	uint32_t instance;
};
struct pieces {
	struct piece *list;
	size_t n, cap;
};

/* Sets self times and gathers the pieces of work, lane by lane. */
void trace_measure(struct trace *, struct pieces *);

#endif
