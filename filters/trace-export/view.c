/* view - divides the tasks of a build into processes, tracks and lanes */

#include <stdlib.h>

#include "common/base/num.h"
#include "common/base/sort.h"
#include "common/build/build-names.h"
#include "common/build/build.h"
#include "common/build/lanes.h"
#include "filters/trace-export/trace-export.h"

const char *const kept_keys[] = { "status", "slack_us", "drag_us", "thread",
    "execution_id", "tag", "pc", "runs", NULL };

int64_t
view_number(const struct build *b, const struct task *t, enum kept kept)
{
	sym value = build_value(b, t, kept);
	int64_t number;

	return value != SYM_NONE && text_i64(intern_span(&b->names, value),
	    &number) && number >= 0 ? number : INT_UNKNOWN;
}

/* --- slices --------------------------------------------------------------- */

/* The name of a task's process: its host, or the query of which it is part. */
static sym
process_name(struct view *p, const struct task *t)
{
	const struct build *b = p->build;
	int64_t execution, tag;
	struct buf text = { 0 };
	sym name;

	if (t->host != SYM_NONE)
		return intern_add(&p->names, intern_span(&b->names, t->host));
	execution = view_number(b, t, KEPT_EXECUTION);
	if (execution == INT_UNKNOWN)
		return intern_add(&p->names, span_str("build"));
	buf_printf(&text, "execution %lld", (long long)execution);
	tag = view_number(b, t, KEPT_TAG);
	if (tag != INT_UNKNOWN)
		buf_printf(&text, ", query %lld", (long long)tag);
	name = intern_add(&p->names, buf_span(&text));
	buf_release(&text);
	return name;
}

static enum track_class
class_of(const struct build *b, const struct task *t, int64_t thread)
{
	if (t->kind == b->copy)
		return COPIES;
	if (t->kind == b->prepare)
		return PREPARES;
	if (span_eq(intern_span(&b->names, t->kind), "call"))
		return CALLS;
	return thread == INT_UNKNOWN ? SLOTS : THREADS;
}

/* Until the end of view_make(), slice.process is the name of the process. */
static void
collect_slices(struct view *p)
{
	const struct build *b = p->build;
	const struct task *t = b->tasks;
	uint32_t *step_of_task = mem_zero(b->n_tasks + 1,
	    sizeof *step_of_task);
	int64_t end_us = b->end_us, thread;
	struct slice *s;

	for (size_t i = 0; i < p->n_steps; i++)
		step_of_task[p->steps[i].task] = (uint32_t)i + 1;
	p->slices = s = mem_resize(NULL, b->n_tasks + 1, sizeof *s);
	p->origin_us = b->start_us;
	for (uint32_t i = 0; i < b->n_tasks; i++, t++) {
		if ((t->flags & TASK_SUPERSEDED) != 0)
			continue;
		if ((t->flags & TASK_TOTAL) != 0 ||
		    view_number(b, t, KEPT_RUNS) > 1) {
			p->n_sums++;
			continue;
		}
		if (t->start_us == INT_UNKNOWN ||
		    t->elapsed_us == INT_UNKNOWN) {
			p->n_untimed++;
			continue;
		}
		thread = view_number(b, t, KEPT_THREAD);
		*s = (struct slice){ .start = t->start_us,
		    .end = t->start_us + t->elapsed_us, .task = i,
		    .process = process_name(p, t), .step = step_of_task[i],
		    .class = class_of(b, t, thread),
		    .failed = (t->flags & TASK_FAILED) != 0 };
		s->thread = s->class == THREADS ? thread : 0;
		p->origin_us = time_earlier(p->origin_us, s->start);
		end_us = time_later(end_us, s->end);
		s++;
	}
	free(step_of_task);

	p->n_slices = (size_t)(s - p->slices);
	if (p->origin_us == INT_UNKNOWN)
		p->origin_us = end_us = 0;
	p->wall_us = end_us - p->origin_us;
	for (size_t i = 0; i < p->n_slices; i++) {
		p->slices[i].start -= p->origin_us;
		p->slices[i].end -= p->origin_us;
	}
}

