#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "common/base/buf.h"
#include "common/base/intern.h"
#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/json/rec.h"
#include "common/json/skip.h"
#include "common/mal/type.h"

struct filter;
struct recio;

/* --- boundary.c ---------------------------------------------------------- */

/*
 * Finds the end of a JSON object written by a profiler, without parsing it.
 * Detects truncation before the end of the input in two cases: a string
 * contains a raw newline (profilers escape newlines), or a line starts with '{'
 * or a tuple, as old profilers wrote them, where JSON allows no value (that
 * must be the start of the next object or tuple).
 */
struct object_scan {
	struct skip skip;	/* skip.at: bytes examined so far */
	uint64_t bracket_stack;	/* one bit for each open bracket, 1 for [ and 0
				   for {; the lowest bit is the innermost
				   bracket's.  More than 64 open brackets are
				   BOUNDARY_BROKEN */
	const char *why;	/* the reason for BOUNDARY_BROKEN */
};

enum boundary_result {
	BOUNDARY_FOUND,		/* the object is the first skip.at bytes */
	BOUNDARY_MORE,		/* the object may end after these bytes */
	BOUNDARY_BROKEN		/* the object was truncated, is not valid, or
				   has too many levels */
};

/*
 * Initialize the struct to zero, and pass bytes that begin with the object's
 * opening brace.  After BOUNDARY_MORE, call this again with the same bytes and
 * some that follow them.
 */
enum boundary_result boundary_find(struct object_scan *, struct span bytes);

/*
 * Where to continue after BOUNDARY_BROKEN: the first offset, not less than
 * `at`, at which an object or tuple may begin; bytes.n if there is none.  An
 * object may begin at a brace that starts a line, or that is followed by a key
 * with which profilers begin their objects; a tuple at the start of a line.
 */
size_t boundary_next(struct span bytes, size_t at);

/* --- event.c ------------------------------------------------------------- */

/*
 * An event is one object of MonetDB's profiler, in a form that all versions
 * share.  weir-mal(5) names the formats by letters, here with the release or
 * year of the first server that wrote them: T (2012), E (2015), U (Jul2017),
 * S (Mar2018), M (Jun2020), P (Sep2022).  Tuples, format T, are converted to
 * objects of format E, and rows of TRACE to those of format R.  The order is
 * that of age: `format < FORMAT_M` means an older one.  P and R have only ends.
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

/* --- plan.c -------------------------------------------------------------- */

/*
 * Stores the executions of plans that are running, and those that finished
 * last, with their instructions and variables.  A plan is a MAL program; the pc
 * is the number of an instruction in it.  The key of an execution is its tag
 * with its session, or with the client if the events do not name a session.
 */

/* A variable of an execution. */
struct variable {
	struct span name;
	uint64_t id;
	struct buf object;	/* the last JSON text that describes it */
	int64_t *assigned_at;	/* pcs that assign it, ascending */
	size_t n_assigned, assigned_cap;
	bool created;		/* a done event has assigned it */
	bool has_bat;		/* object states a BAT, and not nil */
	bool has_value;		/* object is from an event that states values,
				   not from the start of the assignment */
	bool has_row;		/* its row has been written */
};

/* Refers to a task. */
struct task_ref {
	uint64_t execution;	/* execution_id; 0: no task */
	int64_t pc;
};

/* An instruction of an execution.  Each of its runs is an instance. */
struct instruction {
	int64_t pc;
	uint64_t n_events[N_STATES];
	int64_t first_us[N_STATES];	/* of the first event in each state */
	uint64_t first_event_id;	/* of the last instance, or 0 */
	uint64_t done_event_id;		/* of the last done event, or 0 */
	bool is_open;			/* an instance has started, not ended */
	bool wrote_prerequisites;	/* of any instance */
	int64_t open_since_us;		/* if is_open: start, or INT_UNKNOWN */
	/* These are set only if tasks are written: */
	uint64_t n_runs;
	int64_t start_us, end_us, thread;	/* of the first run, or
						   INT_UNKNOWN */
	int64_t sum_us;			/* the time of all runs */
	sym operation;
	uint32_t first_dep, n_deps;	/* its range of execution.deps */
	int64_t called_us;		/* the part of sum_us that is the time
					   of called plans, which are tasks */
	struct task_ref last_called;	/* the last task of the last of them */
	bool has_dependent;		/* a task depends on it */
};

