/* callgraph-fold - write callgraphs in the formats of profile viewers */

#include <string.h>

#include "common/base/err.h"
#include "filters/callgraph-fold/formats.h"

static struct {
	const char *by, *format;
	bool collapse_recursion;
} opt = { .format = "folded" };

static const struct opt options[] = {
	{ 'b', "by", OPT_STR, &opt.by, "MEASURE",
	    "self, samples or calls (the first that was measured)", 0, 0 },
	{ 'f', "format", OPT_STR, &opt.format, "FORMAT",
	    "folded, speedscope or callgrind (folded)", 0, 0 },
	{ 'c', "collapse-recursion", OPT_FLAG, &opt.collapse_recursion, NULL,
	    "merge a function that calls itself with its caller", 0, 0 },
	{ 0 }
};

static const struct about about = {
	.operands = "[file ...]",
	.purpose = "Writes callgraphs as folded stacks, which flamegraph.pl, "
	    "speedscope and inferno\nread, or as a profile of speedscope or "
	    "callgrind.",
	.keys = callgraph_keys,
};

/* The values of --by.  The first one that was measured is the default. */
static const struct {
	const char *name;
	unsigned measure;
} choices[] = { { "self", SELF_NS }, { "samples", SAMPLES },
    { "calls", CALLS } };
enum { N_CHOICES = sizeof choices / sizeof *choices };

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
	die("--format must be folded, speedscope or callgrind, not '%s'",
	    opt.format);
}

/* The index in choices of --by, or N_CHOICES without it. */
static size_t
chosen_by(void)
{
	if (opt.by == NULL)
		return N_CHOICES;
	for (size_t i = 0; i < N_CHOICES; i++)
		if (strcmp(opt.by, choices[i].name) == 0)
			return i;
	die("--by must be self, samples or calls, not '%s'", opt.by);
}

/* The measure to write: the choice, or else the first that was measured. */
static unsigned
find_measure(struct filter *f, const struct stacks *s, size_t choice)
{
	for (size_t i = 0; choice == N_CHOICES && i < N_CHOICES; i++)
		if (s->is_measured[choices[i].measure])
			choice = i;
	if (choice == N_CHOICES)
		return CALLS;
	if (s->n > 0 && !s->is_measured[choices[choice].measure])
		filter_fail(f, "no node has %s",
		    callgraph_measures[choices[choice].measure]);
	return choices[choice].measure;
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
	size_t format, choice;

	filter_begin(&f, &about, options, argc, argv);
	format = chosen_format();
	choice = chosen_by();
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
			stacks_add_program(&stacks, program);
	}
	if (stacks.n > 0)
		formats[format].put(&f, &stacks, find_measure(&f, &stacks,
		    choice));
	stacks_release(&stacks);
	callgraph_release(&g);
	return filter_end(&f);
}
