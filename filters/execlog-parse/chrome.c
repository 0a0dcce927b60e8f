/* chrome - reads the events of a build from a trace in Chrome's format */

#define _GNU_SOURCE	/* memmem() */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/intern.h"
#include "common/base/num.h"
#include "common/build/column.h"
#include "common/filter/filter-read.h"
#include "common/filter/filter-reject.h"
#include "common/filter/filter.h"
#include "common/filter/lacks.h"
#include "common/json/items.h"
#include "common/json/scan.h"
#include "filters/execlog-parse/formats.h"
#include "filters/execlog-parse/records.h"
#include "filters/execlog-parse/slices.h"

/* Keys of an event, except BUILD_ID, a key of `otherData`. */
#define CHROME_KEYS(K)							\
	K(NAME, "name") K(CAT, "cat") K(PH, "ph") K(TS, "ts")		\
	K(DUR, "dur") K(PID, "pid") K(TID, "tid") K(ARGS, "args")	\
	K(OUT, "out") K(EVENT_ID, "id") K(ID2, "id2")			\
	K(SCOPE, "scope") K(BUILD_ID, "build_id")
KEY_LIST(chrome_keys, CHROME_KEYS);

enum {
	DETECT_MAX = 64 * 1024,	/* bytes in which chrome_detect() searches */
	NS_PER_US = 1000,
	PHASES = 128		/* a phase is an ASCII character */
};

/* Categories of Bazel that repeat, or contain, what is in other events. */
static const char *const container_categories[] = { "build phase marker",
    "complete action execution", "critical path component", NULL };

/* Roles of CMake, as JSON tokens, whose commands run other commands. */
static const char *const container_roles[] = { "\"build\"", "\"cmakeBuild\"",
    "\"cmakeInstall\"", "\"ctest\"", NULL };

/* The values in `args` that are used, as JSON tokens; empty if absent. */
struct args {
	struct span name, target, mnemonic, role, status;
	bool is_sum;		/* of other events, as clang's "Total ..." */
};

static struct {
	struct filter *f;
	struct extent extent;
	int64_t n_events;	/* of all files; the id of the last one + 1 */
	bool nested;		/* inner events are tasks, too */
	uint64_t n_left_out[PHASES];	/* events of all files, by phase; 0 is
					   any that is not a character */
	uint64_t n_ended, n_sums, n_nested;	/* ends without a beginning,
						   sums, and inner events that
						   were left out */

	/* About the trace that is being read. */
	bool is_bazel;
	bool is_compiler;	/* it is of one run of a compiler */
	bool has_events;	/* the document is or has an array of events */
	struct slices slices;
	struct intern lanes;	/* "PID.TID", "PID" or ".TID", and the scopes
				   of async events */
	struct column names;	/* of lanes, symbols of host_names */
	struct intern host_names;	/* JSON tokens */
	struct buf text;
} state;

static bool
is_one_of(struct span text, const char *const *list)
{
	for (; *list != NULL; list++)
		if (span_eq(text, *list))
			return true;
	return false;
}

static struct args
find_args(const struct rec *event)
{
	const struct field *args;
	struct args found = { 0 };
	struct span rest, key, value;

	if (rec_find(event, ARGS, REC_OBJECT, &args) != REC_OK)
		return found;
	for (rest = args->token; items_next_member(&rest, &key, &value);) {
		if (span_eq(key, "\"name\""))
			found.name = value;
		else if (span_eq(key, "\"target\""))
			found.target = value;
		else if (span_eq(key, "\"mnemonic\"") ||
		    span_eq(key, "\"rule\""))
			found.mnemonic = value;
		else if (span_eq(key, "\"role\""))
			found.role = value;
		else if (span_eq(key, "\"result\"") ||
		    span_eq(key, "\"return\"") ||
		    span_eq(key, "\"status\""))
			found.status = value;
		else if (span_eq(key, "\"avg ms\""))
			found.is_sum = true;
	}
	return found;
}

/* Whether a JSON token is a string that is not empty. */
static bool
is_text(struct span token)
{
	return token.n > 2 && *token.p == '"';
}

/* Adds the text of a string or number, if the event has it. */
static void
add_text(struct buf *b, const struct rec *event, unsigned key)
{
	const struct field *field = rec_get(event, key);

	if (field != NULL &&
	    (field->kind == REC_STRING || field->kind == REC_NUMBER))
		buf_add(b, field->text.p, field->text.n);
}

