/* trace-export - writes tasks as a trace for Perfetto and other viewers */

#include "common/base/err.h"
#include "common/base/num.h"
#include "common/build/attempts.h"
#include "common/build/build.h"
#include "common/build/builds.h"
#include "common/filter/filter-reject.h"
#include "common/filter/filter.h"
#include "filters/trace-export/trace-export.h"

static struct {
	const char *graph, *path;
	bool all;
	uint64_t limit;
} opt = { .limit = 500000 };

static const struct opt options[] = {
	{ 'g', "graph", OPT_STR, &opt.graph, "FILE",
	    "read nodes from FILE first", 0, 0 },
	{ 'p', "path", OPT_STR, &opt.path, "FILE",
	    "read the critical path from FILE first", 0, 0 },
	{ 'a', "all", OPT_FLAG, &opt.all, NULL,
	    "write all tasks, however many", 0, 0 },
	{ 0, "limit", OPT_NUM, &opt.limit, "N",
	    "merge short tasks above N events a run (500000)", 1,
	    1000000000 },
	{ 0 }
};

static const struct about about = {
	.operands = "[file ...]",
	.purpose = "Writes tasks as a trace in Chrome's format, which Perfetto "
	    "and speedscope open:\nlanes by host, the critical path, and how "
	    "many tasks ran.",
	.examples = {
	    "trace-export -g nodes -p path tasks >for-perfetto.json",
	    "malparse --tasks trace.json | trace-export >for-perfetto.json",
	},
	.reads = "task records",
	.keys = build_keys,
	.output = filter_writes_text,
};

enum {
	HOSTS_MAX = 64,		/* that have counters of their own */
	PARTS_MAX = 2000	/* of the time, of a counter with means */
};

/* The trace, and what is numbered over all its runs. */
static struct {
	struct document document;
	uint64_t n_pids, n_arrows;
} state;

/* --- counters ------------------------------------------------------------- */

/* Hosts have counters if there are several, but not too many to be read. */
static size_t
n_host_counters(const struct view *p)
{
	return p->n_processes >= 2 && p->n_processes <= HOSTS_MAX ?
	    p->n_processes : 0;
}

/*
 * Writes the counters of the summary and of the hosts, unless d is NULL;
 * returns the number of their events.
 */
static size_t
write_counters(struct document *d, const struct view *p, uint64_t pid,
    size_t n_parts)
{
	size_t n = counter_write(d, p, p->slices, p->n_slices, pid, n_parts);

	for (size_t i = 0; i < n_host_counters(p); i++) {
		const struct process *process = &p->processes[i];
		const struct track *first = &p->tracks[process->first];

		n += counter_write(d, p, p->slices + first->first,
		    process->n_tasks, pid + 1 + i, n_parts);
	}
	return n;
}

/* --- the limit ------------------------------------------------------------ */

/* Writes "run 'NAME': ", if the run has a name. */
static void
put_run_name(struct buf *b, const struct view *p)
{
	if (p->build->run_name != NULL)
		buf_printf(b, "run '%s': ", p->build->run_name);
}

/*
 * Merges tasks, and averages the counters, as much as the limit demands.
 * Returns into how many parts the counters divide the time; 0: no limit.
 */
static size_t
apply_limit(struct tasks *t)
{
	const struct view *p = t->p;
	size_t n_parts, n_other = 3 * p->n_steps;
	struct buf b = { 0 };

	tasks_write(t);
	if (opt.all || t->n_events + n_other + write_counters(NULL, p, 0, 0) <=
	    opt.limit)
		return 0;

	/* At most a quarter of all events are of counters. */
	n_parts = opt.limit / (4 * (1 + n_host_counters(p))) + 1;
	if (n_parts > PARTS_MAX)
		n_parts = PARTS_MAX;
	n_other += write_counters(NULL, p, 0, n_parts);
	while (t->n_events + n_other > opt.limit && t->unit_us <= p->wall_us) {
		t->unit_us = t->unit_us == 0 ? 1 : t->unit_us * 2;
		tasks_write(t);
	}

	put_run_name(&b, p);
	if (t->n_merged > 0)
		buf_printf(&b, "%llu of %zu tasks, all shorter than %lld us, "
		    "are merged into %llu; ", (unsigned long long)t->n_merged,
		    p->n_slices, (long long)t->unit_us,
		    (unsigned long long)t->n_merges);
	buf_printf(&b, "counters are means over %zu parts of the time; use "
	    "--all for everything", n_parts);
	err_warn("warning: %s", buf_cstr(&b));
	buf_release(&b);
	return n_parts;
}

/* --- a run ---------------------------------------------------------------- */

static void
report_left_out(const struct view *p)
{
	struct buf b = { 0 };

	put_run_name(&b, p);
	if (p->n_untimed > 0)
		err_warn("warning: %stasks without a start or an end, which "
		    "are left out: %llu", buf_cstr(&b),
		    (unsigned long long)p->n_untimed);
	if (p->n_sums > 0)
		err_warn("warning: %stasks whose time is the sum of several "
		    "intervals, which are left out: %llu",
		    buf_cstr(&b),
		    (unsigned long long)p->n_sums);
	buf_release(&b);
}

static void
write_view(const struct view *p)
{
	struct document *d = &state.document;
	struct place summary = { state.n_pids + 1, 1 };
	struct tasks t = { .p = p, .first_pid = summary.pid + 1 };
	size_t n_parts = apply_limit(&t);
	struct buf name = { 0 };

	/* A process has the critical path and the counter of all. */
	if (p->build->run_name != NULL)
		buf_printf(&name, "%s: ", p->build->run_name);
	buf_str(&name, p->n_steps > 0 ? "critical path" : "running tasks");
	document_put_name(d, "process_name", summary, buf_span(&name));
	document_put_sort_index(d, "process_sort_index", summary,
	    (int64_t)summary.pid);
	if (p->n_steps > 0)
		document_put_name(d, "thread_name", summary,
		    span_str("critical path"));
	buf_release(&name);

	t.d = d;
	for (size_t i = 0; i < p->n_processes; i++)
		tasks_put_names(&t, i);
	path_write_lane(&t, summary);
	tasks_write(&t);
	state.n_arrows += path_write_arrows(&t, state.n_arrows + 1);
	write_counters(d, p, summary.pid, n_parts);
	document_add_run(d, p->build->run_name, p->origin_us, p->wall_us,
	    p->n_slices);
	state.n_pids += 1 + p->n_processes;
}

int
main(int argc, char **argv)
{
	struct builds builds;
	struct build *build;
	struct paths paths;
	const struct path_step *steps;
	struct view view;
	struct filter f;
	size_t n_steps;

	filter_begin(&f, &about, options, argc, argv);
	state.document.f = &f;
	builds_keep(&f, kept_keys);
	paths_begin(&paths, &builds, &f, opt.graph, opt.path);
	while ((build = builds_next(&builds)) != NULL) {
		build_resolve_attempts(build);
		steps = paths_find(&paths, build, &n_steps);
		view_make(&view, build, steps, n_steps);
		if (view.n_slices > 0)
			write_view(&view);
		report_left_out(&view);
		view_release(&view);
	}

	document_end(&state.document);
	if (builds.n_tasks > 0 && !state.document.has_events)
		filter_fail(&f, "no task has a start and an end: there is "
		    "nothing to show");
	paths_release(&paths);
	return filter_end(&f);
}
