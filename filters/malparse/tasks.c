/* tasks - writes instructions as tasks */

#include <stdlib.h>

#include "common/base/num.h"
#include "common/base/sort.h"
#include "common/frame/filter.h"
#include "common/mal/operation.h"
#include "filters/malparse/tasks.h"

void
tasks_add_run(struct plans *p, struct instruction *i, const struct event *e,
    int64_t start_us, int64_t elapsed_us)
{
	if (i->n_runs++ == 0) {
		i->operation = mal_operation(&p->names, e->module,
		    e->operation);
		i->start_us = start_us;
		i->thread = e->thread;
	}
	if (elapsed_us > 0)
		i->sum_us += elapsed_us;
}

/* The id of a task, "3:17": execution_id and pc. */
static void
put_id(struct buf *b, const struct execution *x, int64_t pc)
{
	buf_printf(b, "\"%llu:%lld\"", (unsigned long long)x->id,
	    (long long)pc);
}

/* Whether the instruction contains others: see tasks.h. */
static bool
is_container(const struct plans *p, const struct instruction *i)
{
	return i->pc == 0 || span_eq(intern_span(&p->names, i->operation),
	    "language.dataflow");
}

static const char *
kind_of(const struct plans *p, const struct instruction *i)
{
	const char *name = intern_str(&p->names, i->operation);

	return strncmp(name, "user.", 5) == 0 ? "call" : "instruction";
}

/*
 * Writes the prerequisites that ran and are tasks, except those whose pc is not
 * lower: these occur in loops, and could form cycles.
 */
static void
put_deps(struct buf *b, const struct plans *p, const struct execution *x,
    const struct instruction *i)
{
	const int64_t *dep = x->deps + i->first_dep, *end = dep + i->n_deps;
	const struct instruction *other;

	json_open(b, "deps", '[');
	for (; dep < end; dep++) {
		other = plan_find_instruction(x, *dep);
		if (other == NULL || other->n_runs == 0 ||
		    other->pc >= i->pc || is_container(p, other))
			continue;
		if (b->data[b->len - 1] != '[')
			buf_char(b, ',');
		put_id(b, x, *dep);
	}
	json_close(b, ']');
}

static int
compare_pcs(const void *a, const void *b)
{
	const struct instruction *x = *(struct instruction *const *)a;
	const struct instruction *y = *(struct instruction *const *)b;

	return cmp_i64(x->pc, y->pc);
}

/*
 * The value of "run" in the tasks of an execution: its session and query, not a
 * run of an instruction.  Clocks of different sessions cannot be compared.
 */
static void
name_run(struct buf *run, const struct plans *p, const struct execution *x)
{
	sym session = x->key.session != SYM_NONE ? x->key.session :
	    x->key.client;
	struct span name;

	if (session != SYM_NONE) {
		name = intern_span(&p->names, session);
		buf_add(run, name.p, name.n);
		buf_char(run, '/');
	}
	buf_u64(run, plans_root(p, x));
}

static void
write_task(struct filter *f, const struct plans *p,
    const struct execution *x, struct span run, const struct instruction *i)
{
	struct buf *b = filter_begin_record(f, "task");

	json_key(b, "id");
	put_id(b, x, i->pc);
	json_str(b, "run", run);
	json_cstr(b, "kind", kind_of(p, i));
	json_str(b, "rule", intern_span(&p->names, i->operation));
	if (i->start_us != INT_UNKNOWN)
		json_int(b, "start_us", i->start_us);
	json_int(b, "elapsed_us", i->sum_us);
	if (i->thread != INT_UNKNOWN)
		json_int(b, "thread", i->thread);
	json_uint(b, "execution_id", x->id);
	if (x->key.tag > 0)
		json_int(b, "tag", x->key.tag);
	json_int(b, "pc", i->pc);
	if (i->n_runs > 1)
		json_uint(b, "runs", i->n_runs);
	put_deps(b, p, x, i);
	filter_end_record(f);
}

void
tasks_write(struct filter *f, const struct plans *p,
    const struct execution *x)
{
	const struct instruction **tasks = mem_resize(NULL, x->n_instructions,
	    sizeof *tasks);
	struct buf run = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < x->n_instructions; i++)
		if (x->instructions[i].n_runs > 0 &&
		    !is_container(p, &x->instructions[i]))
			tasks[n++] = &x->instructions[i];
	sort(tasks, n, sizeof *tasks, compare_pcs);
	name_run(&run, p, x);
	for (size_t i = 0; i < n; i++)
		write_task(f, p, x, buf_span(&run), tasks[i]);
	buf_release(&run);
	free(tasks);
}
