#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "common/base/buf.h"
#include "common/json/rec.h"

struct recio;

/*
 * An event is one object of MonetDB's profiler, in a form that all versions
 * share.  weir-mal(5) names the formats by letters, here with the release or
 * year of the first server that wrote them: T (2012), E (2015), U (Jul2017),
 * S (Mar2018), M (Jun2020), P (Sep2022).  Format T is a tuple, which tuple.h
 * converts to an object of format E.  Format R is a row of a table that mclient
 * prints, which mclient.h converts to an object.  The enum is in the order of
 * age, so that `format < FORMAT_M` means an older one; P and R have only ends.
 */
enum format { FORMAT_E, FORMAT_U, FORMAT_S, FORMAT_M, FORMAT_P, FORMAT_R,
    N_FORMATS };

/*
 * A phase is what a server measures besides instructions, such as a login or
 * the parsing of a statement.  A header describes the server.  An invalid
 * object breaks a rule; an unknown one has none of the formats.
 */
enum event_kind { EVENT_INSTRUCTION, EVENT_PHASE, EVENT_HEARTBEAT,
    EVENT_HEADER, EVENT_INVALID, EVENT_UNKNOWN };

enum event_state { STATE_START, STATE_DONE, STATE_PAUSE, N_STATES };

/* The keys of an object, as indexes in event_keys. */
#define EVENT_KEYS(K)							\
	K(E_VERSION, "version") K(E_SOURCE, "source") K(E_CLK, "clk")	\
	K(E_CTIME, "ctime") K(E_MCLK, "mclk") K(E_THREAD, "thread")	\
	K(E_FUNCTION, "function") K(E_PROGRAM, "program") K(E_PC, "pc")	\
	K(E_TAG, "tag") K(E_MODULE, "module")				\
	K(E_INSTRUCTION, "instruction") K(E_SESSION, "session")		\
	K(E_SESSIONID, "sessionid") K(E_STATE, "state")			\
	K(E_USEC, "usec") K(E_RSS, "rss") K(E_SIZE, "size")		\
	K(E_INBLOCK, "inblock") K(E_OUBLOCK, "oublock")			\
	K(E_MAJFLT, "majflt") K(E_NSWAP, "nswap") K(E_NVCSW, "nvcsw")	\
	K(E_CALLER, "caller") K(E_USER_ID, "user_id") K(E_USER, "user")	\
	K(E_BARRIER, "barrier") K(E_OPERATOR, "operator")		\
	K(E_ALGORITHM, "algorithm") K(E_NUMA, "numa") K(E_STMT, "stmt")	\
	K(E_SHORT, "short") K(E_PREREQ, "prereq") K(E_RET, "ret")	\
	K(E_ARG, "arg") K(E_ARGS, "args") K(E_PHASE, "phase")		\
	K(E_TSTART, "tstart") K(E_TEND, "tend") K(E_QUERY, "query")	\
	K(E_EVENT, "event") K(E_TIME, "time") K(E_CPULOAD, "cpuload")	\
	K(E_RELEASE, "release") K(E_PACKAGES, "packages")		\
	K(E_HOST, "host") K(E_THREADS, "threads") K(E_MEMORY, "memory")	\
	K(E_OID, "oid") K(E_ROW, "row")
KEY_INDEXES(EVENT_KEYS);
extern const char *const event_keys[];

/* The keys of a variable, as indexes in variable_keys. */
#define VARIABLE_KEYS(K)						\
	K(V_INDEX, "index") K(V_RET, "ret") K(V_ARG, "arg")		\
	K(V_NAME, "name") K(V_VAR, "var") K(V_ALIAS, "alias")		\
	K(V_VALUE, "value") K(V_EOL, "eol") K(V_KIND, "kind")		\
	K(V_PERSISTENCE, "persistence") K(V_MODE, "mode")		\
	K(V_BID, "bid") K(V_COUNT, "count") K(V_SIZE, "size")		\
	K(V_SEQBASE, "seqbase") K(V_HGHBASE, "hghbase")			\
	K(V_PARENT, "parent") K(V_VIEW, "view") K(V_CONST, "const")	\
	K(V_SORTED, "sorted") K(V_REVSORTED, "revsorted")		\
	K(V_NONIL, "nonil") K(V_NIL, "nil") K(V_KEY, "key")		\
	K(V_FILE, "file") K(V_WIDTH, "width") K(V_HASH, "hash")		\
	K(V_VHEAP, "vheap") K(V_IMPRINTS, "imprints")			\
	K(V_MINPOS, "minpos") K(V_MAXPOS, "maxpos")			\
	K(V_NESTIMATE, "nestimate") K(V_USED, "used")			\
	K(V_FIXED, "fixed") K(V_UDF, "udf")
KEY_INDEXES(VARIABLE_KEYS);
extern const char *const variable_keys[];

struct event {
	enum event_kind kind;
	enum format format;
	const struct rec *rec;
	bool has_state;
	enum event_state state;
	int64_t tag;		/* number of the execution in its session */
	int64_t pc;		/* number of the instruction in its plan */
	bool begins_plan;	/* without a tag, another execution */
	int64_t thread;		/* or INT_UNKNOWN */
	int64_t usec;		/* its duration, or INT_UNKNOWN */
	int64_t relative_us;	/* since the server's start, or INT_UNKNOWN */
	int64_t absolute_us;	/* since 1970, or INT_UNKNOWN */
	struct span session;	/* key "session", a server process; or empty */
	struct span client;	/* key "sessionid", of a client; or empty */
	struct span program;	/* the plan, such as "user.s1_1"; or empty */
	struct span module, operation;	/* empty for assignments */
	struct span variables;	/* read from the statement, in formats that
				   do not list them; or empty */
};

/*
 * Reads an object.  The event borrows from it and from the buffer.  If its kind
 * is EVENT_INVALID, sets *why to the reason to reject it; *why must be NULL
 * before the call.
 */
void event_read(struct event *, const struct rec *, struct buf *variables,
    const char **why);

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

/* The name of a variable; empty for a constant in a statement. */
struct span event_variable_name(const struct rec *variable);

/* Whether r, which event_next_variable() returned last, is a result. */
bool event_is_result(const struct event_variables *, const struct rec *r);
