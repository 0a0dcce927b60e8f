/* worker-tasks - keeps the tasks that name a worker until its host is known */

#include <stdlib.h>
#include <string.h>

#include "common/base/intern.h"
#include "common/base/num.h"
#include "common/base/sort.h"
#include "common/filter/filter.h"
#include "filters/execlog-parse/records.h"
#include "filters/execlog-parse/worker-hosts.h"
#include "filters/execlog-parse/worker-tasks.h"

enum { WAITING_MAX = 4096 };		/* cached runs; see worker-tasks.h */

/* A run that was taken from the cache. */
struct cached_run {
	struct span uid, status;
	struct span host;		/* if it does not name a worker */
	bool names_worker;
	uint64_t worker;		/* its number */
	int64_t us, size_bytes;
};

/* One that waits until its worker is likely to be known. */
struct waiting_run {
	struct cached_run run;
	struct buf text;		/* its uid and status */
};

/* A prepare_start, or the end of a prepare task. */
struct prepare_event {
	uint64_t worker;	/* its number */
	int64_t us;
	sym what;		/* "resources", "repository:PATTERN"; SYM_NONE
				   for a start */
};

static struct {
	struct filter *f;
	struct intern names;		/* the strings of prepare_event.what */
	struct prepare_event *events;
	size_t n_events, events_cap;
	/* A ring buffer, and how many runs were ever added to it. */
	struct waiting_run waiting[WAITING_MAX];
	size_t n_waiting;
} state;

void
worker_tasks_add_prepare(uint64_t number, const char *what,
    struct span pattern, int64_t us)
{
	struct prepare_event event = { number, us, SYM_NONE };
	struct buf name = { 0 };

	if (what != NULL) {
		buf_str(&name, what);
		if (pattern.n > 0)
			buf_char(&name, ':');
		buf_add(&name, pattern.p, pattern.n);
		event.what = intern_add(&state.names, buf_span(&name));
		buf_release(&name);
	}
	state.events = mem_grow(state.events, &state.events_cap,
	    state.n_events + 1, sizeof *state.events);
	state.events[state.n_events++] = event;
}

static void
emit_cached(const struct cached_run *r)
{
	struct deploy deploy;
	bool has_deploy = worker_hosts_take_cached(r->uid, r->us, &deploy);
	struct buf *b = filter_begin_record(state.f, "task");

	json_str(b, "id", r->uid);
	json_word(b, "kind", "run");
	put_run(b);
	put_times(b, r->us, r->us);
	json_str(b, "uid", r->uid);
	if (r->names_worker)
		worker_hosts_put(b, r->worker);
	else
		json_text(b, "host", r->host);
	json_true(b, "from_cache");
	if (has_deploy)
		worker_hosts_put_deploy(b, &deploy);
	else if (r->names_worker)
		json_uint(b, "worker", r->worker);
	put_outcome(b, r->status, r->size_bytes);
	filter_end_record(state.f);
}

void
worker_tasks_add_cached(struct span uid, struct span host, int64_t us,
    struct span status, int64_t size_bytes)
{
	struct waiting_run *w = &state.waiting[state.n_waiting % WAITING_MAX];
	struct cached_run run = { .uid = uid, .status = status, .host = host,
	    .us = us, .size_bytes = size_bytes };

	run.names_worker = text_u64(host, &run.worker);
	if (!run.names_worker) {
		emit_cached(&run);
		return;
	}
	if (state.n_waiting++ >= WAITING_MAX)
		emit_cached(&w->run);
	w->text.len = 0;
	buf_add(&w->text, uid.p, uid.n);
	buf_add(&w->text, status.p, status.n);
	w->run = run;
	w->run.uid.p = w->text.data;
	w->run.status.p = w->text.data + uid.n;
}

/* By worker and time.  A start is before the ends at the same time. */
static int
compare_events(const void *a, const void *b, void *names)
{
	const struct prepare_event *x = a, *y = b;
	return cmp_u64(x->worker, y->worker) ?: cmp_i64(x->us, y->us) ?:
	    intern_cmp(names, x->what, y->what);
}

static void
emit_prepare_task(const struct prepare_event *end, int64_t start_us)
{
	struct buf *b = filter_begin_record(state.f, "task"), id = { 0 };
	struct span what = intern_span(&state.names, end->what);

	buf_printf(&id, "prepare:%llu:", (unsigned long long)end->worker);
	buf_add(&id, what.p, what.n);
	json_str(b, "id", buf_span(&id));
	json_word(b, "kind", "prepare");
	put_run(b);
	put_times(b, start_us, end->us);
	worker_hosts_put(b, end->worker);
	json_uint(b, "worker", end->worker);
	json_str(b, "prepare", what);
	filter_end_record(state.f);
	buf_release(&id);
}

/*
 * A prepare task starts at the worker's latest prepare_start that is not after
 * the end of the task.
 */
static void
emit_prepare_tasks(void)
{
	const struct prepare_event *e = state.events, *end = e + state.n_events;
	int64_t start_us = INT_UNKNOWN;

	sort_with(state.events, state.n_events, sizeof *e, compare_events,
	    &state.names);
	for (; e < end; e++) {
		if (e == state.events || e->worker != e[-1].worker)
			start_us = INT_UNKNOWN;
		else if (compare_events(e, e - 1, &state.names) == 0)
			continue;	/* the log contains the line twice */
		if (e->what == SYM_NONE)
			start_us = e->us;
		else
			emit_prepare_task(e, start_us);
	}
}

void
worker_tasks_init(struct filter *f)
{
	state.f = f;
	intern_init(&state.names);
	worker_hosts_init(f);
}

void
worker_tasks_finish(void)
{
	size_t first = state.n_waiting > WAITING_MAX ?
	    state.n_waiting - WAITING_MAX : 0;

	worker_hosts_resolve_all();
	for (size_t i = first; i < state.n_waiting; i++)
		emit_cached(&state.waiting[i % WAITING_MAX].run);
	worker_hosts_report_unused();
	emit_prepare_tasks();
	for (size_t i = 0; i < WAITING_MAX; i++)
		buf_release(&state.waiting[i].text);
	intern_release(&state.names);
	free(state.events);
	worker_hosts_release();
	memset(&state, 0, sizeof state);
}
