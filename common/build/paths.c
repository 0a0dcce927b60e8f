/* paths - reads critical paths, and finds their tasks */

#include <stdlib.h>

#include "common/base/err.h"
#include "common/base/num.h"
#include "common/base/sort.h"
#include "common/build/build-read.h"
#include "common/build/builds.h"
#include "common/build/paths.h"
#include "common/filter/filter-get.h"
#include "common/filter/filter-reject.h"
#include "common/filter/filter.h"

void
paths_release(struct paths *p)
{
	for (size_t i = 0; i < p->n; i++)
		free(p->by_run[i].steps);
	free(p->by_run);
	intern_release(&p->ids);
	intern_release(&p->runs);
}

/* The path of a run; of the records without `run` if it is empty. */
static struct path *
path_of(struct paths *p, struct span run)
{
	sym s = intern_add(&p->runs, run);

	p->by_run = mem_grow(p->by_run, &p->cap, s + 1, sizeof *p->by_run);
	for (; p->n <= s; p->n++)
		p->by_run[p->n] = (struct path){ 0 };
	return &p->by_run[s];
}

/* Reads an optional integer; INT_UNKNOWN if it is absent or not one. */
static int64_t
read_optional(const struct rec *r, unsigned key)
{
	int64_t value;

	return rec_int(r, key, &value) == REC_OK ? value : INT_UNKNOWN;
}

/* For builds.on_other: the context is a struct paths. */
static void
read_record(void *context, const struct rec *r)
{
	struct paths *p = context;
	struct span id, run;
	struct path_step step = { .task = INDEX_NONE };
	int64_t path_number;
	struct path *path;

	if (!rec_is(r, "critical") ||
	    !filter_need_str(p->f, r, ID, &id) ||
	    !filter_need_int(p->f, r, STEP, &step.number) ||
	    !filter_get_str(p->f, r, RUN, &run) ||
	    !filter_get_int(p->f, r, PATH, &path_number))
		return;
	if (path_number != 1 && path_number != INT_UNKNOWN)
		return;

	step.id = intern_add(&p->ids, id);
	step.waiting_us = read_optional(r, WAITING);
	step.potential_us = read_optional(r, POTENTIAL);
	path = path_of(p, run);
	if (path->is_used) {
		filter_reject(p->f, "run '%.*s' has already ended: give its "
		    "path before its tasks, or with --path", SPAN_ARG(run));
		return;
	}
	path->steps = mem_grow(path->steps, &path->cap, path->n + 1,
	    sizeof *path->steps);
	path->steps[path->n++] = step;
}

void
paths_begin(struct paths *p, struct builds *builds, struct filter *f,
    const char *graph, const char *path)
{
	*p = (struct paths){ .f = f };
	intern_init(&p->ids);
	intern_init(&p->runs);
	if (path != NULL)
		filter_read_first(f, path);
	builds_begin(builds, f, graph);
	builds->on_other = read_record;
	builds->context = p;
}

/* By number; the order of equal numbers is that of their ids. */
static int
compare_steps(const void *a, const void *b, void *context)
{
	const struct path_step *x = a, *y = b;
	return cmp_i64(x->number, y->number) ?:
	    intern_cmp(context, x->id, y->id);
}

/* The task that is attempt n at the task with an id, or INDEX_NONE. */
static uint32_t
find_attempt(const struct build *b, struct span id, uint64_t n)
{
	sym s = intern_find(&b->names, id);
	uint32_t task = s == SYM_NONE ? INDEX_NONE : build_find_task(b, s);

	for (; task != INDEX_NONE; task = b->tasks[task].next)
		if (!(b->tasks[task].flags & TASK_SUPERSEDED) &&
		    (b->tasks[task].attempt == n ||
		    (n == 1 && b->tasks[task].attempt == 0)))
			break;
	return task;
}

/* The same for an id that may end with the number of the attempt: "ID#2". */
static uint32_t
find_task(const struct build *b, struct span id)
{
	uint32_t task = find_attempt(b, id, 1);
	size_t end = id.n;
	uint64_t n;

	while (end > 0 && text_is_digit(id.p[end - 1]))
		end--;
	if (task != INDEX_NONE || end == 0 || id.p[end - 1] != '#' ||
	    !text_u64(span_of(id.p + end, id.n - end), &n))
		return task;
	return find_attempt(b, span_of(id.p, end - 1), n);
}

const struct path_step *
paths_find(struct paths *p, const struct build *b, size_t *n)
{
	struct path *path = path_of(p, span_str(b->run_name != NULL ?
	    b->run_name : ""));
	struct path_step *s = path->steps;
	size_t n_missing = 0;

	*n = 0;
	path->is_used = true;
	sort_with(s, path->n, sizeof *s, compare_steps, &p->ids);
	for (size_t i = 0; i < path->n; i++) {
		if (*n > 0 && compare_steps(&s[*n - 1], &s[i], &p->ids) == 0)
			continue;
		s[*n] = s[i];
		s[*n].task = find_task(b, intern_span(&p->ids, s[i].id));
		if (s[*n].task != INDEX_NONE)
			(*n)++;
		else
			n_missing++;
	}
	if (n_missing > 0)
		err_warn("warning: %zu step%s of the critical path %s no task "
		    "of the run: is it the path of another one?", n_missing,
		    plural(n_missing, "", "s"), plural(n_missing, "is", "are"));
	path->n = *n;
	return s;
}
