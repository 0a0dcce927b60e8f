/* cargo-tasks - writes the units of a run of cargo as tasks and nodes */

#include <string.h>

#include "common/filter/filter.h"
#include "filters/execlog-parse/cargo-tasks.h"
#include "filters/execlog-parse/records.h"

/*
 * A unit is what cargo runs as one command: the compilation of a target, or the
 * run of a build script.  A unit that produces metadata (rmeta) before it ends
 * is two tasks, because units that need only the metadata start as soon as it
 * is complete:
 *
 *	"3 rmeta"	from the start of unit 3 to its metadata
 *	"3 codegen"	from there to its end; depends on "3 rmeta"
 *
 * Any other unit is one task, "3".
 *
 * A unit that produces metadata needs only the metadata of its dependencies, if
 * they produce any.  Any other unit may link, and linking needs all units on
 * which its dependencies depend, directly or not, to have ended.  Cargo does
 * not log these dependencies.  So that their number stays linear in that of the
 * logged ones, each unit with metadata has a phony node, which stands for the
 * end of the unit and of all these:
 *
 *	"3 all"		depends on "3 codegen" and, for each dependency N of
 *			unit 3, on "N all" or, if N has no metadata, on "N"
 *
 * Whether a unit has metadata is known only when it has ended, so the units of
 * a run are in memory until the run ends.
 */
enum part { PART_WHOLE, PART_RMETA, PART_CODEGEN, PART_ALL };

static const char *const part_suffixes[] = { "", " rmeta", " codegen",
    " all" };

static struct {
	struct filter *f;
	const struct cargo_run *run;
	struct buf id, name;	/* reused for each record */
} state;

struct unit *
cargo_find_unit(const struct cargo_run *run, uint64_t index)
{
	uint32_t i = map_find(&run->unit_of,
	    span_bytes(&index, sizeof index));

	return i == INDEX_NONE ? NULL : &run->units[i];
}

bool
cargo_may_pipeline(const struct cargo_run *run, const struct unit *u)
{
	return u->mode == SYM_NONE ||
	    span_eq(intern_span(&run->names, u->mode), "build");
}

static struct span
text_of(sym s)
{
	return s == SYM_NONE ? span_of(NULL, 0) :
	    intern_span(&state.run->names, s);
}

/* The id of a part of a unit, valid until the next call. */
static struct span
unit_id(uint64_t index, enum part part)
{
	state.id.len = 0;
	buf_u64(&state.id, index);
	buf_str(&state.id, part_suffixes[part]);
	return buf_span(&state.id);
}

/*
 * Whether a unit needs only the metadata of its dependencies.  Of a library
 * that did not finish this is not known; it is assumed, because it is true of
 * most.
 */
static bool
needs_only_rmeta(const struct unit *u)
{
	return unit_has_rmeta(u) || (u->end_us == INT_UNKNOWN && !u->is_fresh &&
	    cargo_may_pipeline(state.run, u) &&
	    span_eq(text_of(u->kind), "lib"));
}

/*
 * Writes the dependencies of a unit as items: those parts of them that have to
 * be complete before the unit starts if it needs only metadata, and otherwise
 * before it links.
 */
static void
put_deps(struct buf *b, const struct unit *u, bool only_rmeta)
{
	const uint64_t *deps = state.run->deps + u->first_dep;
	enum part part;
	const struct unit *dep;

	for (size_t i = 0; i < u->n_deps; i++) {
		dep = cargo_find_unit(state.run, deps[i]);
		part = dep == NULL || !unit_has_rmeta(dep) ? PART_WHOLE :
		    only_rmeta ? PART_RMETA : PART_ALL;
		json_item(b, unit_id(deps[i], part));
	}
}

static struct span
span_from(struct span s, const char *p)
{
	return span_of(p, (size_t)(s.p + s.n - p));
}

static struct span
span_until(struct span s, const char *p)
{
	return span_of(s.p, (size_t)(p - s.p));
}

/*
 * Splits a package id: SOURCE#NAME@VERSION, or SOURCE#VERSION if the name is
 * the last component of SOURCE, a URL.  What is missing is empty.
 */
static void
split_package(struct span id, struct span *name, struct span *version)
{
	struct span source = id, rest = span_of(NULL, 0);
	const char *p;

	if (id.n > 0 && (p = memchr(id.p, '#', id.n)) != NULL) {
		source = span_until(id, p);
		rest = span_from(id, p + 1);
	}
	*version = rest;
	if (rest.n > 0 && (p = memchr(rest.p, '@', rest.n)) != NULL) {
		*name = span_until(rest, p);
		*version = span_from(rest, p + 1);
		return;
	}
	if (source.n > 0 && (p = memchr(source.p, '?', source.n)) != NULL)
		source = span_until(source, p);
	while (source.n > 0 && source.p[source.n - 1] == '/')
		source.n--;
	*name = span_base_name(source);
}

