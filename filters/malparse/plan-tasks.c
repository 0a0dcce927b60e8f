/* plan-tasks - writes instructions as tasks */

#include <stdlib.h>

#include "common/base/num.h"
#include "common/base/sort.h"
#include "common/filter/filter.h"
#include "common/mal/operation.h"
#include "filters/malparse/malparse.h"

void
plan_tasks_add_run(struct plans *p, struct instruction *i,
    const struct event *e, int64_t start_us, int64_t elapsed_us)
{
	if (i->n_runs++ == 0) {
		i->operation = mal_operation(&p->names, e->module,
		    e->operation);
		i->start_us = start_us;
		i->end_us = start_us == INT_UNKNOWN ? INT_UNKNOWN :
		    start_us + elapsed_us;
		i->thread = e->thread;
	}
	if (elapsed_us > 0)
		i->sum_us += elapsed_us;
}

/* A walk through the tasks of an execution, in the order of their pcs. */
struct walk {
	struct filter *f;
	const struct plans *plans;
	const struct execution *x;
	struct span run;	/* the value of "run": session and query */
	bool is_sequential;	/* instructions outside of blocks depend on the
				   ones before them */
	struct task_ref before;	/* if sequential: the last task so far outside
				   of blocks, or the end of the last block */
	struct instruction **list;	/* those that ran, without pc 0 */
	size_t n;
	size_t block;		/* index in list of the open block, or n */
	const struct remote_plan *remote;	/* the plan that the next
				   remote instruction waits for, or NULL */
};

static bool
is_block(const struct plans *p, const struct instruction *i)
{
	return span_eq(intern_span(&p->names, i->operation),
	    "language.dataflow");
}

/* What those wait for that depend on the instruction. */
static struct task_ref
last_task(const struct execution *x, const struct instruction *i)
{
	return i->last_called.execution != 0 ? i->last_called :
	    (struct task_ref){ x->id, i->pc };
}

/* Writes an id, "3:17": execution_id and pc. */
static void
put_id(struct buf *b, struct task_ref id)
{
	buf_printf(b, "\"%llu:%lld\"", (unsigned long long)id.execution,
	    (long long)id.pc);
}

static void
put_dep(struct buf *b, struct task_ref dep)
{
	if (b->data[b->len - 1] != '[')
		buf_char(b, ',');
	put_id(b, dep);
}

/*
 * Writes the prerequisites that ran and are tasks, except those whose pc is not
 * lower: these occur in loops, and could form cycles.  In a sequential plan,
 * also writes walk.before, unless a prerequisite in the same block implies it.
 */
static void
put_prerequisites(struct buf *b, const struct walk *w,
    const struct instruction *i)
{
	const int64_t *dep = w->x->deps + i->first_dep, *end = dep + i->n_deps;
	int64_t block_pc = w->block < w->n ? w->list[w->block]->pc : i->pc;
	bool waits_in_block = false;
	struct instruction *other;
	struct task_ref last;

	for (; dep < end; dep++) {
		other = plan_find_instruction(w->x, *dep);
		if (other == NULL || other->n_runs == 0 || other->pc == 0 ||
		    other->pc >= i->pc || is_block(w->plans, other))
			continue;
		last = last_task(w->x, other);
		if (last.execution != w->before.execution ||
		    last.pc != w->before.pc)
			put_dep(b, last);
		other->has_dependent = true;
		waits_in_block = waits_in_block || other->pc > block_pc;
	}
	if (w->before.execution != 0 && !waits_in_block)
		put_dep(b, w->before);
}

/* Whether the instruction makes a worker run a plan. */
static bool
is_remote(const struct plans *p, const struct instruction *i)
{
	static const char *const names[] = { "remote.connect", "remote.put",
	    "remote.exec", "remote.get" };

	for (size_t k = 0; k < sizeof names / sizeof *names; k++)
		if (span_eq(intern_span(&p->names, i->operation), names[k]))
			return true;
	return false;
}

