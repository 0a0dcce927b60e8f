/* distbuild - reads the event log of a distributed build, one event per line */

#include <stdlib.h>
#include <string.h>

#include "common/base/err.h"
#include "common/base/intern.h"
#include "common/base/num.h"
#include "common/filter/filter-read.h"
#include "common/filter/filter-reject.h"
#include "common/filter/filter.h"
#include "filters/execlog-parse/formats.h"
#include "filters/execlog-parse/open-tasks.h"
#include "filters/execlog-parse/records.h"
#include "filters/execlog-parse/worker-hosts.h"
#include "filters/execlog-parse/worker-tasks.h"

enum {
	FIELDS_MAX = 7,			/* TIME to ARG5 */
	UNKNOWN_EVENTS_MAX = 1000	/* names that are kept in memory */
};

/*
 * The fields of a line.  The arguments of the events that make tasks are:
 *
 *	deploy				UID WORKER READY-TASK-COUNT
 *	deployed, started		UID HOST
 *	finished			UID HOST STATUS SIZE
 *	finished_from_cache		UID HOST-OR-WORKER STATUS SIZE
 *	dep_wait, dep_start		UID HOST DEP-UID DEP-COUNT
 *	dep_finished			UID HOST DEP-UID ORIGIN-HOST SIZE
 *	prepare_start			(empty) WORKER
 *	resources_prepared		(empty) WORKER
 *	repository_prepared		PATTERN WORKER
 */
enum { TIME, EVENT, ARG1, ARG2, ARG3, ARG4, ARG5 };

/* One line: where its fields begin and end.  Missing fields are empty. */
struct event {
	const char *from[FIELDS_MAX + 1];	/* from[FIELDS_MAX]: the rest of
						   the line, which is ignored */
	const char *to[FIELDS_MAX];
	size_t n_fields;			/* that the line has; at most
						   FIELDS_MAX */
	int64_t us;				/* TIME, in microseconds */
};

/*
 * Events of a name that is not in known_events: how many, and where the first
 * is.
 */
struct unknown_event {
	uint64_t count;
	const char *file;
	uint64_t line;
};

static struct {
	struct filter *f;
	struct intern unknown_names;	/* of events */
	struct unknown_event *unknown;	/* by symbol */
	size_t unknown_cap;
	uint64_t n_unlisted;		/* unknown events whose names do not
					   fit unknown_names */
	uint64_t n_short;		/* lines with fewer fields than their
					   event has, and where the first is */
	const char *short_file;
	uint64_t short_line;
	bool has_empty_field;		/* in any line */
	struct extent extent;
} state;

static inline struct span
field(const struct event *e, int i)
{
	return span_of(e->from[i], (size_t)(e->to[i] - e->from[i]));
}

/* The key of a task: the fields from ARG1 to last. */
static inline struct task_key
key_of(const struct event *e, int last)
{
	const char *p = e->from[ARG1];

	return (struct task_key){ span_of(p, (size_t)(e->to[last] - p)),
	    (size_t)(e->from[ARG2] - p), (size_t)(e->from[ARG3] - p) };
}

/*
 * Returns the size or count in field i, or INT_UNKNOWN if it is not a valid
 * number: real logs have other words there.
 */
static int64_t
read_number(const struct event *e, int i)
{
	int64_t number;

	if (!text_i64(field(e, i), &number) || number < 0 ||
	    number >> REC_INT_BITS != 0)
		return INT_UNKNOWN;
	return number;
}

/* In the events of the actions from DEPLOY on, ARG2 is a worker's number. */
enum action { IGNORE, EARLY_START, START, END, FROM_CACHE, DEPLOY,
    PREPARE_START, RESOURCES, REPOSITORY };

#define NAME(s) { s, sizeof s - 1 }

/*
 * The known events, the most frequent first.  The fields from `first` to `last`
 * must not be empty; EVENT to EVENT requires no argument.  `end` is the last
 * field that the event has.  The key of a task, of this kind, is the fields
 * from ARG1 to `last`.  dep_extract_* count only for the start and end of the
 * build: their arguments are not unique, so they cannot be paired to tasks.
 */