static void
add_word(struct buf *b, struct span word)
{
	if (b->len > 0 && word.n > 0)
		buf_char(b, ' ');
	buf_add(b, word.p, word.n);
}

/* Whether a target is the library or program that its package is named for. */
static bool
is_named_like(struct span target, struct span package)
{
	char c;

	if (target.n != package.n)
		return false;
	for (size_t i = 0; i < target.n; i++) {
		c = package.p[i] == '-' ? '_' : package.p[i];
		if (target.p[i] != package.p[i] && target.p[i] != c)
			return false;
	}
	return true;
}

/*
 * Writes `name`, for example "base 0.2.0 rmeta" or "app 1.0.0 test smoke": the
 * package, its version and what makes the unit different from the library of
 * the package; and `target`, the package.
 */
static void
put_names(struct buf *b, const struct unit *u, enum part part)
{
	struct span package, version, target = text_of(u->target);
	struct span kind = text_of(u->kind), mode = text_of(u->mode);
	bool runs_script = span_eq(mode, "run-custom-build");
	struct buf *name = &state.name;

	split_package(text_of(u->package), &package, &version);
	name->len = 0;
	add_word(name, package);
	add_word(name, version);
	if (!span_eq(kind, "lib") && !runs_script)
		add_word(name, kind);
	if (!span_eq(kind, "build-script") && !is_named_like(target, package))
		add_word(name, target);
	if (!span_eq(mode, "build") && span_compare(mode, kind) != 0)
		add_word(name, mode);
	buf_str(name, part_suffixes[part]);
	json_text(b, "name", buf_span(name));
	json_text(b, "target", package);
}

/* Writes `parts_us`: the times of the sections in a part of a unit. */
static void
put_sections(struct buf *b, const struct unit *u, enum part part)
{
	const struct section *s;
	bool is_open = false;
	int64_t us;

	for (uint32_t i = u->first_section; i != INDEX_NONE; i = s->next) {
		s = &state.run->sections[i];
		us = part == PART_CODEGEN ? s->after_rmeta_us :
		    s->before_rmeta_us;
		if (us == 0)
			continue;
		if (!is_open)
			json_open(b, "parts_us", '{');
		is_open = true;
		json_int_member(b, text_of(s->key.name), us);
	}
	if (is_open)
		json_close(b, '}');
}

static void
emit_task(const struct unit *u, enum part part, int64_t start_us,
    int64_t end_us)
{
	struct buf *b = filter_begin_record(state.f, "task");
	struct span rule = text_of(u->kind);

	json_str(b, "id", unit_id(u->index, part));
	put_names(b, u, part);
	if (part != PART_WHOLE)
		rule = span_str(part_suffixes[part] + 1);
	else if (span_eq(text_of(u->mode), "run-custom-build"))
		rule = text_of(u->mode);
	json_text(b, "rule", rule);
	json_word(b, "kind", "run");
	put_run(b);

	put_times(b, start_us, end_us);
	if (start_us == INT_UNKNOWN) {
		json_int(b, "elapsed_us", 0);
		json_true(b, "from_cache");
	}
	if (part == PART_CODEGEN || u->n_deps > 0) {
		json_open(b, "deps", '[');
		if (part == PART_CODEGEN)
			json_item(b, unit_id(u->index, PART_RMETA));
		else
			put_deps(b, u, needs_only_rmeta(u));
		json_close(b, ']');
	}
	put_sections(b, u, part);
	filter_end_record(state.f);
}

/* Emits the phony node of a unit with metadata. */
static void
emit_node(const struct unit *u)
{
	struct buf *b = filter_begin_record(state.f, "node");

	json_str(b, "id", unit_id(u->index, PART_ALL));
	put_run(b);
	json_word(b, "rule", "phony");
	json_open(b, "deps", '[');
	json_item(b, unit_id(u->index, PART_CODEGEN));
	put_deps(b, u, false);
	json_close(b, ']');
	filter_end_record(state.f);
}

uint64_t
cargo_write_tasks(struct filter *f, const struct cargo_run *run)
{
	const struct unit *u, *end = run->units + run->n;
	uint64_t n_unfinished = 0;

	state.f = f;
	state.run = run;
	for (u = run->units; u < end; u++) {
		n_unfinished += u->start_us != INT_UNKNOWN &&
		    u->end_us == INT_UNKNOWN;
		if (unit_has_rmeta(u)) {
			emit_task(u, PART_RMETA, u->start_us, u->rmeta_us);
			emit_task(u, PART_CODEGEN, u->rmeta_us, u->end_us);
			emit_node(u);
		} else if (u->start_us != INT_UNKNOWN || u->is_fresh) {
			emit_task(u, PART_WHOLE, u->start_us, u->end_us);
		}
	}
	buf_release(&state.id);
	buf_release(&state.name);
	return n_unfinished;
}
