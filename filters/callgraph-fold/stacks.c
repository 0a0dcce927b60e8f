/* stacks - merges callgraphs into one tree of stacks, by function names */

#include <stdlib.h>

#include "common/base/num.h"
#include "common/base/sort.h"
#include "filters/callgraph-fold/stacks.h"

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
	intern_init(&s->texts);
	intern_init(&s->frame_keys);
	map_init(&s->map, stack_key, s);
}

void
stacks_release(struct stacks *s)
{
	intern_release(&s->texts);
	intern_release(&s->frame_keys);
	map_release(&s->map);
	free(s->frames);
	free(s->list);
}

/* --- adding -------------------------------------------------------------- */

/*
 * Adds the label of a function without a name: its module and offset; or its
 * address, if no module contains it; or "??".
 */
static void
put_placeholder(struct buf *b, const struct callgraph *g,
    const struct graph_node *n)
{
	const struct graph_module *m = n->has_function ?
	    callgraph_module_at(g, n->function) : NULL;

	if (!n->has_function) {
		buf_str(b, "??");
	} else if (m == NULL) {
		buf_address(b, n->function);
	} else {
		buf_add(b, m->name.p, m->name.n);
		buf_char(b, '+');
		buf_address(b, n->function - m->base);
	}
}

/* The index of a node's frame, which is added if it is new. */
static uint32_t
find_frame(struct stacks *s, const struct callgraph *g,
    const struct graph_node *n)
{
	struct buf key = { 0 };
	struct frame f = { .module = SYM_NONE };
	const struct graph_module *m;
	size_t name_length, n_before = s->frame_keys.n;
	sym number;

	if (n->name.n > 0)
		buf_add(&key, n->name.p, n->name.n);
	else
		put_placeholder(&key, g, n);
	name_length = key.len;
	buf_char(&key, '\0');
	buf_add(&key, n->file.p, n->file.n);
	number = intern_add(&s->frame_keys, buf_span(&key));

	if (number >= n_before) {
		f.name = intern_span(&s->frame_keys, number);
		f.name.n = name_length;
		f.file = span_of(f.name.p + name_length + 1, n->file.n);
		if (!text_i64(n->texts[NODE_LINE], &f.line) || f.line < 0)
			f.line = 0;
		if (n->has_function &&
		    (m = callgraph_module_at(g, n->function)) != NULL)
			f.module = intern_add(&s->texts, m->name);
		s->frames = mem_grow(s->frames, &s->frames_cap, number + 1u,
		    sizeof *s->frames);
		s->frames[number] = f;
		s->n_frames++;
	}
	buf_release(&key);
	return number;
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

	for (size_t i = 0; i < g->n_nodes; i++) {
		const struct graph_node *n = &g->nodes[i];
		int64_t *sums;

		indexes[i] = find_stack(s, n->parent != INDEX_NONE ?
		    indexes[n->parent] : INDEX_NONE, find_frame(s, g, n));
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

void
stacks_add_program(struct stacks *s, struct span path)
{
	sym program = intern_add(&s->texts, span_base_name(path));

	if (s->program != SYM_NONE && s->program != program)
		s->has_several_programs = true;
	s->program = program;
}

struct span
stacks_program(const struct stacks *s)
{
	if (s->program == SYM_NONE || s->has_several_programs)
		return span_of("", 0);
	return intern_span(&s->texts, s->program);
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

/* By parent, which decides most comparisons; siblings by name, then file. */
static int
compare_stacks(const void *a, const void *b, void *context)
{
	const struct stacks *s = context;
	const struct stack *x = &s->list[*(const uint32_t *)a];
	const struct stack *y = &s->list[*(const uint32_t *)b];
	int order = cmp_u64(x->parent, y->parent);

	return order != 0 ? order :
	    intern_cmp(&s->frame_keys, x->frame, y->frame);
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
