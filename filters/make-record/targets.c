/* targets - writes what is known of the targets of makes */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/filter/filter-reject.h"
#include "common/filter/filter.h"
#include "common/filter/lacks.h"
#include "filters/make-record/graph.h"
#include "filters/make-record/targets.h"

static struct {
	const struct graph *graph;
	char *top;		/* the current directory */
	size_t top_length;
	char run[64];
	bool has_failed;
	uint32_t *mark_of;	/* by target, so that a list has it once */
	uint32_t mark;
	struct buf text;
} state;

/* --- ids --- */

/* A path is relative to the current directory if it is in there. */
static struct span
name_of(const struct target *t)
{
	struct span path = intern_span(&state.graph->texts, t->path);
	size_t n = state.top_length;

	if (path.n > n + 1 && memcmp(path.p, state.top, n) == 0 &&
	    path.p[n] == '/')
		return span_of(path.p + n + 1, path.n - n - 1);
	return path;
}

/*
 * The id of a target, valid until the next call; or, if what is not NULL, that
 * of its part or wait with a number.
 */
static struct span
id_of(const struct target *t, const char *what, unsigned number)
{
	struct buf *id = &state.text;
	struct span name = name_of(t);

	id->len = 0;
	buf_add(id, name.p, name.n);
	if (t->number > 1)
		buf_printf(id, " (%u)", (unsigned)t->number);
	if (what != NULL)
		buf_printf(id, " (%s %u)", what, number);
	return buf_span(id);
}

/* --- dependencies --- */

static void
begin_deps(struct buf *b)
{
	json_open(b, "deps", '[');
	state.mark++;
}

static void
put_dep(struct buf *b, uint32_t target)
{
	if (state.mark_of[target] == state.mark)
		return;
	state.mark_of[target] = state.mark;
	json_item(b, id_of(&state.graph->targets[target], NULL, 0));
}

/* The targets of a make that no other target of it waits for. */
static void
put_last_targets(struct buf *b, const struct make *m)
{
	const struct target *t;

	for (uint32_t i = m->first_target; i != INDEX_NONE; i = t->next) {
		t = &state.graph->targets[i];
		if (target_is_known(t) && !t->is_awaited)
			put_dep(b, i);
	}
}

/*
 * What a make itself waits for: the part of the recipe before it, and of the
 * makes of its group those that had ended; but not those for which another one
 * of these had waited.
 */
static void
put_before_make(struct buf *b, const struct make *m)
{
	const struct graph *g = state.graph;
	const struct target *owner = &g->targets[m->owner];
	const struct group *group = &g->groups[owner->first_group + m->group];
	const struct make *other;
	int64_t last_us = INT_UNKNOWN;

	json_item(b, id_of(owner, "part", m->group + 1));
	for (uint32_t i = 0; i < group->n; i++) {
		other = &g->makes[g->ran[group->first + i]];
		if (other->end_us <= m->start_us)
			last_us = time_later(last_us, other->start_us);
	}
	for (uint32_t i = 0; i < group->n; i++) {
		other = &g->makes[g->ran[group->first + i]];
		if (other->end_us <= m->start_us && other->end_us > last_us)
			put_last_targets(b, other);
	}
}

/*
 * What names from one on, and before another, lead to.  Returns whether any of
 * that is of the same make.
 */
static bool
put_names(struct buf *b, uint32_t target, uint32_t from, uint32_t end)
{
	const struct graph *g = state.graph;
	const struct barrier *barrier;
	const struct name *name;
	bool any_of_make = false;

	for (uint32_t i = from; i != end; i = name->next) {
		name = &g->names[i];
		if (name->barrier != INDEX_NONE) {
			barrier = &g->barriers[name->barrier];
			json_item(b, id_of(&g->targets[barrier->target],
			    "wait", barrier->number));
			any_of_make = true;
		} else if (name->maker != INDEX_NONE) {
			put_dep(b, name->maker);
			any_of_make |= g->targets[name->maker].make ==
			    g->targets[target].make;
		}
	}
	return any_of_make;
}

/* What a target waits for before its first line. */
static void
put_prerequisites(struct buf *b, uint32_t target)
{
	const struct target *t = &state.graph->targets[target];

	/* A target of its make that it waits for has waited for the rest. */
	if (!put_names(b, target, t->first_name, INDEX_NONE) &&
	    t->make != INDEX_NONE)
		put_before_make(b, &state.graph->makes[t->make]);
}

/* --- records --- */

