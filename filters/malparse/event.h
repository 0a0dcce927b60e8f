#ifndef MALPARSE_EVENT_H
#define MALPARSE_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/json/rec.h"

struct recio;

/*
 * An event is one object of MonetDB's profiler, in a form that all versions
 * share.  malparse(1) names the formats by letters, here with the release or
 * year of the first server that wrote them: T (2012), E (2015), U (Jul2017),
 * S (Mar2018), M (Jun2020), P (Sep2022).  Format T is a tuple, which tuple.h
 * converts to an object of format E.  The enum is in the order of age, so that
 * `format < FORMAT_M` means an older one.
 */
enum format { FORMAT_E, FORMAT_U, FORMAT_S, FORMAT_M, FORMAT_P };

/*
 * A phase is what a server measures besides instructions, such as a login or
 * the parsing of a statement.  A header describes the server.  An invalid
 * object breaks a rule; an unknown one has none of the formats.
 */
enum event_kind { EVENT_INSTRUCTION, EVENT_PHASE, EVENT_HEARTBEAT,
    EVENT_HEADER, EVENT_INVALID, EVENT_UNKNOWN };

enum event_state { STATE_START, STATE_DONE, STATE_PAUSE, N_STATES };

/* The keys of an object, as indexes in event_keys. */
enum { E_VERSION = KEY_TYPE + 1, E_SOURCE, E_CLK, E_CTIME, E_MCLK, E_THREAD,
    E_FUNCTION, E_PROGRAM, E_PC, E_TAG, E_MODULE, E_INSTRUCTION, E_SESSION,
    E_SESSIONID, E_STATE, E_USEC, E_RSS, E_SIZE, E_INBLOCK, E_OUBLOCK,
    E_MAJFLT, E_NSWAP, E_NVCSW, E_CALLER, E_USER_ID, E_USER, E_BARRIER,
    E_OPERATOR, E_ALGORITHM, E_NUMA, E_STMT, E_SHORT, E_PREREQ, E_RET, E_ARG,
    E_ARGS, E_PHASE, E_TSTART, E_TEND, E_QUERY, E_EVENT, E_TIME, E_CPULOAD,
    E_RELEASE, E_PACKAGES, E_HOST, E_THREADS, E_MEMORY, E_OID };
extern const char *const event_keys[];

/* The keys of a variable, as indexes in variable_keys. */
enum { V_TYPE = KEY_TYPE, V_INDEX, V_RET, V_ARG, V_NAME, V_VAR, V_ALIAS,
    V_VALUE, V_EOL, V_KIND, V_PERSISTENCE, V_MODE, V_BID, V_COUNT, V_SIZE,
    V_SEQBASE, V_HGHBASE, V_PARENT, V_VIEW, V_CONST, V_SORTED, V_REVSORTED,
    V_NONIL, V_NIL, V_KEY, V_FILE, V_WIDTH, V_HASH, V_VHEAP, V_IMPRINTS,
    V_MINPOS, V_MAXPOS, V_NESTIMATE, V_USED, V_FIXED, V_UDF };
extern const char *const variable_keys[];

struct event {
	enum event_kind kind;
	enum format format;
	const struct rec *rec;
	bool has_state;
	enum event_state state;
	int64_t tag;		/* number of the execution in its session */
	int64_t pc;		/* number of the instruction in its plan */
	int64_t thread;		/* or INT_UNKNOWN */
	int64_t usec;		/* its duration, or INT_UNKNOWN */
	int64_t relative_us;	/* since the server's start, or INT_UNKNOWN */
	int64_t absolute_us;	/* since 1970, or INT_UNKNOWN */
	struct span session;	/* key "session", a server process; or empty */
	struct span client;	/* key "sessionid", of a client; or empty */
	struct span program;	/* the plan, such as "user.s1_1"; or empty */
	struct span module, operation;	/* empty for assignments */
};

/*
 * Reads an object, from which the event borrows.  If its kind is EVENT_INVALID,
 * sets *why to the reason to reject it; *why must be NULL before the call.
 */
void event_read(struct event *, const struct rec *, const char **why);

/*
 * Reads an integer, which old servers write as a string.  False if the key is
 * absent, or its value is not an integer below 2^53.
 */
bool event_int(const struct rec *, unsigned key, int64_t *);

/* The string at a key; empty if the key is absent or not a string. */
struct span event_text(const struct rec *, unsigned key);

/* Whether the event's operation is module.name. */
bool event_runs(const struct event *, const char *module, const char *name);

/* The part of a program's name after the dot: "s1_1" of "user.s1_1". */
struct span event_function_name(struct span program);

/*
 * An iterator over the variables of an event.  Up to format S, results and
 * arguments have an array each; since format M they share one array.
 */
struct event_variables {
	const struct rec *rec;
	struct span rest;	/* unread items of the current array */
	unsigned next_key;	/* of the next array: E_RET, E_ARG or E_ARGS;
				   after them E_ARGS + 1 */
};

void event_variables_init(struct event_variables *, const struct event *);

/*
 * Returns the next variable, and sets *object to its JSON text; NULL after the
 * last.  recio must have been made with variable_keys.  The variable is
 * borrowed until recio reads another record.
 */
const struct rec *event_next_variable(struct event_variables *,
    struct recio *, struct span *object);

/* Whether r, which event_next_variable() returned last, is a result. */
bool event_is_result(const struct event_variables *, const struct rec *r);

#endif
