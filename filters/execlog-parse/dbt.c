/* dbt - reads the results of dbt, one for each node */

#include <string.h>

#include "common/base/hex.h"
#include "common/base/num.h"
#include "common/filter/filter-read.h"
#include "common/filter/filter-reject.h"
#include "common/filter/filter.h"
#include "common/json/recio.h"
#include "common/json/scan.h"
#include "filters/execlog-parse/formats.h"
#include "filters/execlog-parse/records.h"
#include "filters/execlog-parse/rfc3339.h"

/*
 * The document, run_results.json or sources.json, is
 * {"metadata": {...}, "results": [result, ...], ...}.  One result is in memory
 * at a time.
 */
#define DBT_KEYS(K)							\
	K(UNIQUE_ID, "unique_id") K(STATUS, "status")			\
	K(THREAD_ID, "thread_id") K(TIMING, "timing")			\
	K(EXECUTION_TIME, "execution_time")				\
	K(ADAPTER_RESPONSE, "adapter_response") K(MESSAGE, "message")	\
	K(FAILURES, "failures")
KEY_LIST(dbt_keys, DBT_KEYS);

#define METADATA_KEYS(K)						\
	K(INVOCATION_ID, "invocation_id")				\
	K(SCHEMA, "dbt_schema_version")
KEY_LIST(metadata_keys, METADATA_KEYS);

/* Keys of an item of `timing`, which is a phase. */
#define PHASE_KEYS(K)							\
	K(PHASE, "name") K(STARTED_AT, "started_at")			\
	K(COMPLETED_AT, "completed_at")
KEY_LIST(phase_keys, PHASE_KEYS);

/* Members of `args`, the options of dbt. */
#define ARGS_KEYS(K) K(WHICH, "which") K(THREADS, "threads")
KEY_LIST(args_keys, ARGS_KEYS);

#define SCHEMA_BASE "https://schemas.getdbt.com/dbt/"

enum { HASH_DIGITS = 10, DETECT_BYTES = 256 };

/* When a result was made. */
struct times {
	/* Each is INT_UNKNOWN if it is not known. */
	int64_t start_us, end_us;
	int64_t elapsed_us;		/* execution_time */
	int64_t compile_us, execute_us;	/* or 0 */
};

static struct {
	struct filter *f;
	struct recio *metadata_in, *phases_in, *args_in;
	struct extent extent;
	bool has_results;	/* the document has this key */
	bool is_build;		/* the command was `dbt build` */
	int64_t threads;	/* --threads, if it is above 0 */
	struct buf tests;	/* the ids of tests, each with a newline */
} state;

/* Warns of a schema other than SCHEMA_BASE "run-results/vN.json". */
static void
check_schema(struct span schema)
{
	static const struct {
		const char *prefix, *newest;
	} known[] = {
		{ SCHEMA_BASE "run-results/v", "6" },
		{ SCHEMA_BASE "sources/v", "3" },
	};
	size_t n_suffix = strlen(".json"), n;
	const char *newest = known[0].newest;

	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		n = strlen(known[i].prefix);
		if (!span_begins_with(schema, known[i].prefix) ||
		    schema.n < n + n_suffix)
			continue;
		schema = span_of(schema.p + n, schema.n - n - n_suffix);
		newest = known[i].newest;
		break;
	}
	check_version(state.f, "dbt with schema", schema, "1", newest);
}

/* Reads a time of a phase; false if it is not null, but invalid. */
static bool
read_time(const struct rec *phase, unsigned key, int64_t *us)
{
	struct span text;
	enum rec_found found = rec_str(phase, key, &text);

	*us = INT_UNKNOWN;
	return found == REC_ABSENT ||
	    (found == REC_OK && read_rfc3339_us(text, us));
}

/*
 * Reads execution_time, and `timing`, which is empty if the node failed or was
 * skipped.
 */
