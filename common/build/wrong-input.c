/* wrong-input - reports input that is probably not what the user meant */

#include <string.h>

#include "common/base/err.h"
#include "common/build/build.h"
#include "common/build/builds.h"
#include "common/build/wrong-input.h"
#include "common/filter/filter-reject.h"
#include "common/filter/filter.h"
#include "common/filter/lacks.h"

/*
 * What the input may be if the first record that is not about builds has this
 * type, which is "" if the record has none.
 */
static const char *
explain(const char *type)
{
	static const char *const mal_rows[] = { "trace", "server",
	    "mal_execution", "profiler_event", "query", "mal_variable" };

	for (size_t i = 0; i < sizeof mal_rows / sizeof *mal_rows; i++)
		if (strcmp(type, mal_rows[i]) == 0)
			return "these are rows, which malload and malstat "
			    "read; use malparse --tasks";
	if (strcmp(type, "callgraph") == 0)
		return "a call graph has sums, not times; callgraph-fold "
		    "writes it as folded stacks or for speedscope and pprof";
	if (*type == '\0')
		return "execlog-parse reads the log of a build, "
		    "buildgraph-parse its graph and malparse a trace";
	return "is this the output of execlog-parse?";
}

bool
wrong_input_no_tasks(const struct builds *all, struct filter *f)
{
	if (all->n_tasks > 0)
		return false;
	if (f->rejecting.met_foreign)
		return true;
	if (all->n_nodes > 0 && !all->has_extent)
		filter_fail(f, "no task came, only nodes: where is the output "
		    "of execlog-parse?");
	else if (all->other.line > 0)
		filter_fail(f, "no task came: %s", explain(all->other.type));
	else if (!all->has_extent && f->rejected && f->current_line > 0)
		filter_fail(f, "no task came: is this the output of "
		    "execlog-parse?");
	else
		return false;
	return true;
}

void
wrong_input_no_graph(const struct builds *all)
{
	if (!all->has_commands && all->has_graph &&
	    (all->lacks & LACKS_GRAPH) != 0)
		err_warn("warning: no node came, so the path lacks the "
		    "dependencies of the build graph: give it with -g, as "
		    "buildgraph-parse writes it");
}

void
wrong_input_repeats(const struct build *b)
{
	const struct attempts *a = &b->attempts;

	if (a->n_same_ends > 1 &&
	    a->n_same_ends * 3 >= a->n_ends)
		err_warn("warning: %llu of %llu tasks came twice: was the "
		    "same log given twice?",
		    (unsigned long long)a->n_same_ends,
		    (unsigned long long)a->n_ends);
	else if (a->n_retries > 1 &&
	    a->n_retries * 3 >= a->n)
		err_warn("warning: %llu of %llu attempts at tasks are not the "
		    "first: are these several builds?  execlog-parse --each "
		    "reads each log as one",
		    (unsigned long long)a->n_retries,
		    (unsigned long long)a->n);
}
