/* dbt-nodes - makes nodes, with the tests that they wait for, of dbt's graph */

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/intern.h"
#include "common/base/mem.h"
#include "common/base/sort.h"
#include "common/filter/filter.h"
#include "common/json/json.h"
#include "filters/buildgraph-parse/dbt-nodes.h"

#define GATE_PREFIX "build:"

/* Edges of the graph, as ranges of an array: those of s begin at first[s]. */
struct edges {
	size_t *first;
	sym *to;
};

static struct {
	struct intern ids;
	struct member {
		sym id;
		size_t first, n;	/* its parents, in `given` */
		bool is_unit;		/* a unit test of one model */
	} *members;		/* of parent_map */
	size_t n_members, members_cap;
	sym *given;
	size_t n_given, given_cap;
	uint64_t *waits;	/* node << 32 | test */
	size_t n_waits, waits_cap;
	struct edges parents, children;
	sym *stack;		/* of walks, by symbol */
	uint32_t *walk;		/* by symbol: the last walk that came by */
	uint32_t n_walks;
	uint32_t *n_tested;	/* by symbol: how many parents of the test are
				   upstream */
	sym *touched;		/* the symbols where that is not 0 */
	size_t n_touched;
} state;

void
dbt_nodes_begin(void)
{
	intern_init(&state.ids);
	state.n_members = state.n_given = state.n_waits = 0;
}

void
dbt_nodes_add(struct span id, const struct span *parents, size_t n)
{
	struct member *m;

	state.members = mem_grow(state.members, &state.members_cap,
	    state.n_members + 1, sizeof *state.members);
	m = &state.members[state.n_members++];
	*m = (struct member){ intern_add(&state.ids, id), state.n_given, n,
	    n > 0 && span_begins_with(id, "unit_test.") };
	state.given = mem_grow(state.given, &state.given_cap,
	    state.n_given + n, sizeof *state.given);
	for (size_t i = 0; i < n; i++) {
		state.given[state.n_given++] = intern_add(&state.ids,
		    parents[i]);
		m->is_unit &= span_compare(parents[i], parents[0]) == 0;
	}
}

/* Makes edges of n sorted pairs, from the upper to the lower half. */
static struct edges
make_edges(const uint64_t *pairs, size_t n)
{
	struct edges e = { mem_zero(state.ids.n + 1, sizeof *e.first),
	    mem_table(n + 1, sizeof *e.to) };

	for (size_t i = 0; i < n; i++) {
		e.first[(pairs[i] >> 32) + 1]++;
		e.to[i] = (sym)pairs[i];
	}
	for (size_t s = 0; s < state.ids.n; s++)
		e.first[s + 1] += e.first[s];
	return e;
}

static size_t
count_of(const struct edges *e, sym s)
{
	return e->first[s + 1] - e->first[s];
}

/* Sorts numbers and removes duplicates; returns how many numbers stay. */
static size_t
sort_set(uint64_t *list, size_t n)
{
	size_t to = 0;

	sort_u64(list, n);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || list[i] != list[i - 1])
			list[to++] = list[i];
	return to;
}

static bool
is_type(sym s, const char *type)
{
	return span_begins_with(intern_span(&state.ids, s), type);
}

/* Whether the node is of a type that dbt runs. */
static bool
is_run(sym s)
{
	static const char *const types[] = { "model.", "test.", "seed.",
	    "snapshot.", "unit_test.", "operation.", "function." };

	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (is_type(s, types[i]))
			return true;
	return false;
}

/* Whether dbt makes the node wait for tests, if it runs it. */
static bool
waits_for_tests(sym s)
{
	return is_type(s, "model.") || is_type(s, "seed.") ||
	    is_type(s, "snapshot.") || is_type(s, "operation.");
}

static void
add_wait(sym node, sym test)
{
	state.waits = mem_grow(state.waits, &state.waits_cap,
	    state.n_waits + 1, sizeof *state.waits);
	state.waits[state.n_waits++] = (uint64_t)node << 32 | test;
}

/*
 * Counts one more parent of a test upstream of all that is downstream of it.
 * If it is the only one, the walk ends at nodes that wait for the test, because
 * what is downstream of them waits for them.
 */
static void
walk_down(sym parent, bool is_only)
{
	const struct edges *e = &state.children;
	size_t n = 0;
	sym s;

	state.stack[n++] = parent;
	state.walk[parent] = ++state.n_walks;
	while (n > 0) {
		s = state.stack[--n];
		if (is_only && s != parent && waits_for_tests(s))
			continue;
		for (size_t i = e->first[s]; i < e->first[s + 1]; i++) {
			if (state.walk[e->to[i]] == state.n_walks)
				continue;
			state.walk[e->to[i]] = state.n_walks;
			if (state.n_tested[e->to[i]]++ == 0)
				state.touched[state.n_touched++] = e->to[i];
			state.stack[n++] = e->to[i];
		}
	}
}

/* Whether another node that waits for the test is a parent of s. */
static bool
waits_by_parent(sym s, size_t n_tested)
{
	const struct edges *e = &state.parents;

	for (size_t i = e->first[s]; i < e->first[s + 1]; i++)
		if (state.n_tested[e->to[i]] == n_tested &&
		    waits_for_tests(e->to[i]))
			return true;
	return false;
}

/* Adds the nodes that wait for a test, but not only through other nodes. */
static void
add_test(sym test)
{
	const struct edges *e = &state.parents;
	size_t n_parents = count_of(e, test);
	sym s;

	for (size_t i = e->first[test]; i < e->first[test + 1]; i++)
		walk_down(e->to[i], n_parents == 1);
	for (size_t i = 0; i < state.n_touched; i++) {
		s = state.touched[i];
		if (state.n_tested[s] == n_parents && waits_for_tests(s) &&
		    !waits_by_parent(s, n_parents))
			add_wait(s, test);
	}
	while (state.n_touched > 0)
		state.n_tested[state.touched[--state.n_touched]] = 0;
}

