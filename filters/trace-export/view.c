/* view - divides the tasks of a build into processes, tracks and lanes */

#include <stdlib.h>

#include "common/base/num.h"
#include "common/base/sort.h"
#include "common/build/build-names.h"
#include "common/build/build.h"
#include "common/build/lanes.h"
#include "filters/trace-export/view.h"

const char *const kept_keys[] = { "status", "slack_us", "drag_us", "thread",
    "execution_id", "tag", "pc", "runs", NULL };

static int64_t
kept_number(const struct build *b, const struct task *t, enum kept kept)
{
	sym value = build_value(b, t, kept);
	int64_t number;

	return value != SYM_NONE && text_i64(intern_span(&b->names, value),
	    &number) && number >= 0 ? number : INT_UNKNOWN;
}

int64_t
view_number(const struct view *p, const struct slice *s, enum kept kept)
{
	return kept_number(p->build, &p->build->tasks[s->task], kept);
}

/* --- slices --------------------------------------------------------------- */

/* The name of a task's process: its host, or the query of which it is part. */
static sym
process_name(struct view *p, const struct task *t)
{
	int64_t execution = kept_number(p->build, t, KEPT_EXECUTION);
	int64_t tag = kept_number(p->build, t, KEPT_TAG);
	struct buf text = { 0 };
	struct span host;
	sym name;

	if (t->host != SYM_NONE) {
		host = intern_span(&p->build->names, t->host);
		buf_add(&text, host.p, host.n);
	} else if (execution == INT_UNKNOWN) {
		buf_str(&text, "build");
	} else {
		buf_printf(&text, "execution %lld", (long long)execution);
		if (tag != INT_UNKNOWN)
			buf_printf(&text, ", query %lld", (long long)tag);
	}
	name = intern_add(&p->names, buf_span(&text));
	buf_release(&text);
	return name;
}

static enum track_class
class_of(const struct view *p, const struct task *t, int64_t thread)
{
	const struct build *b = p->build;

	if (t->kind == b->copy)
		return COPIES;
	if (t->kind == b->prepare)
		return PREPARES;
	if (span_eq(intern_span(&b->names, t->kind), "call"))
		return CALLS;
	return thread == INT_UNKNOWN ? SLOTS : THREADS;
}

/* Whether a task has one interval; counts it if it has not. */
static bool
has_interval(struct view *p, const struct task *t)
{
	if ((t->flags & TASK_SUPERSEDED) != 0)
		return false;
	if ((t->flags & TASK_TOTAL) != 0 ||
	    kept_number(p->build, t, KEPT_RUNS) > 1) {
		p->n_sums++;
		return false;
	}
	if (t->start_us == INT_UNKNOWN || t->elapsed_us == INT_UNKNOWN) {
		p->n_untimed++;
		return false;
	}
	return true;
}

/* Until the end of view_make(), slice.process is the name of the process. */
static void
add_slice(struct view *p, uint32_t task, const uint32_t *step_of_task)
{
	const struct task *t = &p->build->tasks[task];
	int64_t thread = kept_number(p->build, t, KEPT_THREAD);
	struct slice *s = &p->slices[p->n_slices++];

	*s = (struct slice){ .start = t->start_us,
	    .end = t->start_us + t->elapsed_us, .task = task,
	    .process = process_name(p, t), .step = step_of_task[task],
	    .class = class_of(p, t, thread) };
	s->thread = s->class == THREADS ? thread : 0;
	s->failed = (t->flags & TASK_FAILED) != 0;
	s->never_merges = s->failed || s->step > 0;
}

