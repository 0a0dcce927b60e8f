/* cargo - reads the log that cargo writes with -Zbuild-analysis */

#include <stdlib.h>
#include <string.h>

#include "common/base/intern.h"
#include "common/base/num.h"
#include "common/filter/filter-read.h"
#include "common/filter/filter-reject.h"
#include "common/filter/filter.h"
#include "common/filter/lacks.h"
#include "common/filter/format.h"
#include "common/json/items.h"
#include "common/json/recio.h"
#include "filters/execlog-parse/cargo-tasks.h"
#include "filters/execlog-parse/formats.h"
#include "filters/execlog-parse/records.h"

/*
 * A line is an event of a run of cargo.  The units of a run are in memory until
 * the run ends: see cargo-tasks.c.
 */
#define CARGO_KEYS(K)							\
	K(RUN_ID, "run_id") K(TIMESTAMP, "timestamp")			\
	K(REASON, "reason") K(ELAPSED, "elapsed") K(INDEX, "index")	\
	K(PACKAGE_ID, "package_id") K(TARGET, "target") K(MODE, "mode")	\
	K(DEPENDENCIES, "dependencies") K(STATUS, "status")		\
	K(SECTION, "section") K(RUSTC_VERSION, "rustc_version")		\
	K(JOBS, "jobs")
KEY_LIST(cargo_keys, CARGO_KEYS);

/* Keys of the member `target` of an event. */
#define TARGET_KEYS(K) K(TARGET_NAME, "name") K(TARGET_KIND, "kind")
KEY_LIST(target_keys, TARGET_KEYS);

#define US_MAX ((INT64_C(1) << REC_INT_BITS) - 1)

static struct {
	struct filter *f;
	struct recio *targets;	/* reads the values of `target` */

	/* Of the current run. */
	struct buf run_id;	/* empty if the log has none */
	int64_t end_us;		/* the latest time, or INT_UNKNOWN */
	bool lacks_deps;	/* a unit started without being registered */

	/* Of all runs, for warnings. */
	uint64_t n_without_deps;	/* runs */
	uint64_t n_unfinished;		/* units */
} state;

static struct cargo_run run;	/* the current one */

static struct span
unit_key(const void *owner, uint32_t i)
{
	(void)owner;
	return span_bytes(&run.units[i].index, sizeof run.units[i].index);
}

static struct span
section_key(const void *owner, uint32_t i)
{
	(void)owner;
	return span_bytes(&run.sections[i].key, sizeof run.sections[i].key);
}

/* Reads `elapsed`, which is INT_UNKNOWN if it is absent. */
static bool
read_elapsed(const struct rec *r, int64_t *us)
{
	const struct field *field;
	enum rec_found found = rec_find(r, ELAPSED, REC_NUMBER, &field);
	const char *p;

	*us = INT_UNKNOWN;
	if (found == REC_ABSENT)
		return true;
	if (found == REC_OK) {
		p = field->text.p;
		if (read_seconds(&p, us) && *us >= 0)
			return true;
	}
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
	struct unit *u;

	if (!read_index(r, &index))
		return NULL;
	u = cargo_find_unit(&run, index);
	if (u == NULL)
		filter_reject(state.f, "unit %llu is not registered",
		    (unsigned long long)index);
	return u;
}

/* Interns the string of a key; SYM_NONE if it is absent. */
static bool
read_name(const struct rec *r, unsigned key, const char *what, sym *name)
{
	struct span text;
	enum rec_found found = rec_str(r, key, &text);

	*name = SYM_NONE;
	if (found == REC_OK)
		*name = intern_add(&run.names, text);
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
	size_t n = run.n_deps;

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
			run.deps = mem_grow(run.deps, &run.deps_cap,
			    n + 1, sizeof *run.deps);
			run.deps[n++] = index;
		}
	if (found == REC_BAD) {
		filter_reject(state.f, "dependencies is not an array of the "
		    "numbers of units");
		return false;
	}
	u->n_deps = n - run.n_deps;
	run.n_deps = n;
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
	run.units = mem_grow(run.units, &run.cap, run.n + 1,
	    sizeof *run.units);
	run.units[run.n] = u;
	map_find_or_add(&run.unit_of, unit_key(NULL, (uint32_t)run.n),
	    (uint32_t)run.n);
	return &run.units[run.n++];
}

