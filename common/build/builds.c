/* builds - divides a stream of records into builds, one for each run */

#include <stdlib.h>

#include "common/base/err.h"
#include "common/base/num.h"
#include "common/build/build-read.h"
#include "common/build/builds.h"
#include "common/build/wrong-input.h"
#include "common/filter/filter-get.h"
#include "common/filter/filter-read.h"
#include "common/filter/filter-reject.h"
#include "common/filter/filter.h"

/* The build of a record; NULL, and the record is rejected, if it has none. */
static struct build *
find_build(struct builds *all, const struct rec *r)
{
	struct span name;
	sym run;

	if (!filter_get_str(all->f, r, RUN, &name))
		return NULL;
	if (name.p == NULL)
		return all->common;
	run = intern_add(&all->run_names, name);
	if (run == all->n) {	/* a new symbol */
		all->by_run = mem_grow(all->by_run, &all->cap, all->n + 1,
		    sizeof *all->by_run);
		all->by_run[all->n++] = build_new(
		    intern_str(&all->run_names, run));
	}
	if (all->by_run[run] == NULL)
		filter_reject(all->f, "run '%s' has already ended: its build "
		    "record must be its last record",
		    intern_str(&all->run_names, run));
	return all->by_run[run];
}

/* Notes in which run the tasks of an execution are. */
static void
add_execution(struct builds *all, const struct build *b, struct span id)
{
	size_t n = all->executions.n;
	sym execution = intern_add(&all->executions, id);
	sym run = intern_find(&all->run_names, span_str(b->run_name));

	all->run_of = mem_grow(all->run_of, &all->run_of_cap,
	    all->executions.n, sizeof *all->run_of);
	if (execution == n || all->run_of[execution] == run)
		all->run_of[execution] = run;
	else
		all->run_of[execution] = SYM_NONE;
}

sym
builds_run_of(const struct builds *all, struct span execution_id)
{
	sym execution = intern_find(&all->executions, execution_id);

	return execution == SYM_NONE ? SYM_NONE : all->run_of[execution];
}

/* Adds a record to its build.  Returns the build if the record ends it. */
static struct build *
add_record(struct builds *all, const struct rec *r)
{
	bool is_task = rec_is(r, "task"), is_node = rec_is(r, "node");
	const struct field *execution;
	struct span rule;
	struct build *b;

	if (!is_task && !is_node && !rec_is(r, "build")) {
		expect_other(&all->other, all->f, r);
		if (all->on_other != NULL)
			all->on_other(all->context, r);
		return NULL;
	}

	if ((b = find_build(all, r)) == NULL)
		return NULL;
	if (is_task && all->n_tasks++ == 0)
		all->graph_lacks = all->f->reading.boundaries.lacks |
		    all->f->lacks;
	all->n_nodes += is_node;
	all->has_commands |= is_node && (rec_str(r, RULE, &rule) != REC_OK ||
	    !span_eq(rule, "phony"));
	all->has_extent |= !is_task && !is_node;
	/* A graph that came earlier is part of the runs that were answered. */
	if (is_node && b == all->common && all->n_ended > 0 &&
	    !all->had_late_node) {
		all->had_late_node = true;
		filter_fail(all->f, "nodes that belong to every run came after "
		    "the end of run '%s', which was answered without them: "
		    "give the graph before the runs, or with -g",
		    all->last_ended);
	}

	execution = is_task ? rec_get(r, EXECUTION) : NULL;
	if (execution != NULL && b != all->common)
		add_execution(all, b, execution->token);
	if (is_task)
		build_read_task(b, all->f, r);
	else if (is_node)
		build_read_node(b, all->f, r);
	else if (build_read_extent(b, all->f, r) && b != all->common) {
		b->lacks |= all->graph_lacks;
		return b;
	}
	return NULL;
}

void
builds_keep(struct filter *f, const char *const *kept)
{
	static const char *keys[KEYS_MAX + 1];
	size_t n = 0;

	for (; build_keys[n] != NULL; n++)
		keys[n] = build_keys[n];
	for (; *kept != NULL; kept++)
		keys[n++] = *kept;
	filter_declare_keys(f, keys);
}

