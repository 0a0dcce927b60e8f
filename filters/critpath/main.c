/* critpath - the critical path of a build, and what would shorten it */

#include <stdlib.h>
#include <string.h>

#include "common/base/err.h"
#include "common/build/attempts.h"
#include "common/frame/filter.h"
#include "filters/critpath/answer.h"
#include "filters/critpath/network.h"

static struct {
	const char *graph, *to;
	uint64_t top, workers;
	bool all, bridge;
	struct opt_list set, drop;
} opt = { .top = 1 };

static const struct opt options[] = {
	{ 'g', "graph", OPT_STR, &opt.graph, "FILE",
	    "read nodes from FILE first", 0, 0 },
	{ 't', "to", OPT_STR, &opt.to, "ID", "the path to this task", 0, 0 },
	{ 'k', "top", OPT_NUM, &opt.top, "K",
	    "the K longest paths, each with a new task", 1, 10000 },
	{ 'a', "all", OPT_FLAG, &opt.all, NULL,
	    "slack and drag of every task", 0, 0 },
	{ 'b', "bridge", OPT_FLAG, &opt.bridge, NULL,
	    "follow dependencies through tasks without a time", 0, 0 },
	{ 's', "set", OPT_LIST, &opt.set, "ID=TIME",
	    "what if this task took 0, 90ms, 2.5s, 3m or 1h?", 0, 0 },
	{ 'd', "drop", OPT_LIST, &opt.drop, "KEY=VALUE",
	    "what if tasks of this kind, host or rule took 0?", 0, 0 },
	{ 'w', "workers", OPT_NUM, &opt.workers, "N",
	    "what if N workers did everything? (simulated)", 1, 1 << 24 },
	{ 0 }
};

static const struct about about = {
	.operands = "[file ...]",
	.purpose = "Finds the longest chain of tasks, each of which waited "
	    "for the previous one,\nfrom task and node records, and what would "
	    "shorten it.",
	.keys = build_keys,
	.reports = true,
};

/*
 * Reads a time such as "2.5s" as microseconds; only 0 needs no unit.  Returns
 * false if it is not a time, or too long.
 */
static bool
read_duration(const char *text, int64_t *us)
{
	static const struct { const char *name; double us; } units[] = {
		{ "us", 1 }, { "ms", 1e3 }, { "s", 1e6 }, { "m", 60e6 },
		{ "h", 3600e6 }
	};
	const size_t n_units = sizeof units / sizeof *units;
	const char *unit = text + strspn(text, "0123456789.");
	char number[32], *end;
	double value;
	size_t i = 0;

	/* strtod() alone would accept 0x10, 1e3 and infinity. */
	if (unit == text || (size_t)(unit - text) >= sizeof number)
		return false;
	memcpy(number, text, (size_t)(unit - text));
	number[unit - text] = '\0';
	value = strtod(number, &end);
	if (*end != '\0')
		return false;
	if (value > 0 || *unit != '\0') {
		while (i < n_units && strcmp(unit, units[i].name) != 0)
			i++;
		if (i == n_units)
			return false;
		value *= units[i].us;
	}
	/* Integers in records must be below 2^53, about 9.007e15. */
	if (!(value >= 0 && value < 9e15))
		return false;
	*us = (int64_t)(value + 0.5);
	return true;
}

/* Splits "A=B" at the last '=', since A may contain others.  Returns B. */
static const char *
split_at_equals(const char *option, const char *text, struct span *left)
{
	const char *equals = strrchr(text, '=');

	if (equals == NULL)
		die("--%s takes A=B, not '%s'", option, text);
	*left = span_of(text, (size_t)(equals - text));
	return equals + 1;
}

/*
 * Returns whether id refers to the vertex: "ID" refers to all attempts, "ID#2"
 * to the second one.
 */
static bool
has_id(const struct network *net, uint32_t v, struct span id)
{
	struct buf full = { 0 };
	struct span own = intern_span(&net->build->names, network_id(net, v));
	bool matches = id.n >= own.n && memcmp(id.p, own.p, own.n) == 0;

	if (matches && id.n > own.n) {
		network_put_id(net, v, &full);
		matches = span_compare(buf_span(&full), id) == 0;
		buf_release(&full);
	}
	return matches;
}

/* Marks every vertex of an id and returns their number. */
static size_t
mark_id(const struct network *net, struct span id, bool *marks)
{
	size_t n = 0;

	for (uint32_t v = 0; v < net->n_vertices; v++)
		if (has_id(net, v, id)) {
			marks[v] = true;
			n++;
		}
	return n;
}

static void
apply_set(struct network *net, const char *text)
{
	bool *marks = mem_zero(net->n_vertices, sizeof *marks);
	struct span id;
	const char *time = split_at_equals("set", text, &id);
	int64_t us;

	if (!read_duration(time, &us))
		die("'%s' is not a time: 0, 90ms, 2.5s, 3m or 1h", time);
	if (mark_id(net, id, marks) == 0)
		die("no task '%.*s' has an elapsed time", (int)id.n, id.p);
	for (uint32_t v = 0; v < net->n_vertices; v++)
		if (marks[v] && network_task(net, v) != NULL)
			net->dag.weight[v] = us;
	free(marks);
}

