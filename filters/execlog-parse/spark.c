/* spark - reads event logs of Spark, which have one event on each line */

#include <stdlib.h>
#include <string.h>

#include "common/base/intern.h"
#include "common/base/num.h"
#include "common/base/sort.h"
#include "common/filter/filter-read.h"
#include "common/filter/filter-reject.h"
#include "common/filter/filter.h"
#include "common/json/items.h"
#include "common/json/recio.h"
#include "filters/execlog-parse/formats.h"
#include "filters/execlog-parse/records.h"
#include "filters/execlog-parse/spark-stages.h"
#include "filters/execlog-parse/spark-task.h"

/*
 * A task is written when it ends.  What it waited for is known when it starts:
 *
 * - Its stage waits for its parent stages, as far as they have been submitted
 *   by then.  A parent that has not been submitted was skipped, because its
 *   output was still there; a placeholder stands for it and for its parents.
 *   So no stage waits for one that is submitted later, and there are no cycles
 *   even where a skipped stage has to run after all.
 * - An attempt waits for the attempt at the same partition that failed before.
 * - If a task cannot fetch the output of a parent stage, the tasks of the next
 *   attempt at that stage wait for it.
 *
 * A node is written for each attempt at a stage, when the attempt ends.  It
 * waits for the first task of each partition that succeeded, and for the
 * previous attempt at the stage, if any.
 *
 * In memory are the stages, and the partitions of stages that have not ended.
 */

/* Keys of an event. */
#define SPARK_KEYS(K)							\
	K(EVENT, "Event") K(APP_ID, "App ID")				\
	K(APP_ATTEMPT, "App Attempt ID") K(TIMESTAMP, "Timestamp")	\
	K(STAGE_INFOS, "Stage Infos") K(STAGE_INFO, "Stage Info")	\
	K(STAGE, "Stage ID") K(STAGE_ATTEMPT, "Stage Attempt ID")	\
	K(TASK_TYPE, "Task Type") K(TASK_INFO, "Task Info")		\
	K(END_REASON, "Task End Reason") K(METRICS, "Task Metrics")	\
	K(VERSION, "Spark Version")
KEY_LIST(spark_keys, SPARK_KEYS);

/* Keys of a Stage Info. */
#define STAGE_KEYS(K)							\
	K(INFO_STAGE, "Stage ID") K(INFO_ATTEMPT, "Stage Attempt ID")	\
	K(STAGE_NAME, "Stage Name") K(PARENTS, "Parent IDs")		\
	K(FAILURE_REASON, "Failure Reason") K(RDD_INFO, "RDD Info")
KEY_LIST(stage_keys, STAGE_KEYS);

/* Keys of a Task Info. */
#define TASK_KEYS(K)							\
	K(TASK_ID, "Task ID") K(PARTITION, "Index")			\
	K(LAUNCH, "Launch Time") K(FINISH, "Finish Time")		\
	K(GETTING, "Getting Result Time") K(EXECUTOR, "Executor ID")
KEY_LIST(task_keys, TASK_KEYS);

#define REASON_KEYS(K) K(REASON, "Reason")
KEY_LIST(reason_keys, REASON_KEYS);

static struct {
	struct filter *f;
	struct recio *stages_in, *tasks_in, *reasons_in, *metrics_in;

	/* Of the application that is being read. */
	struct buf run;		/* its id, empty if not known */
	struct extent extent;
	bool has_events;	/* of any kind */
	bool has_work;		/* events that are read */
	bool has_end;
	uint64_t n_strays;	/* tasks of stages that were not submitted */
	struct intern names;
	struct map task_of;
	struct task *tasks;	/* that have started and not ended */
	size_t n_tasks, tasks_cap;
	uint32_t free_task;
} state;

static struct span
task_key(const void *owner, uint32_t i)
{
	(void)owner;
	return span_bytes(&state.tasks[i].id, sizeof state.tasks[i].id);
}

