/* formats - writes stacks in the formats of flame graph and profile viewers */

#include <stdlib.h>

#include "common/base/num.h"
#include "common/base/sort.h"
#include "filters/callgraph-fold/callgraph-fold.h"

/* --- folded --------------------------------------------------------------- */

/*
 * Writes a name.  ';', which would end it in a folded stack, becomes ':', and
 * control characters become spaces.
 */
static void
put_name(struct buf *b, struct span name)
{
	for (size_t i = 0; i < name.n; i++) {
		unsigned char c = (unsigned char)name.p[i];

		buf_char(b, c == ';' ? ':' : c < 0x20 || c == 0x7f ? ' ' :
		    (char)c);
	}
}

void
put_folded(struct filter *f, const struct stacks *s, unsigned measure)
{
	struct buf *b = filter_out(f);
	struct buf path = { 0 };	/* the functions on the stack */
	size_t *lengths = NULL;		/* of path, before each function */
	size_t depth = 0, cap = 0;
	struct tree t;

	stacks_tree(s, &t);
	while (tree_next(&t)) {
		const struct stack *stack = &s->list[t.node];

		if (!t.enters) {
			path.len = lengths[--depth];
			continue;
		}
		lengths = mem_grow(lengths, &cap, depth + 1, sizeof *lengths);
		lengths[depth++] = path.len;
		if (path.len > 0)
			buf_char(&path, ';');
		put_name(&path, s->frames[stack->frame].name);
		if (stack->measures[measure] == 0)
			continue;
		buf_add(b, path.data, path.len);
		buf_char(b, ' ');
		buf_i64(b, stack->measures[measure]);
		buf_char(b, '\n');
		filter_emit(f);
	}
	tree_release(&t);
	buf_release(&path);
	free(lengths);
}

/* --- speedscope ---------------------------------------------------------- */

/*
 * Writes an "evented" profile, as if each stack were a single call: first its
 * function runs, and then its callees.  A "sampled" profile would repeat all
 * functions of each stack, and so its length would be proportional to stacks
 * times depth.
 */
static void
put_profile(struct buf *b, const struct stacks *s, unsigned measure)
{
	struct span program = stacks_program(s);
	struct buf title = { 0 };	/* such as "app: time" */
	struct tree t;
	int64_t at = 0;

	buf_add(&title, program.p, program.n);
	if (program.n > 0)
		buf_str(&title, ": ");
	buf_str(&title, measure == SELF_NS ? "time" :
	    measure == SELF_OFF_NS ? "time off the CPU" :
	    callgraph_measure_keys[measure]);

	buf_char(b, '{');
	json_word(b, "type", "evented");
	json_str(b, "name", buf_span(&title));
	json_cstr(b, "unit", measure_is_time(measure) ? "nanoseconds" :
	    "none");
	json_int(b, "startValue", 0);
	json_open(b, "events", '[');
	stacks_tree(s, &t);
	while (tree_next(&t)) {
		const struct stack *stack = &s->list[t.node];

		buf_str(b, b->data[b->len - 1] == '[' ? "{" : ",{");
		json_word(b, "type", t.enters ? "O" : "C");
		json_uint(b, "frame", stack->frame);
		json_int(b, "at", at);
		buf_char(b, '}');
		if (t.enters)
			at = saturating_add(at, stack->measures[measure]);
	}
	tree_release(&t);
	buf_release(&title);
	json_close(b, ']');
	json_int(b, "endValue", at);
	json_close(b, '}');
}

void
put_speedscope(struct filter *f, const struct stacks *s, unsigned measure)
{
	struct buf *b = filter_out(f);

	buf_char(b, '{');
	json_cstr(b, "$schema",
	    "https://www.speedscope.app/file-format-schema.json");
	json_word(b, "exporter", "weir callgraph-fold");
	/* The frames, to which the events refer by index. */
	json_open(b, "shared", '{');
	json_open(b, "frames", '[');
	for (size_t i = 0; i < s->n_frames; i++) {
		buf_str(b, i > 0 ? ",{" : "{");
		json_str(b, "name", s->frames[i].name);
		json_text(b, "file", s->frames[i].file);
		json_count(b, "line", (uint64_t)s->frames[i].line);
		buf_char(b, '}');
	}
	json_close(b, ']');
	json_close(b, '}');
	json_open(b, "profiles", '[');
	put_profile(b, s, measure);
	json_close(b, ']');
	json_close(b, '}');
	buf_char(b, '\n');
	filter_emit(f);
}

