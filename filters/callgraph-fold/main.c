/* callgraph-fold - write callgraphs in the formats of profile viewers */

#include "common/base/err.h"
#include "filters/callgraph-fold/formats.h"
#include "filters/callgraph-fold/pprof.h"

static struct {
	const char *by, *format;
	bool collapse_recursion, svg;
} opt = { .format = "folded" };

static const struct opt options[] = {
	{ 'b', "by", OPT_STR, &opt.by, "MEASURE",
	    "self, samples or calls (the first that was measured)", 0, 0 },
	{ 'f', "format", OPT_STR, &opt.format, "FORMAT",
	    "folded, speedscope, callgrind, pprof or svg", 0, 0 },
	{ 0, "svg", OPT_FLAG, &opt.svg, NULL,
	    "the same as --format svg: a flame graph", 0, 0 },
	{ 'c', "collapse-recursion", OPT_FLAG, &opt.collapse_recursion, NULL,
	    "merge a function that calls itself with its caller", 0, 0 },
	{ 0 }
};

static const struct about about = {
	.operands = "[file ...]",
	.purpose = "Writes callgraphs as folded stacks, which flamegraph.pl, "
	    "speedscope and inferno\nread, or as a profile of speedscope, "
	    "callgrind or pprof, or as a picture.",
	.keys = callgraph_keys,
};

/* The values of --by.  The first one that was measured is the default. */
enum { N_CHOICES = 3 };
static const char *const choices[N_CHOICES + 1] = { "self", "samples", "calls",
    NULL };
static const unsigned measures[N_CHOICES] = { SELF_NS, SAMPLES, CALLS };

static const char *const formats[] = { "folded", "speedscope", "callgrind",
    "pprof", "svg", NULL };
/* NULL: pprof, which is not written from stacks by name. */
static void (*const writers[])(struct filter *, const struct stacks *,
    unsigned) = { put_folded, put_speedscope, put_callgrind, NULL,
    put_svg };

/*
 * The measure to write: measures[choice] or, if choice is N_CHOICES, the first
 * of them that was measured, or else calls.
 */
static unsigned
find_measure(struct filter *f, const bool *is_measured, size_t choice)
{
	for (size_t i = 0; choice == N_CHOICES && i < N_CHOICES; i++)
		if (is_measured[measures[i]])
			choice = i;
	if (choice == N_CHOICES)
		return CALLS;
	if (!is_measured[measures[choice]])
		filter_fail(f, "no node has %s",
		    callgraph_measure_keys[measures[choice]]);
	return measures[choice];
}

/* The next callgraph, read into g, and its record; or NULL. */
static struct rec *
next_callgraph(struct filter *f, struct callgraph *g)
{
	struct rec *rec;
	const char *why;

	while ((rec = filter_next(f)) != NULL) {
		if (!rec_is(rec, "callgraph"))
			continue;
		if (callgraph_read(g, rec, &why))
			return rec;
		filter_reject(f, "%s", why);
	}
	return NULL;
}

static void
write_stacks(struct filter *f, struct callgraph *g, size_t format,
    size_t choice)
{
	struct stacks stacks;
	struct span program;
	struct rec *rec;

	stacks_init(&stacks, opt.collapse_recursion);
	while ((rec = next_callgraph(f, g)) != NULL) {
		stacks_add(&stacks, g);
		if (rec_str(rec, GRAPH_PROGRAM, &program) == REC_OK)
			stacks_add_program(&stacks, program);
	}
	if (stacks.n > 0)
		writers[format](f, &stacks, find_measure(f, stacks.is_measured,
		    choice));
	stacks_release(&stacks);
}

static void
write_pprof(struct filter *f, struct callgraph *g, size_t choice)
{
	struct pprof profile;
	struct rec *rec;

	pprof_init(&profile, opt.collapse_recursion);
	while ((rec = next_callgraph(f, g)) != NULL)
		pprof_add(&profile, g, rec);
	if (profile.stacks.n > 0)
		pprof_write(&profile, f, find_measure(f, profile.is_measured,
		    choice));
	pprof_release(&profile);
}

int
main(int argc, char **argv)
{
	struct filter f;
	struct callgraph g;
	size_t format, choice = N_CHOICES;

	filter_begin(&f, &about, options, argc, argv);
	filter_write_text(&f);
	if (opt.svg)
		opt.format = "svg";
	format = opt_choice("format", opt.format, formats);
	if (opt.by != NULL)
		choice = opt_choice("by", opt.by, choices);
	callgraph_init(&g);
	if (writers[format] != NULL)
		write_stacks(&f, &g, format, choice);
	else
		write_pprof(&f, &g, choice);
	callgraph_release(&g);
	return filter_end(&f);
}