static bool
read_timing(const struct rec *result, struct times *t)
{
	const struct field *timing, *took;
	enum rec_found found = rec_find(result, TIMING, REC_ARRAY, &timing);
	struct span rest, item, name;
	const struct rec *phase;
	int64_t start_us, end_us;
	const char *why, *p;

	*t = (struct times){ .start_us = INT_UNKNOWN, .end_us = INT_UNKNOWN,
	    .elapsed_us = INT_UNKNOWN };
	if (rec_find(result, EXECUTION_TIME, REC_NUMBER, &took) == REC_OK) {
		p = took->text.p;
		read_seconds(&p, &t->elapsed_us);
	}
	if (found != REC_OK)
		return found == REC_ABSENT;
	rest = timing->token;
	while ((phase = recio_item(state.phases_in, &rest, &item, &why)) !=
	    NULL) {
		if (!read_time(phase, STARTED_AT, &start_us) ||
		    !read_time(phase, COMPLETED_AT, &end_us))
			return false;
		t->start_us = time_earlier(t->start_us, start_us);
		t->end_us = time_later(t->end_us, end_us);

		if (start_us == INT_UNKNOWN || end_us <= start_us ||
		    rec_str(phase, PHASE, &name) != REC_OK)
			continue;
		if (span_eq(name, "compile"))
			t->compile_us = end_us - start_us;
		else if (span_eq(name, "execute"))
			t->execute_us = end_us - start_us;
	}
	return why == NULL;
}

/* Moves s past the next part of a unique_id, and returns that part. */
static struct span
take_part(struct span *s)
{
	const char *dot = s->n == 0 ? NULL : memchr(s->p, '.', s->n);
	struct span part = span_of(s->p, dot == NULL ? s->n :
	    (size_t)(dot - s->p));
	size_t n = part.n + (dot != NULL);

	*s = span_of(s->p + n, s->n - n);
	return part;
}

/*
 * Whether the text is the hash that ends the unique_id of a generic test: ten
 * digits, in lower case.
 */
static bool
is_hash(struct span s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] >= 'A' && s.p[i] <= 'F')
			return false;
	return s.n == HASH_DIGITS && hex_is_valid(s);
}

/*
 * A unique_id is TYPE.PROJECT.NAME, where NAME may have dots, and a generic
 * test has a hash after its name.
 */
static void
put_id(struct buf *b, struct span id)
{
	struct span name = id, type = take_part(&name), rest, part;

	take_part(&name);
	if (span_eq(type, "test"))
		for (rest = name, part = take_part(&rest); rest.n > 0;) {
			part = take_part(&rest);
			if (rest.n == 0 && is_hash(part))
				name.n -= HASH_DIGITS + 1;
		}
	json_str(b, "id", id);
	json_str(b, "name", name.n > 0 ? name : id);
	json_str(b, "target", id);
	json_str(b, "rule", type);
	json_word(b, "kind", "run");
	put_run(b);
}

static bool
is_failure(struct span status)
{
	return span_eq(status, "error") || span_eq(status, "fail") ||
	    span_eq(status, "runtime error") ||
	    span_eq(status, "partial success");
}

static void
put_phases(struct buf *b, const struct times *t)
{
	if (t->compile_us == 0 && t->execute_us == 0)
		return;
	json_open(b, "parts_us", '{');
	if (t->compile_us > 0)
		json_int(b, "compile", t->compile_us);
	if (t->execute_us > 0)
		json_int(b, "execute", t->execute_us);
	json_close(b, '}');
}

/*
 * Under `dbt build` nodes wait for tests, by phony nodes of the graph that wait
 * for nothing under other commands (buildgraph-parse/dbt-nodes.h).  The command
 * comes after the results.
 */
static void
emit_gates(void)
{
	struct span rest = buf_span(&state.tests), id;
	struct buf *b, gate = { 0 };
	const char *end;

	for (; state.is_build && rest.n > 0;
	    rest = span_of(end + 1, rest.n - id.n - 1)) {
		end = memchr(rest.p, '\n', rest.n);
		id = span_of(rest.p, (size_t)(end - rest.p));
		gate.len = 0;
		buf_str(&gate, "build:");
		buf_add(&gate, id.p, id.n);
		b = filter_begin_record(state.f, "node");
		json_str(b, "id", buf_span(&gate));
		put_run(b);
		json_open(b, "deps", '[');
		json_item(b, id);
		json_close(b, ']');
		json_word(b, "rule", "phony");
		filter_end_record(state.f);
	}
	buf_release(&gate);
	state.tests.len = 0;
	state.is_build = false;
}

