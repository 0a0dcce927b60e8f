/* chrome - reads the events of a build from a trace in Chrome's format */

#define _GNU_SOURCE	/* memmem() */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/err.h"
#include "common/base/intern.h"
#include "common/base/num.h"
#include "common/filter/filter-read.h"
#include "common/filter/filter-reject.h"
#include "common/filter/filter.h"
#include "common/json/items.h"
#include "common/json/scan.h"
#include "filters/execlog-parse/formats.h"
#include "filters/execlog-parse/records.h"

/* Keys of an event, except BUILD_ID, a key of `otherData`. */
#define CHROME_KEYS(K)							\
	K(NAME, "name") K(CAT, "cat") K(PH, "ph") K(TS, "ts")		\
	K(DUR, "dur") K(PID, "pid") K(TID, "tid") K(ARGS, "args")	\
	K(OUT, "out") K(BUILD_ID, "build_id")
KEY_LIST(chrome_keys, CHROME_KEYS);

enum {
	DETECT_MAX = 64 * 1024,	/* bytes in which chrome_detect() searches */
	NS_PER_US = 1000
};

/* Categories of Bazel that repeat, or contain, what is in other events. */
static const char *const container_categories[] = { "build phase marker",
    "complete action execution", "critical path component" };

/* Roles of CMake, as JSON tokens, whose commands run other commands. */
static const char *const container_roles[] = { "\"build\"", "\"cmakeBuild\"",
    "\"cmakeInstall\"", "\"ctest\"" };

/* The values in `args` that are used, as JSON tokens; empty if absent. */
struct args {
	struct span name, target, mnemonic, role, status;
};

static struct {
	struct filter *f;
	struct extent extent;
	int64_t n_events;	/* of all files; the id of the last one + 1 */
	int64_t n_begun;	/* events with the phase B */

	/* About the trace that is being read. */
	bool is_bazel;
	bool has_events;	/* the document is or has an array of events */
	struct intern lanes;	/* "PID.TID" */
	sym *hosts;		/* of each lane, a symbol of host_names */
	size_t hosts_cap;
	struct intern host_names;	/* JSON tokens */
	struct buf text;
} state;

