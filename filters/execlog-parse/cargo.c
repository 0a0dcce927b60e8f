/* cargo - reads the log that cargo writes with -Zbuild-analysis */

#include <stdlib.h>
#include <string.h>

#include "common/base/err.h"
#include "common/base/intern.h"
#include "common/base/num.h"
#include "common/frame/filter.h"
#include "common/frame/format.h"
#include "common/json/items.h"
#include "common/json/recio.h"
#include "filters/execlog-parse/formats.h"
#include "filters/execlog-parse/records.h"

/*
 * A line is an event of a run of cargo.  A unit is what cargo runs as one
 * command: the compilation of a target, or the run of a build script.  A unit
 * that produces metadata (rmeta) before it ends is two tasks, because units
 * that need only the metadata start as soon as it is complete:
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

enum { RUN_ID = KEY_TYPE + 1, TIMESTAMP, REASON, ELAPSED, INDEX, PACKAGE_ID,
    TARGET, MODE, DEPENDENCIES, STATUS, SECTION, RUSTC_VERSION };

const char *const cargo_keys[] = { "type", "run_id", "timestamp", "reason",
    "elapsed", "index", "package_id", "target", "mode", "dependencies",
    "status", "section", "rustc_version", NULL };

/* Keys of the member `target` of an event. */
enum { TARGET_NAME = KEY_TYPE + 1, TARGET_KIND };

static const char *const target_keys[] = { "type", "name", "kind", NULL };

#define US_MAX ((INT64_C(1) << REC_INT_BITS) - 1)

struct unit {
	uint64_t index;		/* the number of the unit in the log */
	sym package;		/* package_id; SYM_NONE if unknown, as all */
	sym target, kind, mode;
	size_t first_dep, n_deps;	/* in state.deps */
	/* Each is INT_UNKNOWN until the event has come. */
	int64_t start_us, rmeta_us, end_us;
	uint32_t first_section, last_section;	/* INDEX_NONE if there is
						   none */
	bool is_fresh;		/* up to date, so cargo did not run it */
};

/* A phase of a unit, such as the code generation of a crate. */
struct section {
	struct section_key {
		uint32_t unit;	/* in state.units */
		sym name;
	} key;
	uint32_t next;		/* the next section of the unit */
	int64_t start_us;	/* INT_UNKNOWN unless the section is open */
	/* The time until the unit's metadata, and after that. */
	int64_t before_rmeta_us, after_rmeta_us;
};

static struct {
	struct filter *f;
	struct recio *targets;	/* reads the values of `target` */

	/* The current run. */
	struct buf run;		/* its id; empty if the log has none */
	struct intern names;
	struct unit *units;
	size_t n, cap;
	struct map unit_of;	/* from unit.index to an index in units */
	uint64_t *deps;		/* the numbers of units */
	size_t n_deps, deps_cap;
	struct section *sections;
	size_t n_sections, sections_cap;
	struct map section_of;	/* from section.key to an index in sections */
	int64_t end_us;		/* the latest time, or INT_UNKNOWN */
	bool lacks_deps;	/* a unit started without being registered */

	/* Of all runs, for warnings. */
	uint64_t n_without_deps;	/* runs */
	uint64_t n_unfinished;		/* units */

	struct buf id, name;	/* reused for each record */
} state;

static struct span
unit_key(const void *owner, uint32_t i)
{
	(void)owner;
	return span_bytes(&state.units[i].index, sizeof state.units[i].index);
}

static struct span
section_key(const void *owner, uint32_t i)
{
	(void)owner;
	return span_bytes(&state.sections[i].key, sizeof state.sections[i].key);
}

static const struct unit *
find_unit(uint64_t index)
{
	uint32_t i = map_find(&state.unit_of,
	    span_bytes(&index, sizeof index));

	return i == INDEX_NONE ? NULL : &state.units[i];
}

static bool
has_rmeta(const struct unit *u)
{
	return u->rmeta_us != INT_UNKNOWN;
}

static struct span
text_of(sym s)
{
	return s == SYM_NONE ? span_of(NULL, 0) : intern_span(&state.names, s);
}

/*
 * Whether other units may start at the metadata of a unit, and the unit at that
 * of others.  In other modes, such as check, metadata is logged, but the end is
 * waited for.  An unknown mode is taken for build.
 */
static bool
may_pipeline(const struct unit *u)
{
	return u->mode == SYM_NONE || span_eq(text_of(u->mode), "build");
}

/* --- Reading --- */