/* The task's kind, host or rule, depending on key. */
static sym
get_property(const struct network *net, const struct task *t, struct span key)
{
	if (span_eq(key, "kind"))
		return t->kind;
	if (span_eq(key, "host"))
		return t->host;
	return build_rule(net->build, t);
}

static void
apply_drop(struct network *net, const char *text)
{
	struct span key;
	const char *value = split_at_equals("drop", text, &key);
	sym wanted = intern_find(&net->build->names, span_str(value));
	const struct task *t;
	size_t n = 0;

	if (!span_eq(key, "kind") && !span_eq(key, "host") &&
	    !span_eq(key, "rule"))
		die("--drop takes kind, host or rule, not '%.*s'",
		    SPAN_ARG(key));
	for (uint32_t v = 0; v < net->n_vertices; v++) {
		t = network_task(net, v);
		if (t == NULL || wanted == SYM_NONE ||
		    get_property(net, t, key) != wanted)
			continue;
		net->dag.weight[v] = 0;
		n++;
	}
	if (n == 0)
		err_warn("warning: no task matches --drop %s", text);
}

static void
change_weights(struct network *net)
{
	for (size_t i = 0; i < opt.drop.n; i++)
		apply_drop(net, opt.drop.values[i]);
	for (size_t i = 0; i < opt.set.n; i++)
		apply_set(net, opt.set.values[i]);
}

/* With --to: vertices with its id become ends, and all others do not. */
static void
set_only_ends(struct network *net)
{
	memset(net->is_end, 0, net->n_vertices * sizeof *net->is_end);
	if (mark_id(net, span_str(opt.to), net->is_end) == 0)
		die("no task '%s' has an elapsed time", opt.to);
}

/*
 * Returns the time in which the workers do all tasks.  This does not depend on
 * --to, so every vertex is treated as an end: the caller must call dag_tails()
 * again.
 */
static int64_t
simulate(struct network *net)
{
	bool *is_end = mem_zero(net->n_vertices, sizeof *is_end);
	bool *needs_no_worker = mem_zero(net->n_vertices,
	    sizeof *needs_no_worker);
	const struct task *t;
	int64_t us;

	for (uint32_t v = 0; v < net->n_vertices; v++) {
		t = network_task(net, v);
		is_end[v] = true;
		needs_no_worker[v] = t == NULL ||
		    t->kind == net->build->copy;
	}
	dag_tails(&net->dag, is_end);
	us = dag_simulate(&net->dag, opt.workers, needs_no_worker);
	free(is_end);
	free(needs_no_worker);
	return us;
}

struct cycle_context {
	struct filter *f;
	const struct network *net;
};

/* Reports "a -> b -> a": each task depends on the next. */
static void
report_cycle(void *context, const uint32_t *cycle, size_t n)
{
	enum { PRINTED_MAX = 20 };
	struct cycle_context *ctx = context;
	struct buf text = { 0 };

	for (size_t i = 0; i < n && i < PRINTED_MAX; i++) {
		network_put_id(ctx->net, cycle[i], &text);
		buf_str(&text, " -> ");
	}
	if (n > PRINTED_MAX)
		buf_printf(&text, "... (%zu tasks) -> ", n);
	network_put_id(ctx->net, cycle[0], &text);
	filter_fail(ctx->f, "tasks depend on each other in a cycle, whose "
	    "dependencies are ignored: %s", buf_cstr(&text));
	buf_release(&text);
}

static void
write_answer(struct filter *f, const struct build *build)
{
	bool what_if = opt.set.n > 0 || opt.drop.n > 0;
	int64_t recorded_us = 0, simulated_us = 0;
	struct network net;
	struct cycle_context ctx = { f, &net };
	struct answer a;

	network_make(&net, build, opt.bridge, report_cycle, &ctx);
	if (opt.to != NULL)
		set_only_ends(&net);
	dag_longest(&net.dag);
	if (what_if) {
		recorded_us = answer_length(&net);
		change_weights(&net);
		dag_longest(&net.dag);
	}
	if (opt.workers > 0)
		simulated_us = simulate(&net);
	dag_tails(&net.dag, net.is_end);
	answer_find(&a, &net, opt.top, what_if);
	a.recorded_us = recorded_us;
	a.workers = opt.workers;
	a.simulated_us = simulated_us;
	if (f->text)
		answer_report(&a, f, opt.all);
	else
		answer_emit(&a, f, opt.all);
	answer_release(&a);
	network_release(&net);
}

int
main(int argc, char **argv)
{
	struct filter f;
	struct build build;

	filter_begin(&f, &about, options, argc, argv);
	build_read(&build, &f, opt.graph);
	build_resolve_attempts(&build);
	write_answer(&f, &build);
	build_release(&build);
	return filter_end(&f);
}