static bool
is_one_of(struct span text, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (span_eq(text, list[i]))
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
 * Returns a symbol for a lane's host.  A lane without a name is named by its
 * number.  The number is appended to a name that another lane has.
 */
static sym
add_host(struct span lane, struct span name)
{
	struct buf *b = &state.text;
	size_t n_names = state.host_names.n;
	sym host;

	b->len = 0;
	json_quote(b, lane);
	if (!is_text(name))
		return intern_add(&state.host_names, buf_span(b));
	host = intern_add(&state.host_names, name);
	if (state.host_names.n > n_names)
		return host;
	b->len = 0;
	buf_add(b, name.p, name.n - 1);
	buf_char(b, ' ');
	json_quote(b, lane);
	/* The quote between the name and the number is moved to the end. */
	memmove(b->data + name.n, b->data + name.n + 1, b->len - name.n - 1);
	b->len--;
	return intern_add(&state.host_names, buf_span(b));
}

/*
 * Returns the lane of an event; SYM_NONE if it has neither a process nor a
 * thread.  A new lane gets the name, which may be empty.  A name that comes
 * after other events of the lane is ignored, so that all have the same host.
 */
static sym
find_lane(const struct rec *event, struct span name)
{
	struct buf *b = &state.text;
	size_t n_lanes = state.lanes.n, n;
	sym lane;

	b->len = 0;
	add_text(b, event, PID);
	n = b->len;
	add_text(b, event, TID);
	if (b->len == 0)
		return SYM_NONE;
	if (n > 0 && b->len > n) {
		b->len = n;
		buf_char(b, '.');
		add_text(b, event, TID);
	}
	lane = intern_add(&state.lanes, buf_span(b));
	if (state.lanes.n > n_lanes) {
		state.hosts = mem_grow(state.hosts, &state.hosts_cap,
		    state.lanes.n, sizeof *state.hosts);
		state.hosts[lane] = add_host(intern_span(&state.lanes, lane),
		    name);
	}
	return lane;
}

/* Reads decimals after the point as thousandths; those after three are cut. */
static int64_t
read_thousandths(struct span text)
{
	int64_t value = 0;

	for (size_t i = 0; i < 3; i++)
		value = value * 10 + (i < text.n && text_is_digit(text.p[i]) ?
		    text.p[i] - '0' : 0);
	return value;
}

/*
 * Reads a number of microseconds, which may have decimals, as nanoseconds.
 * Returns false unless it is below 2^53 us.
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
	if (point != NULL)
		fraction = read_thousandths(span_of(point + 1,
		    text.n - n - 1));
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

/* An event without `dur` has not ended. */
static bool
read_times(const struct rec *event, int64_t *start_us, int64_t *end_us)
{
	int64_t ts_ns, dur_ns;

	*end_us = INT_UNKNOWN;
	if (!read_ns(event, TS, &ts_ns) || !read_ns(event, DUR, &dur_ns))
		return false;
	if (ts_ns == INT_UNKNOWN) {
		filter_reject(state.f, "the event has no ts");
		return false;
	}
	*start_us = us_of_ns(ts_ns);
	if (dur_ns == INT_UNKNOWN)
		return true;
	if (dur_ns < 0 || (ts_ns > 0 && dur_ns > INT64_MAX - ts_ns) ||
	    us_of_ns(ts_ns + dur_ns) >> REC_INT_BITS > 0) {
		filter_reject(state.f, "dur is negative, or the end is not "
		    "below 2^53 us");
		return false;
	}
	*end_us = us_of_ns(ts_ns + dur_ns);
	return true;
}

/* Whether an event is something that ran, and does not only contain others. */
static bool
is_task(const struct rec *event, const struct args *args)
{
	struct span category;

	if (rec_str(event, CAT, &category) != REC_OK)
		category = span_of(NULL, 0);
	if (state.is_bazel)
		return span_eq(category, "action processing");
	return !is_one_of(category, container_categories,
	    sizeof container_categories / sizeof *container_categories) &&
	    !is_one_of(args->role, container_roles,
	    sizeof container_roles / sizeof *container_roles);
}

static void
emit_task(const struct rec *event, const struct args *args, sym lane,
    int64_t start_us, int64_t end_us)
{
	struct buf *b = filter_begin_record(state.f, "task");
	struct span text, status = args->status;

	json_key(b, "id");
	buf_char(b, '"');
	buf_i64(b, state.n_events);
	buf_char(b, '"');
	if (rec_str(event, NAME, &text) == REC_OK && text.n > 0)
		json_str(b, "name", text);
	if (is_text(args->target))
		json_raw(b, "target", args->target);
	if (is_text(args->mnemonic))
		json_raw(b, "rule", args->mnemonic);
	else if (rec_str(event, CAT, &text) == REC_OK && text.n > 0)
		json_str(b, "rule", text);
	if (lane != SYM_NONE)
		json_raw(b, "host", intern_span(&state.host_names,
		    state.hosts[lane]));

	json_word(b, "kind", "run");
	put_run(b);
	put_times(b, start_us, end_us);
	if (status.n > 0 && (*status.p == '-' || text_is_digit(*status.p)))
		put_outcome(b, status, INT_UNKNOWN);
	if (rec_str(event, OUT, &text) == REC_OK && text.n > 0) {
		json_open(b, "outputs", '[');
		json_item(b, text);
		json_close(b, ']');
	}
	filter_end_record(state.f);
}

/* Reads an event with the phase X, which has a start and a duration. */
static void
read_slice(const struct rec *event)
{
	struct args args = find_args(event);
	sym lane = find_lane(event, span_of(NULL, 0));
	int64_t start_us, end_us;

	if (!read_times(event, &start_us, &end_us))
		return;
	extent_add(&state.extent, start_us);
	extent_add(&state.extent, end_us);
	if (is_task(event, &args))
		emit_task(event, &args, lane, start_us, end_us);
}

static void
read_event(const struct rec *event)
{
	struct span phase, name;

	if (rec_str(event, PH, &phase) != REC_OK) {
		filter_reject(state.f, "the event has no ph, or it is not a "
		    "string");
		return;
	}
	if (span_eq(phase, "X"))
		read_slice(event);
	else if (span_eq(phase, "M") &&
	    rec_str(event, NAME, &name) == REC_OK &&
	    span_eq(name, "thread_name"))
		find_lane(event, find_args(event).name);
	state.n_begun += span_eq(phase, "B");
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

/* Bazel's profile has the id of the build before the events. */
static bool
read_other_data(void)
{
	struct rec *data;
	struct span id;

	if (!filter_object(state.f, &data))
		return false;
	if (data != NULL)
		state.is_bazel = rec_str(data, BUILD_ID, &id) == REC_OK;
	return true;
}

static bool
read_member(void *context)
{
	enum { EVENTS, OTHER_DATA };
	static const char *const names[] = { "traceEvents", "otherData", NULL };
	struct filter *f = state.f;
	int member = filter_member(f, names);
	struct span value;

	(void)context;
	state.has_events |= member == EVENTS;
	if (member == EVENTS)
		return read_events(false);
	if (member == OTHER_DATA && scan_peek(&f->input) == '{')
		return read_other_data();
	return member != NO_MEMBER && filter_value(f, &value);
}

/* Reads one trace.  Each has its own threads. */
static void
read_trace(void)
{
	struct input *in = &state.f->input;
	bool is_valid;

	state.is_bazel = false;
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
	(void)options;
	state.f = f;
	do
		while (scan_peek(&f->input) != -1)
			read_trace();
	while (filter_next_file(f));
	if (state.n_begun > 0)
		filter_warn(f, "events with the phase B, which are left "
		    "out: %lld", (long long)state.n_begun);
	emit_build(f, chrome_format.name, &state.extent);
	free(state.hosts);
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