/* Refers to an execution that may have been removed: see plans_get(). */
struct execution_ref {
	uint64_t id;		/* 0: none */
	uint32_t index;		/* in plans.executions */
};

/* A plan that a supervisor's execution initiates on a worker. */
struct remote_plan {
	struct execution_ref execution;
	int64_t elapsed_us;	/* set when the execution is removed, if known;
				   otherwise INT_UNKNOWN */
};

struct execution {
	struct {
		uint32_t session, client;	/* symbols, or SYM_NONE */
		int64_t tag;
	} key;
	uint64_t id;
	struct span program, version, user;	/* in the arena */
	bool has_row;		/* its row has been written */
	bool is_finished;	/* plans_finish() has been called */
	bool has_query;		/* the row of its query has been written */
	struct execution_ref parent;	/* the execution that initiates it, if
					   known and of the same session */
	int64_t call_pc;	/* of the parent's instruction that calls it;
				   0: unknown */
	uint64_t root;		/* see plans_root(); 0 unless an execution of
				   another session initiates it */
	struct remote_plan *remote_plans;	/* in their order, of all its
						   connections */
	size_t n_remote_plans, remote_plans_cap;
	size_t n_connections;		/* with which it is a supervisor */
	struct execution_ref supervisor;	/* whose remote_plans have it */
	size_t remote_index;			/* in remote_plans */
	struct execution_ref next;	/* the next one of its connection */
	struct task_ref after;	/* the last task of the one before it, once
				   that has been removed */
	uint32_t thread;	/* see links_resolve(); or INDEX_NONE */
	struct arena arena;
	struct variable *variables;
	size_t n_variables, variables_cap;
	struct map by_name;	/* variables */
	struct instruction *instructions;
	size_t n_instructions, instructions_cap;
	struct map by_pc;	/* instructions */
	int64_t *deps;		/* pcs of the prerequisites, by instruction */
	size_t n_deps, deps_cap;
	struct execution *older, *newer;	/* by last event, or NULL */
	uint32_t index;		/* in plans.executions */
};

/*
 * An execution is removed when EXECUTIONS_MAX others have had events after its
 * last event, or when FINISHED_MAX others have finished after it.  Until then
 * late events are added to it.  Executions with tag 0 are removed earlier: see
 * plans_finish().
 */
enum { EXECUTIONS_MAX = 4096, FINISHED_MAX = 64 };

struct plans {
	struct intern names;		/* sessions, clients, operations */
	struct map map;			/* of executions, by key */
	struct execution *executions[EXECUTIONS_MAX];	/* NULL: free */
	uint32_t free[EXECUTIONS_MAX];	/* free indexes in executions */
	size_t n_free;
	struct execution *oldest, *newest;	/* by last event, or NULL */
	struct execution_ref finished[FINISHED_MAX];	/* a ring buffer */
	size_t next_finished;
	void (*on_remove)(void *context, struct execution *);
	void *context;
};

/*
 * on_remove is called before an execution is removed and freed.
 * plans_remove_all() removes all executions.
 */
void plans_init(struct plans *,
    void (*on_remove)(void *context, struct execution *), void *context);
void plans_remove_all(struct plans *);

/*
 * Finds or adds the execution of an event.  A new one has the id 0, which the
 * caller replaces.
 */
struct execution *plans_find_or_add(struct plans *, const struct event *);

/* The execution with this tag and the session and client of x, or NULL. */
struct execution *plans_find_tag(struct plans *, const struct execution *x,
    int64_t tag);

struct execution_ref plans_ref(const struct execution *);

/* The execution; NULL if it has been removed. */
struct execution *plans_get(const struct plans *, struct execution_ref);