/* --- callgrind ----------------------------------------------------------- */

/* The calls of one function by another. */
struct edge {
	uint32_t caller, callee;	/* frames */
	int64_t calls;
	int64_t cost;			/* inclusive */
};

static int
compare_edges(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;
	return cmp_u64(x->caller, y->caller) ?: cmp_u64(x->callee, y->callee);
}

/*
 * The edges, sorted by caller and callee; edges with the same caller and callee
 * are merged.  The array is to be freed.
 */
static struct edge *
find_edges(const struct stacks *s, unsigned measure, size_t *n)
{
	struct edge *edges = mem_zero(s->n + 1, sizeof *edges);
	int64_t *costs = stacks_inclusive(s, measure);
	size_t found = 0;

	*n = 0;
	for (size_t i = 0; i < s->n; i++)
		if (s->list[i].parent != INDEX_NONE)
			edges[found++] = (struct edge){
			    s->list[s->list[i].parent].frame, s->list[i].frame,
			    s->list[i].measures[CALLS], costs[i] };
	free(costs);
	sort(edges, found, sizeof *edges, compare_edges);
	for (size_t i = 0; i < found; i++) {
		if (*n > 0 && compare_edges(&edges[*n - 1], &edges[i]) == 0) {
			struct edge *e = &edges[*n - 1];

			e->calls = saturating_add(e->calls, edges[i].calls);
			e->cost = saturating_add(e->cost, edges[i].cost);
		} else {
			edges[(*n)++] = edges[i];
		}
	}
	return edges;
}

/*
 * Writes the position of a function: fl= and fn= or, with the prefix "c", cfl=
 * and cfn=.  Its name is written once, and then only its number.
 */
static void
put_position(struct buf *b, const struct stacks *s, uint32_t frame,
    const char *prefix, bool *is_written)
{
	const struct frame *f = &s->frames[frame];

	buf_printf(b, "%sfl=", prefix);
	put_name(b, f->file.n > 0 ? f->file : span_str("???"));
	buf_printf(b, "\n%sfn=(%u)", prefix, frame + 1);
	if (!is_written[frame]) {
		buf_char(b, ' ');
		put_name(b, f->name);
		is_written[frame] = true;
	}
	buf_char(b, '\n');
}

void
put_callgrind(struct filter *f, const struct stacks *s, unsigned measure)
{
	struct buf *b = filter_out(f);
	size_t n_edges, next_edge = 0;
	struct edge *edges = find_edges(s, measure, &n_edges);
	/* The exclusive cost of each frame. */
	int64_t *costs = mem_zero(s->n_frames + 1, sizeof *costs), *sum;
	bool *is_written = mem_zero(s->n_frames + 1, sizeof *is_written);
	struct span program = stacks_program(s);

	for (size_t i = 0; i < s->n; i++) {
		sum = &costs[s->list[i].frame];
		*sum = saturating_add(*sum, s->list[i].measures[measure]);
	}
	buf_str(b, "# callgrind format\nversion: 1\n"
	    "creator: weir callgraph-fold\n");
	if (program.n > 0) {
		buf_str(b, "cmd: ");
		put_name(b, program);
		buf_char(b, '\n');
	}
	buf_printf(b, "positions: line\nevents: %s\n",
	    callgraph_measure_keys[measure]);

	for (uint32_t i = 0; i < s->n_frames; i++) {
		buf_char(b, '\n');
		put_position(b, s, i, "", is_written);
		buf_printf(b, "%lld %lld\n", (long long)s->frames[i].line,
		    (long long)costs[i]);
		for (; next_edge < n_edges && edges[next_edge].caller == i;
		    next_edge++) {
			const struct edge *e = &edges[next_edge];

			put_position(b, s, e->callee, "c", is_written);
			buf_printf(b, "calls=%lld %lld\n%lld %lld\n",
			    (long long)e->calls,
			    (long long)s->frames[e->callee].line,
			    (long long)s->frames[i].line, (long long)e->cost);
		}
		filter_emit(f);
	}

	free(edges);
	free(costs);
	free(is_written);
}