/* The time of an execution's plan, or INT_UNKNOWN. */
static int64_t
plan_us(const struct execution *x)
{
	const struct instruction *plan = plan_find_instruction(x, 0);

	return plan == NULL || plan->n_runs == 0 ? INT_UNKNOWN : plan->sum_us;
}

/*
 * The same, but if the server did not write pc 0, which is common for the plans
 * of workers, from the first start to the last end of the instructions.
 */
static int64_t
remote_us(const struct execution *x)
{
	int64_t start_us = INT_UNKNOWN, end_us = INT_UNKNOWN;
	const struct instruction *i = x->instructions;

	if (plan_us(x) != INT_UNKNOWN)
		return plan_us(x);
	for (; i < x->instructions + x->n_instructions; i++) {
		/* Both are unknown if it did not run. */
		start_us = time_earlier(start_us, i->start_us);
		end_us = time_later(end_us, i->end_us);
	}
	return start_us < end_us ? end_us - start_us : INT_UNKNOWN;
}

/* Begins the task of an instruction, up to its dependencies. */
static struct buf *
begin_task(const struct walk *w, const struct instruction *i, int64_t start_us,
    int64_t elapsed_us)
{
	struct buf *b = filter_begin_record(w->f, "task");
	struct span rule = intern_span(&w->plans->names, i->operation);

	json_key(b, "id");
	put_id(b, (struct task_ref){ w->x->id, i->pc });
	json_str(b, "run", w->run);
	json_word(b, "kind", span_begins_with(rule, "user.") ? "call" :
	    "instruction");
	json_str(b, "rule", rule);
	json_int(b, "start_us", start_us);
	json_int(b, "elapsed_us", elapsed_us);
	if (i->called_us > 0)
		json_int(b, "called_us", i->called_us);
	json_int(b, "thread", i->thread);
	json_uint(b, "execution_id", w->x->id);
	if (w->x->key.tag > 0)
		json_int(b, "tag", w->x->key.tag);
	json_int(b, "pc", i->pc);
	if (i->n_runs > 1)
		json_uint(b, "runs", i->n_runs);
	return b;
}

/*
 * Writes the end of the open block, as a task that takes no time.  It depends
 * on the instructions in the block, up to list[end - 1], on which no other of
 * them depends.
 */
static void
close_block(struct walk *w, size_t end)
{
	const struct instruction *block = w->list[w->block], *i;
	struct buf *b = begin_task(w, block, block->end_us, 0);
	bool is_empty = true;

	json_open(b, "deps", '[');
	for (size_t k = w->block + 1; k < end; k++) {
		i = w->list[k];
		if (i->has_dependent || is_block(w->plans, i))
			continue;
		put_dep(b, last_task(w->x, i));
		is_empty = false;
	}
	if (is_empty && w->before.execution != 0)
		put_dep(b, w->before);
	json_close(b, ']');
	filter_end_record(w->f);
	w->before = (struct task_ref){ w->x->id, block->pc };
	w->block = w->n;
}

static void
write_tasks(struct walk *w)
{
	const struct instruction *i;
	const struct execution *worker;
	int64_t end_us;
	struct buf *b;

	for (size_t k = 0; k < w->n; k++) {
		i = w->list[k];
		/* If its end is known, the plan goes on after the block. */
		end_us = w->block < w->n ? w->list[w->block]->end_us :
		    INT_UNKNOWN;
		if (end_us != INT_UNKNOWN && i->start_us >= end_us)
			close_block(w, k);
		if (is_block(w->plans, i)) {
			if (w->is_sequential && w->block == w->n)
				w->block = k;
			continue;
		}

		b = begin_task(w, i, i->start_us, i->sum_us > i->called_us ?
		    i->sum_us - i->called_us : 0);
		if (w->remote != NULL && is_remote(w->plans, i)) {
			worker = plans_get(w->plans, w->remote->execution);
			json_uint(b, "remote_execution_id",
			    w->remote->execution.id);
			json_int(b, "remote_us", worker != NULL ?
			    remote_us(worker) : w->remote->elapsed_us);
			w->remote++;
		}
		json_open(b, "deps", '[');
		put_prerequisites(b, w, i);
		json_close(b, ']');
		filter_end_record(w->f);
		if (w->is_sequential && w->block == w->n)
			w->before = last_task(w->x, i);
	}
	if (w->block < w->n)
		close_block(w, w->n);
}

