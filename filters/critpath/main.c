/* critpath - the critical path of a build, and what would shorten it */

#include <stdlib.h>
#include <string.h>

#include "common/base/err.h"
#include "common/build/attempts.h"
#include "common/build/build-names.h"
#include "common/build/builds.h"
#include "common/build/missing.h"
#include "common/build/wrong-input.h"
#include "common/filter/filter-reject.h"
#include "common/filter/filter.h"
#include "common/report/report.h"
#include "filters/critpath/critpath.h"

static struct {
	const char *graph, *to;
	uint64_t top, workers;
	bool all, bridge, edges, summary;
	struct opt_list set, drop, scale, limit, budget, by;
} opt = { .top = 1, .by.words = keys_own };

static const struct opt options[] = {
	{ 'g', "graph", OPT_STR, &opt.graph, "FILE",
	    "read nodes from FILE first", 0, 0 },
	{ 't', "to", OPT_STR, &opt.to, "TASK",
	    "the path to this task, an id or a name", 0, 0 },
	{ 'k', "top", OPT_NUM, &opt.top, "K",
	    "the K longest paths, each with a new task", 1, 10000 },
	{ 'a', "all", OPT_FLAG, &opt.all, NULL,
	    "slack and drag of every task", 0, 0 },
	{ 'b', "bridge", OPT_FLAG, &opt.bridge, NULL,
	    "follow dependencies through tasks without a time", 0, 0 },
	{ 's', "set", OPT_LIST, &opt.set, "TASK=TIME",
	    "what if this task took 0, 90ms, 2.5s, 3m or 1h?", 0, 0 },
	{ 'd', "drop", OPT_LIST, &opt.drop, "KEY=VALUE",
	    "what if tasks with this value of a key took 0?", 0, 0 },
	{ 0, "scale", OPT_LIST, &opt.scale, "KEY=VALUE=FACTOR",
	    "what if these tasks took FACTOR times as long?", 0, 0 },
	{ 'w', "workers", OPT_NUM, &opt.workers, "N",
	    "what if N workers did everything? (simulated)", 1, 1 << 24 },
	{ 0, "limit", OPT_LIST, &opt.limit, "KEY=VALUE=N",
	    "what if at most N such tasks ran at once?", 0, 0 },
	{ 0, "budget", OPT_LIST, &opt.budget, "TIME",
	    "status 1 if the path (wall=TIME: build) is longer", 0, 0 },
	{ 0, "by", OPT_LIST, &opt.by, "KEY",
	    "groups by target, name, rule, host or any key", 0, 0 },
	{ 0, "summary", OPT_FLAG, &opt.summary, NULL,
	    "one line for each build", 0, 0 },
	{ 0, "edges", OPT_FLAG, &opt.edges, NULL,
	    "what would the path save without a dependency?", 0, 0 },
	{ 0 }
};

static const struct about about = {
	.operands = "[file ...]",
	.purpose = "Finds the longest chain of tasks, each of which waited "
	    "for the previous one,\nfrom task and node records, and what would "
	    "shorten it.",
	.examples = {
	    "execlog-parse build.log | critpath -g <(buildgraph-parse "
	    "graph.json)",
	    "critpath -g nodes --by rule --workers 8 tasks",
	},
	.reads = "task and node records",
	.keys = build_keys,
	.reports = true,
};

/* In all builds so far, how many vertices each value of an option refers to. */
static struct {
	size_t to;
	size_t *by;		/* groups */
	size_t paths;
	bool checked;
} matches;

/* The options whose values select tasks, in the order of their effect. */
enum { DROP, SCALE, LIMIT, SET, N_SELECTORS };

static struct selector {
	const char *option;
	const struct opt_list *list;
	/* Changes the times of the tasks; NULL: they keep theirs. */
	size_t (*apply)(struct network *, const char *option,
	    const char *value);
	size_t *matches;	/* by value, as in `matches` */
} selectors[N_SELECTORS] = {
	[DROP] = { "drop", &opt.drop, whatif_scale, NULL },
	[SCALE] = { "scale", &opt.scale, whatif_scale, NULL },
	[LIMIT] = { "limit", &opt.limit, NULL, NULL },
	[SET] = { "set", &opt.set, whatif_set, NULL },
};

/*
 * Ends the program, or warns, if a value refers to nothing in any build.
 * Called before the last answer is written, if it is known to be the last, and
 * at the end.
 */
static void
check_matches(void)
{
	const struct selector *s = selectors;
	const char *text;

	if (matches.checked)
		return;
	matches.checked = true;
	if (opt.to != NULL && matches.to == 0)
		die("no task '%s' has an elapsed time", opt.to);
	for (; s < selectors + N_SELECTORS; s++)
		for (size_t i = 0; i < s->list->n; i++) {
			if (s->matches[i] > 0)
				continue;
			text = s->list->values[i];
			if (s == &selectors[SET])
				die("no task '%.*s' has an elapsed time",
				    (int)(strrchr(text, '=') - text), text);
			err_warn("warning: no task matches --%s %s",
			    s->option, text);
		}
}

/* Writes what --edges and --by ask for. */
static void
write_parts_of_path(struct filter *f, const struct answer *a)
{
	struct groups groups;

	if (a->n_paths == 0)
		return;
	matches.paths++;
	if (opt.edges && f->text)
		edges_report(a, filter_out(f));
	else if (opt.edges)
		edges_emit(a, f);
	for (size_t i = 0; i < opt.by.n; i++) {
		groups_find(&groups, a, opt.by.values[i]);
		matches.by[i] += groups.n;
		if (f->text)
			groups_report(&groups, a, filter_out(f));
		else
			groups_emit(&groups, a, f);
		groups_release(&groups);
	}
}

