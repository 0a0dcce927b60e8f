/* tasks - writes tasks as slices in the lanes of their hosts */

#include <stdlib.h>

#include "common/base/num.h"
#include "common/build/build-names.h"
#include "common/build/build.h"
#include "common/filter/filter.h"
#include "filters/trace-export/trace-export.h"

/* Tasks of one lane that are merged, or a single one that may be. */
struct cluster {
	int64_t start, end, busy_us;
	const struct slice *longest;
	uint64_t n;		/* 0: there is none */
};

/* --- names ---------------------------------------------------------------- */

static struct place
place_in(const struct tasks *t, uint32_t process, const struct track *track,
    uint32_t lane)
{
	return (struct place){ t->first_pid + process,
	    track->first_tid + lane };
}

struct place
tasks_place(const struct tasks *t, const struct slice *s)
{
	const struct process *process = &t->p->processes[s->process];
	const struct track *track = &t->p->tracks[process->first];
	size_t i = (size_t)(s - t->p->slices);

	while (i >= track->first + track->n)
		track++;
	return place_in(t, s->process, track, s->lane);
}

static void
put_lane_name(const struct tasks *t, struct place place,
    const struct slice *s, uint32_t lane)
{
	static const char *const names[] = { [CALLS] = "calls",
	    [SLOTS] = "slot", [COPIES] = "copy", [PREPARES] = "prepare" };
	struct buf name = { 0 };

	if (s->class != THREADS)
		buf_printf(&name, "%s %u", names[s->class], lane + 1);
	else if (lane == 0)
		buf_printf(&name, "thread %lld", (long long)s->thread);
	else
		buf_printf(&name, "thread %lld, lane %u",
		    (long long)s->thread, lane + 1);
	document_put_name(t->d, "thread_name", place, buf_span(&name));
	document_put_sort_index(t->d, "thread_sort_index", place,
	    (int64_t)place.tid);
	buf_release(&name);
}

void
tasks_put_names(const struct tasks *t, size_t i)
{
	const struct view *p = t->p;
	const struct process *process = &p->processes[i];
	const struct track *track = &p->tracks[process->first];
	struct span name = intern_span(&p->names, process->name);
	const char *run = p->build->run_name;
	bool has_name = run == NULL || p->n_processes > 1 ||
	    !span_eq(name, "build");
	struct place place = { t->first_pid + i, 1 };
	struct buf text = { 0 };

	if (run != NULL)
		buf_printf(&text, has_name ? "%s: " : "%s", run);
	if (has_name)
		buf_add(&text, name.p, name.n);
	document_put_name(t->d, "process_name", place, buf_span(&text));
	text.len = 0;
	buf_printf(&text, "%llu task%s", (unsigned long long)process->n_tasks,
	    plural(process->n_tasks, "", "s"));
	document_put_name(t->d, "process_labels", place, buf_span(&text));
	document_put_sort_index(t->d, "process_sort_index", place,
	    (int64_t)place.pid);
	buf_release(&text);

	for (size_t k = 0; k < process->n; k++, track++)
		for (uint32_t lane = 0; lane < track->n_lanes; lane++)
			put_lane_name(t, place_in(t, (uint32_t)i, track, lane),
			    &p->slices[track->first], lane);
}

/* --- one task ------------------------------------------------------------- */

/* Whether a task is an instruction of a query, whose rule is its function. */
static bool
is_instruction(const struct build *b, const struct task *task)
{
	struct span kind = intern_span(&b->names, task->kind);

	return task->rule != SYM_NONE && (span_eq(kind, "instruction") ||
	    span_eq(kind, "call"));
}

/* The kind and rule; of an instruction only the module of the rule. */
static void
put_category(struct buf *b, const struct tasks *t, const struct slice *s)
{
	const struct build *build = t->p->build;
	const struct task *task = &build->tasks[s->task];
	struct span kind = intern_span(&build->names, task->kind), text;
	sym rule = build_rule(build, task);
	struct buf category = { 0 };
	const char *point;

	buf_add(&category, kind.p, kind.n);
	if (rule != SYM_NONE) {
		text = intern_span(&build->names, rule);
		point = is_instruction(build, task) && text.n > 0 ?
		    memchr(text.p, '.', text.n) : NULL;
		if (point != NULL)
			text.n = (size_t)(point - text.p);
		buf_char(&category, ',');
		buf_add(&category, text.p, text.n);
	}
	if (s->step > 0)
		buf_str(&category, ",critical");
	document_name(b, "cat", buf_span(&category));
	buf_release(&category);
}

static void
put_symbol(struct buf *b, const char *key, const struct build *build, sym s)
{
	if (s != SYM_NONE)
		document_str(b, key, intern_span(&build->names, s));
}

/* The arguments that are not text. */
static void
put_numbers(struct buf *b, const struct tasks *t, const struct slice *s)
{
	static const enum kept kept[] = { KEPT_SLACK, KEPT_DRAG, KEPT_THREAD,
	    KEPT_PC };
	const struct build *build = t->p->build;
	const struct task *task = &build->tasks[s->task];
	const struct path_step *step;
	int64_t value;

	json_int(b, "size_bytes", task->size_bytes);
	json_count(b, "attempt", task->attempt);
	for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
		if ((value = view_number(build, task, kept[i])) != INT_UNKNOWN)
			json_int(b, kept_keys[kept[i]], value);
	json_flag(b, "from_cache", (task->flags & TASK_CACHED) != 0);
	json_flag(b, "failed", s->failed);
	if (s->step == 0)
		return;
	step = &t->p->steps[s->step - 1];
	json_uint(b, "step", s->step);
	json_int(b, "waiting_us", step->waiting_us);
	json_int(b, "potential_us", step->potential_us);
}

