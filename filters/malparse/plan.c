/* plan - executions of plans, their instructions and variables */

#include <stdlib.h>
#include <string.h>

#include "common/base/num.h"
#include "common/base/search.h"
#include "filters/malparse/plan.h"

static struct span
execution_key(const void *owner, uint32_t place)
{
	const struct plans *p = owner;

	return span_bytes(&p->at[place]->key, sizeof p->at[place]->key);
}

static struct span
variable_key(const void *owner, uint32_t i)
{
	const struct execution *x = owner;

	return x->variables[i].name;
}

static struct span
instruction_key(const void *owner, uint32_t i)
{
	const struct execution *x = owner;

	return span_bytes(&x->instructions[i].pc, sizeof(int64_t));
}

void
plans_init(struct plans *p, void (*on_end)(void *owner, struct execution *),
    void *owner)
{
	*p = (struct plans){ .on_end = on_end, .owner = owner };
	intern_init(&p->names);
	map_init(&p->map, execution_key, p);
}

static uint64_t
hash_key(const struct execution *x)
{
	return map_hash((const char *)&x->key, sizeof x->key);
}

/* The list of all by their last event. */
static void
unlink_age(struct plans *p, struct execution *x)
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

static void
release(struct execution *x)
{
	for (size_t i = 0; i < x->n_variables; i++) {
		free(x->variables[i].object);
		free(x->variables[i].made_at);
	}
	free(x->variables);
	free(x->instructions);
	free(x->deps);
	map_release(&x->by_name);
	map_release(&x->by_pc);
	arena_release(&x->arena);
	free(x);
}

void
plans_end(struct plans *p, struct execution *x)
{
	p->on_end(p->owner, x);
	map_remove(&p->map, hash_key(x), x->place);
	p->at[x->place] = NULL;
	p->free = mem_grow(p->free, &p->free_cap, p->n_free + 1,
	    sizeof *p->free);
	p->free[p->n_free++] = x->place;
	unlink_age(p, x);
	p->n_alive--;
	for (size_t i = 0; i < FINISHED_MOST; i++)
		if (p->finished[i] == x)
			p->finished[i] = NULL;
	release(x);
}

void
plans_end_all(struct plans *p)
{
	while (p->oldest != NULL)
		plans_end(p, p->oldest);
}

void
plans_release(struct plans *p)
{
	map_release(&p->map);
	intern_release(&p->names);
	free(p->at);
	free(p->free);
}

static uint32_t
take_place(struct plans *p)
{
	if (p->n_free > 0)
		return p->free[--p->n_free];
	p->at = mem_grow(p->at, &p->cap, p->n + 1, sizeof *p->at);
	return (uint32_t)p->n++;
}

static struct execution *
add(struct plans *p, const struct execution *like)
{
	struct execution *x = mem_zero(1, sizeof *x);

	if (p->n_alive == PLANS_MOST)
		plans_end(p, p->oldest);
	x->key = like->key;
	x->bond = INDEX_NONE;
	x->place = take_place(p);
	p->at[x->place] = x;
	map_init(&x->by_name, variable_key, x);
	map_init(&x->by_pc, instruction_key, x);
	map_put(&p->map, hash_key(x), x->place);
	link_newest(p, x);
	p->n_alive++;
	return x;
}

static struct execution *
find(struct plans *p, const struct execution *like)
{
	uint32_t place = map_find(&p->map,
	    span_bytes(&like->key, sizeof like->key));

	return place == INDEX_NONE ? NULL : p->at[place];
}

static uint32_t
symbol(struct plans *p, struct span name)
{
	return name.n == 0 ? SYM_NONE : intern_add(&p->names, name);
}

/* Without a stack the tag is 0: then only the plans tell executions apart. */
static bool
begins_anew(const struct execution *x, const struct event *e)
{
	return x != NULL && x->key.tag == 0 && e->pc == 0 &&
	    e->state == STATE_START && x->n_instructions > 0;
}

struct execution *
plans_find(struct plans *p, const struct event *e)
{
	struct execution like = { 0 }, *x;

	like.key.session = symbol(p, e->session);
	like.key.client = symbol(p, e->client);
	like.key.tag = e->tag;
	x = find(p, &like);
	if (begins_anew(x, e)) {
		plans_end(p, x);
		x = NULL;
	}
	if (x == NULL)
		return add(p, &like);
	if (x != p->newest) {
		unlink_age(p, x);
		link_newest(p, x);
	}
	return x;
}

struct execution *
plans_sibling(struct plans *p, const struct execution *x, int64_t tag)
{
	struct execution like = { .key = x->key };

	like.key.tag = tag;
	return find(p, &like);
}

void
plans_finish(struct plans *p, struct execution *x)
{
	struct execution **slot = &p->finished[p->next_finished];

	if (x->key.tag == 0) {
		plans_end(p, x);
		return;
	}
	if (x->is_done)
		return;
	x->is_done = true;
	p->next_finished = (p->next_finished + 1) % FINISHED_MOST;
	if (*slot != NULL)
		plans_end(p, *slot);
	*slot = x;
}

const struct instruction *
plan_find(const struct execution *x, int64_t pc)
{
	uint32_t i = map_find(&x->by_pc, span_bytes(&pc, sizeof pc));

	return i == INDEX_NONE ? NULL : &x->instructions[i];
}

struct instruction *
plan_instruction(struct execution *x, int64_t pc)
{
	uint32_t next = (uint32_t)x->n_instructions;
	uint32_t i = map_find_or_add(&x->by_pc, span_bytes(&pc, sizeof pc),
	    next);

	if (i != next)
		return &x->instructions[i];
	x->instructions = mem_grow(x->instructions, &x->instructions_cap,
	    x->n_instructions + 1, sizeof *x->instructions);
	x->instructions[x->n_instructions++] = (struct instruction){ .pc = pc,
	    .start_us = INT_UNKNOWN, .sum_us = 0, .thread = INT_UNKNOWN,
	    .operation = SYM_NONE };
	return &x->instructions[i];
}

struct variable *
plan_variable(struct execution *x, struct span name, bool *is_new)
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
plan_assigns(const struct execution *x, struct span name)
{
	uint32_t i = map_find(&x->by_name, name);

	return i != INDEX_NONE && x->variables[i].n_made > 0;
}

/* How many of the pcs that assign it are below pc. */
static size_t
n_below(const struct variable *v, int64_t pc)
{
	return SEARCH_FIRST(i, v->n_made, v->made_at[i] >= pc);
}

void
plan_assign(struct variable *v, int64_t pc)
{
	size_t i = n_below(v, pc);

	if (i < v->n_made && v->made_at[i] == pc)
		return;
	v->made_at = mem_grow(v->made_at, &v->made_cap, v->n_made + 1,
	    sizeof *v->made_at);
	memmove(v->made_at + i + 1, v->made_at + i,
	    (v->n_made - i) * sizeof *v->made_at);
	v->made_at[i] = pc;
	v->n_made++;
}

int64_t
plan_made_at(const struct variable *v, int64_t pc)
{
	size_t i = n_below(v, pc);

	return i == 0 ? 0 : v->made_at[i - 1];
}

void
plan_remember(struct variable *v, struct span object)
{
	v->object = mem_grow(v->object, &v->cap, object.n, 1);
	memcpy(v->object, object.p, object.n);
	v->n = object.n;
}