static void
read_registered(const struct rec *r, int64_t us)
{
	uint64_t index;

	(void)us;
	if (!read_index(r, &index))
		return;
	if (cargo_find_unit(&run, index) != NULL)
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
	if (cargo_find_unit(&run, index) == NULL &&
	    rec_get(r, PACKAGE_ID) != NULL) {
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

	if (u == NULL || !cargo_may_pipeline(&run, u))
		return;
	if (unit_has_rmeta(u))
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
	s.key.unit = (uint32_t)(u - run.units);
	run.sections = mem_grow(run.sections, &run.sections_cap,
	    run.n_sections + 1, sizeof *run.sections);
	i = map_find_or_add(&run.section_of,
	    span_bytes(&s.key, sizeof s.key), (uint32_t)run.n_sections);
	if (i < run.n_sections)
		return &run.sections[i];
	if (u->last_section == INDEX_NONE)
		u->first_section = i;
	else
		run.sections[u->last_section].next = i;
	u->last_section = i;
	run.sections[run.n_sections++] = s;
	return &run.sections[i];
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
	rmeta_us = run.units[s->key.unit].rmeta_us;
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
	int64_t jobs;

	(void)us;
	if (rec_int(r, JOBS, &jobs) == REC_OK && jobs > 0)
		run_add_count("limit", (uint64_t)jobs);
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

static void
begin_run(struct span id)
{
	state.run_id.len = 0;
	buf_add(&state.run_id, id.p, id.n);
	run_set_own(id);
	run.n = run.n_deps = run.n_sections = 0;
	state.end_us = INT_UNKNOWN;
	state.lacks_deps = false;
	intern_init(&run.names);
	map_init(&run.unit_of, unit_key, NULL);
	map_init(&run.section_of, section_key, NULL);
}

/* Writes the records of the current run. */
static void
end_run(void)
{
	uint64_t n_unfinished = cargo_write_tasks(state.f, &run);

	filter_note_lacks(state.f, n_unfinished > 0 ? LACKS_UNFINISHED : 0);
	state.n_unfinished += n_unfinished;
	/* Times count from the start of cargo, so 0 is a valid time and the
	   start of the build. */
	emit_build_times(state.f, cargo_format.name,
	    state.end_us == INT_UNKNOWN ? INT_UNKNOWN : 0, state.end_us);
	state.n_without_deps += state.lacks_deps;
	intern_release(&run.names);
	map_release(&run.unit_of);
	map_release(&run.section_of);
}

/*
 * Events with other reasons than those in the table only count for the extent
 * of the build.
 */
static void
read_event(const struct rec *r)
{
	struct span id = span_of(NULL, 0), reason = span_of(NULL, 0);
	enum rec_found found = rec_str(r, REASON, &reason);
	int64_t us;

	if (rec_str(r, RUN_ID, &id) == REC_BAD) {
		filter_reject(state.f, "run_id is not a string");
		return;
	}
	/* A log that is read twice is two runs with the same id. */
	if (span_eq(reason, "build-started") ||
	    span_compare(id, buf_span(&state.run_id)) != 0) {
		end_run();
		begin_run(id);
	}

	if (found != REC_OK) {
		filter_reject(state.f, "reason is missing or not a string");
		return;
	}
	if (!read_elapsed(r, &us))
		return;
	state.end_us = time_later(state.end_us, us);
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

static bool
cargo_detect(struct input *in)
{
	return format_begins_with(in, "{\"run_id\"");
}

static void
cargo_read(struct filter *f, const struct format_options *options)
{
	const struct rec *r;

	(void)options;
	state.f = f;
	state.targets = recio_new(target_keys);
	begin_run(span_of(NULL, 0));
	while ((r = filter_next(f)) != NULL)
		read_event(r);
	end_run();

	if (state.n_without_deps > 0)
		filter_warn(f, "%llu run%s no dependencies, because this "
		    "version of cargo writes no unit-registered",
		    (unsigned long long)state.n_without_deps,
		    plural(state.n_without_deps, " has", "s have"));
	if (state.n_unfinished > 0)
		filter_warn(f, "%llu unit%s started but did not finish: "
		    "cargo's log does not say whether they failed or were "
		    "stopped", (unsigned long long)state.n_unfinished,
		    plural(state.n_unfinished, "", "s"));

	recio_free(state.targets);
	free(run.units);
	free(run.deps);
	free(run.sections);
	buf_release(&state.run_id);
	memset(&state, 0, sizeof state);
	memset(&run, 0, sizeof run);
}

const struct input_format cargo_format = {
	.name = "cargo",
	.help = "cargo's log with -Zbuild-analysis",
	.keys = cargo_keys,
	.detect = cargo_detect,
	.read = cargo_read,
};