static void
write_records(struct filter *f, const struct answer *a,
    const struct verdict *verdict)
{
	build_emit_unfinished(a->net->build, f);
	answer_emit_steps(a, f, opt.all);
	write_parts_of_path(f, a);
	if (a->n_paths > 0) {
		waits_emit(a, f);
		clocks_emit(a->net, f);
	}
	answer_emit_summaries(a, f);
	if (a->n_paths > 0)
		verdict_emit(verdict, f);
	budgets_check(a, f);
}

static void
write_report(struct filter *f, const struct answer *a,
    const struct verdict *verdict)
{
	build_put_run(a->net->build, filter_out(f));
	answer_report_doubts(a, f);
	if (a->n_paths > 0) {
		verdict_report(verdict, f);
		remote_report(a, f);
	}
	budgets_check(a, f);
	answer_report(a, f, opt.all);
	write_parts_of_path(f, a);
	answer_report_notes(a, f);
}

static void
write_answer(struct filter *f, const struct build *build,
    const struct builds *all)
{
	bool what_if = opt.set.n + opt.drop.n + opt.scale.n > 0;
	struct rules rules = { 0 };
	int64_t recorded_us = 0, recorded_simulated_us = 0;
	struct savings savings;
	struct selector *s;
	struct network net;
	struct verdict verdict;
	struct answer a;

	network_make(&net, build, opt.bridge, f);
	if (opt.to != NULL) {
		memset(net.is_end, 0, net.n_vertices * sizeof *net.is_end);
		matches.to += whatif_mark(&net, span_str(opt.to), net.is_end);
	}
	dag_longest(&net.dag);

	pools_find(&rules.pools, &net);
	for (size_t i = 0; i < opt.limit.n; i++)
		selectors[LIMIT].matches[i] += whatif_limit(&net,
		    opt.limit.values[i], &rules.limits);
	if (what_if) {
		recorded_us = answer_length(&net);
		if (opt.workers > 0)
			recorded_simulated_us = simulate_build(&net,
			    opt.workers, &rules);
		for (s = selectors; s < selectors + N_SELECTORS; s++)
			for (size_t i = 0; s->apply != NULL &&
			    i < s->list->n; i++)
				s->matches[i] += s->apply(&net, s->option,
				    s->list->values[i]);
		dag_longest(&net.dag);
	}
	if (all->is_last)
		check_matches();

	verdict_find(&verdict, &net, opt.workers, &rules, what_if);
	if (!opt.summary)
		verdict_simulate_more(&verdict, &net);
	dag_tails(&net.dag, net.is_end);
	answer_find(&a, &net, opt.top, what_if);
	a.all = all;
	a.recorded_us = recorded_us;
	a.workers = opt.workers;
	a.simulated_us = verdict.simulated_us;
	a.recorded_simulated_us = recorded_simulated_us;
	savings_begin(&savings, &net, verdict.limit == LIMIT_WORKERS ||
	    verdict.limit == LIMIT_POOLS ? verdict.workers : opt.workers,
	    &rules);
	if (opt.summary) {
		summary_add(&a, &verdict, opt.by.n > 0 ? opt.by.values[0] :
		    "rule", f);
		budgets_check(&a, f);
	} else {
		answer_find_savings(&a, &savings);
		(f->text ? write_report : write_records)(f, &a, &verdict);
	}
	verdict_release(&verdict);
	answer_release(&a);
	network_release(&net);
	rules_release(&rules);
}

int
main(int argc, char **argv)
{
	struct builds builds;
	struct build *build;
	struct selector *s;
	struct filter f;

	filter_begin(&f, &about, options, argc, argv);
	for (size_t i = 0; i < opt.budget.n; i++)
		budget_read(opt.budget.values[i]);
	for (size_t i = 0; i < opt.by.n; i++)
		keys_add(span_str(opt.by.values[i]));
	for (s = selectors; s < selectors + N_SELECTORS; s++) {
		s->matches = mem_zero(s->list->n, sizeof *s->matches);
		for (size_t i = 0; s != &selectors[SET] && i < s->list->n; i++)
			whatif_add_key(s->option, s->list->values[i]);
	}
	keys_declare(&f);
	matches.by = mem_zero(opt.by.n, sizeof *matches.by);

	builds_begin(&builds, &f, opt.graph);
	while ((build = builds_next(&builds)) != NULL) {
		build_resolve_attempts(build);
		build_need_graph(build);
		write_answer(&f, build, &builds);
	}

	if (builds.n_tasks == 0 && !builds.has_extent) {
		if (!builds.said_why && !f.rejected)
			err_warn("the path is not known: no task came");
		filter_stop(&f);
	}
	summaries_print(&f);
	wrong_input_no_graph(&builds);
	check_matches();
	for (size_t i = 0; i < opt.by.n && matches.paths > 0 &&
	    !opt.summary; i++)
		if (matches.by[i] == 0)
			err_warn("warning: no task has the key '%s'",
			    opt.by.values[i]);
	for (s = selectors; s < selectors + N_SELECTORS; s++)
		free(s->matches);
	free(matches.by);
	return filter_end(&f);
}