/* Removes the exponent of a JSON number from its text, and returns it in *e. */
static bool
split_exponent(struct span *number, int64_t *e)
{
	size_t n = 0;
	struct span text;

	*e = 0;
	while (n < number->n && (number->p[n] | 0x20) != 'e')
		n++;
	if (n == number->n)
		return true;
	text = span_of(number->p + n + 1, number->n - n - 1);
	if (text.n > 0 && *text.p == '+')
		text = span_of(text.p + 1, text.n - 1);
	number->n = n;
	/* The limit is far from all overflows. */
	return text_i64(text, e) && *e < 1000000 && *e > -1000000;
}

/*
 * Converts seconds, a JSON number, to microseconds, and truncates the rest.
 * Works on the decimal digits, because 0.29 * 1e6 as a double is less than
 * 290000.  Returns false if the number is negative or too large for a record.
 */
static bool
read_seconds(struct span number, int64_t *us)
{
	enum { US_DIGITS = 6 };
	int64_t n_digits, v = 0;
	size_t i = 0;

	if (!split_exponent(&number, &n_digits))
		return false;
	n_digits += US_DIGITS;
	while (i < number.n && text_is_digit(number.p[i]))
		i++;
	if (i == 0)
		return false;	/* a minus sign */
	n_digits += (int64_t)i;	/* how many digits are left of the microsecond's
				   point */
	for (i = 0; n_digits > 0 && (i < number.n || v > 0); i++) {
		if (i < number.n && number.p[i] == '.')
			continue;
		v = v * 10 + (i < number.n ? number.p[i] - '0' : 0);
		if (v > US_MAX)
			return false;
		n_digits--;
	}
	*us = v;
	return true;
}

/* Reads `elapsed`, which is INT_UNKNOWN if it is absent. */
static bool
read_elapsed(const struct rec *r, int64_t *us)
{
	const struct field *field;
	enum rec_found found = rec_find(r, ELAPSED, REC_NUMBER, &field);

	*us = INT_UNKNOWN;
	if (found == REC_ABSENT ||
	    (found == REC_OK && read_seconds(field->text, us)))
		return true;
	filter_reject(state.f, "elapsed is not a number of seconds, or is "
	    "negative or too large");
	return false;
}

static bool
read_index(const struct rec *r, uint64_t *index)
{
	int64_t i = 0;

	if (rec_int(r, INDEX, &i) == REC_OK && i >= 0) {
		*index = (uint64_t)i;
		return true;
	}
	filter_reject(state.f, "index is not the number of a unit");
	return false;
}

/* The unit of an event; NULL, and the line is rejected, if there is none. */
static struct unit *
read_unit(const struct rec *r)
{
	uint64_t index;
	uint32_t i;

	if (!read_index(r, &index))
		return NULL;
	i = map_find(&state.unit_of, span_bytes(&index, sizeof index));
	if (i != INDEX_NONE)
		return &state.units[i];
	filter_reject(state.f, "unit %llu is not registered",
	    (unsigned long long)index);
	return NULL;
}

/* Interns the string of a key; SYM_NONE if it is absent. */
static bool
read_name(const struct rec *r, unsigned key, const char *what, sym *name)
{
	struct span text;
	enum rec_found found = rec_str(r, key, &text);

	*name = SYM_NONE;
	if (found == REC_OK)
		*name = intern_add(&state.names, text);
	if (found != REC_BAD)
		return true;
	filter_reject(state.f, "%s is not a string", what);
	return false;
}

static bool
read_target(const struct rec *r, struct unit *u)
{
	const struct field *field;
	enum rec_found found = rec_find(r, TARGET, REC_OBJECT, &field);
	const struct rec *target;
	const char *why;

	u->target = u->kind = SYM_NONE;
	if (found == REC_ABSENT)
		return true;
	if (found == REC_OK &&
	    (target = recio_parse(state.targets, field->token, &why)) != NULL)
		return read_name(target, TARGET_NAME, "target.name",
		    &u->target) &&
		    read_name(target, TARGET_KIND, "target.kind", &u->kind);
	filter_reject(state.f, "target is not an object");
	return false;
}

