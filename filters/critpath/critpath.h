#pragma once

#include "common/build/build.h"
#include "common/build/dag-simulate.h"
#include "common/build/network.h"

struct answer;
struct buf;
struct builds;
struct filter;
struct savings;

/* --- answer.c ------------------------------------------------------------ */

/* A task on a path. */
struct step {
	uint32_t vertex;
	int64_t drag_us;	/* see dag_drag(); 0 if this is not the first
				   path */
	int64_t saved_us;	/* what is saved with the workers of
				   answer.savings; INT_UNKNOWN if that is not
				   known */
	int64_t waiting_us;	/* from the end of the previous step, or the
				   start of the build, to the start of this
				   step; < 0 if they overlap.  Valid only if the
				   path's is_timed is true */
};

struct path {
	struct step *steps;
	size_t n;
	uint32_t end;		/* its last vertex, maybe a placeholder */
	int64_t length_us;	/* the sum of the times of the steps */
	bool is_timed;		/* the recorded times of all steps are known,
				   and what_if has not changed them */
	/*
	 * These account for the rest of the wall time; valid only if is_timed
	 * is true:
	 * wall time = length + waiting - overlap + after (the last step).
	 */
	int64_t waiting_us, overlap_us, after_us;
};

struct answer {
	const struct network *net;
	const struct builds *all;	/* among which net->build is one */
	struct path *paths;	/* the longest first */
	size_t n_paths;		/* 0 if the network has no end */
	size_t n_requested;	/* the n of answer_find() */
	bool knows_savings;	/* what a step could save: not if there is no
				   graph, or a guessed one: with another path
				   it may save nothing */
	bool what_if;		/* --set, --scale or --drop changed weights */
	int64_t recorded_us;	/* if what_if: the length before the change */
	uint64_t workers;	/* 0: not simulated */
	int64_t recorded_simulated_us;	/* if what_if: simulated_us before the
					   change */
	struct savings *savings;
	int64_t simulated_us;	/* until the workers have done all tasks */
};

/*
 * The length of the longest path to an end of the network; 0 if the network has
 * no end.
 */
int64_t answer_length(const struct network *);

/*
 * Finds up to n paths.  The first is the longest path to an end of the network;
 * each further one is the longest path through any task that is not on the
 * previous ones.  The caller then sets all, recorded_us, workers and
 * simulated_us.
 */
void answer_find(struct answer *, const struct network *, size_t n,
    bool what_if);
void answer_release(struct answer *);

/* Finds what each step of the first path saves with workers; see savings.h. */
void answer_find_savings(struct answer *, struct savings *);

/*
 * Computes the slack of a vertex.  Returns false if no path leads from the
 * vertex to an end.
 */
bool answer_slack(const struct answer *, uint32_t vertex, int64_t *slack_us);

struct kind_time {
	sym kind;
	int64_t us;
};

/*
 * The time on a path, by kind of task: an array of n elements, which the caller
 * frees.
 */
struct kind_time *answer_by_kind(const struct answer *, const struct path *,
    size_t *n);

/* --- budget.c ------------------------------------------------------------ */

/*
 * --budget: a gate for the length of the path or, as wall=TIME, the wall time.
 * What is missing (build.lacks) leaves each of them between two bounds: it was
 * certainly not shorter than the low one, nor longer than the high one, if
 * there is a high one.  A budget below the low bound is exceeded, one that is
 * not below the high bound is kept, and any other cannot be judged.
 */

/* Reads a value of the option; ends the program if it is not a time. */
void budget_read(const char *text);

/*
 * Reports budgets that are exceeded (filter_answer_no()) and those that cannot
 * be judged (filter_leave_undecided()); in the report, too.
 */
void budgets_check(const struct answer *, struct filter *);

/* --- clocks.c ------------------------------------------------------------ */

/*
 * Write which hosts' clocks disagree with those of others, and by how much;
 * weir-critical-path(7), "Clocks", says how that is estimated.  Nothing if none
 * is found.
 */
void clocks_report(struct buf *, const struct network *);
void clocks_emit(const struct network *, struct filter *);

/* --- edges.c ------------------------------------------------------------- */

/*
 * For each dependency along the first path, what the build would save without
 * it.  The answer must have a path.
 */
void edges_emit(const struct answer *, struct filter *);