static const struct known_event {
	struct span name;
	enum action action;
	enum task_kind kind;
	int first, last, end;
} known_events[] = {
	{ NAME("dep_start"), START, TASK_COPY, ARG1, ARG3, ARG4 },
	{ NAME("dep_wait"), EARLY_START, TASK_COPY, ARG1, ARG3, ARG4 },
	{ NAME("dep_finished"), END, TASK_COPY, ARG1, ARG3, ARG5 },
	{ NAME("deploy"), DEPLOY, TASK_UNUSED, ARG1, ARG2, ARG3 },
	{ NAME("deployed"), EARLY_START, TASK_RUN, ARG1, ARG2, ARG2 },
	{ NAME("started"), START, TASK_RUN, ARG1, ARG2, ARG2 },
	{ NAME("finished"), END, TASK_RUN, ARG1, ARG2, ARG4 },
	{ NAME("finished_from_cache"), FROM_CACHE, TASK_UNUSED, ARG1, ARG1,
	    ARG4 },
	{ NAME("dep_extract_queue"), IGNORE, TASK_UNUSED, EVENT, EVENT, ARG3 },
	{ NAME("dep_extract_start"), IGNORE, TASK_UNUSED, EVENT, EVENT, ARG3 },
	{ NAME("dep_extract_finish"), IGNORE, TASK_UNUSED, EVENT, EVENT, ARG3 },
	{ NAME("prepare_start"), PREPARE_START, TASK_UNUSED, ARG2, ARG2, ARG2 },
	{ NAME("repository_prepared"), REPOSITORY, TASK_UNUSED, ARG2, ARG2,
	    ARG2 },
	{ NAME("resources_prepared"), RESOURCES, TASK_UNUSED, ARG2, ARG2,
	    ARG2 },
};

/* Returns false after rejecting the line. */
static bool
act_on(const struct event *e, const struct known_event *known)
{
	uint64_t worker = 0;

	if (known->action >= DEPLOY && !text_u64(field(e, ARG2), &worker)) {
		filter_reject(state.f, "worker '%.*s' is not a number",
		    SPAN_ARG(field(e, ARG2)));
		return false;
	}
	switch (known->action) {
	case IGNORE:
		break;
	case EARLY_START:
	case START:
		open_tasks_add_start(known->kind, key_of(e, known->last),
		    known->action == EARLY_START, e->us, read_number(e, ARG4));
		break;
	case END:
		open_tasks_add_end(known->kind, key_of(e, known->last), e->us,
		    field(e, known->last + 1), read_number(e, known->end));
		break;
	case FROM_CACHE:
		/* ARG2 is a host, or a number, see worker-hosts.h. */
		worker_tasks_add_cached(field(e, ARG1), field(e, ARG2), e->us,
		    field(e, ARG3), read_number(e, ARG4));
		break;
	case DEPLOY:
		worker_hosts_add_deploy(field(e, ARG1), worker, e->us,
		    read_number(e, ARG3));
		break;
	case PREPARE_START:
		worker_tasks_add_prepare(worker, NULL, span_of("", 0), e->us);
		break;
	case RESOURCES:
		worker_tasks_add_prepare(worker, "resources", span_of("", 0),
		    e->us);
		break;
	case REPOSITORY:
		worker_tasks_add_prepare(worker, "repository", field(e, ARG1),
		    e->us);
		break;
	}
	return true;
}

static const struct known_event *
find_known(struct span name)
{
	const struct known_event *k = known_events;

	for (; k < known_events + sizeof known_events / sizeof *k; k++)
		if (k->name.n == name.n &&
		    memcmp(k->name.p, name.p, name.n) == 0)
			return k;
	return NULL;
}

static void
count_unknown(struct span name)
{
	sym s = intern_find(&state.unknown_names, name);

	if (s == SYM_NONE && state.unknown_names.n == UNKNOWN_EVENTS_MAX) {
		state.n_unlisted++;
		return;
	}
	if (s == SYM_NONE) {
		s = intern_add(&state.unknown_names, name);
		state.unknown = mem_grow(state.unknown, &state.unknown_cap,
		    s + 1, sizeof *state.unknown);
		state.unknown[s] = (struct unknown_event){ 0,
		    state.f->input.name, state.f->current_line };
	}
	state.unknown[s].count++;
}

static void
warn_of_unknown(void)
{
	const struct unknown_event *u;

	for (sym s = 0; s < state.unknown_names.n; s++) {
		u = &state.unknown[s];
		err_warn_at(u->file, u->line,
		    "warning: unknown event '%s', %llu in all",
		    intern_str(&state.unknown_names, s),
		    (unsigned long long)u->count);
	}
	if (state.n_unlisted > 0)
		filter_warn(state.f, "%llu events with other unknown names",
		    (unsigned long long)state.n_unlisted);
}

/* INPUT_PADDING bytes after a line may be read; see common/io/input.h. */
enum { BLOCK = INPUT_PADDING };
_Static_assert(BLOCK == 64, "find_spaces() has one bit for each byte");

/*
 * Finds the spaces among the BLOCK bytes at p, of which only the first n belong
 * to the line.  Bit i of the result is set if byte i is a space.  *suspicious
 * becomes nonzero if one of the n bytes is NUL or not ASCII.
 */
static inline uint64_t
find_spaces(const char *p, size_t n, uint64_t *suspicious)
{
	uint64_t spaces = 0, all_suspicious = 0;
	uint64_t in_line = n < BLOCK ? (UINT64_C(1) << n) - 1 : UINT64_MAX;
	unsigned found;

	for (unsigned i = 0; i < BLOCK; i += TEXT_BLOCK) {
		found = 0;
		spaces |= (uint64_t)text_match_mask(p + i, ' ', &found) << i;
		all_suspicious |= (uint64_t)found << i;
	}
	*suspicious |= all_suspicious & in_line;
	return spaces & in_line;
}

