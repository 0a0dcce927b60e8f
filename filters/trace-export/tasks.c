/* tasks - writes tasks as slices in the lanes of their hosts */

#include <stdlib.h>

#include "common/base/num.h"
#include "common/build/build-names.h"
#include "common/build/build.h"
#include "common/filter/filter.h"
#include "filters/trace-export/tasks.h"

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

static void
put_process_name(const struct tasks *t, const struct process *process,
    struct place place)
{
	const struct view *p = t->p;
	struct span name = intern_span(&p->names, process->name);
	struct buf text = { 0 };

	if (p->build->run_name != NULL) {
		buf_str(&text, p->build->run_name);
		if (p->n_processes > 1 || !span_eq(name, "build"))
			buf_str(&text, ": ");
	}
	if (p->build->run_name == NULL || p->n_processes > 1 ||
	    !span_eq(name, "build"))
		buf_add(&text, name.p, name.n);
	document_put_name(t->d, "process_name", place, buf_span(&text));
	text.len = 0;
	buf_printf(&text, "%llu task%s", (unsigned long long)process->n_tasks,
	    plural(process->n_tasks, "", "s"));
	document_put_name(t->d, "process_labels", place, buf_span(&text));
	document_put_sort_index(t->d, "process_sort_index", place,
	    (int64_t)place.pid);
	buf_release(&text);
}

void
tasks_put_names(const struct tasks *t, size_t i)
{
	const struct process *process = &t->p->processes[i];
	const struct track *track = &t->p->tracks[process->first];

	put_process_name(t, process, (struct place){ t->first_pid + i, 1 });
	for (size_t k = 0; k < process->n; k++, track++)
		for (uint32_t lane = 0; lane < track->n_lanes; lane++)
			put_lane_name(t, place_in(t, (uint32_t)i, track, lane),
			    &t->p->slices[track->first], lane);
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

/*
 * What viewers show in the slice: of an instruction its function, otherwise the
 * last part of the name.
 */
static struct span
short_name(const struct build *b, const struct task *task, struct span name)
{
	struct span last;

	if (is_instruction(b, task))
		return intern_span(&b->names, task->rule);
	last = span_base_name(name);
	return last.n > 0 ? last : name;
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

/* An exit status is written as a number, so that SQL can compare it. */
static void
put_status(struct buf *b, const struct build *build, sym status)
{
	int64_t number;

	if (status != SYM_NONE &&
	    text_i64(intern_span(&build->names, status), &number))
		json_int(b, "status", number);
	else
		put_symbol(b, "status", build, status);
}

static void
put_numbers(struct buf *b, const struct tasks *t, const struct slice *s)
{
	static const enum kept kept[] = { KEPT_SLACK, KEPT_DRAG, KEPT_THREAD,
	    KEPT_PC };
	const struct build *build = t->p->build;
	const struct task *task = &build->tasks[s->task];
	int64_t value;

	if (task->size_bytes != INT_UNKNOWN)
		json_int(b, "size_bytes", task->size_bytes);
	if (task->attempt > 0)
		json_uint(b, "attempt", task->attempt);
	for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
		if ((value = view_number(build, task, kept[i])) !=
		    INT_UNKNOWN)
			json_int(b, kept_keys[kept[i]], value);
	if ((task->flags & TASK_CACHED) != 0)
		json_true(b, "from_cache");
	if (s->failed)
		json_true(b, "failed");
}

static void
put_step(struct buf *b, const struct tasks *t, const struct slice *s)
{
	const struct path_step *step = &t->p->steps[s->step - 1];

	json_uint(b, "step", s->step);
	if (step->waiting_us != INT_UNKNOWN)
		json_int(b, "waiting_us", step->waiting_us);
	if (step->potential_us != INT_UNKNOWN)
		json_int(b, "potential_us", step->potential_us);
}

void
tasks_put_details(const struct tasks *t, const struct slice *s)
{
	const struct build *build = t->p->build;
	const struct task *task = &build->tasks[s->task];
	struct buf *b = filter_out(t->d->f), name = { 0 }, id = { 0 };

	build_put_name(build, task, &name);
	build_put_id(build, task, &id);
	document_name(b, "name", short_name(build, task, buf_span(&name)));
	put_category(b, t, s);

	json_open(b, "args", '{');
	document_str(b, "id", buf_span(&id));
	if (span_compare(buf_span(&id), buf_span(&name)) != 0)
		document_str(b, "name", buf_span(&name));
	put_symbol(b, "rule", build, build_rule(build, task));
	put_symbol(b, "target", build, build_target(build, task));
	put_status(b, build, build_value(build, task, KEPT_STATUS));
	put_numbers(b, t, s);
	if (s->step > 0)
		put_step(b, t, s);
	json_close(b, '}');
	document_end_event(t->d);
	buf_release(&name);
	buf_release(&id);
}

/* An instant at the end of a task that failed. */
static void
put_failure(const struct tasks *t, struct place place, const struct slice *s)
{
	const struct build *build = t->p->build;
	sym status = build_value(build, &build->tasks[s->task], KEPT_STATUS);
	struct buf *b = document_begin(t->d, "i", place, s->end);
	struct buf name = { 0 };
	struct span text;

	buf_str(&name, "failed");
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

/* A task that took no time is an instant: viewers confuse slices without it. */
static void
put_task(struct tasks *t, struct place place, const struct slice *s)
{
	t->n_events += 1 + s->failed;
	if (t->d == NULL)
		return;
	if (s->start < s->end) {
		document_begin_slice(t->d, place, s->start, s->end - s->start);
	} else {
		struct buf *b = document_begin(t->d, "i", place, s->start);

		json_word(b, "s", "t");
	}
	tasks_put_details(t, s);
	if (s->failed)
		put_failure(t, place, s);
}

/* --- merging -------------------------------------------------------------- */

static void
put_merged(struct tasks *t, struct place place, const struct cluster *c)
{
	const struct build *build = t->p->build;
	const struct task *longest = &build->tasks[c->longest->task];
	struct buf *b, name = { 0 };

	t->n_events++;
	t->n_merged += c->n;
	t->n_merges++;
	if (t->d == NULL)
		return;
	/* Tasks that took no time may be at the place of others. */
	b = c->busy_us > 0 ?
	    document_begin_slice(t->d, place, c->start, c->end - c->start) :
	    document_begin(t->d, "i", place, c->start);
	if (c->busy_us == 0)
		json_word(b, "s", "t");
	buf_printf(&name, "%llu tasks", (unsigned long long)c->n);
	document_str(b, "name", buf_span(&name));
	json_word(b, "cat", "merged");
	json_open(b, "args", '{');
	json_uint(b, "tasks", c->n);
	json_int(b, "busy_us", c->busy_us);
	json_int(b, "longest_us", c->longest->end - c->longest->start);
	name.len = 0;
	build_put_name(build, longest, &name);
	document_name(b, "longest", buf_span(&name));
	json_close(b, '}');
	document_end_event(t->d);
	buf_release(&name);
}

static void
end_cluster(struct tasks *t, struct place place, struct cluster *c)
{
	if (c->n == 1)
		put_task(t, place, c->longest);
	else if (c->n > 1)
		put_merged(t, place, c);
	c->n = 0;
}

static void
add_to_cluster(struct cluster *c, const struct slice *s)
{
	if (c->n++ == 0)
		*c = (struct cluster){ .start = s->start, .longest = s,
		    .n = 1 };
	c->end = s->end;
	c->busy_us += s->end - s->start;
	if (s->end - s->start > c->longest->end - c->longest->start)
		c->longest = s;
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
		add_to_cluster(c, s);
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