/* Only the dependencies that save something, the largest saving first. */
void edges_report(const struct answer *, struct buf *);

/* --- emit.c -------------------------------------------------------------- */

/* Begins a record of a run: its type and, if it has a name, `run`. */
struct buf *emit_begin(const struct build *, struct filter *, const char *type);

/*
 * Emit the steps of the paths as records, and their summaries.  If `all` is
 * true, every task of the network with its slack and drag precedes the steps.
 */
void answer_emit_steps(const struct answer *, struct filter *, bool all);
void answer_emit_summaries(const struct answer *, struct filter *);

/* --- groups.c ------------------------------------------------------------ */

/* The tasks of a network in groups: one for each value of a key. */
struct groups {
	const char *by;		/* the key */
	struct intern values;	/* group i has the value with symbol i */
	struct group {
		sym value;
		uint64_t n_tasks;
		int64_t work_us;	/* the time of all its tasks */
		int64_t path_us;	/* of those on the first path */
		int64_t potential_us;	/* what would be saved if all its tasks
					   took no time */
		int64_t saved_us;	/* the same with workers, as in struct
					   step */
	} *list;		/* what saves most first */
	size_t n;
};

/*
 * Groups the tasks that have a key, `by`, which keys_add() has added.  The
 * answer must have a path.  `by` is borrowed.
 */
void groups_find(struct groups *, const struct answer *, const char *by);
/* The same, in no order, and only with the work of each group. */
void groups_sum_work(struct groups *, const struct network *, const char *by);
void groups_release(struct groups *);

void groups_emit(const struct groups *, const struct answer *, struct filter *);
void groups_report(const struct groups *, const struct answer *, struct buf *);

/* --- keys.c -------------------------------------------------------------- */

/*
 * Keys that options name: any key of the record of a task or of its node.  All
 * are added, and then declared, before records are read.
 */

/* The numbers of the keys that are always kept; others follow. */
enum { KEY_KIND, KEY_HOST, KEY_RULE, KEY_TARGET, KEY_NAME, KEY_REMOTE_US,
    KEY_REMOTE_EXECUTION, KEY_POOL, KEY_LIMIT, KEY_WORKER_OF, N_OWN_KEYS };

/* The names of those up to KEY_NAME; they end with NULL. */
extern const char *const keys_own[];

/* Adds a key, unless it has been added before, and returns its number. */
unsigned keys_add(struct span name);

void keys_declare(struct filter *);

/*
 * A task's value of a key.  Kind, host, rule, target and name are those that
 * reports show; build_value() defines all others.  Empty if there is none.
 * Valid until the next call.
 */
struct span keys_value(const struct build *, const struct task *, unsigned key);
/* The symbol of that, or SYM_NONE; not for KEY_NAME. */
sym keys_symbol(const struct build *, const struct task *, unsigned key);

/* Whether the record of any task has a key from KEY_REMOTE_US on. */
bool keys_any_has(const struct build *, unsigned key);

/* --- pools.c ------------------------------------------------------------- */

/*
 * What makes tasks wait that are ready, besides the number of workers: pools of
 * other workers, by the keys pool, limit and worker_of of tasks, and --limit.
 */
struct rules {
	struct dag_pools pools;
	struct dag_limits limits;
};

/* Finds the pools; rules_release() frees them, and the limits. */
void pools_find(struct dag_pools *, const struct network *);
void rules_release(struct rules *);

/* Whether any pool does not share the workers of the build. */
bool pools_are_limited(const struct dag_pools *);

/*
 * The time of all tasks but copies divided by the workers that can do them at
 * once, rounded up: that of a pool by its own workers, too, because the pool
 * occupies one worker of the build, or of another pool.
 */
int64_t pools_share_us(const struct dag_pools *, const struct network *,
    uint64_t workers);

/* A task of the limited pool that needs most time; there must be one. */
const struct task *pools_longest(const struct dag_pools *,
    const struct network *);

/* --- remote.c ------------------------------------------------------------ */

/*
 * A step that only waits for a plan on another server names its execution: the
 * path goes on in the run of that execution, whose times are by another clock.
 */

/* Writes the members that name the plan, if the step has one. */
void remote_emit(const struct answer *, const struct step *, struct buf *);

/* Says how much of the first path is in plans of other servers, if any is. */
void remote_report(const struct answer *, struct filter *);