static void
read_result(const struct rec *result)
{
	struct span id, thread, status;
	bool has_status, is_skipped;
	struct times t;
	struct buf *b;

	if (rec_str(result, UNIQUE_ID, &id) != REC_OK || id.n == 0) {
		filter_reject(state.f, "the result has no unique_id");
		return;
	}
	if (!read_timing(result, &t)) {
		filter_reject(state.f, "timing of '%.*s' is not an array of "
		    "phases with times as RFC 3339 has them", SPAN_ARG(id));
		return;
	}
	b = filter_begin_record(state.f, "task");
	put_id(b, id);
	has_status = rec_str(result, STATUS, &status) == REC_OK;
	is_skipped = has_status && span_eq(status, "skipped");
	put_times(b, t.start_us, t.end_us);
	if ((t.start_us == INT_UNKNOWN || t.end_us == INT_UNKNOWN) &&
	    t.elapsed_us != INT_UNKNOWN && t.elapsed_us >= 0 && !is_skipped)
		json_int(b, "elapsed_us", t.elapsed_us);
	if (rec_str(result, THREAD_ID, &thread) == REC_OK && thread.n > 0)
		json_str(b, "host", thread);
	if (has_status)
		json_str(b, "status", status);
	json_flag(b, "failed", has_status && is_failure(status));
	json_flag(b, "skipped", is_skipped);
	put_phases(b, &t);
	filter_end_record(state.f);
	extent_add(&state.extent, t.start_us);
	extent_add(&state.extent, t.end_us);
	if ((span_begins_with(id, "test.") ||
	    span_begins_with(id, "unit_test.")) && !is_skipped &&
	    memchr(id.p, '\n', id.n) == NULL) {
		buf_add(&state.tests, id.p, id.n);
		buf_char(&state.tests, '\n');
	}
}

static bool
read_element(void *context)
{
	struct rec *result;

	(void)context;
	if (!filter_object(state.f, &result))
		return false;
	if (result != NULL)
		read_result(result);
	return true;
}

/* Reads the options of dbt. */
static void
read_args(struct span value)
{
	const char *why;
	const struct rec *r = recio_parse(state.args_in, value, &why);
	struct span which;

	state.threads = 0;
	state.is_build = r != NULL && rec_str(r, WHICH, &which) == REC_OK &&
	    span_eq(which, "build");
	if (r != NULL)
		rec_int(r, THREADS, &state.threads);
}

static bool
read_member(void *context)
{
	enum { METADATA, RESULTS, ARGS };
	static const char *const names[] = { "metadata", "results", "args",
	    NULL };
	int member = filter_member(state.f, names);
	struct span value, text;
	const struct rec *r;
	const char *why;

	(void)context;
	state.has_results |= member == RESULTS;
	if (member == RESULTS)
		return scan_each(&state.f->input, "[]", read_element, NULL);
	if (member == NO_MEMBER || !filter_value(state.f, &value))
		return false;
	if (member == ARGS)
		read_args(value);
	if (member != METADATA)
		return true;

	if ((r = recio_parse(state.metadata_in, value, &why)) == NULL) {
		filter_reject(state.f, "metadata: %s", why);
		return true;
	}
	if (rec_str(r, SCHEMA, &text) == REC_OK)
		check_schema(text);
	if (rec_str(r, INVOCATION_ID, &text) == REC_OK)
		run_set_own(text);
	return true;
}

/* Whether the document begins with metadata of dbt, whatever artifact it is. */
static bool
dbt_detect(struct input *in)
{
	return scan_peek(in) == '{' && format_contains(in,
	    "\"dbt_schema_version\"", DETECT_BYTES);
}

static void
dbt_read(struct filter *f, const struct format_options *options)
{
	(void)options;
	state.f = f;
	state.metadata_in = recio_new(metadata_keys);
	state.phases_in = recio_new(phase_keys);
	state.args_in = recio_new(args_keys);
	do {
		while (scan_peek(&f->input) != -1) {
			if (!scan_each(&f->input, "{}", read_member, NULL))
				filter_reject_rest(f, span_of(NULL, 0),
				    "the document is not run_results.json or "
				    "sources.json of dbt: "
				    "{\"results\": [result, ...], ...}");
			else if (!state.has_results)
				filter_fail(f, "'%s' is not run_results.json "
				    "or sources.json of dbt: it has no results",
				    f->input.name);
			emit_gates();
			if (state.threads > 0)
				run_add_count("limit", (uint64_t)state.threads);
			emit_build(f, dbt_format.name, &state.extent);
			state.extent = (struct extent){ 0 };
			state.has_results = false;
			state.threads = 0;
		}
	} while (filter_next_file(f));
	recio_free(state.metadata_in);
	recio_free(state.phases_in);
	recio_free(state.args_in);
	buf_release(&state.tests);
}

const struct input_format dbt_format = {
	.name = "dbt",
	.help = "dbt's run_results.json or sources.json",
	.keys = dbt_keys,
	.detect = dbt_detect,
	.read = dbt_read,
};