void
builds_begin(struct builds *all, struct filter *f, const char *graph)
{
	*all = (struct builds){ .f = f, .common = build_new(NULL) };
	intern_init(&all->run_names);
	intern_init(&all->executions);
	if (graph != NULL)
		filter_read_first(f, graph);
}

/*
 * Adds what records without `run` say about each run: the nodes and, if the
 * stream has only one build, whose end no record has shown, its extent.
 */
static void
add_common(const struct builds *all, struct build *b)
{
	const struct build *common = all->common;

	if (common->n_nodes > 0)
		build_copy_nodes(b, common);
	if (!all->at_end || all->n > 1 || common->n_tasks > 0)
		return;
	build_add_extent(b, common->start_us, common->end_us,
	    common->n_earlier_runs);
	b->is_ninja |= common->is_ninja;
	b->is_make |= common->is_make;
	b->is_mixed |= common->is_mixed;
	b->is_incremental |= common->is_incremental;
	b->has_graph |= common->has_graph;
	b->lacks |= common->lacks;
	b->n_unknown_deps = saturating_add(b->n_unknown_deps,
	    common->n_unknown_deps);
}

/* Reads until a run ends, and returns its build; NULL at the end. */
static struct build *
read_run(struct builds *all)
{
	const struct rec *r;
	struct build *b;

	while ((r = filter_next(all->f)) != NULL) {
		if ((b = add_record(all, r)) == NULL)
			continue;
		all->by_run[intern_find(&all->run_names,
		    span_str(b->run_name))] = NULL;
		all->last_ended = b->run_name;
		all->n_ended++;
		return b;
	}
	return NULL;
}

/* Says which answers are complete although the input is truncated. */
static void
warn_if_truncated(const struct builds *all)
{
	size_t n_open = all->n - all->n_ended;

	if (!all->f->truncated || all->n_ended == 0)
		return;
	err_warn("the answer%s for the %zu run%s that ended before %s "
	    "complete", plural(all->n_ended, "", "s"), all->n_ended,
	    plural(all->n_ended, "", "s"), plural(all->n_ended, "is", "are"));
	for (size_t i = 0; n_open > 0 && i < all->n; i++)
		if (all->by_run[i] != NULL) {
			err_warn("run '%s'%s not ended, so the answer is "
			    "partial", all->by_run[i]->run_name, plural(n_open,
			    " has", " and others have"));
			return;
		}
}

/*
 * At the end of the input: the next build that no record has ended.  Those with
 * runs come first, because the common nodes must be copied before the common
 * records are indexed.
 */
static struct build *
next_open(struct builds *all)
{
	bool has_common = all->n == 0 || all->common->n_tasks > 0;
	struct build *b = NULL;

	while (b == NULL && all->next < all->n)
		b = all->by_run[all->next++];
	if (b == NULL && all->next++ == all->n && has_common)
		b = all->common;
	all->n_answered += b != NULL;
	all->is_last = all->n_answered == all->n - all->n_ended + has_common;
	return b;
}

struct build *
builds_next(struct builds *all)
{
	struct build *b = NULL;

	if (all->current != NULL) {
		all->lacks |= all->current->lacks;
		all->has_graph |= all->current->has_graph;
	}
	if (all->current != NULL && all->current != all->common)
		build_free(all->current);
	if (!all->at_end) {
		if (all->current != NULL)
			output_flush(&all->f->out);
		b = read_run(all);
	}
	if (b == NULL && !all->at_end) {
		all->at_end = true;
		all->said_why = wrong_input_no_tasks(all, all->f);
		warn_if_truncated(all);
	}

	if (b == NULL && (b = next_open(all)) != NULL)
		b->lacks |= all->f->lacks;
	all->current = b;
	if (b == NULL) {
		filter_note_lacks(all->f, all->lacks);
		build_free(all->common);
		free(all->by_run);
		free(all->run_of);
		intern_release(&all->run_names);
		intern_release(&all->executions);
		return NULL;
	}

	intern_flush(&all->common->names);
	intern_flush(&b->names);
	if (b != all->common)
		add_common(all, b);
	build_index(b);
	return b;
}
