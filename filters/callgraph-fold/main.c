/* callgraph-fold - call graphs for the viewers of others */

#include <string.h>

#include "common/base/err.h"
#include "filters/callgraph-fold/formats.h"

static struct {
	const char *by, *format;
	bool collapse_recursion;
} opt = { .format = "folded" };

static const struct opt options[] = {
	{ 'b', "by", OPT_STR, &opt.by, "MEASURE",
	    "self, samples or calls (the first that is there)", 0, 0 },
	{ 'f', "format", OPT_STR, &opt.format, "FORMAT",
	    "folded, speedscope or callgrind (folded)", 0, 0 },
	{ 'c', "collapse-recursion", OPT_FLAG, &opt.collapse_recursion, NULL,
	    "a function that calls itself is one with its caller", 0, 0 },
	{ 0 }
};

static const struct about about = {
	.operands = "[file ...]",
	.purpose = "Writes callgraphs as folded stacks, which flamegraph.pl, "
	    "speedscope and inferno\nread, or as a profile of speedscope or "
	    "callgrind.",
	.keys = callgraph_keys,
};

/* In the order in which they are looked for. */
static const struct {
	const char *name;
	unsigned measure;
} measures[] = { { "self", SELF_NS }, { "samples", SAMPLES },
    { "calls", CALLS } };
enum { N_WAYS = sizeof measures / sizeof *measures };

static const struct {
	const char *name;
	void (*put)(struct filter *, const struct stacks *, unsigned);
} formats[] = { { "folded", put_folded }, { "speedscope", put_speedscope },
    { "callgrind", put_callgrind } };
enum { N_FORMATS = sizeof formats / sizeof *formats };

static size_t
chosen_format(void)
{
	for (size_t i = 0; i < N_FORMATS; i++)
		if (strcmp(opt.format, formats[i].name) == 0)
			return i;
	die("--format is folded, speedscope or callgrind, not '%s'",
	    opt.format);
}

/* N_WAYS: whichever is there. */
static size_t
chosen_way(void)
{
	if (opt.by == NULL)
		return N_WAYS;
	for (size_t i = 0; i < N_WAYS; i++)
		if (strcmp(opt.by, measures[i].name) == 0)
			return i;
	die("--by is self, samples or calls, not '%s'", opt.by);
}

static unsigned
find_measure(struct filter *f, const struct stacks *s, size_t way)
{
	for (size_t i = 0; way == N_WAYS && i < N_WAYS; i++)
		if (s->measured[measures[i].measure])
			way = i;
	if (way == N_WAYS)
		return CALLS;
	if (s->n > 0 && !s->measured[measures[way].measure])
		filter_fail(f, "no node has %s",
		    callgraph_measures[measures[way].measure]);
	return measures[way].measure;
}

int
main(int argc, char **argv)
{
	struct filter f;
	struct callgraph g;
	struct stacks stacks;
	struct rec *rec;
	struct span program;
	const char *why;
	size_t format, way;

	filter_begin(&f, &about, options, argc, argv);
	format = chosen_format();
	way = chosen_way();
	callgraph_init(&g);
	stacks_init(&stacks, opt.collapse_recursion);
	while ((rec = filter_next(&f)) != NULL) {
		if (!rec_is(rec, "callgraph"))
			continue;
		if (!callgraph_read(&g, rec, &why)) {
			filter_reject(&f, "%s", why);
			continue;
		}
		stacks_add(&stacks, &g);
		if (rec_str(rec, GRAPH_PROGRAM, &program) == REC_OK)
			stacks_of(&stacks, program);
	}
	if (stacks.n > 0)
		formats[format].put(&f, &stacks, find_measure(&f, &stacks,
		    way));
	stacks_release(&stacks);
	callgraph_release(&g);
	return filter_end(&f);
}