static bool
read_dependencies(const struct rec *r, struct unit *u)
{
	const struct field *field;
	enum rec_found found = rec_find(r, DEPENDENCIES, REC_ARRAY, &field);
	struct span rest, item;
	uint64_t index;
	size_t n = state.n_deps;

	u->first_dep = n;
	u->n_deps = 0;
	if (found == REC_ABSENT)
		return true;
	if (found == REC_OK)
		for (rest = field->token; items_next(&rest, &item);) {
			if (!text_u64(item, &index) || index > US_MAX) {
				found = REC_BAD;
				break;
			}
			state.deps = mem_grow(state.deps, &state.deps_cap,
			    n + 1, sizeof *state.deps);
			state.deps[n++] = index;
		}
	if (found == REC_BAD) {
		filter_reject(state.f, "dependencies is not an array of the "
		    "numbers of units");
		return false;
	}
	u->n_deps = n - state.n_deps;
	state.n_deps = n;
	return true;
}

/* Adds a unit that an event describes; NULL if the event was rejected. */
static struct unit *
add_unit(const struct rec *r, uint64_t index)
{
	struct unit u = { .index = index, .start_us = INT_UNKNOWN,
	    .rmeta_us = INT_UNKNOWN, .end_us = INT_UNKNOWN,
	    .first_section = INDEX_NONE, .last_section = INDEX_NONE };

	if (!read_name(r, PACKAGE_ID, "package_id", &u.package) ||
	    !read_name(r, MODE, "mode", &u.mode) || !read_target(r, &u) ||
	    !read_dependencies(r, &u))
		return NULL;
	if (state.n >= INDEX_NONE)
		die("too many units");
	state.units = mem_grow(state.units, &state.cap, state.n + 1,
	    sizeof *state.units);
	state.units[state.n] = u;
	map_find_or_add(&state.unit_of, unit_key(NULL, (uint32_t)state.n),
	    (uint32_t)state.n);
	return &state.units[state.n++];
}

static void
read_registered(const struct rec *r, int64_t us)
{
	uint64_t index;

	(void)us;
	if (!read_index(r, &index))
		return;
	if (find_unit(index) != NULL)
		filter_reject(state.f, "unit %llu is registered twice",
		    (unsigned long long)index);
	else
		add_unit(r, index);
}

static void
read_fingerprint(const struct rec *r, int64_t us)
{
	struct unit *u = read_unit(r);
	struct span status;

	(void)us;
	if (u != NULL && rec_str(r, STATUS, &status) == REC_OK)
		u->is_fresh = span_eq(status, "fresh");
}

/*
 * Versions without unit-registered describe a unit, but not its dependencies,
 * when it starts.
 */
static void
read_started(const struct rec *r, int64_t us)
{
	struct unit *u;
	uint64_t index;

	if (!read_index(r, &index))
		return;
	if (find_unit(index) == NULL && rec_get(r, PACKAGE_ID) != NULL) {
		u = add_unit(r, index);
		state.lacks_deps |= u != NULL;
	} else {
		u = read_unit(r);
	}
	if (u == NULL)
		return;
	if (u->start_us != INT_UNKNOWN)
		filter_reject(state.f, "unit %llu starts twice",
		    (unsigned long long)u->index);
	else
		u->start_us = us;
}

/*
 * The unit of an event at a time; NULL, and the line is rejected, unless the
 * unit is running, and the time is not before its previous event.
 */
static struct unit *
read_running_unit(const struct rec *r, int64_t us)
{
	struct unit *u = read_unit(r);
	unsigned long long index;

	if (u == NULL)
		return NULL;
	index = u->index;
	if (u->start_us == INT_UNKNOWN)
		filter_reject(state.f, "unit %llu has not started", index);
	else if (u->end_us != INT_UNKNOWN)
		filter_reject(state.f, "unit %llu has already finished", index);
	else if (us < u->start_us || us < u->rmeta_us)
		filter_reject(state.f, "elapsed is before the previous event "
		    "of unit %llu", index);
	else
		return u;
	return NULL;
}

static void
read_rmeta(const struct rec *r, int64_t us)
{
	struct unit *u = read_running_unit(r, us);

	if (u == NULL || !may_pipeline(u))
		return;
	if (has_rmeta(u))
		filter_reject(state.f, "the metadata of unit %llu is finished "
		    "twice", (unsigned long long)u->index);
	else
		u->rmeta_us = us;
}

static void
read_finished(const struct rec *r, int64_t us)
{
	struct unit *u = read_running_unit(r, us);

	if (u != NULL)
		u->end_us = us;
}