/* --- report.c ------------------------------------------------------------ */

/* Writes what may make the answer wrong: what the graph does not have. */
void answer_report_doubts(const struct answer *, struct filter *);

/*
 * Writes the paths as a report.  If `all` is true, adds the tasks with the
 * least slack.  answer_report_notes() writes the last part of the report.
 */
void answer_report(const struct answer *, struct filter *, bool all);
void answer_report_notes(const struct answer *, struct filter *);

/* --- savings.c ----------------------------------------------------------- */

/*
 * What a build with a number of workers would save if tasks took no time: each
 * answer is a simulation.  The length of the path does not tell it where the
 * workers are the limit.
 */
struct savings {
	struct network *net;
	const struct rules *rules;
	uint64_t workers;	/* 0: nothing is simulated */
	int64_t whole_us;	/* until these workers have done all tasks;
				   INT_UNKNOWN if not simulated yet */
};

/* workers is 0 if the path tells what would be saved.  Simulates nothing. */
void savings_begin(struct savings *, struct network *, uint64_t workers,
    const struct rules *);

/*
 * Whether all n answers of a table are simulated: they must not take too long.
 * Otherwise it has none of them, and shows what the path would lose.
 */
bool savings_are_simulated(const struct savings *, size_t n);

/*
 * What is saved if the tasks of a group took no time, those with group_of[v] ==
 * group, or only vertex `group` if group_of is NULL.  It may be negative: list
 * scheduling may take longer although there is less to do.  Overwrites the
 * tails of the graph: call savings_end() after the last.
 */
int64_t savings_of(struct savings *, const uint32_t *group_of, uint32_t group);

/* Restores the tails of the graph. */
void savings_end(struct savings *);

/*
 * The head of a column of n answers: "could save", with the workers that are
 * simulated, or "(path only)" if there are workers but no simulations.
 */
enum { SAVINGS_HEAD_MAX = 48 };
const char *savings_head(const struct savings *, size_t n,
    char text[SAVINGS_HEAD_MAX]);

/*
 * The time in which the workers do all tasks.  Overwrites the tails of the
 * graph.
 */
int64_t simulate_build(struct network *, uint64_t workers,
    const struct rules *);

/* --- usage.c ------------------------------------------------------------- */

enum { GAPS_MAX = 3 };

/* A time in which no task, not even a copy, ran. */
struct gap {
	int64_t from_us, to_us;
	const struct task *next;	/* usage_find_next(): it started at
					   to_us; NULL at the end of the
					   build */
};

/*
 * How the recorded times of the tasks overlap.  A task without an end runs
 * until the build ends.
 */
struct usage {
	bool is_known;		/* each task that took time has a start and an
				   end; otherwise all else is 0 */
	uint64_t most;		/* the most tasks, without copies, that ran at
				   once; a task that ends when another begins
				   does not overlap it */
	int64_t busy_us;	/* the time in which at least one task, or a
				   copy, ran */
	struct gap gaps[GAPS_MAX];	/* the longest ones, longest first */
	size_t n_gaps;
};

void usage_measure(struct usage *, const struct network *);

/* Finds the first task, by id, that started at the end of each gap. */
void usage_find_next(struct usage *, const struct build *);

/*
 * For how long tasks waited in the queue of the scheduler, from its first to
 * its last deploy; span_us is the time between these two.  Both are INT_UNKNOWN
 * if the log does not have the queue.
 */
void usage_measure_queue(const struct build *, int64_t *waited_us,
    int64_t *span_us);

/* --- verdict.c ----------------------------------------------------------- */

/* What limits a build; weir-critical-path(7), "The verdict", has the rules. */
enum limit { LIMIT_UNKNOWN, LIMIT_IDLE, LIMIT_PATH, LIMIT_WORKERS,
    LIMIT_POOLS, LIMIT_ORDER };