/*
 * The hosts of all lanes, symbols of host_names; the caller frees the array.  A
 * lane without a name is named by its number, which is appended to a name that
 * an earlier lane has.
 */
static sym *
name_hosts(void)
{
	size_t n = state.lanes.n, n_names = state.host_names.n;
	bool *is_used = mem_zero(n_names, sizeof *is_used);
	sym *hosts = mem_table(n, sizeof *hosts);
	struct buf *b = &state.text;
	struct span name;

	for (sym lane = 0; lane < n; lane++) {
		hosts[lane] = column_get(&state.names, lane);
		if (hosts[lane] != SYM_NONE && !is_used[hosts[lane]]) {
			is_used[hosts[lane]] = true;
			continue;
		}
		b->len = 0;
		name = span_of("\"\"", 2);
		if (hosts[lane] != SYM_NONE)
			name = intern_span(&state.host_names, hosts[lane]);
		buf_add(b, name.p, name.n - 1);
		if (hosts[lane] != SYM_NONE)
			buf_char(b, ' ');
		name.n = b->len;
		json_quote(b, intern_span(&state.lanes, lane));
		/* Its first quote, between name and number, is not needed. */
		memmove(b->data + name.n, b->data + name.n + 1,
		    b->len - name.n - 1);
		b->len--;
		hosts[lane] = intern_add(&state.host_names, buf_span(b));
	}
	free(is_used);
	return hosts;
}

/*
 * Returns the lane of an event, which is its thread; SYM_NONE if it has neither
 * a process nor a thread.
 */
static sym
find_lane(const struct rec *event)
{
	struct buf *b = &state.text;
	size_t n;

	b->len = 0;
	add_text(b, event, PID);
	n = b->len;
	buf_char(b, '.');
	add_text(b, event, TID);
	if (b->len == n + 1)
		b->len = n;
	return b->len == 0 ? SYM_NONE : intern_add(&state.lanes, buf_span(b));
}

/*
 * Returns the scope in which asynchronous events are paired: those with one
 * category, `scope` and id, `nestable` (b and e) or not (S and F).  An id that
 * is local is one of its process.
 */
static sym
find_scope(const struct rec *event, const char *kind)
{
	struct buf *b = &state.text;
	const struct field *id2;
	struct span rest, key, value;

	b->len = 0;
	buf_str(b, kind);
	add_text(b, event, CAT);
	buf_char(b, '\n');
	add_text(b, event, SCOPE);
	buf_char(b, '\n');
	add_text(b, event, EVENT_ID);
	if (rec_find(event, ID2, REC_OBJECT, &id2) != REC_OK)
		return intern_add(&state.lanes, buf_span(b));
	for (rest = id2->token; items_next_member(&rest, &key, &value);) {
		buf_add(b, key.p, key.n);
		buf_add(b, value.p, value.n);
		if (span_eq(key, "\"local\""))
			add_text(b, event, PID);
	}
	return intern_add(&state.lanes, buf_span(b));
}

/* The first name of a thread counts, wherever it is in the trace. */
static void
read_thread_name(const struct rec *event)
{
	struct span name = find_args(event).name;
	sym lane = find_lane(event);

	if (lane != SYM_NONE && is_text(name) &&
	    column_get(&state.names, lane) == SYM_NONE)
		column_set(&state.names, lane,
		    intern_add(&state.host_names, name));
}

/*
 * Reads a number of microseconds, which may have decimals, as nanoseconds.
 * Decimals after three are cut.  Returns false unless it is below 2^53 us.
 */
static bool
parse_ns(const struct field *number, int64_t *ns)
{
	const int64_t max = (INT64_C(1) << REC_INT_BITS) - 1;
	struct span text = number->token;
	const char *point = memchr(text.p, '.', text.n);
	size_t n = point == NULL ? text.n : (size_t)(point - text.p);
	int64_t us, fraction = 0;
	double value;

	if (memchr(text.p, 'e', text.n) != NULL ||
	    memchr(text.p, 'E', text.n) != NULL) {
		/* The token is followed by a comma or a brace. */
		value = strtod(text.p, NULL);
		if (!(fabs(value) <= (double)max))
			return false;
		*ns = (int64_t)round(value * NS_PER_US);
		return true;
	}

	if (!text_i64(span_of(text.p, n), &us) || us > max || us < -max)
		return false;
	for (size_t i = n + 1; i <= n + 3; i++)
		fraction = fraction * 10 + (i < text.n ? text.p[i] - '0' : 0);
	*ns = us * NS_PER_US + (*text.p == '-' ? -fraction : fraction);
	return true;
}