/* The suffix of a path, such as ".o"; empty if there is none. */
static struct span
suffix_of(struct span path)
{
	struct span name = span_base_name(path);

	for (size_t i = name.n; i-- > 1;)
		if (name.p[i] == '.' && i + 1 < name.n)
			return span_of(name.p + i, name.n - i);
	return span_of(NULL, 0);
}

static void
put_outputs(struct buf *b, const struct target *t)
{
	const struct target *other;

	if (t->first_also == INDEX_NONE)
		return;
	json_open(b, "outputs", '[');
	json_item(b, name_of(t));
	for (uint32_t i = t->first_also; i != INDEX_NONE;
	    i = other->next_also) {
		other = &state.graph->targets[i];
		json_item(b, name_of(other));
	}
	json_close(b, ']');
}

static void
put_status(struct buf *b, int wait_status)
{
	int status = WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) :
	    WEXITSTATUS(wait_status);
	char text[16];

	snprintf(text, sizeof text, "%d", status);
	json_word(b, "status", text);
	json_flag(b, "failed", status != 0 && state.has_failed);
}

/*
 * Readers take the time from start to end if they know both.  So start_us is
 * left out if the target waited between its lines.  The CPU time of a line that
 * ran makes is theirs, too.
 */
static void
put_times(struct buf *b, const struct target *t, int64_t from_us, int64_t to_us)
{
	const struct recipe_line *line;
	int64_t elapsed_us = 0, cpu_us = 0, start_us, end_us;

	if (to_us == INT64_MAX) {
		json_int(b, "start_us", from_us);
		return;
	}
	for (uint32_t i = t->first_line; i != INDEX_NONE; i = line->next) {
		line = &state.graph->lines[i];
		start_us = time_later(line->start_us, from_us);
		end_us = time_earlier(line->end_us, to_us);
		if (start_us < end_us)
			elapsed_us += end_us - start_us;
		cpu_us += line->cpu_us;
	}
	json_int(b, to_us - from_us != elapsed_us ? "started_us" : "start_us",
	    from_us);
	json_int(b, "end_us", to_us);
	json_int(b, "elapsed_us", elapsed_us);
	if (t->n_groups == 0 && t->make != INDEX_NONE)
		json_int(b, "cpu_us", cpu_us);
}

/*
 * The pool of workers that a target of a make needs which another make runs,
 * and its size, if it does not share others.
 */
static void
put_pool(struct buf *b, const struct target *t)
{
	const struct graph *g = state.graph;
	const struct make *m;

	if (t->make == INDEX_NONE)
		return;
	m = &g->makes[t->make];
	if (g->targets[m->owner].make == INDEX_NONE)
		return;
	json_str(b, "pool", id_of(&g->targets[m->owner],
	    m->number > 1 ? "make" : NULL, m->number));
	if (!m->shares_workers)
		json_int(b, "limit", m->n_jobs);
}

/* Writes a part of a recipe, or if it is the last one, the target itself. */
static void
put_part(void *filter, uint32_t target, uint32_t part)
{
	const struct graph *g = state.graph;
	const struct target *t = &g->targets[target];
	const struct group *groups = g->groups + t->first_group;
	bool is_last = part == t->n_groups;
	struct span name = name_of(t), suffix = suffix_of(name);
	int64_t from_us = t->start_us, to_us;
	struct buf *b;

	/* A make that was killed may have lines without an end; what is after
	   it then has not begun, unless the recipe itself ended. */
	if (part > 0)
		from_us = time_earlier(groups[part - 1].end_us, t->end_us);
	if (from_us == INT64_MAX)
		return;
	b = filter_begin_record(filter, "task");
	json_str(b, "id", id_of(t, is_last ? NULL : "part", part + 1));
	json_str(b, "name", name);
	json_str(b, "target", name);
	json_text(b, "rule", suffix);
	json_word(b, "kind", "run");
	json_cstr(b, "run", state.run);
	put_pool(b, t);
	if (part > 0 && t->make != INDEX_NONE)
		json_str(b, "worker_of", id_of(t, "part", part));
	to_us = is_last ? t->end_us : groups[part].start_us;
	filter_note_lacks(filter, to_us == INT64_MAX ? LACKS_UNFINISHED : 0);
	put_times(b, t, from_us, to_us);
	begin_deps(b);
	if (part == 0)
		put_prerequisites(b, target);
	else
		for (uint32_t i = 0; i < groups[part - 1].n; i++)
			put_last_targets(b, &g->makes[g->ran[
			    groups[part - 1].first + i]]);
	json_close(b, ']');
	if (is_last) {
		put_outputs(b, t);
		if (t->end_us != INT64_MAX)
			put_status(b, g->lines[t->last_line].status);
	}
	filter_end_record(filter);
}