/*
 * The execution_id of the first execution in the chain of initiators that leads
 * to this one.  If the execution is a part of a query, that is the query's.
 */
uint64_t plans_root(const struct plans *, const struct execution *);

/*
 * Call this when an execution has ended.  The execution is removed later, or at
 * once if its tag is 0, which means that the server has no tags.
 */
void plans_finish(struct plans *, struct execution *);

/*
 * Finds or adds an instruction or a variable.  The pointer is valid until the
 * execution gets another instruction or variable, respectively.
 */
struct instruction *plan_find_or_add_instruction(struct execution *,
    int64_t pc);
struct variable *plan_find_or_add_variable(struct execution *, struct span name,
    bool *is_new);

/* The instruction at pc, or NULL. */
struct instruction *plan_find_instruction(const struct execution *,
    int64_t pc);

/* Whether an instruction of the execution has assigned the variable. */
bool plan_is_assigned(const struct execution *, struct span name);

/* Records that the instruction at pc has assigned the variable. */
void plan_add_assignment(struct variable *, int64_t pc);

/* The last instruction before pc that has assigned the variable; 0 if none. */
int64_t plan_last_assignment(const struct variable *, int64_t pc);

/* --- statement.c --------------------------------------------------------- */

/*
 * Rebuilds the MAL text of an instruction from the variables of its event, in
 * the form that servers up to 2019 wrote.  This is used with --statement, if a
 * server does not write the text, and with --mask, which hides the values.
 */

struct statement {
	struct recio *variables;	/* borrowed; parses objects of
					   variables */
	bool is_masked;			/* writes *** for every value */
	struct buf long_text;	/* "X_1=7:int := calc.+(3:int, 4:int);" */
	struct buf short_text;	/* "X_1=7 := +( 3, 4 )" */
};

/* Sets long_text and short_text, which are valid until the next call. */
void statement_build(struct statement *, const struct execution *,
    const struct event *);

/* --- rows.c -------------------------------------------------------------- */

/*
 * Writes the rows of the tables (weir-records(5)), and numbers them.  Only the
 * executions and variables are numbered by the caller, by rows.next.
 */

enum row_table { T_SERVER, T_EXECUTION, T_EVENT, T_PREREQUISITE, T_VARIABLE,
    T_QUERY, T_INITIATES, T_PHASE, T_HEARTBEAT, T_CPULOAD, N_TABLES };

struct rows {
	struct filter *f;
	bool has_begun;		/* the trace record has been written */
	bool discards_rows;	/* discard rows: tasks are written instead */
	bool rebuilds_statements;	/* of events that have none */
	bool derives_starts;	/* writes starts for done events of format P */
	size_t row_start;	/* offset of the current row in the output */
	uint64_t next[N_TABLES];	/* the next id to be used */
	struct intern types;	/* type_id - 1: first those of
				   common/mal/type.h, then the others */
	bool has_type_row[N_MAL_TYPES];	/* the row has been written; the others
					   have one */
	struct buf server_version;	/* from the last stream header */
	struct recio *variables;	/* parses objects of variables */
	struct statement statement;
};

void rows_init(struct rows *, struct filter *);

/* Writes the row of a server, from the header of a stream (EVENT_HEADER). */
void rows_put_header(struct rows *, const struct rec *);

/* Writes an execution, and sets has_row. */
void rows_put_execution(struct rows *, const struct plans *,
    struct execution *);

/*
 * Writes an event, and sets first_event_id and done_event_id of the
 * instruction.
 */
void rows_put_event(struct rows *, struct execution *, struct instruction *,
    const struct event *);

void rows_put_rejected(struct rows *, const struct event *, const char *why);

/*
 * Writes that the instruction of the event `consequent` depends on the one at
 * pc, whose last run the event `done` ended; done is 0 if no run has ended.
 */
void rows_put_prerequisite(struct rows *, uint64_t done, uint64_t consequent,
    int64_t pc);

/* Writes a variable with the values in its object, and sets has_row. */
void rows_put_variable(struct rows *, const struct execution *,
    struct variable *);