static void
begin_application(void)
{
	stages_begin(state.f);
	map_init(&state.task_of, task_key, NULL);
	intern_init(&state.names);
	state.extent = (struct extent){ 0 };
	state.has_events = state.has_work = state.has_end = false;
	state.n_strays = 0;
	state.n_tasks = 0;
	state.free_task = INDEX_NONE;
	state.run.len = 0;
}

/* Reads an id, which is a number of at least 0; absent, it is `missing`. */
static bool
read_id(const struct rec *r, unsigned key, int64_t missing, int64_t *id)
{
	*id = missing;
	if (rec_int(r, key, id) != REC_BAD && *id >= 0)
		return true;
	filter_reject(state.f, "%.*s is not a number of 0 or more",
	    SPAN_ARG(r->keys[key]));
	return false;
}

/* Reads a time in milliseconds; 0 means that it is not known. */
static bool
read_time(const struct rec *r, unsigned key, int64_t *us)
{
	const struct field *field;
	enum rec_found found = rec_find(r, key, REC_NUMBER, &field);

	*us = INT_UNKNOWN;
	if (found == REC_ABSENT)
		return true;
	if (found == REC_OK && read_ms(field->text, us)) {
		if (*us == 0)
			*us = INT_UNKNOWN;
		return true;
	}
	filter_reject(state.f, "%.*s is not a number of milliseconds, or is "
	    "too large", SPAN_ARG(r->keys[key]));
	return false;
}

static bool
read_parents(struct stage *s, const struct rec *info)
{
	const struct field *field = rec_get(info, PARENTS);
	struct span rest, item;
	int64_t id;
	bool valid;

	if (field == NULL || field->kind == REC_NULL)
		return true;
	valid = field->kind == REC_ARRAY;
	rest = field->token;
	while (valid && items_next(&rest, &item)) {
		valid = text_i64(item, &id) && id >= 0;
		if (valid)
			stage_add_parent(s, id);
	}
	if (!valid)
		filter_reject(state.f, "Parent IDs is not an array of stages");
	return valid;
}

/* Reads which RDD a stage computes: the first of those that it needs. */
static void
read_rdd(struct stage *s, const struct rec *info)
{
	const struct field *field;
	struct span rest, rdd, key, value;

	if (rec_find(info, RDD_INFO, REC_ARRAY, &field) != REC_OK)
		return;
	rest = field->token;
	if (!items_next(&rest, &rdd) || rdd.n == 0 || *rdd.p != '{')
		return;
	while (items_next_member(&rdd, &key, &value))
		if (span_eq(key, "\"RDD ID\""))
			text_i64(value, &s->rdd);
}

/* Reads a Stage Info.  NULL if it was rejected. */
static struct stage *
read_stage(const struct rec *info)
{
	struct stage *s;
	struct span name;
	int64_t id;

	if (info == NULL) {
		filter_reject(state.f, "the event has no Stage Info");
		return NULL;
	}
	if (!read_id(info, INFO_STAGE, -1, &id))
		return NULL;
	s = stages_get(id);
	if (rec_str(info, STAGE_NAME, &name) == REC_OK)
		stage_set_name(s, name);
	read_rdd(s, info);
	/* What has been submitted has resolved its parents. */
	if (s->n_parents == 0 && !read_parents(s, info))
		return NULL;
	return s;
}

static void
start_job(const struct rec *event)
{
	const struct field *infos = rec_get(event, STAGE_INFOS);
	struct span rest, item;
	struct rec *info;
	const char *why;

	if (infos == NULL || infos->kind != REC_ARRAY)
		return;
	rest = infos->token;
	while ((info = recio_item(state.stages_in, &rest, &item, &why)) !=
	    NULL || why != NULL)
		if (read_stage(info) == NULL)
			return;
}

static void
submit_stage(const struct rec *event)
{
	const struct rec *info = recio_member(state.stages_in, event,
	    STAGE_INFO);
	struct stage *s = read_stage(info);
	int64_t number;

	if (s == NULL || !read_id(info, INFO_ATTEMPT, 0, &number))
		return;
	if (number <= s->attempt)
		filter_reject(state.f, "attempt %lld at stage %lld is "
		    "submitted after attempt %lld", (long long)number,
		    (long long)s->id, (long long)s->attempt);
	else
		stage_add_attempt(s, number);
}