static void
put_id(struct buf *b, const char *prefix, sym id, struct span run)
{
	struct span text = intern_span(&state.ids, id);
	struct buf whole = { 0 };

	buf_str(&whole, prefix);
	buf_add(&whole, text.p, text.n);
	json_str(b, "id", buf_span(&whole));
	if (run.n > 0)
		json_str(b, "run", run);
	buf_release(&whole);
}

/* Writes the gates of the tests that a node waits for, as items of deps. */
static void
put_tests(struct buf *b, const struct edges *waits, sym node, bool with_units)
{
	struct buf gate = { 0 };
	struct span test;

	for (size_t i = waits->first[node]; i < waits->first[node + 1]; i++) {
		if (!with_units && is_type(waits->to[i], "unit_test."))
			continue;
		test = intern_span(&state.ids, waits->to[i]);
		gate.len = 0;
		buf_str(&gate, GATE_PREFIX);
		buf_add(&gate, test.p, test.n);
		json_item(b, buf_span(&gate));
	}
	buf_release(&gate);
}

/* A unit test waits for what its model waits for. */
static void
emit_node(struct filter *f, struct span run, const struct edges *waits,
    const struct member *m)
{
	struct span id = intern_span(&state.ids, m->id);
	const char *dot = id.n == 0 ? NULL : memchr(id.p, '.', id.n);
	const struct edges *e = &state.parents;
	sym owner = m->is_unit ? state.given[m->first] : m->id;
	struct buf *b = filter_begin_record(f, "node");

	put_id(b, "", m->id, run);
	json_open(b, "deps", '[');
	for (size_t i = 0; !m->is_unit && i < m->n; i++)
		json_item(b, intern_span(&state.ids,
		    state.given[m->first + i]));
	for (size_t i = e->first[owner]; m->is_unit && i < e->first[owner + 1];
	    i++)
		json_item(b, intern_span(&state.ids, e->to[i]));
	put_tests(b, waits, owner, !m->is_unit);
	json_close(b, ']');
	if (is_run(m->id))
		json_str(b, "rule", span_of(id.p, (size_t)(dot - id.p)));
	else
		json_word(b, "rule", "phony");
	filter_end_record(f);
}

static void
emit(struct filter *f, struct span run, const struct edges *waits)
{
	bool *is_gate = mem_zero(state.ids.n + 1, sizeof *is_gate);
	struct buf *b;

	for (size_t i = 0; i < state.n_members; i++)
		emit_node(f, run, waits, &state.members[i]);
	for (size_t i = 0; i < state.n_waits; i++)
		is_gate[waits->to[i]] = true;
	for (sym s = 0; s < state.ids.n; s++) {
		if (!is_gate[s])
			continue;
		b = filter_begin_record(f, "node");
		put_id(b, GATE_PREFIX, s, run);
		json_word(b, "rule", "phony");
		filter_end_record(f);
	}
	free(is_gate);
}

/* The pairs of a node and its parent, each once: node << 32 | parent. */
static uint64_t *
make_pairs(size_t *n)
{
	uint64_t *pairs = mem_table(state.n_given + 1, sizeof *pairs);
	const struct member *m = state.members;

	*n = 0;
	for (; m < state.members + state.n_members; m++)
		for (size_t i = 0; i < m->n; i++)
			pairs[(*n)++] = (uint64_t)m->id << 32 |
			    state.given[m->first + i];
	*n = sort_set(pairs, *n);
	return pairs;
}

void
dbt_nodes_emit(struct filter *f, struct span run)
{
	size_t n = state.ids.n, n_pairs, n_up = 0;
	uint64_t *pairs = make_pairs(&n_pairs);
	uint64_t *up = mem_table(n_pairs + 1, sizeof *up);
	const struct member *m = state.members;
	struct edges waits;

	/* Nothing is downstream of tests, which are most of the nodes. */
	for (size_t i = 0; i < n_pairs; i++)
		if (!is_type((sym)(pairs[i] >> 32), "test."))
			up[n_up++] = pairs[i] << 32 | pairs[i] >> 32;
	state.parents = make_edges(pairs, n_pairs);
	sort_u64(up, n_up);
	state.children = make_edges(up, n_up);
	state.stack = mem_table(n + 1, sizeof *state.stack);
	state.touched = mem_table(n + 1, sizeof *state.touched);
	state.walk = mem_zero(n + 1, sizeof *state.walk);
	state.n_tested = mem_zero(n + 1, sizeof *state.n_tested);

	for (; m < state.members + state.n_members; m++) {
		if (m->is_unit)
			add_wait(state.given[m->first], m->id);
		else if (m->n > 0 && is_type(m->id, "test."))
			add_test(m->id);
	}
	state.n_waits = sort_set(state.waits, state.n_waits);
	waits = make_edges(state.waits, state.n_waits);
	emit(f, run, &waits);

	free(pairs);
	free(up);
	free(waits.first);
	free(waits.to);
	free(state.parents.first);
	free(state.parents.to);
	free(state.children.first);
	free(state.children.to);
	free(state.stack);
	free(state.touched);
	free(state.walk);
	free(state.n_tested);
	free(state.waits);
	free(state.members);
	free(state.given);
	state.waits = NULL;
	state.members = NULL;
	state.given = NULL;
	state.waits_cap = state.members_cap = state.given_cap = 0;
	intern_release(&state.ids);
}
