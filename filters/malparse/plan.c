/* plan - stores executions of plans, their instructions and variables */

#include <stdlib.h>
#include <string.h>

#include "common/base/num.h"
#include "common/base/search.h"
#include "filters/malparse/malparse.h"

static struct span
execution_key(const void *context, uint32_t index)
{
	const struct plans *p = context;

	return span_bytes(&p->executions[index]->key,
	    sizeof p->executions[index]->key);
}

static struct span
variable_key(const void *context, uint32_t i)
{
	const struct execution *x = context;

	return x->variables[i].name;
}

static struct span
instruction_key(const void *context, uint32_t i)
{
	const struct execution *x = context;

	return span_bytes(&x->instructions[i].pc, sizeof(int64_t));
}

void
plans_init(struct plans *p,
    void (*on_remove)(void *context, struct execution *), void *context)
{
	*p = (struct plans){ .on_remove = on_remove, .context = context };
	intern_init(&p->names);
	map_init(&p->map, execution_key, p);
	for (uint32_t i = 0; i < EXECUTIONS_MAX; i++)
		p->free[p->n_free++] = i;
}

static uint64_t
hash_key(const struct execution *x)
{
	return map_hash((const char *)&x->key, sizeof x->key);
}

/* All executions are in a linked list, in the order of their last events. */
static void
unlink_by_age(struct plans *p, struct execution *x)
{
	*(x->older != NULL ? &x->older->newer : &p->oldest) = x->newer;
	*(x->newer != NULL ? &x->newer->older : &p->newest) = x->older;
}

static void
link_newest(struct plans *p, struct execution *x)
{
	x->older = p->newest;
	x->newer = NULL;
	*(p->newest != NULL ? &p->newest->newer : &p->oldest) = x;
	p->newest = x;
}

/* Removes and frees the execution at once. */
static void
remove_execution(struct plans *p, struct execution *x)
{
	p->on_remove(p->context, x);
	map_remove(&p->map, hash_key(x), x->index);
	p->executions[x->index] = NULL;
	p->free[p->n_free++] = x->index;
	unlink_by_age(p, x);

	for (size_t i = 0; i < x->n_variables; i++) {
		buf_release(&x->variables[i].object);
		free(x->variables[i].assigned_at);
	}
	free(x->variables);
	free(x->instructions);
	free(x->deps);
	free(x->remote_plans);
	map_release(&x->by_name);
	map_release(&x->by_pc);
	arena_release(&x->arena);
	free(x);
}

void
plans_remove_all(struct plans *p)
{
	while (p->oldest != NULL)
		remove_execution(p, p->oldest);
}

static struct execution *
find_execution(struct plans *p, const struct execution *wanted)
{
	uint32_t index = map_find(&p->map,
	    span_bytes(&wanted->key, sizeof wanted->key));

	return index == INDEX_NONE ? NULL : p->executions[index];
}

static uint32_t
add_name(struct plans *p, struct span name)
{
	return name.n == 0 ? SYM_NONE : intern_add(&p->names, name);
}

struct execution *
plans_find_or_add(struct plans *p, const struct event *e)
{
	struct execution wanted = { 0 }, *x;

	wanted.key.session = add_name(p, e->session);
	wanted.key.client = add_name(p, e->client);
	wanted.key.tag = e->tag;
	x = find_execution(p, &wanted);
	/*
	 * Tag 0 means that the server has no tags: then each start of a plan
	 * (pc 0), and each table of TRACE, begins another execution.
	 */
	if (x != NULL && e->begins_plan && x->n_instructions > 0) {
		remove_execution(p, x);
		x = NULL;
	}
	if (x != NULL && x == p->newest)
		return x;
	if (x != NULL) {
		unlink_by_age(p, x);
	} else {
		if (p->n_free == 0)
			remove_execution(p, p->oldest);
		x = mem_zero(1, sizeof *x);
		x->key = wanted.key;
		x->thread = INDEX_NONE;
		x->index = p->free[--p->n_free];
		p->executions[x->index] = x;
		map_init(&x->by_name, variable_key, x);
		map_init(&x->by_pc, instruction_key, x);
		map_put(&p->map, hash_key(x), x->index);
	}
	link_newest(p, x);
	return x;
}

