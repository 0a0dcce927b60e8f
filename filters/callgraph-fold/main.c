/* callgraph-fold - write callgraphs in the formats of profile viewers */

#include "common/filter/filter-reject.h"
#include "filters/callgraph-fold/callgraph-fold.h"

/* The values of --by.  The first one that was measured is the default. */
static const struct by {
	const char *name;
	unsigned measure;
} bys[] = {
	{ "self", SELF_NS },
	{ "samples", SAMPLES },
	{ "calls", CALLS },
	{ "off", SELF_OFF_NS },
	{ 0 }
};

enum { FOLDED, SPEEDSCOPE, CALLGRIND, PPROF, SVG };
static const struct format {
	const char *name;
	/* NULL: pprof, which is not written from stacks by name. */
	void (*put)(struct filter *, const struct stacks *, unsigned measure);
} formats[] = {
	[FOLDED] = { "folded", put_folded },
	[SPEEDSCOPE] = { "speedscope", put_speedscope },
	[CALLGRIND] = { "callgrind", put_callgrind },
	[PPROF] = { "pprof", NULL },
	[SVG] = { "svg", put_svg },
	{ 0 }
};

static struct {
	struct opt_word by, format;
	bool collapse_recursion, svg;
} opt = { .by = OPT_WORDS(bys), .format = OPT_WORDS(formats) };

static const struct opt options[] = {
	{ 'b', "by", OPT_WORD, &opt.by, "MEASURE",
	    "self, samples, calls or off (the first measured)", 0, 0 },
	{ 'f', "format", OPT_WORD, &opt.format, "FORMAT",
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
	.examples = {
	    "callgraph-symbolize calls | callgraph-fold --svg >flame.svg",
	    "callgraph-symbolize calls | callgraph-fold -f speedscope "
	    ">calls.json",
	},
	.reads = "callgraph records",
	.keys = callgraph_keys,
	.output = filter_writes_text,
};

/*
 * The measure to write: that of --by or, if by is NULL, the first that was
 * measured, or else calls.
 */
static unsigned
find_measure(struct filter *f, const bool *is_measured, const struct by *by)
{
	if (by != NULL && !is_measured[by->measure])
		filter_fail(f, "no node has %s",
		    callgraph_measure_keys[by->measure]);
	if (by != NULL)
		return by->measure;
	for (by = bys; by->name != NULL; by++)
		if (is_measured[by->measure])
			return by->measure;
	return CALLS;
}

static void
write_stacks(struct filter *f, struct callgraph *g,
    const struct format *format, const struct by *by)
{
	struct stacks stacks;
	struct span program;
	struct rec *rec;

	stacks_init(&stacks, opt.collapse_recursion);
	while ((rec = callgraph_next(g, f)) != NULL) {
		callgraph_subtract_off_time(g);
		stacks_add(&stacks, g);
		if (rec_str(rec, GRAPH_PROGRAM, &program) == REC_OK)
			stacks_add_program(&stacks, program);
	}
	stacks_finish(&stacks);
	if (stacks.n > 0)
		format->put(f, &stacks, find_measure(f, stacks.is_measured,
		    by));
	stacks_release(&stacks);
}

static void
write_pprof(struct filter *f, struct callgraph *g, const struct by *by)
{
	struct pprof profile;
	struct rec *rec;

	pprof_init(&profile, opt.collapse_recursion);
	while ((rec = callgraph_next(g, f)) != NULL) {
		callgraph_subtract_off_time(g);
		pprof_add(&profile, g, rec);
	}
	if (profile.stacks.n > 0)
		pprof_write(&profile, f, find_measure(f, profile.is_measured,
		    by));
	pprof_release(&profile);
}

int
main(int argc, char **argv)
{
	struct filter f;
	struct callgraph g;
	const struct format *format;
	const struct by *by = NULL;

	filter_begin(&f, &about, options, argc, argv);
	format = &formats[opt.svg ? SVG : opt.format.index];
	if (opt.by.given != NULL)
		by = &bys[opt.by.index];
	callgraph_init(&g);
	if (format->put != NULL)
		write_stacks(&f, &g, format, by);
	else
		write_pprof(&f, &g, by);
	callgraph_release(&g);
	return filter_end(&f);
}