/* The section of an event; NULL if the line was rejected. */
static struct section *
read_section(const struct rec *r, int64_t us)
{
	struct unit *u = read_running_unit(r, us);
	struct section s = { .next = INDEX_NONE, .start_us = INT_UNKNOWN };
	uint32_t i;

	if (u == NULL || !read_name(r, SECTION, "section", &s.key.name))
		return NULL;
	if (s.key.name == SYM_NONE) {
		filter_reject(state.f, "section is missing");
		return NULL;
	}
	if (state.n_sections >= INDEX_NONE)
		die("too many sections");
	s.key.unit = (uint32_t)(u - state.units);
	state.sections = mem_grow(state.sections, &state.sections_cap,
	    state.n_sections + 1, sizeof *state.sections);
	i = map_find_or_add(&state.section_of,
	    span_bytes(&s.key, sizeof s.key), (uint32_t)state.n_sections);
	if (i < state.n_sections)
		return &state.sections[i];
	if (u->last_section == INDEX_NONE)
		u->first_section = i;
	else
		state.sections[u->last_section].next = i;
	u->last_section = i;
	state.sections[state.n_sections++] = s;
	return &state.sections[i];
}

static void
read_section_started(const struct rec *r, int64_t us)
{
	struct section *s = read_section(r, us);

	if (s == NULL)
		return;
	if (s->start_us != INT_UNKNOWN)
		filter_reject(state.f, "a section starts twice");
	else
		s->start_us = us;
}

/* Adds to the time of a section, which may be repeated without limit. */
static void
add_time(int64_t *sum_us, int64_t us)
{
	*sum_us = us > US_MAX - *sum_us ? US_MAX : *sum_us + us;
}

/* A section that spans the end of the metadata is divided there. */
static void
read_section_finished(const struct rec *r, int64_t us)
{
	struct section *s = read_section(r, us);
	int64_t rmeta_us;

	if (s == NULL)
		return;
	if (s->start_us == INT_UNKNOWN || us < s->start_us) {
		filter_reject(state.f, "a section ends before it starts");
		return;
	}
	rmeta_us = state.units[s->key.unit].rmeta_us;
	if (rmeta_us == INT_UNKNOWN)
		rmeta_us = us;
	if (rmeta_us < s->start_us)
		rmeta_us = s->start_us;
	add_time(&s->before_rmeta_us, rmeta_us - s->start_us);
	add_time(&s->after_rmeta_us, us - rmeta_us);
	s->start_us = INT_UNKNOWN;
}

/* The only version in the log is that of rustc, which is also that of cargo. */
static void
read_build_started(const struct rec *r, int64_t us)
{
	struct span version;

	(void)us;
	if (rec_str(r, RUSTC_VERSION, &version) == REC_OK)
		check_version(state.f, "cargo", version, "1.95", "1.95");
}

static const struct {
	const char *reason;
	void (*read)(const struct rec *, int64_t us);
	bool has_elapsed;
} events[] = {
	{ "build-started", read_build_started, false },
	{ "unit-registered", read_registered, false },
	{ "unit-fingerprint", read_fingerprint, false },
	{ "unit-started", read_started, true },
	{ "unit-rmeta-finished", read_rmeta, true },
	{ "unit-section-started", read_section_started, true },
	{ "unit-section-finished", read_section_finished, true },
	{ "unit-finished", read_finished, true },
};

/* Events with other reasons only count for the extent of the build. */
static void
read_event(const struct rec *r)
{
	struct span reason;
	int64_t us;

	if (rec_str(r, REASON, &reason) != REC_OK) {
		filter_reject(state.f, "reason is missing or not a string");
		return;
	}
	if (!read_elapsed(r, &us))
		return;
	if (us > state.end_us)
		state.end_us = us;	/* INT_UNKNOWN is less than all */
	for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
		if (!span_eq(reason, events[i].reason))
			continue;
		if (events[i].has_elapsed && us == INT_UNKNOWN)
			filter_reject(state.f, "elapsed is missing");
		else
			events[i].read(r, us);
		return;
	}
}

/* --- Writing --- */

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
	return has_rmeta(u) || (u->end_us == INT_UNKNOWN && !u->is_fresh &&
	    may_pipeline(u) && span_eq(text_of(u->kind), "lib"));
}

/*
 * Writes the dependencies of a unit as items: those parts of them that have to
 * be complete before the unit starts if it needs only metadata, and otherwise
 * before it links.
 */