static bool
read_ns(const struct rec *event, unsigned key, int64_t *ns)
{
	const struct field *field;
	enum rec_found found = rec_find(event, key, REC_NUMBER, &field);

	*ns = INT_UNKNOWN;
	if (found == REC_ABSENT || (found == REC_OK && parse_ns(field, ns)))
		return true;
	filter_reject(state.f, "%s is not a number of microseconds below 2^53",
	    chrome_keys[key]);
	return false;
}

/* Rounds down, also below 0. */
static int64_t
us_of_ns(int64_t ns)
{
	return ns / NS_PER_US - (ns % NS_PER_US < 0);
}

static bool
read_start(const struct rec *event, int64_t *ns)
{
	if (!read_ns(event, TS, ns))
		return false;
	if (*ns != INT_UNKNOWN)
		return true;
	filter_reject(state.f, "the event has no ts");
	return false;
}

/* An event without `dur` has not ended. */
static bool
read_end(const struct rec *event, int64_t start_ns, int64_t *end_ns)
{
	int64_t dur_ns;

	*end_ns = INT_UNKNOWN;
	if (!read_ns(event, DUR, &dur_ns))
		return false;
	if (dur_ns == INT_UNKNOWN)
		return true;
	if (dur_ns < 0 || (start_ns > 0 && dur_ns > INT64_MAX - start_ns) ||
	    us_of_ns(start_ns + dur_ns) >> REC_INT_BITS > 0) {
		filter_reject(state.f, "dur is negative, or the end is not "
		    "below 2^53 us");
		return false;
	}
	*end_ns = start_ns + dur_ns;
	return true;
}

/*
 * Bazel merges short events of a thread if there are too many: the actions
 * among them have no names.
 */
static bool
is_merged(const struct rec *event)
{
	struct span category, name;

	return rec_str(event, CAT, &category) == REC_OK &&
	    span_eq(category, "unknown event") &&
	    rec_str(event, NAME, &name) == REC_OK &&
	    span_begins_with(name, "merged ");
}

/* Whether an event is something that ran, and does not only contain others. */
static bool
is_task(const struct rec *event, const struct args *args)
{
	struct span category;

	if (rec_str(event, CAT, &category) != REC_OK)
		category = span_of(NULL, 0);
	if (args->is_sum)
		return false;
	if (state.is_bazel)
		return span_eq(category, "action processing") ||
		    is_merged(event);
	return !is_one_of(category, container_categories) &&
	    !is_one_of(args->role, container_roles);
}

/* Keeps the members of a task's record that only the event has. */
static void
add_members(struct slice *slice, const struct rec *event,
    const struct args *args)
{
	struct buf *b = &state.slices.text;
	struct span text, status = args->status;

	/* Each member begins with a comma. */
	if (b->len == 0)
		buf_char(b, ' ');
	slice->text = b->len;
	if (rec_str(event, NAME, &text) == REC_OK && text.n > 0)
		json_str(b, "name", text);
	if (is_text(args->target))
		json_raw(b, "target", args->target);
	if (is_text(args->mnemonic))
		json_raw(b, "rule", args->mnemonic);
	else if (rec_str(event, CAT, &text) == REC_OK && text.n > 0)
		json_str(b, "rule", text);
	slice->tail = b->len;
	if (status.n > 0 && (*status.p == '-' || text_is_digit(*status.p)))
		put_outcome(b, status, INT_UNKNOWN);
	if (rec_str(event, OUT, &text) == REC_OK && text.n > 0) {
		json_open(b, "outputs", '[');
		json_item(b, text);
		json_close(b, ']');
	}
	slice->text_end = b->len;
}

/*
 * Reads an event that begins a slice.  That of phase X has a duration, and that
 * of another phase ends with another event of its scope.
 */
static void
read_slice(const struct rec *event, char phase, sym scope)
{
	struct args args = find_args(event);
	struct slice slice = { .number = state.n_events,
	    .lane = find_lane(event), .scope = scope,
	    .is_task = is_task(event, &args), .is_merged = is_merged(event) };

	if (!read_start(event, &slice.start_ns))
		return;
	slice.end_ns = INT_UNKNOWN;
	if (phase == 'X' && !read_end(event, slice.start_ns, &slice.end_ns))
		return;
	state.is_compiler |= args.is_sum;
	if (args.is_sum) {
		state.n_sums++;
		return;
	}
	extent_add(&state.extent, us_of_ns(slice.start_ns));
	if (slice.end_ns != INT_UNKNOWN)
		extent_add(&state.extent, us_of_ns(slice.end_ns));
	add_members(&slice, event, &args);
	slices_add(&state.slices, &slice, phase != 'X');
}