static void
complete_stage(const struct rec *event)
{
	const struct rec *info = recio_member(state.stages_in, event,
	    STAGE_INFO);
	const struct field *why;
	struct stage *s = read_stage(info);
	struct attempt *a;
	int64_t number;

	if (s == NULL || !read_id(info, INFO_ATTEMPT, 0, &number))
		return;
	a = attempt_find(s->id, number);
	if (a == NULL || a->ended) {
		filter_reject(state.f, "stage %lld is completed, but was not "
		    "submitted", (long long)s->id);
		return;
	}
	attempt_write(a);
	if (rec_find(info, FAILURE_REASON, REC_STRING, &why) == REC_ABSENT)
		stage_free_partitions(s);
}

/* Reads what start and end events have in common.  False if rejected. */
static bool
read_task(const struct rec *event, struct task *t)
{
	const struct rec *info = recio_member(state.tasks_in, event, TASK_INFO);
	struct span executor;

	if (info == NULL) {
		filter_reject(state.f, "the event has no Task Info");
		return false;
	}
	*t = (struct task){ .executor = SYM_NONE, .retry_of = NO_TASK,
	    .fetch_failure = NO_TASK };
	if (rec_str(info, EXECUTOR, &executor) == REC_OK)
		t->executor = intern_add(&state.names, executor);
	return read_id(event, STAGE, -1, &t->stage) &&
	    read_id(event, STAGE_ATTEMPT, 0, &t->stage_attempt) &&
	    read_id(info, TASK_ID, -1, &t->id) &&
	    read_id(info, PARTITION, -1, &t->index) &&
	    read_time(info, LAUNCH, &t->launch_us) &&
	    read_time(info, FINISH, &t->finish_us) &&
	    read_time(info, GETTING, &t->getting_us);
}

/* Sets the tasks for which a task waited, which ended before it started. */
static void
find_earlier_tasks(struct task *t)
{
	const struct stage *s = stages_find(t->stage);
	const struct partition *p = partition_find(t->stage, t->index);

	if (p != NULL && p->failed != NO_TASK && p->failed_us <= t->launch_us)
		t->retry_of = p->failed;
	if (s != NULL && s->fetch_failure != NO_TASK &&
	    s->fetch_failed_us <= t->launch_us)
		t->fetch_failure = s->fetch_failure;
}

static void
start_task(const struct rec *event)
{
	struct span key;
	struct task t;
	uint32_t i;

	if (!read_task(event, &t))
		return;
	extent_add(&state.extent, t.launch_us);
	find_earlier_tasks(&t);
	key = span_bytes(&t.id, sizeof t.id);
	if (map_find(&state.task_of, key) != INDEX_NONE) {
		filter_reject(state.f, "task %lld has already started",
		    (long long)t.id);
		return;
	}
	t.is_running = true;
	if ((i = state.free_task) != INDEX_NONE) {
		state.free_task = state.tasks[i].next;
	} else {
		i = (uint32_t)state.n_tasks++;
		state.tasks = mem_grow(state.tasks, &state.tasks_cap,
		    state.n_tasks, sizeof *state.tasks);
	}
	state.tasks[i] = t;
	map_put(&state.task_of, map_hash(key.p, key.n), i);
}

/* Notes the result of a task for its partition and its stage. */
static void
note_result(const struct task *t, struct span reason)
{
	struct stage *s = stages_find(t->stage);
	const struct attempt *a = attempt_find(t->stage, t->stage_attempt);
	struct partition *p;

	/* A task that is lost after its stage has ended is of no use. */
	if (s == NULL || a == NULL ||
	    (a->ended && s->first_partition == INDEX_NONE))
		return;
	p = partition_get(s, t->index);
	if (span_eq(reason, "Success")) {
		if (p->done == NO_TASK || (p->is_written &&
		    t->stage_attempt > p->done_attempt)) {
			p->done = t->id;
			p->done_attempt = t->stage_attempt;
			p->is_written = false;
		}
		return;
	}
	if (p->done == t->id)
		p->done = NO_TASK;
	if (t->finish_us == INT_UNKNOWN)
		return;
	p->failed = t->id;
	p->failed_us = t->finish_us;
	if (span_eq(reason, "FetchFailed"))
		stage_note_fetch_failure(s, t->id, t->finish_us);
}