/* --- order ---------------------------------------------------------------- */

static int
compare_processes(const void *x, const void *y, void *context)
{
	const struct view *p = context;

	return text_compare_numbers(
	    intern_span(&p->names, ((const struct process *)x)->name),
	    intern_span(&p->names, ((const struct process *)y)->name));
}

/* < 0 if the track of x comes first, 0 if it is that of y. */
static int
compare_tracks(const struct slice *x, const struct slice *y)
{
	return cmp_u64(x->process, y->process) ?: cmp_u64(x->class, y->class) ?:
	    cmp_i64(x->thread, y->thread);
}

static int
compare_slices(const void *a, const void *b, void *context)
{
	const struct slice *x = a, *y = b;
	const struct view *p = context;
	const struct task *tasks = p->build->tasks;
	return compare_tracks(x, y) ?: cmp_i64(x->start, y->start) ?:
	    cmp_i64(y->end, x->end) ?:
	    build_compare_tasks(p->build, &tasks[x->task], &tasks[y->task]);
}

/* --- tracks --------------------------------------------------------------- */

static void
add_track(struct view *p, size_t first, size_t n)
{
	struct slice *s = p->slices + first, *end = s + n;
	struct process *process = &p->processes[s->process];
	struct lanes lanes = { 0 };
	struct track *track;

	p->tracks = mem_grow(p->tracks, &p->tracks_cap, p->n_tracks + 1,
	    sizeof *p->tracks);
	track = &p->tracks[p->n_tracks];
	*track = (struct track){ .first = first, .n = n, .first_tid = 1 };
	if (process->n++ == 0)
		process->first = p->n_tracks;
	else
		track->first_tid = track[-1].first_tid + track[-1].n_lanes;
	process->n_tasks += n;
	p->n_tracks++;

	/* Tasks that took no time are in the first lane. */
	for (; s < end; s++)
		if (s->start < s->end)
			s->lane = lanes_add(&lanes, s->start, s->end);
	track->n_lanes = lanes.n > 0 ? lanes.n : 1;
	lanes_release(&lanes);
}

void
view_make(struct view *p, struct build *b, const struct path_step *steps,
    size_t n_steps)
{
	uint32_t *rank_of_name;
	size_t end;

	*p = (struct view){ .build = b, .steps = steps, .n_steps = n_steps };
	intern_init(&p->names);
	collect_slices(p);

	p->n_processes = p->names.n;
	p->processes = mem_zero(p->names.n + 1, sizeof *p->processes);
	for (sym i = 0; i < p->names.n; i++)
		p->processes[i].name = i;
	sort_with(p->processes, p->n_processes, sizeof *p->processes,
	    compare_processes, p);
	rank_of_name = mem_resize(NULL, p->names.n + 1, sizeof *rank_of_name);
	for (uint32_t i = 0; i < p->n_processes; i++)
		rank_of_name[p->processes[i].name] = i;
	for (size_t i = 0; i < p->n_slices; i++)
		p->slices[i].process = rank_of_name[p->slices[i].process];
	free(rank_of_name);

	sort_with(p->slices, p->n_slices, sizeof *p->slices, compare_slices,
	    p);
	for (size_t first = 0; first < p->n_slices; first = end) {
		for (end = first; end < p->n_slices && compare_tracks(
		    &p->slices[end], &p->slices[first]) == 0; end++)
			;
		add_track(p, first, end - first);
	}

	p->slice_of_step = mem_ones(n_steps + 1, sizeof *p->slice_of_step);
	for (size_t i = 0; i < p->n_slices; i++)
		if (p->slices[i].step > 0)
			p->slice_of_step[p->slices[i].step - 1] = (uint32_t)i;
}

void
view_release(struct view *p)
{
	intern_release(&p->names);
	free(p->slices);
	free(p->tracks);
	free(p->processes);
	free(p->slice_of_step);
}