static void
read_event(const struct rec *event)
{
	struct span phase, name;
	int64_t ns;
	sym scope;
	char c;

	if (rec_str(event, PH, &phase) != REC_OK) {
		filter_reject(state.f, "the event has no ph, or it is not a "
		    "string");
		return;
	}
	c = phase.n == 1 && *phase.p > ' ' ? *phase.p : '\0';
	switch (c) {
	case 'X':
	case 'B':
	case 'E':
		scope = find_lane(event);
		break;
	case 'b':
	case 'e':
		scope = find_scope(event, "nestable ");
		break;
	case 'S':
	case 'F':
		scope = find_scope(event, "");
		break;
	case 'M':
		if (rec_str(event, NAME, &name) == REC_OK &&
		    span_eq(name, "thread_name"))
			read_thread_name(event);
		return;
	default:
		state.n_left_out[(int)c]++;
		return;
	}

	if (c != 'E' && c != 'e' && c != 'F') {
		read_slice(event, c, scope);
	} else if (read_start(event, &ns)) {
		extent_add(&state.extent, us_of_ns(ns));
		slices_add_end(&state.slices, scope, ns, state.n_events);
	}
}

static void
emit_slice(const struct slice *s, const sym *hosts)
{
	const struct slices *all = &state.slices;
	struct buf *b = filter_begin_record(state.f, "task");
	int64_t start_us = us_of_ns(s->start_ns), end_us = INT_UNKNOWN, own_ns;

	put_numeric_id(b, "id", s->number);
	buf_add(b, all->text.data + s->text, s->tail - s->text);
	if (s->lane != SYM_NONE)
		json_raw(b, "host", intern_span(&state.host_names,
		    hosts[s->lane]));
	json_word(b, "kind", s->is_merged ? "merged" : "run");
	put_run(b);

	if (s->end_ns != INT_UNKNOWN)
		end_us = us_of_ns(s->end_ns);
	else
		filter_note_lacks(state.f, LACKS_UNFINISHED);
	if (state.nested && s->inner_ns != 0) {
		/* It took the time without that of the slices in it. */
		own_ns = s->end_ns - s->start_ns - s->inner_ns;
		json_int(b, "started_us", start_us);
		json_int(b, "end_us", end_us);
		json_int(b, "elapsed_us", own_ns > 0 ? us_of_ns(own_ns) : 0);
	} else {
		put_times(b, start_us, end_us);
	}

	if (s->parent != INDEX_NONE)
		put_numeric_id(b, "parent", all->list[s->parent].number);
	buf_add(b, all->text.data + s->tail, s->text_end - s->tail);
	filter_end_record(state.f);
}

/* Emits the slices of a trace: the outermost ones, or all. */
static void
emit_slices(void)
{
	struct slices *all = &state.slices;
	uint64_t n_open, n_ended, n_tasks = 0, n_nested = 0;
	sym *hosts = name_hosts();
	const struct slice *s;

	slices_resolve(all, &n_open, &n_ended);
	for (s = all->list; s < all->list + all->n; s++) {
		if (!s->is_task)
			continue;
		n_tasks++;
		if (s->parent == INDEX_NONE || state.nested)
			emit_slice(s, hosts);
		else
			n_nested++;
	}
	state.n_nested += n_nested;
	state.n_ended += n_ended;
	if (n_open > 0)
		filter_warn_file(state.f, "%llu event%s end (X without dur; "
		    "B, b or S without a partner): unfinished",
		    (unsigned long long)n_open,
		    plural(n_open, " has no", "s have no"));
	if (n_ended > 0)
		filter_warn_file(state.f, "%llu event%s (E, e or F): left out",
		    (unsigned long long)n_ended,
		    plural(n_ended, " ends what no event begins",
		    "s end what no event begins"));
	if (!state.is_compiler && n_nested > n_tasks / 2)
		filter_warn_file(state.f, "%llu of %llu events are within "
		    "others of their thread: left out (see --nested)",
		    (unsigned long long)n_nested, (unsigned long long)n_tasks);
	if (state.is_compiler)
		filter_warn_file(state.f, "the trace is of one run of a "
		    "compiler, not of a build: with --nested execlog-stat "
		    "shows where its time went");
	if (all->n == 0)
		filter_fail(state.f, "'%s' has no event with a duration",
		    state.f->input.name);
	slices_clear(all);
	free(hosts);
}

