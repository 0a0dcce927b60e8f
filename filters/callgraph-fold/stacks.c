/* stacks - merges callgraphs into one tree of stacks, by function names */

#include <stdlib.h>

#include "common/base/num.h"
#include "common/base/sort.h"
#include "filters/callgraph-fold/callgraph-fold.h"

/*
 * The key of a stack, with the same layout as the first members of struct
 * stack.  It has no padding, so it can be hashed and compared as raw memory.
 */
struct key {
	uint32_t parent, frame;
};

static struct span
stack_key(const void *owner, uint32_t i)
{
	const struct stacks *s = owner;

	return span_bytes(&s->list[i], sizeof(struct key));
}

void
stacks_init(struct stacks *s, bool collapse_recursion)
{
	*s = (struct stacks){ .collapse_recursion = collapse_recursion,
	    .program = SYM_NONE };
	functions_init(&s->functions);
	map_init(&s->map, stack_key, s);
}

void
stacks_release(struct stacks *s)
{
	functions_release(&s->functions);
	map_release(&s->map);
	free(s->frames);
	free(s->list);
}

/*
 * The index of a stack, which is added if it is new.  If recursion is collapsed
 * and the parent has the same frame, it is the parent.
 */
static uint32_t
find_stack(struct stacks *s, uint32_t parent, uint32_t frame)
{
	struct key key = { parent, frame };
	uint32_t i;

	if (s->collapse_recursion && parent != INDEX_NONE &&
	    s->list[parent].frame == frame)
		return parent;
	i = map_find_or_add_inline(&s->map, span_bytes(&key, sizeof key),
	    (uint32_t)s->n, stack_key);
	if (i < s->n)
		return i;
	s->list = mem_grow(s->list, &s->cap, s->n + 1, sizeof *s->list);
	s->list[s->n++] = (struct stack){ .parent = parent, .frame = frame };
	return i;
}

void
stacks_add(struct stacks *s, const struct callgraph *g)
{
	/* By node: its stack. */
	uint32_t *indexes = mem_resize(NULL, g->n_nodes + 1, sizeof *indexes);

	functions_begin(&s->functions, g, 0);
	for (size_t i = 0; i < g->n_nodes; i++) {
		const struct graph_node *n = &g->nodes[i];
		int64_t *sums;

		indexes[i] = find_stack(s, n->parent != INDEX_NONE ?
		    indexes[n->parent] : INDEX_NONE,
		    functions_find(&s->functions, n));
		sums = s->list[indexes[i]].measures;
		for (unsigned k = 0; k < N_MEASURES; k++) {
			if (n->measures[k] == INT_UNKNOWN)
				continue;
			sums[k] = saturating_add(sums[k], n->measures[k]);
			s->is_measured[k] = true;
		}
	}
	free(indexes);
}

/* Makes the stacks again, with the functions in place of provisional ones. */
static void
resolve_stacks(struct stacks *s, const uint32_t *numbers)
{
	struct stack *old = s->list;
	size_t n_old = s->n;
	/* By old stack: the new one. */
	uint32_t *indexes = mem_resize(NULL, n_old + 1, sizeof *indexes);

	s->list = NULL;
	s->n = s->cap = 0;
	map_release(&s->map);
	map_init(&s->map, stack_key, s);
	for (size_t i = 0; i < n_old; i++) {
		int64_t *sums;

		indexes[i] = find_stack(s, old[i].parent != INDEX_NONE ?
		    indexes[old[i].parent] : INDEX_NONE,
		    numbers[old[i].frame]);
		sums = s->list[indexes[i]].measures;
		for (unsigned k = 0; k < N_MEASURES; k++)
			sums[k] = saturating_add(sums[k], old[i].measures[k]);
	}
	free(indexes);
	free(old);
}

void
stacks_finish(struct stacks *s)
{
	struct intern *texts = &s->functions.texts;
	size_t n_provisional = s->functions.n;
	uint32_t *numbers = functions_resolve(&s->functions);
	struct buf label = { 0 };

	s->n_frames = s->functions.n;
	if (s->n_frames < n_provisional)
		resolve_stacks(s, numbers);
	free(numbers);
	s->frames = mem_zero(s->n_frames + 1, sizeof *s->frames);
	for (uint32_t i = 0; i < s->n_frames; i++) {
		const struct function *f = &s->functions.list[i];

		label.len = 0;
		functions_label(&s->functions, i, true, &label);
		s->frames[i] = (struct frame){
		    .name = intern_span(texts, intern_add(texts,
		    buf_span(&label))), .module = f->module, .line = f->line };
		if (f->file != SYM_NONE)
			s->frames[i].file = intern_span(texts, f->file);
	}
	buf_release(&label);
}

void
stacks_add_program(struct stacks *s, struct span path)
{
	sym program = intern_add(&s->functions.texts,
	    span_base_name(path));

	if (s->program != SYM_NONE && s->program != program)
		s->has_several_programs = true;
	s->program = program;
}

struct span
stacks_program(const struct stacks *s)
{
	return s->program == SYM_NONE || s->has_several_programs ?
	    span_of("", 0) : intern_span(&s->functions.texts, s->program);
}

/*
 * The loop runs backwards, so that the sum of a stack is complete when it is
 * added to that of its parent.
 */
int64_t *
stacks_inclusive(const struct stacks *s, unsigned measure)
{
	int64_t *sums = mem_zero(s->n + 1, sizeof *sums), *parent;

	for (size_t i = s->n; i-- > 0;) {
		sums[i] = saturating_add(sums[i], s->list[i].measures[measure]);
		if (s->list[i].parent == INDEX_NONE)
			continue;
		parent = &sums[s->list[i].parent];
		*parent = saturating_add(*parent, sums[i]);
	}
	return sums;
}

/* By parent, which decides most comparisons; siblings by name. */
static int
compare_stacks(const void *a, const void *b, void *context)
{
	const struct stacks *s = context;
	const struct stack *x = &s->list[*(const uint32_t *)a];
	const struct stack *y = &s->list[*(const uint32_t *)b];
	return cmp_u64(x->parent, y->parent) ?:
	    span_compare(s->frames[x->frame].name, s->frames[y->frame].name);
}

void
stacks_tree(const struct stacks *s, struct tree *t)
{
	uint32_t *sorted = mem_resize(NULL, s->n + 1, sizeof *sorted);

	for (size_t i = 0; i < s->n; i++)
		sorted[i] = (uint32_t)i;
	sort_with(sorted, s->n, sizeof *sorted, compare_stacks, s);
	tree_init(t, s->n);
	for (size_t i = s->n; i-- > 0;)
		tree_prepend(t, sorted[i], s->list[sorted[i]].parent);
	free(sorted);
}