/*
 * Writes that an event uses a variable, which has this index in the event's
 * list of variables.  flag names a column to set to true, or is NULL.  eol (end
 * of life): nothing uses the variable after the event.
 */
void rows_put_use(struct rows *, uint64_t event_id, int64_t index,
    const struct variable *, const char *flag, bool eol);

/* Writes that the execution runs a client's query, with the text of its SQL. */
void rows_put_query(struct rows *, const struct execution *, struct span text);

/*
 * Writes that the execution `parent` initiates the execution `child`.  remote:
 * they run on different servers.
 */
void rows_put_link(struct rows *, uint64_t parent, uint64_t child,
    bool remote);

/* The execution is NULL for a phase without a statement, such as a login. */
void rows_put_phase(struct rows *, const struct execution *,
    const struct event *);
void rows_put_heartbeat(struct rows *, const struct event *);

/* --- links.c ------------------------------------------------------------- */

/*
 * Finds which executions initiate others, and writes these links: weir-mal(5)
 * has the rules.  Example, with the tags of real traces:
 *
 *	supervisor, tag 5		register_supervisor("aaaa", "0000-1111")
 *	worker, thread 7, tag 861	remote.bintype()
 *	worker, thread 7, tag 862	a plan that stores an argument
 *	worker, thread 7, tag 871	register_supervisor("aaaa", "0000-1111")
 *	worker, thread 7, tag 872	another plan
 *	worker, thread 7, tag 961	remote.bintype()
 *
 * Here 5 initiates 861 to 872.  A stream may have the supervisor's events after
 * those of its workers.
 */
struct links {
	struct rows *rows;	/* borrowed */
	struct plans *plans;	/* borrowed */
	struct thread *threads;	/* one for each thread of each session, by
				   symbol in thread_keys */
	size_t n_threads, threads_cap;
	struct intern thread_keys;	/* session, client and thread */
	struct intern keys;	/* of registrations: see links_register() */
	struct registration *registrations;	/* by symbol in keys */
	size_t n_registrations, registrations_cap;
};

void links_init(struct links *, struct rows *, struct plans *);

/* Call this for each event of an instruction.  is_first: of the execution x. */
void links_add_event(struct links *, struct execution *x,
    const struct event *, bool is_first);

/*
 * Call this when the execution x can no longer turn out to be a client's query.
 * Adds x to the connection of the thread on which it began, which is x->thread,
 * as the next of the plan before it (execution.next), and sets x->thread to
 * INDEX_NONE.  If x->thread is INDEX_NONE already, x has been added, is a query
 * or is called by another plan, and nothing is done.
 */
void links_resolve(struct links *, struct execution *x);

/*
 * Call this when an execution turns out to run a client's query.  No other
 * execution initiates it, so a link from the query to itself is written.  The
 * query's thread then no longer serves the connection of a supervisor.
 */
void links_add_query(struct links *, struct execution *, const struct event *);

/*
 * Call this when an execution runs remote.register_supervisor.  supervisor is
 * the first argument, a session; key is the bytes of both arguments.
 */
void links_register(struct links *, struct execution *,
    const struct event *, struct span supervisor, struct span key);

/* --- literal.c ----------------------------------------------------------- */

/*
 * Appends the text that a MAL literal denotes: without the quotes around it, if
 * it has any, and with each escape replaced by its character.  An octal escape
 * denotes a byte, so the result may not be UTF-8.
 */
void literal_decode(struct buf *, struct span literal);

/*
 * Removes the backslashes that the SQL front end has put before each single
 * quote and backslash of a text, and perhaps before each double quote, if it
 * seems to have done so.  if_undecided: also if nothing shows whether it has,
 * because there is no single quote, and backslashes are only in pairs.
 */
void literal_unescape(struct buf *text, bool if_undecided);

/* --- mal-read.c ---------------------------------------------------------- */

/*
 * Reads the MAL text of an instruction, as servers since 2012 have written it:
 *	(X_1=<tmp_7>[3]:bat[:oid], X_2=[0]:bat[:oid]) := algebra.join(X_3:BAT);
 *	barrier X_9=false:bit := language.dataflow(); #[2] (0) MALstartDataflow
 */