/*
 * Reads the array of events.  A trace that is only this array may end without
 * its bracket: the format allows it, because programs that trace may crash.
 */
static bool
read_events(bool may_be_open)
{
	struct input *in = &state.f->input;
	struct rec *event;

	if (!scan_accept(in, '['))
		return false;
	for (;;) {
		if (scan_accept(in, ']'))
			return true;
		if (scan_peek(in) == -1)
			return may_be_open;
		if (!filter_object(state.f, &event))
			return false;
		if (event != NULL)
			read_event(event);
		state.n_events++;
		if (!scan_accept(in, ',') && scan_peek(in) != ']')
			return may_be_open && scan_peek(in) == -1;
	}
}

static bool
read_member(void *context)
{
	enum { EVENTS, OTHER_DATA };
	static const char *const names[] = { "traceEvents", "otherData", NULL };
	struct filter *f = state.f;
	int member = filter_member(f, names);
	struct span value;
	struct rec *data;

	(void)context;
	state.has_events |= member == EVENTS;
	if (member == EVENTS)
		return read_events(false);
	if (member != OTHER_DATA || scan_peek(&f->input) != '{')
		return member != NO_MEMBER && filter_value(f, &value);
	if (!filter_object(f, &data))
		return false;
	/* Bazel's profile has the id of the build before the events. */
	if (data != NULL)
		state.is_bazel = rec_str(data, BUILD_ID, &value) == REC_OK;
	return true;
}

/* Reads one trace.  Each has its own threads. */
static void
read_trace(void)
{
	struct input *in = &state.f->input;
	bool is_valid;

	state.is_bazel = state.is_compiler = false;
	state.names.n = 0;
	intern_init(&state.lanes);
	intern_init(&state.host_names);
	state.has_events = scan_peek(in) == '[';
	is_valid = state.has_events ? read_events(true) :
	    scan_each(in, "{}", read_member, NULL);
	if (!is_valid)
		filter_reject_rest(state.f, span_of(NULL, 0),
		    "the trace is not an array of events, or an object with "
		    "one, or it is truncated");
	else if (!state.has_events)
		filter_fail(state.f, "'%s' is not a trace: it has no "
		    "traceEvents", in->name);
	if (state.has_events && (is_valid || state.slices.n > 0))
		emit_slices();
	intern_release(&state.lanes);
	intern_release(&state.host_names);
}

/* Whether the text has this key, a JSON token, and a colon after it. */
static bool
has_key(struct span text, const char *key)
{
	const char *p = text.p, *end = text.p + text.n;
	size_t n = strlen(key);

	while ((p = memmem(p, (size_t)(end - p), key, n)) != NULL) {
		for (p += n; p < end && json_is_space(*p); p++)
			;
		if (p < end && *p == ':')
			return true;
	}
	return false;
}

static bool
chrome_detect(struct input *in)
{
	int first = scan_peek(in);
	const char *key = first == '[' ? "\"ph\"" : "\"traceEvents\"";
	size_t n;

	if (first != '[' && first != '{')
		return false;
	for (;;) {
		n = (size_t)(in->end - in->at);
		if (has_key(span_of(in->at, n), key))
			return true;
		if (n >= DETECT_MAX || !input_more(in))
			return false;
	}
}

static void
chrome_read(struct filter *f, const struct format_options *options)
{
	char phase[2] = "";

	state.f = f;
	state.nested = options->nested;
	do
		while (scan_peek(&f->input) != -1)
			read_trace();
	while (filter_next_file(f));

	for (int c = '!'; c < PHASES; c++) {
		phase[0] = (char)c;
		run_add_left_out(phase, state.n_left_out[c]);
	}
	run_add_left_out("ends", state.n_ended);
	run_add_left_out("sums", state.n_sums);
	run_add_left_out("nested", state.n_nested);
	run_add_left_out("other", state.n_left_out[0]);
	emit_build(f, chrome_format.name, &state.extent);

	slices_release(&state.slices);
	free(state.names.values);
	buf_release(&state.text);
	memset(&state, 0, sizeof state);
}

const struct input_format chrome_format = {
	.name = "chrome",
	.help = "trace events: by Bazel, CMake or ninjatracing",
	.keys = chrome_keys,
	.detect = chrome_detect,
	.read = chrome_read,
};