/* Times that are not known are INT_UNKNOWN. */
struct verdict {
	const struct network *net;
	const struct rules *rules;
	enum limit limit;
	uint64_t workers;	/* as given; or as many as the tool would have
				   had at work; or the most tasks that ran at
				   once; 0 if none of these is known */
	int64_t work_us;	/* the time of all tasks that need a worker */
	int64_t path_us;	/* the longest path to any task but a copy */
	int64_t chain_us;	/* the longest path, even to a copy */
	int64_t share_us;	/* work_us divided by workers, rounded up */
	int64_t simulated_us;	/* until the workers have done all tasks */
	/* LIMIT_POOLS: how long so many workers would take without --limit
	   or, if pool is not NULL, if all pools shared them; it is a task of
	   the pool that needs most time. */
	uint64_t freed_workers;
	int64_t freed_us;
	const struct task *pool;
	int64_t at_most_us;	/* if not simulated: an upper limit of it */
	/*
	 * The recorded times; unknown if they say nothing about these workers
	 * or these weights.
	 */
	int64_t wall_us;
	int64_t idle_us;	/* of the wall time: no task ran */
	int64_t queue_us;	/* while tasks were in the queue of the
				   scheduler */
	struct usage usage;
	const char *reason;	/* why the limit is not known */
	struct buf missing;	/* what the build lacks, as clauses; empty if
				   the path cannot be longer */
	/* What more workers would achieve. */
	struct more_workers {
		uint64_t workers;	/* 0: not simulated */
		int64_t us;
	} more[2];
};

/*
 * Whether part_us is less than 90 % of us: a build that takes part_us instead
 * would be more than a tenth faster.
 */
static inline bool
is_tenth_faster(int64_t part_us, int64_t us)
{
	return us - part_us > us / 10;
}

/*
 * Finds out what limits the build.  workers is 0 if their number was not given.
 * what_if: weights are not as recorded.  Call it after dag_longest().
 * Overwrites the tails of the graph: call dag_tails() afterwards.
 */
void verdict_find(struct verdict *, struct network *, uint64_t workers,
    const struct rules *, bool what_if);

void verdict_release(struct verdict *);

/*
 * If the workers limit the build: simulates four and eight times as many.  Call
 * it after verdict_find(); it overwrites the tails, too.
 */
void verdict_simulate_more(struct verdict *, struct network *);

/* --- verdict-report.c ---------------------------------------------------- */

/* "path", "workers" and so on; NULL if it is not known. */
const char *verdict_limit(const struct verdict *);

void verdict_emit(const struct verdict *, struct filter *);

/* Writes the verdict as a sentence and a blank line. */
void verdict_report(const struct verdict *, struct filter *);

/* --- summary.c ----------------------------------------------------------- */

/*
 * One line for each build, to compare many: a `summary` record, or a row of a
 * table, which summaries_print() writes after the last build.
 */

/* `by` is the key of the groups, of which the costliest is shown. */
void summary_add(const struct answer *, const struct verdict *, const char *by,
    struct filter *);
void summaries_print(struct filter *);

/* --- waits.c ------------------------------------------------------------- */

/*
 * Write, for the longest waits between the steps of the first path, which tasks
 * ran then, those that ran longest first.  Nothing if no wait is at least 1 %
 * of the wall time, or if the path is not timed.
 */
void waits_report(struct buf *, const struct answer *);
void waits_emit(const struct answer *, struct filter *);

/* --- whatif.c ------------------------------------------------------------ */

/*
 * Reads a time such as "2.5s" or "1h5m30s" as microseconds; only 0 needs no
 * unit.  Returns false if it is not a time, or too long.
 */
bool whatif_read_time(const char *text, int64_t *us);

/*
 * Marks every vertex to which an id or, if no vertex has that id, a name
 * refers, and returns their number.  Exits if it is the name of several tasks.
 */
size_t whatif_mark(const struct network *, struct span text, bool *marks);

/*
 * Apply --set TASK=TIME, where TASK may contain '=', --drop KEY=VALUE or
 * --scale KEY=VALUE=FACTOR (whatif_scale(), option says which), and
 * --limit KEY=VALUE=N, and return to how many tasks.  A task is selected if it
 * has the VALUE; if no task has it, VALUE is a pattern as in the shell.  A task
 * that several limits select is limited by the first.  The limits start as
 * { 0 }.
 */
size_t whatif_set(struct network *, const char *option, const char *text);
size_t whatif_scale(struct network *, const char *option, const char *text);
size_t whatif_limit(const struct network *, const char *text,
    struct dag_limits *);

/* Adds the KEY of a value of --OPTION to the keys to be declared (keys.h). */
void whatif_add_key(const char *option, const char *text);