static int
compare_pcs(const void *a, const void *b)
{
	const struct instruction *x = *(struct instruction *const *)a;
	const struct instruction *y = *(struct instruction *const *)b;

	return cmp_i64(x->pc, y->pc);
}

/*
 * The plans that the remote instructions of a supervisor wait for: on one
 * connection each instruction makes the worker run one plan.  NULL if these are
 * not as many, if there are more connections, or if an instruction ran again.
 */
static const struct remote_plan *
find_remote_plans(const struct walk *w)
{
	size_t n = 0;

	if (w->x->n_connections != 1)
		return NULL;
	for (size_t i = 0; i < w->n; i++) {
		if (!is_remote(w->plans, w->list[i]))
			continue;
		if (w->list[i]->n_runs > 1)
			return NULL;
		n++;
	}
	return n > 0 && n == w->x->n_remote_plans ? w->x->remote_plans : NULL;
}

/*
 * The instruction that called the plan, if it has ended and its execution is
 * still in memory, and if the time of the plan is known; otherwise NULL.
 */
static struct instruction *
find_call(const struct plans *p, const struct execution *x)
{
	const struct execution *caller = plans_get(p, x->parent);
	struct instruction *call;

	if (caller == NULL || plan_us(x) == INT_UNKNOWN)
		return NULL;
	call = plan_find_instruction(caller, x->call_pc);
	return call != NULL && call->pc != 0 && call->n_runs > 0 ? call : NULL;
}

void
plan_tasks_write(struct filter *f, const struct plans *p, struct execution *x)
{
	struct walk w = { .f = f, .plans = p, .x = x, .before = x->after };
	struct execution *next = plans_get(p, x->next);
	struct execution *supervisor = plans_get(p, x->supervisor);
	struct instruction *call = find_call(p, x);
	sym session = x->key.session != SYM_NONE ? x->key.session :
	    x->key.client;
	struct buf run = { 0 };

	/* Clocks of different sessions cannot be compared. */
	if (session != SYM_NONE) {
		w.run = intern_span(&p->names, session);
		buf_add(&run, w.run.p, w.run.n);
		buf_char(&run, '/');
	}
	buf_u64(&run, plans_root(p, x));
	w.run = buf_span(&run);
	w.list = mem_resize(NULL, x->n_instructions, sizeof *w.list);
	for (size_t i = 0; i < x->n_instructions; i++)
		if (x->instructions[i].n_runs > 0 &&
		    x->instructions[i].pc != 0)
			w.list[w.n++] = &x->instructions[i];
	sort(w.list, w.n, sizeof *w.list, compare_pcs);
	w.block = w.n;

	w.remote = find_remote_plans(&w);
	w.is_sequential = call != NULL || x->root != 0;
	if (call != NULL)
		w.before = last_task(plans_get(p, x->parent), call);
	write_tasks(&w);

	if (call != NULL && w.n > 0) {
		call->last_called = w.before;
		call->called_us += plan_us(x);
	}
	/* If a supervisor initiates both, they are of one connection. */
	if (next != NULL && x->root != 0 && next->root == x->root)
		next->after = w.before;
	if (supervisor != NULL)
		supervisor->remote_plans[x->remote_index].elapsed_us =
		    remote_us(x);
	buf_release(&run);
	free(w.list);
}