/*
 * Splits a line at single spaces: two spaces in a row enclose an empty field,
 * and a space at the end is followed by an empty field.  Other white space at
 * the end, such as a carriage return, is ignored, and so are fields after the
 * seventh.  Returns false if the line may contain a NUL or bytes that are not
 * ASCII.
 *
 * One pass over blocks of bytes finds spaces, NULs and bytes that are not
 * ASCII: separate passes took a fifth of the parser's time.
 */
static bool
split(struct event *e, const char *line, size_t n)
{
	const char *p = line, *end = p + n, *space;
	uint64_t suspicious = 0, spaces;
	size_t i = 0;

	while (end > p && end[-1] != ' ' && text_is_space(end[-1]))
		end--;
	e->from[0] = p;
	for (; p < end; p += BLOCK) {
		spaces = find_spaces(p, (size_t)(end - p), &suspicious);
		for (; spaces != 0 && i < FIELDS_MAX; spaces &= spaces - 1) {
			space = p + __builtin_ctzll(spaces);
			e->to[i++] = space;
			e->from[i] = space + 1;
		}
	}
	if (i < FIELDS_MAX)
		e->to[i++] = end;
	e->n_fields = i;
	for (; i < FIELDS_MAX; i++)
		e->from[i] = e->to[i] = end;
	return suspicious == 0;
}

/*
 * Of a line with fewer fields than its event has, keeps what is certain.  If
 * two spaces became one, an empty field is gone, and the fields after it have
 * moved: those that are never empty are at their places, and so is a status or
 * a host in the first field after them, because a size or count is a number.
 * The first argument of two events is always empty.  If the line was cut, its
 * last field may be cut, too.
 */
static void
keep_certain_fields(struct event *e, const struct known_event *known,
    bool is_cut)
{
	int after = (known->last > ARG2 ? known->last : ARG2) + 1;
	uint64_t number;

	if (is_cut)
		e->to[e->n_fields - 1] = e->from[e->n_fields - 1];
	if (known->action == PREPARE_START || known->action == RESOURCES) {
		e->from[ARG2] = e->from[ARG1];
		e->to[ARG2] = e->to[ARG1];
		e->to[ARG1] = e->from[ARG1];
	} else if (text_u64(field(e, after), &number)) {
		e->to[after] = e->from[after];
	}
}

static void
read_line(const struct line *line)
{
	const struct known_event *known;
	struct event e;
	bool is_short;

	if (!split(&e, line->p, line->len) && !filter_check_text(state.f, line))
		return;
	if (e.n_fields < 3) {
		filter_reject(state.f, "the line has fewer than three fields");
		return;
	}
	if (!read_ms(field(&e, TIME), &e.us)) {
		filter_reject(state.f, "time '%.*s' is not a number of "
		    "milliseconds, or is too large", SPAN_ARG(field(&e, TIME)));
		return;
	}
	if ((known = find_known(field(&e, EVENT))) == NULL) {
		count_unknown(field(&e, EVENT));
		return;
	}

	for (size_t i = ARG1; !state.has_empty_field && i < e.n_fields; i++)
		state.has_empty_field = e.from[i] == e.to[i];
	is_short = e.n_fields <= (size_t)known->end;
	if (is_short)
		keep_certain_fields(&e, known,
		    line->full_len == line->len);
	for (int i = known->first; i <= known->last; i++)
		if (e.from[i] == e.to[i]) {
			filter_reject(state.f, "field %d of %s is empty",
			    i + 1, known->name.p);
			return;
		}
	if (!act_on(&e, known))
		return;
	if (is_short && state.n_short == 0) {
		state.short_file = state.f->input.name;
		state.short_line = state.f->current_line;
	}
	state.n_short += is_short;
	extent_add(&state.extent, e.us);
}

static void
distbuild_read(struct filter *f, const struct format_options *options)
{
	struct line line;

	(void)options;
	state.f = f;
	intern_init(&state.unknown_names);
	open_tasks_init(f);
	worker_tasks_init(f);
	while (filter_line(f, &line))
		read_line(&line);
	open_tasks_finish();
	worker_tasks_finish();
	emit_build(f, distbuild_format.name, &state.extent);

	if (state.n_short > 0)
		filter_fail(f, "%llu line%s fewer fields than %s event, "
		    "the first is %s:%llu: what is not certain is left out "
		    "(%s)", (unsigned long long)state.n_short,
		    plural(state.n_short, " has", "s have"),
		    plural(state.n_short, "its", "their"), state.short_file,
		    (unsigned long long)state.short_line,
		    state.has_empty_field ? "was the log cut?" :
		    "no line has an empty field: did two spaces become one?");
	warn_of_unknown();

	intern_release(&state.unknown_names);
	free(state.unknown);
	memset(&state, 0, sizeof state);
}

const struct input_format distbuild_format = {
	.name = "distbuild",
	.help = "the event log of a distributed build",
	.read = distbuild_read,
};