static void
collect(struct view *p)
{
	const struct build *b = p->build;
	uint32_t *step_of_task = mem_zero(b->n_tasks + 1,
	    sizeof *step_of_task);
	int64_t end_us = b->end_us;

	for (size_t i = 0; i < p->n_steps; i++)
		step_of_task[p->steps[i].task] = (uint32_t)i + 1;
	p->slices = mem_resize(NULL, b->n_tasks + 1, sizeof *p->slices);
	p->origin_us = b->start_us;
	for (uint32_t i = 0; i < b->n_tasks; i++)
		if (has_interval(p, &b->tasks[i]))
			add_slice(p, i, step_of_task);
	free(step_of_task);
	for (size_t i = 0; i < p->n_slices; i++) {
		p->origin_us = time_earlier(p->origin_us, p->slices[i].start);
		end_us = time_later(end_us, p->slices[i].end);
	}
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

static void
order_processes(struct view *p)
{
	uint32_t *rank_of_name = mem_resize(NULL, p->names.n + 1,
	    sizeof *rank_of_name);

	p->n_processes = p->names.n;
	p->processes = mem_zero(p->names.n + 1, sizeof *p->processes);
	for (sym i = 0; i < p->names.n; i++)
		p->processes[i].name = i;
	sort_with(p->processes, p->n_processes, sizeof *p->processes,
	    compare_processes, p);
	for (uint32_t i = 0; i < p->n_processes; i++)
		rank_of_name[p->processes[i].name] = i;
	for (size_t i = 0; i < p->n_slices; i++)
		p->slices[i].process = rank_of_name[p->slices[i].process];
	free(rank_of_name);
}

/* < 0 if the track of x comes first, 0 if it is that of y. */
static int
compare_tracks(const struct slice *x, const struct slice *y)
{
	int order = cmp_u64(x->process, y->process);

	if (order == 0)
		order = cmp_u64(x->class, y->class);
	return order != 0 ? order : cmp_i64(x->thread, y->thread);
}

static int
compare_slices(const void *a, const void *b, void *context)
{
	const struct slice *x = a, *y = b;
	const struct view *p = context;
	const struct task *tasks = p->build->tasks;
	int order = compare_tracks(x, y);

	if (order == 0)
		order = cmp_i64(x->start, y->start);
	if (order == 0)
		order = cmp_i64(y->end, x->end);
	return order != 0 ? order : build_compare_tasks(p->build,
	    &tasks[x->task], &tasks[y->task]);
}

/* --- tracks --------------------------------------------------------------- */

/* Assigns the lanes of a track.  Tasks that took no time are in the first. */
static void
assign_lanes(struct view *p, struct track *track)
{
	struct slice *s = p->slices + track->first;
	struct lane_task *tasks = mem_resize(NULL, track->n, sizeof *tasks);
	size_t n = 0;

	for (size_t i = 0; i < track->n; i++)
		if (s[i].start < s[i].end)
			tasks[n++] = (struct lane_task){ s[i].start,
			    s[i].end, 0 };
	track->n_lanes = lanes_assign(tasks, n);
	if (track->n_lanes == 0)
		track->n_lanes = 1;
	n = 0;
	for (size_t i = 0; i < track->n; i++)
		if (s[i].start < s[i].end)
			s[i].lane = tasks[n++].lane;
	free(tasks);
}

static void
add_track(struct view *p, size_t first, size_t n)
{
	struct process *process = &p->processes[p->slices[first].process];
	const struct track *last = NULL;
	struct track *track;

	p->tracks = mem_grow(p->tracks, &p->tracks_cap, p->n_tracks + 1,
	    sizeof *p->tracks);
	if (process->n++ == 0)
		process->first = p->n_tracks;
	else
		last = &p->tracks[p->n_tracks - 1];
	process->n_tasks += n;
	track = &p->tracks[p->n_tracks++];
	*track = (struct track){ .first = first, .n = n,
	    .first_tid = last == NULL ? 1 : last->first_tid + last->n_lanes };
	assign_lanes(p, track);
}

void
view_make(struct view *p, struct build *b, const struct path_step *steps,
    size_t n_steps)
{
	size_t end;

	*p = (struct view){ .build = b, .steps = steps,
	    .n_steps = n_steps };
	intern_init(&p->names);
	collect(p);
	order_processes(p);
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