/* Begins the record of a task with what start and end events show. */
static struct buf *
begin_task(const struct task *t)
{
	if (attempt_find(t->stage, t->stage_attempt) == NULL)
		state.n_strays++;
	return task_begin(state.f, t, t->executor == SYM_NONE ?
	    span_of(NULL, 0) : intern_span(&state.names, t->executor));
}

static void
write_task(const struct rec *event, const struct task *t, struct span reason)
{
	const struct rec *metrics;
	struct buf *b = begin_task(t);
	struct span type;

	if (rec_str(event, TASK_TYPE, &type) == REC_OK)
		json_str(b, "rule", type);
	json_text(b, "status", reason);
	json_flag(b, "failed", reason.n > 0 && !span_eq(reason, "Success") &&
	    !span_eq(reason, "TaskKilled"));
	metrics = recio_member(state.metrics_in, event, METRICS);
	if (metrics != NULL)
		task_put_metrics(b, t, metrics);
	filter_end_record(state.f);
}

static void
end_task(const struct rec *event)
{
	struct span reason = { 0 }, key;
	const struct rec *r;
	struct task t, *started;
	uint32_t i;

	if (!read_task(event, &t))
		return;
	r = recio_member(state.reasons_in, event, END_REASON);
	if (r != NULL)
		rec_str(r, REASON, &reason);
	/* A second end of a task: its output was lost with its executor. */
	if (span_eq(reason, "Resubmitted")) {
		note_result(&t, reason);
		return;
	}
	extent_add(&state.extent, t.launch_us);
	extent_add(&state.extent, t.finish_us);

	key = span_bytes(&t.id, sizeof t.id);
	i = map_find(&state.task_of, key);
	if (i == INDEX_NONE) {
		find_earlier_tasks(&t);
	} else {
		started = &state.tasks[i];
		t.retry_of = started->retry_of;
		t.fetch_failure = started->fetch_failure;
		map_remove(&state.task_of, map_hash(key.p, key.n), i);
		started->is_running = false;
		started->next = state.free_task;
		state.free_task = i;
	}

	write_task(event, &t, reason);
	note_result(&t, reason);
}

static int
compare_tasks(const void *a, const void *b)
{
	return cmp_i64(((const struct task *)a)->id,
	    ((const struct task *)b)->id);
}

static void
end_application(void)
{
	const char *run = state.run.len > 0 ? buf_cstr(&state.run) :
	    "the application";
	uint64_t n_unended = 0;

	/* The map is not needed any more. */
	sort(state.tasks, state.n_tasks, sizeof *state.tasks, compare_tasks);
	for (size_t i = 0; i < state.n_tasks; i++)
		if (state.tasks[i].is_running) {
			begin_task(&state.tasks[i]);
			filter_end_record(state.f);
			n_unended++;
		}
	stages_end();
	emit_build(state.f, spark_format.name, &state.extent);

	if (n_unended > 0 && state.has_end)
		filter_warn(state.f, "%s: %llu task%s no end, although the "
		    "application has ended: Spark drops events if it is busy",
		    run, (unsigned long long)n_unended,
		    plural(n_unended, " has", "s have"));
	if (state.n_strays > 0)
		filter_fail(state.f, "%s: %llu task%s of stages that were not "
		    "submitted before: is a file of the log missing, or are "
		    "the files not in order?", run,
		    (unsigned long long)state.n_strays,
		    plural(state.n_strays, " is", "s are"));
	if (state.has_events && !state.has_end)
		filter_fail(state.f, "%s: the log has no "
		    "SparkListenerApplicationEnd: the application is running, "
		    "it crashed, or a file of the log is missing", run);

	map_release(&state.task_of);
	intern_release(&state.names);
}