struct mal_text {
	struct span module, operation;	/* empty for assignments */
	int64_t pc;		/* from the comment, or INT_UNKNOWN */
	bool is_whole;		/* the text has its final semicolon */
};

/*
 * The spans are parts of the text.  If `variables` is not NULL, the results and
 * arguments replace its contents, as a JSON array of objects with the keys of a
 * variable.  Constants have no name.  An operand that the server or mclient has
 * truncated is left out.
 */
void mal_read(struct mal_text *, struct span text, struct buf *variables);

/* --- mclient.c ----------------------------------------------------------- */

/*
 * Reads the tables that mclient prints for TRACE and for sys.tracelog(), in
 * boxes,
 *	| usec | statement                                        |
 *	+======+==================================================+
 *	|    3 | X_1=0@0:void := querylog.define("trace select 1; |
 *	:      : ":str, "default_pipe":str, 6:int);               :
 * as records of lines like "usec      | 3" (-f expanded), or as CSV with one of
 * the separators comma, tab, semicolon and |.  A row becomes an object of
 * format R, {"row":1,"usec":3,"stmt":"..."}; "row" counts the rows of
 * a table.
 */
enum { MCLIENT_COLUMNS = 16 };

struct mclient {
	const struct mclient_column *columns[MCLIENT_COLUMNS];	/* NULL: not
								   used */
	size_t n;		/* of columns; 0: no table is open */
	size_t borders[MCLIENT_COLUMNS];	/* of a box: before each
						   column, in characters */
	size_t width;		/* of a box */
	bool is_other;		/* the last border is of another table, but what
				   can be a row is one */
	char separator;		/* of CSV; NUL: the table is a box */
	bool has_names;		/* its header states the names */
	bool has_begun;		/* a table of a trace came in this file */
	uint64_t n_rows;	/* of the table so far */
	bool has_pcs;		/* statements have a comment with the pc, which
				   is missing where one is truncated */
	bool is_truncated;	/* the statement of the last row */
	struct buf cells[MCLIENT_COLUMNS];
};

enum mclient_line {
	MCLIENT_NONE,		/* not a part of such a table */
	MCLIENT_FRAME,		/* what mclient prints around tables */
	MCLIENT_ROW,
	MCLIENT_RECORD,		/* the first line of a record of lines */
	/* A table begins with one of these: */
	MCLIENT_HEADER,		/* the names of its columns */
	MCLIENT_FIRST_ROW,	/* if it states no names */
	MCLIENT_FIRST_RECORD
};

/* Call this at the start of a file. */
void mclient_reset(struct mclient *);

/*
 * What the line is with which the text begins.  Its first MCLIENT_PREFIX bytes
 * decide.
 */
enum { MCLIENT_PREFIX = 512 };
enum mclient_line mclient_classify(const struct mclient *, struct span text);

/* Whether a line belongs to the header, row or record that the one begins. */
bool mclient_continues(enum mclient_line, struct span next);

/*
 * Reads all lines of what is not MCLIENT_NONE.  A row of a trace is written to
 * *to, as an object; otherwise *to becomes empty.  Returns the reason to reject
 * the lines, or NULL.
 */
const char *mclient_read(struct mclient *, enum mclient_line, struct span lines,
    struct buf *to);

/* --- plan-tasks.c -------------------------------------------------------- */

/*
 * Writes instructions as tasks, by the rules of weir-mal(5).  Example: a call
 * at pc 4, on which 5 depends, of the plan with the execution_id 2
 *
 *	1:4 user.f   <-  2:1 a.b  <-  2:2 a.c  <-  1:5 a.d
 */

/* Adds one run of an instruction; start_us may be INT_UNKNOWN. */
void plan_tasks_add_run(struct plans *, struct instruction *,
    const struct event *, int64_t start_us, int64_t elapsed_us);

/*
 * Writes the tasks of an execution, in the order of their pcs.  Call this once,
 * when the execution is removed.  The execution that calls it, and the next one
 * of its connection, depend on its last task if they are removed later.
 */