static struct buf *
begin_node(struct filter *f, const struct target *t, const char *what,
    unsigned number)
{
	struct buf *b = filter_begin_record(f, "node");

	json_str(b, "id", id_of(t, what, number));
	json_word(b, "rule", "phony");
	json_cstr(b, "run", state.run);
	begin_deps(b);
	return b;
}

/* Nodes are what takes no time, but passes dependencies on. */
static void
put_nodes(struct filter *f)
{
	const struct graph *g = state.graph;
	const struct barrier *barrier;
	struct buf *b;

	for (uint32_t t = 0; t < g->n_targets; t++)
		if (target_is_known(&g->targets[t]) &&
		    !target_has_run(&g->targets[t])) {
			b = begin_node(f, &g->targets[t], NULL, 0);
			put_names(b, t, g->targets[t].first_name, INDEX_NONE);
			json_close(b, ']');
			filter_end_record(f);
		}
	for (size_t i = 0; i < g->n_barriers; i++) {
		barrier = &g->barriers[i];
		b = begin_node(f, &g->targets[barrier->target], "wait",
		    barrier->number);
		put_names(b, barrier->target, barrier->first, barrier->end);
		json_close(b, ']');
		filter_end_record(f);
	}
}

/*
 * As many targets as make would have run at once, if no make that the command
 * runs had more; INT_UNKNOWN if one had no limit, or if none ran a line.
 */
static int64_t
find_limit(bool *has_load_limit)
{
	const struct graph *g = state.graph;
	const struct make *m;
	int64_t limit = g->n_ran > 0 ? 0 : INT_UNKNOWN;

	*has_load_limit = false;
	for (size_t i = 0; i < g->n_ran; i++) {
		m = &g->makes[g->ran[i]];
		if (g->targets[m->owner].make != INDEX_NONE)
			continue;
		*has_load_limit |= m->has_load_limit;
		limit = limit == INT_UNKNOWN || m->n_jobs == 0 ? INT_UNKNOWN :
		    time_later(limit, m->n_jobs);
	}
	return limit;
}

/* Whether a line ran, or $(shell) in a recipe, besides the command. */
static bool
any_has_run(const struct graph *g)
{
	return g->n_lines > 1;
}

/* If make failed before it ran anything, nothing is known of the build. */
static void
put_build(struct filter *f)
{
	const struct graph *g = state.graph;
	const struct recipe_line *command = &g->lines[0];
	bool has_load_limit;
	int64_t limit = find_limit(&has_load_limit);
	struct buf *b;

	if (!any_has_run(g) && (state.has_failed || g->n_makes == 0))
		return;
	b = filter_begin_record(f, "build");
	json_cstr(b, "run", state.run);
	json_word(b, "format", "make");
	if (any_has_run(g)) {
		json_int(b, "start_us", command->start_us);
		json_int(b, "end_us", command->end_us);
		json_int(b, "wall_us", command->end_us - command->start_us);
		json_int(b, "limit", limit);
		json_flag(b, "load_limit", has_load_limit);
	}
	lacks_put(b, filter_take_lacks(f));
	filter_end_record(f);
}

void
targets_write(struct filter *f, const struct graph *g, int status)
{
	int64_t start_us = g->lines[0].start_us;
	time_t s = (time_t)(start_us / 1000000);
	struct tm tm;
	size_t n = gmtime_r(&s, &tm) == NULL ? 0 : strftime(state.run,
	    sizeof state.run, "%Y-%m-%dT%H:%M:%S", &tm);

	snprintf(state.run + n, sizeof state.run - n, ".%06dZ",
	    (int)(start_us % 1000000));
	state.graph = g;
	state.has_failed = status != 0;
	state.top = getcwd(NULL, 0);
	state.top_length = state.top != NULL ? strlen(state.top) : 0;
	state.mark_of = mem_zero(g->n_targets, sizeof *state.mark_of);

	/* If nothing ran, the command is not of interest. */
	if (any_has_run(g))
		graph_walk(g, put_part, f);
	put_nodes(f);
	put_build(f);
	free(state.top);
	free(state.mark_of);
	buf_release(&state.text);
}