void
tasks_put_details(const struct tasks *t, const struct slice *s)
{
	const struct build *build = t->p->build;
	const struct task *task = &build->tasks[s->task];
	sym status = build_value(build, task, KEPT_STATUS);
	struct buf *b = filter_out(t->d->f), name = { 0 }, id = { 0 };
	struct span title;
	int64_t number;

	build_put_name(build, task, &name);
	build_put_id(build, task, &id);
	title = span_base_name(buf_span(&name));
	if (title.n == 0)
		title = buf_span(&name);
	if (is_instruction(build, task))
		title = intern_span(&build->names, task->rule);
	document_name(b, "name", title);
	put_category(b, t, s);

	json_open(b, "args", '{');
	document_str(b, "id", buf_span(&id));
	if (span_compare(buf_span(&id), buf_span(&name)) != 0)
		document_str(b, "name", buf_span(&name));
	put_symbol(b, "rule", build, build_rule(build, task));
	put_symbol(b, "target", build, build_target(build, task));
	/* An exit status is a number, so that SQL can compare it. */
	if (status != SYM_NONE &&
	    text_i64(intern_span(&build->names, status), &number))
		json_int(b, "status", number);
	else
		put_symbol(b, "status", build, status);
	put_numbers(b, t, s);
	json_close(b, '}');
	document_end_event(t->d);
	buf_release(&name);
	buf_release(&id);
}

static void
put_task(struct tasks *t, struct place place, const struct slice *s)
{
	const struct build *build = t->p->build;
	struct buf *b, name = { 0 };
	struct span text;
	sym status;

	t->n_events += 1 + s->failed;
	if (t->d == NULL)
		return;
	document_begin_task(t->d, place, s->start, s->end);
	tasks_put_details(t, s);
	if (!s->failed)
		return;

	/* An instant at the end of a task that failed. */
	b = document_begin(t->d, "i", place, s->end);
	buf_str(&name, "failed");
	status = build_value(build, &build->tasks[s->task], KEPT_STATUS);
	if (status != SYM_NONE) {
		text = intern_span(&build->names, status);
		buf_char(&name, ' ');
		buf_add(&name, text.p, text.n);
	}
	document_name(b, "name", buf_span(&name));
	json_word(b, "cat", "failed");
	json_word(b, "s", "t");
	document_end_event(t->d);
	buf_release(&name);
}

/* --- merging -------------------------------------------------------------- */

/* Writes the tasks of a cluster, if there are any, and empties it. */
static void
end_cluster(struct tasks *t, struct place place, struct cluster *c)
{
	const struct build *build = t->p->build;
	struct buf *b, name = { 0 };
	uint64_t n = c->n;

	c->n = 0;
	if (n == 1)
		put_task(t, place, c->longest);
	if (n <= 1)
		return;
	t->n_events++;
	t->n_merged += n;
	t->n_merges++;
	if (t->d == NULL)
		return;
	/* Tasks that took no time may be at the place of others. */
	b = document_begin_task(t->d, place, c->start,
	    c->busy_us > 0 ? c->end : c->start);
	buf_printf(&name, "%llu tasks", (unsigned long long)n);
	document_str(b, "name", buf_span(&name));
	json_word(b, "cat", "merged");
	json_open(b, "args", '{');
	json_uint(b, "tasks", n);
	json_int(b, "busy_us", c->busy_us);
	json_int(b, "longest_us", c->longest->end - c->longest->start);
	name.len = 0;
	build_put_name(build, &build->tasks[c->longest->task], &name);
	document_name(b, "longest", buf_span(&name));
	json_close(b, '}');
	document_end_event(t->d);
	buf_release(&name);
}

/*
 * Writes the slices of a track, in order of start: those that took time, or the
 * others, which may be at the same place as one of the first kind.
 */
static void
write_track(struct tasks *t, uint32_t process, const struct track *track,
    bool took_time)
{
	const struct slice *s = t->p->slices + track->first;
	struct cluster *clusters = mem_zero(track->n_lanes, sizeof *clusters);

	for (size_t i = 0; i < track->n; i++, s++) {
		struct cluster *c = &clusters[s->lane];
		struct place place = place_in(t, process, track, s->lane);

		if ((s->start < s->end) != took_time)
			continue;
		if (s->failed || s->step > 0 ||
		    s->end - s->start >= t->unit_us) {
			end_cluster(t, place, c);
			put_task(t, place, s);
			continue;
		}
		if (c->n > 0 && s->start - c->end >= t->unit_us)
			end_cluster(t, place, c);
		if (c->n == 0)
			*c = (struct cluster){ .start = s->start,
			    .longest = s };
		c->n++;
		c->end = s->end;
		c->busy_us += s->end - s->start;
		if (s->end - s->start > c->longest->end - c->longest->start)
			c->longest = s;
	}
	for (uint32_t lane = 0; lane < track->n_lanes; lane++)
		end_cluster(t, place_in(t, process, track, lane),
		    &clusters[lane]);
	free(clusters);
}

void
tasks_write(struct tasks *t)
{
	const struct view *p = t->p;

	t->n_events = t->n_merged = t->n_merges = 0;
	for (uint32_t i = 0; i < p->n_processes; i++) {
		const struct track *track = &p->tracks[p->processes[i].first];

		for (size_t k = 0; k < p->processes[i].n; k++, track++) {
			write_track(t, i, track, true);
			write_track(t, i, track, false);
		}
	}
}