void plan_tasks_write(struct filter *, const struct plans *,
    struct execution *);

/* --- repair.c ------------------------------------------------------------ */

/*
 * Repairs the deviations from JSON of MonetDB servers of 2015 to 2025: control
 * characters in strings; an escape or a UTF-8 character that was split when the
 * server truncated a long text; a comma before a closing bracket; and letters
 * after a number, from a wrong printf format.  The result replaces the contents
 * of `to`.
 */
void repair_object(struct span object, struct buf *to);

/* --- stream.c ------------------------------------------------------------ */

/*
 * Reads the objects of a profiler's stream in any framing: one on each line,
 * one on several lines, several on a line, or elements of an array; or rows of
 * the tables that mclient prints.  A truncated object, or other
 * text where an object should begin, is rejected up to the start of the next
 * object.
 */

struct stream {
	struct filter *f;
	struct recio *recio;
	struct buf repaired;	/* a repaired object, or a converted tuple or
				   row */
	struct mclient mclient;
	uint64_t measured_line;	/* of this file, from 1: its length was asked
				   for */
};

void stream_init(struct stream *, struct filter *);

/*
 * The next object, read with event_keys; NULL at the end.  The object is
 * borrowed until the next call.  Tuples and rows of tables are returned as
 * objects.
 */
const struct rec *stream_next(struct stream *);

/*
 * Whether the next line contains a text, as far as it has been read: this does
 * not wait for a server to write it.
 */
bool stream_next_line_has(const struct filter *, const char *text);

/* Rejects the object that stream_next() returned last. */
void stream_reject(struct stream *, const char *why);

/* --- trace.c ------------------------------------------------------------- */

/*
 * Relates the objects of a trace, most of which are events, to each other:
 * finds the execution, the instance (one run of an instruction) and the query
 * that an event belongs to, and the prerequisites of the instance and the
 * variables that it uses.  Writes these as rows or tasks.
 */
struct trace {
	unsigned members[N_FORMATS];	/* bits: find_missing() in trace.c */
	uint64_t last_line;		/* of the event before */
	struct rows rows;
	struct plans plans;
	struct links links;
	uint64_t query;		/* execution_id of the query whose tasks are
				   written; 0: of all */
	struct buf decoded;	/* scratch: decoded MAL strings, or the keys of
				   an object for `unknown` */
	struct buf variables;	/* of the event, from its statement */
	struct intern unknown;	/* key lists of objects of unknown format */
	uint64_t n_unknown;	/* objects of unknown format */
	uint64_t n_known;	/* other objects */
	uint64_t n_events;	/* of instructions */
	uint64_t n_repeated;	/* events that seem to repeat others */
	bool has_records;	/* the input has records of weir, such as rows;
				   they count as objects of unknown format */
	int64_t *pcs;		/* prerequisites of the current event */
	size_t n_pcs, pcs_cap;
};

void trace_init(struct trace *, struct filter *);
void trace_end(struct trace *);	/* ends all executions, and writes them */

/* Adds an object.  *why: the reason to reject it, or NULL. */
void trace_add(struct trace *, const struct rec *, const char **why);

/* --- tuple.c ------------------------------------------------------------- */

/*
 * Converts a tuple, which profilers wrote from 2012 to 2015, before they wrote
 * JSON,
 *	[ 7, "12:31:04.000112", "user.s1_1[3]12", 4, "done ", 52, ... ]
 * to an object of format E, which the next servers wrote,
 *	{"event":7,"time":"12:31:04.000112","function":"user.s1_1","pc":3,
 *	 "tag":12,"thread":4,"state":"done ","usec":52,...}.
 * False if the line is not a tuple of 14 columns.
 */
bool tuple_to_object(struct span line, struct buf *to);

/*
 * Writes "user.s1_1[3]12", in which nothing needs an escape, as the members
 * KEY, "pc" and "tag" of an object.  False if it is not of this form.
 */
bool tuple_put_instruction(struct buf *to, const char *key, struct span);
