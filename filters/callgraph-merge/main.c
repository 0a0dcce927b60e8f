/* callgraph-merge - add up the callgraphs of each release */

#include <stdlib.h>

#include "common/base/sort.h"
#include "common/filter/filter-reject.h"
#include "common/filter/filter.h"
#include "filters/callgraph-merge/merge.h"

static const struct opt options[] = { { 0 } };

static const struct about about = {
	.operands = "[file ...]",
	.purpose = "Adds up the callgraphs of each release into one.",
	.examples = {
	    "callgraph-merge calls-* >merged",
	    "callgraph-symbolize calls-* | callgraph-merge | callgraph-stat",
	},
	.reads = "callgraph records",
	.keys = callgraph_keys,
};

static struct {
	struct intern texts, checksums;
	struct callgraph graph;
	struct merge **merges;		/* by number in checksums */
	size_t n_merges, merges_cap;
} state;

static int
compare_merges(const void *a, const void *b)
{
	struct span x = (*(struct merge *const *)a)->checksum;
	struct span y = (*(struct merge *const *)b)->checksum;
	return span_compare(x, y);
}

int
main(int argc, char **argv)
{
	struct filter f;
	const struct field *checksum;
	struct rec *rec;
	sym number;

	filter_begin(&f, &about, options, argc, argv);
	intern_init(&state.texts);
	intern_init(&state.checksums);
	callgraph_init(&state.graph);
	while ((rec = callgraph_next(&state.graph, &f)) != NULL) {
		checksum = rec_get(rec, GRAPH_CHECKSUM);
		number = intern_add(&state.checksums, checksum != NULL ?
		    checksum->token : span_of("", 0));
		if (number == state.n_merges) {
			state.merges = mem_grow(state.merges, &state.merges_cap,
			    state.n_merges + 1, sizeof(struct merge *));
			state.merges[state.n_merges++] = merge_new(intern_span(
			    &state.checksums, number), &state.texts);
		}
		merge_add(state.merges[number], &state.graph, rec);
	}

	sort(state.merges, state.n_merges, sizeof(struct merge *),
	    compare_merges);
	for (size_t i = 0; i < state.n_merges; i++) {
		merge_write(state.merges[i], filter_out(&f));
		if (state.merges[i]->overflowed)
			filter_fail(&f, "a sum is 2^53 or more");
		if (state.merges[i]->has_excess_modules)
			filter_fail(&f, "the modules of a release do not fit "
			    "into the address space");
		filter_emit(&f);
		merge_free(state.merges[i]);
	}

	callgraph_release(&state.graph);
	intern_release(&state.texts);
	intern_release(&state.checksums);
	free(state.merges);
	return filter_end(&f);
}