struct execution *
plans_find_tag(struct plans *p, const struct execution *x, int64_t tag)
{
	struct execution wanted = { .key = x->key };

	wanted.key.tag = tag;
	return find_execution(p, &wanted);
}

struct execution_ref
plans_ref(const struct execution *x)
{
	return (struct execution_ref){ x->id, x->index };
}

struct execution *
plans_get(const struct plans *p, struct execution_ref ref)
{
	struct execution *x = ref.id == 0 ? NULL : p->executions[ref.index];

	return x != NULL && x->id == ref.id ? x : NULL;
}

uint64_t
plans_root(const struct plans *p, const struct execution *x)
{
	enum { ANCESTORS_MAX = 256 };	/* an invalid trace may have cycles */
	const struct execution *parent;

	for (int i = 0; i < ANCESTORS_MAX && x->root == 0; i++) {
		parent = plans_get(p, x->parent);
		if (parent == NULL)
			break;
		x = parent;
	}
	if (x->root != 0)
		return x->root;
	/* The parent may have been removed, but its id is known. */
	return x->parent.id != 0 ? x->parent.id : x->id;
}

void
plans_finish(struct plans *p, struct execution *x)
{
	struct execution_ref *slot = &p->finished[p->next_finished];
	struct execution *old = plans_get(p, *slot);

	if (x->key.tag == 0) {
		remove_execution(p, x);
		return;
	}
	if (x->is_finished)
		return;
	x->is_finished = true;
	p->next_finished = (p->next_finished + 1) % FINISHED_MAX;
	if (old != NULL)
		remove_execution(p, old);
	*slot = plans_ref(x);
}

struct instruction *
plan_find_instruction(const struct execution *x, int64_t pc)
{
	uint32_t i = map_find(&x->by_pc, span_bytes(&pc, sizeof pc));

	return i == INDEX_NONE ? NULL : &x->instructions[i];
}

struct instruction *
plan_find_or_add_instruction(struct execution *x, int64_t pc)
{
	uint32_t next = (uint32_t)x->n_instructions;
	uint32_t i = map_find_or_add(&x->by_pc, span_bytes(&pc, sizeof pc),
	    next);

	if (i != next)
		return &x->instructions[i];
	x->instructions = mem_grow(x->instructions, &x->instructions_cap,
	    x->n_instructions + 1, sizeof *x->instructions);
	x->instructions[x->n_instructions++] = (struct instruction){ .pc = pc,
	    .start_us = INT_UNKNOWN, .end_us = INT_UNKNOWN,
	    .thread = INT_UNKNOWN, .operation = SYM_NONE };
	return &x->instructions[i];
}

struct variable *
plan_find_or_add_variable(struct execution *x, struct span name, bool *is_new)
{
	uint32_t next = (uint32_t)x->n_variables;
	uint32_t i = map_find_or_add(&x->by_name, name, next);

	*is_new = i == next;
	if (!*is_new)
		return &x->variables[i];
	x->variables = mem_grow(x->variables, &x->variables_cap,
	    x->n_variables + 1, sizeof *x->variables);
	x->variables[x->n_variables++] = (struct variable){
	    .name = arena_span(&x->arena, name) };
	return &x->variables[i];
}

bool
plan_is_assigned(const struct execution *x, struct span name)
{
	uint32_t i = map_find(&x->by_name, name);

	return i != INDEX_NONE && x->variables[i].n_assigned > 0;
}

/* The number of pcs below this one that assign the variable. */
static size_t
n_assigned_below(const struct variable *v, int64_t pc)
{
	return SEARCH_FIRST(i, v->n_assigned, v->assigned_at[i] >= pc);
}

void
plan_add_assignment(struct variable *v, int64_t pc)
{
	size_t i = n_assigned_below(v, pc);

	if (i < v->n_assigned && v->assigned_at[i] == pc)
		return;
	v->assigned_at = mem_grow(v->assigned_at, &v->assigned_cap,
	    v->n_assigned + 1, sizeof *v->assigned_at);
	memmove(v->assigned_at + i + 1, v->assigned_at + i,
	    (v->n_assigned - i) * sizeof *v->assigned_at);
	v->assigned_at[i] = pc;
	v->n_assigned++;
}

int64_t
plan_last_assignment(const struct variable *v, int64_t pc)
{
	size_t i = n_assigned_below(v, pc);

	return i == 0 ? 0 : v->assigned_at[i - 1];
}