static void
put_deps(struct buf *b, const struct unit *u, bool only_rmeta)
{
	enum part part;
	const struct unit *dep;

	for (size_t i = 0; i < u->n_deps; i++) {
		dep = find_unit(state.deps[u->first_dep + i]);
		part = dep == NULL || !has_rmeta(dep) ? PART_WHOLE :
		    only_rmeta ? PART_RMETA : PART_ALL;
		json_item(b, unit_id(state.deps[u->first_dep + i], part));
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
	if (name->len > 0)
		json_str(b, "name", buf_span(name));
	if (package.n > 0)
		json_str(b, "target", package);
}

static void
put_rule(struct buf *b, const struct unit *u, enum part part)
{
	struct span rule = text_of(u->kind);

	if (part != PART_WHOLE)
		rule = span_str(part_suffixes[part] + 1);
	else if (span_eq(text_of(u->mode), "run-custom-build"))
		rule = text_of(u->mode);
	if (rule.n > 0)
		json_str(b, "rule", rule);
}

/* Writes `parts_us`: the times of the sections in a part of a unit. */
static void
put_sections(struct buf *b, const struct unit *u, enum part part)
{
	const struct section *s;
	bool is_open = false;
	int64_t us;

	for (uint32_t i = u->first_section; i != INDEX_NONE; i = s->next) {
		s = &state.sections[i];
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

	json_str(b, "id", unit_id(u->index, part));
	put_names(b, u, part);
	put_rule(b, u, part);
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

/* A unit that is neither fresh nor started is not a task. */
static void
emit_unit(const struct unit *u)
{
	state.n_unfinished += u->start_us != INT_UNKNOWN &&
	    u->end_us == INT_UNKNOWN;
	if (has_rmeta(u)) {
		emit_task(u, PART_RMETA, u->start_us, u->rmeta_us);
		emit_task(u, PART_CODEGEN, u->rmeta_us, u->end_us);
		emit_node(u);
	} else if (u->start_us != INT_UNKNOWN || u->is_fresh) {
		emit_task(u, PART_WHOLE, u->start_us, u->end_us);
	}
}

static void
begin_run(struct span id)
{
	state.run.len = 0;
	buf_add(&state.run, id.p, id.n);
	run_set_own(id);
	state.n = state.n_deps = state.n_sections = 0;
	state.end_us = INT_UNKNOWN;
	state.lacks_deps = false;
	intern_init(&state.names);
	map_init(&state.unit_of, unit_key, NULL);
	map_init(&state.section_of, section_key, NULL);
}

/* Writes the records of the current run. */
static void
end_run(void)
{
	for (size_t i = 0; i < state.n; i++)
		emit_unit(&state.units[i]);
	/* Times count from the start of cargo, so 0 is a valid time and the
	   start of the build. */
	emit_build_times(state.f, FORMAT_CARGO, state.end_us == INT_UNKNOWN ?
	    INT_UNKNOWN : 0, state.end_us);
	state.n_without_deps += state.lacks_deps;
	intern_release(&state.names);
	map_release(&state.unit_of);
	map_release(&state.section_of);
}

/*
 * Ends the current run if the record begins a run or is of another run.  A log
 * that is read twice is two runs with the same id.
 */
static bool
change_run(const struct rec *r)
{
	struct span id = span_of(NULL, 0), reason = span_of(NULL, 0);

	if (rec_str(r, RUN_ID, &id) == REC_BAD) {
		filter_reject(state.f, "run_id is not a string");
		return false;
	}
	rec_str(r, REASON, &reason);
	if (span_eq(reason, "build-started") ||
	    span_compare(id, buf_span(&state.run)) != 0) {
		end_run();
		begin_run(id);
	}
	return true;
}

static void
warn_at_end(void)
{
	if (state.n_without_deps > 0)
		filter_warn(state.f, "%llu run%s no dependencies, because "
		    "this version of cargo writes no unit-registered",
		    (unsigned long long)state.n_without_deps,
		    state.n_without_deps == 1 ? " has" : "s have");
	if (state.n_unfinished > 0)
		filter_warn(state.f, "%llu unit%s started but did not finish: "
		    "cargo's log does not say whether they failed or were "
		    "stopped", (unsigned long long)state.n_unfinished,
		    state.n_unfinished == 1 ? "" : "s");
}

bool
cargo_detect(struct input *in)
{
	return format_begins_with(in, "{\"run_id\"");
}

void
cargo_read(struct filter *f, const struct format_options *options)
{
	const struct rec *r;

	(void)options;
	state.f = f;
	state.targets = recio_new(target_keys);
	begin_run(span_of(NULL, 0));
	while ((r = filter_next(f)) != NULL)
		if (change_run(r))
			read_event(r);
	end_run();
	warn_at_end();
	recio_free(state.targets);
	free(state.units);
	free(state.deps);
	free(state.sections);
	buf_release(&state.run);
	buf_release(&state.id);
	buf_release(&state.name);
	memset(&state, 0, sizeof state);
}