static void
start_application(const struct rec *event)
{
	struct span id, attempt;
	int64_t us;

	if (!read_time(event, TIMESTAMP, &us))
		return;
	if (state.has_work) {
		end_application();
		begin_application();
	}
	extent_add(&state.extent, us);
	/* As in the name of the log's file. */
	if (rec_str(event, APP_ID, &id) != REC_OK)
		return;
	buf_add(&state.run, id.p, id.n);
	if (rec_str(event, APP_ATTEMPT, &attempt) == REC_OK) {
		buf_char(&state.run, '_');
		buf_add(&state.run, attempt.p, attempt.n);
	}
	run_set_own(buf_span(&state.run));
}

static void
stop_application(const struct rec *event)
{
	int64_t us;

	if (!read_time(event, TIMESTAMP, &us))
		return;
	extent_add(&state.extent, us);
	state.has_end = true;
}

static void
read_event(const struct rec *event)
{
	static const struct {
		const char *name;
		void (*read)(const struct rec *);
	} events[] = {
		{ "SparkListenerTaskStart", start_task },
		{ "SparkListenerTaskEnd", end_task },
		{ "SparkListenerStageSubmitted", submit_stage },
		{ "SparkListenerStageCompleted", complete_stage },
		{ "SparkListenerJobStart", start_job },
		{ "SparkListenerApplicationStart", start_application },
		{ "SparkListenerApplicationEnd", stop_application },
	};
	struct span name, version;

	if (rec_str(event, EVENT, &name) != REC_OK) {
		filter_reject(state.f, "the line has no Event");
		return;
	}
	if (span_eq(name, "SparkListenerLogStart") &&
	    rec_str(event, VERSION, &version) == REC_OK)
		check_version(state.f, "Spark", version, "2.3", "3.5");
	for (size_t i = 0; i < sizeof events / sizeof *events; i++)
		if (span_eq(name, events[i].name)) {
			events[i].read(event);
			state.has_work = true;
		}
	state.has_events = true;
}

/* How a file begins that Spark has compressed with one of its own codecs. */
static const struct codec { const char *magic, *name; } codecs[] = {
	{ "LZ4Block", "lz4" }, { "\x82SNAPPY", "snappy" }, { "ZV", "lzf" },
};

static const struct codec *
find_codec(struct input *in)
{
	for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++)
		if (format_begins_with(in, codecs[i].magic))
			return &codecs[i];
	return NULL;
}

static void
refuse_codec(struct filter *f)
{
	const struct codec *c = find_codec(&f->input);
	struct buf why = { 0 };

	if (c == NULL)
		return;
	buf_printf(&why, "is compressed with the %s of Spark (magic %s), "
	    "which this program cannot read: have Spark write it with "
	    "spark.eventLog.compress false, or with the codec zstd", c->name,
	    *c->magic < 0 ? c->magic + 1 : c->magic);
	filter_refuse(f, span_of(f->input.at, 0), buf_cstr(&why));
	buf_release(&why);
}

static bool
spark_detect(struct input *in)
{
	return format_begins_with(in, "{\"Event\":") || find_codec(in) != NULL;
}

static void
spark_read(struct filter *f, const struct format_options *options)
{
	struct line line;
	struct rec *event;

	(void)options;
	state.f = f;
	state.stages_in = recio_new(stage_keys);
	state.tasks_in = recio_new(task_keys);
	state.reasons_in = recio_new(reason_keys);
	state.metrics_in = recio_new(task_metrics_keys);
	begin_application();
	do {
		refuse_codec(f);
		while (filter_file_line(f, &line)) {
			event = filter_record(f, span_of(line.p, line.len));
			if (event != NULL)
				read_event(event);
		}
	} while (filter_next_file(f));
	end_application();
	recio_free(state.stages_in);
	recio_free(state.tasks_in);
	recio_free(state.reasons_in);
	recio_free(state.metrics_in);
	buf_release(&state.run);
	free(state.tasks);
	memset(&state, 0, sizeof state);
}

const struct input_format spark_format = {
	.name = "spark",
	.help = "the event log of a Spark application",
	.keys = spark_keys,
	.detect = spark_detect,
	.read = spark_read,
};
