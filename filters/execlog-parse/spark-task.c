/* spark-task - writes the records of tasks of Spark */

#include "common/base/num.h"
#include "common/filter/filter.h"
#include "filters/execlog-parse/records.h"
#include "filters/execlog-parse/spark-stages.h"
#include "filters/execlog-parse/spark-task.h"

/* Keys of the Task Metrics. */
#define TASK_METRICS_KEYS(K)						\
	K(DESERIALIZE, "Executor Deserialize Time")			\
	K(RUN, "Executor Run Time")					\
	K(SERIALIZE, "Result Serialization Time")			\
	K(DESERIALIZE_CPU, "Executor Deserialize CPU Time")		\
	K(RUN_CPU, "Executor CPU Time")
KEY_INDEXES(TASK_METRICS_KEYS);

const char *const task_metrics_keys[] = KEY_TEXTS(TASK_METRICS_KEYS);

enum { NS_PER_US = 1000 };

struct buf *
task_begin(struct filter *f, const struct task *t, struct span executor)
{
	const struct stage *s = stages_find(t->stage);
	const struct attempt *a = attempt_find(t->stage, t->stage_attempt);
	struct buf *b = filter_begin_record(f, "task");
	static struct buf name;		/* kept for the next task */
	struct span target;

	put_numeric_id(b, "id", t->id);
	if (s != NULL && s->name != SYM_NONE) {
		target = stage_name(s);
		name.len = 0;
		buf_add(&name, target.p, target.n);
		buf_char(&name, ' ');
		buf_i64(&name, t->index);
		json_str(b, "name", buf_span(&name));
		json_str(b, "target", target);
	}
	json_word(b, "kind", "run");
	put_run(b);
	put_times(b, t->launch_us, t->finish_us);
	if (executor.p != NULL)
		json_str(b, "host", executor);

	if ((a != NULL && a->deps.n > 0) || t->retry_of != NO_TASK ||
	    t->fetch_failure != NO_TASK) {
		json_open(b, "deps", '[');
		if (a != NULL)
			buf_add(b, a->deps.p, a->deps.n);
		if (t->retry_of != NO_TASK)
			put_numeric_item(b, t->retry_of);
		if (t->fetch_failure != NO_TASK &&
		    t->fetch_failure != t->retry_of)
			put_numeric_item(b, t->fetch_failure);
		json_close(b, ']');
	}
	return b;
}

/* A number of milliseconds among the metrics, in microseconds; or 0. */
static int64_t
metric_us(const struct rec *metrics, unsigned key)
{
	const struct field *field;
	int64_t us;

	return rec_find(metrics, key, REC_NUMBER, &field) == REC_OK &&
	    read_ms(field->text, &us) ? us : 0;
}

/* A number of nanoseconds among the metrics; or 0. */
static int64_t
metric_ns(const struct rec *metrics, unsigned key)
{
	int64_t ns;

	return rec_int(metrics, key, &ns) == REC_OK && ns > 0 ? ns : 0;
}

void
task_put_metrics(struct buf *b, const struct task *t, const struct rec *metrics)
{
	struct { const char *name; int64_t us; } parts[] = {
		{ "scheduler_delay", 0 },
		{ "deserialize", metric_us(metrics, DESERIALIZE) },
		{ "execute", metric_us(metrics, RUN) },
		{ "serialize", metric_us(metrics, SERIALIZE) },
		{ "get_result", 0 },
	};
	enum { N = sizeof parts / sizeof *parts };
	int64_t cpu_ns = metric_ns(metrics, DESERIALIZE_CPU) +
	    metric_ns(metrics, RUN_CPU), sum_us = 0;

	if (t->getting_us != INT_UNKNOWN && t->finish_us > t->getting_us)
		parts[N - 1].us = t->finish_us - t->getting_us;
	for (int i = 1; i < N; i++)
		sum_us += parts[i].us;
	if (t->launch_us != INT_UNKNOWN && t->finish_us != INT_UNKNOWN)
		parts[0].us = t->finish_us - t->launch_us - sum_us;
	if (sum_us > 0 || parts[0].us > 0) {
		json_open(b, "parts_us", '{');
		for (int i = 0; i < N; i++)
			if (parts[i].us > 0)
				json_int(b, parts[i].name, parts[i].us);
		json_close(b, '}');
	}
	if (cpu_ns >= NS_PER_US)
		json_int(b, "cpu_us", cpu_ns / NS_PER_US);
}
