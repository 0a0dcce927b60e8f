/* foreign - recognizes a file that another filter reads */

#define _GNU_SOURCE	/* memmem() */

#include <stddef.h>
#include <string.h>

#include "common/filter/foreign.h"
#include "common/io/input.h"
#include "common/json/recio.h"

/* SPACES_MAX limits the white space before the first byte that counts. */
enum { SIGNATURE_BYTES = 1000, SPACES_MAX = 64 * 1024 };

/*
 * The first row that fits is that of the file.  A file begins with `start`,
 * after white space, and has `key`, if that is not NULL, in its first bytes; it
 * may have white space after punctuation of JSON where key has none.
 */
static const struct row {
	const char *start, *key;
	struct foreign foreign;
} table[] = {
	{ "", ", deps mtime ", { "what 'ninja -t deps' prints",
	    "buildgraph-parse (--deps)" } },
	{ "# ninja log", NULL, { "a log of ninja", "execlog-parse" } },
	{ "digraph ninja {", NULL, { "a graph of ninja", "buildgraph-parse" } },
	{ "digraph ", NULL, { "a graph for graphviz", NULL } },
	{ "<svg", NULL, { "an SVG picture", NULL } },
	{ "<?xml", NULL, { "XML", NULL } },
	{ "<!DOCTYPE html", NULL, { "an HTML page", NULL } },
	{ "PERFILE2", NULL, { "a recording of perf", NULL } },
	{ "# callgrind format", NULL, { "a profile of callgrind", NULL } },
	{ "SQLite format 3", NULL, { "an SQLite database",
	    "malstat --db" } },
	{ "# event,", NULL, { "a trace of MonetDB", "malparse" } },
	{ "{\"run_id\"", NULL, { "a log of cargo", "execlog-parse" } },
	{ "{\"Event\":", NULL, { "a log of Spark", "execlog-parse" } },
	{ "{", "dbt.com/dbt/manifest/", { "a manifest of dbt",
	    "buildgraph-parse" } },
	{ "{", "dbt.com/dbt/run-results/", { "run_results.json of dbt",
	    "execlog-parse" } },
	{ "{", "dbt.com/dbt/sources/", { "sources.json of dbt",
	    "execlog-parse" } },
	{ "{", "\"id\":{\"started\":", { "Bazel's build event protocol",
	    NULL } },
	{ "{", "\"resourceSpans\":", { "a trace of OpenTelemetry", NULL } },
	{ "{", "\"turboVersion\":", { "a run summary of Turborepo",
	    "turborepo.jq" } },
	{ "{", "\"creator\":\"remake ", { "a profile of remake", NULL } },
	{ "{", "\"units\":[{\"pkg_id\":", { "a unit graph of cargo", NULL } },
	{ "{\"Time\":", "\"Action\":", { "a log of go test", NULL } },
	{ "version: 1", "creator: remake", { "a profile of remake", NULL } },
	{ "version: 1", "creator: callgrind", { "a profile of callgrind",
	    NULL } },
	{ "{", "\"results\":[{\"command\":", { "an export of hyperfine",
	    "hyperfine.jq" } },
	{ "{", "\"context\":{\"date\":", { "results of google-benchmark",
	    "google-benchmark.jq" } },
	{ "{", "\"machine_info\":", { "results of pytest-benchmark",
	    "pytest-benchmark.jq" } },
	{ "{", "\"reason\":\"benchmark-complete\"", {
	    "messages of cargo criterion", "criterion.jq" } },
	{ "[", "\"jmhVersion\":", { "results of JMH", "jmh.jq" } },
	{ "", " ns/op", { "results of go test -bench", "go-bench.jq" } },
	{ "{", "\"jobs\":[{\"id\":", { "jobs of GitHub Actions",
	    "github-actions.jq" } },
	{ "[", "\"stage\":", { "jobs of GitLab CI", "gitlab-ci.jq" } },
	{ "{", "\"data\":{\"project\":{\"pipeline\":", { "jobs of GitLab CI",
	    "gitlab-ci.jq" } },
	{ "{", "\"vertexes\":[{\"digest\":", { "a log of BuildKit",
	    "buildkit.jq" } },
	{ "", "\"Plan\":{\"Node Type\":", { "a plan of PostgreSQL",
	    "postgresql.jq" } },
	{ "{", "\"system_peak_buffer_memory\":", { "a plan of DuckDB",
	    "duckdb.jq" } },
	{ "{", "\"traceEvents\":", { "a trace in Chrome's format",
	    "execlog-parse" } },
	{ "{", "\"collector_info\":", { "a profile of Perun",
	    "pidx-write, profile-make or perf-diff" } },
	{ "{", "\"graph\":[", { "a graph of ya", "buildgraph-parse" } },
	{ "{", "\"clk\":", { "a trace of MonetDB", "malparse" } },
	{ "{", "\"usec\":", { "a trace of MonetDB", "malparse" } },
	{ "{", "\"timing\":[", { "a local log of ya", "execlog-parse" } },
	{ "[", "\"Mode\":", { "an action graph of go", "execlog-parse" } },
	{ "[", "\"ph\":", { "a trace in Chrome's format", "execlog-parse" } },
	{ "", ":= querylog.define(", { "a trace of MonetDB", "malparse" } },
};

/* What a stream of records is to a filter that reads something else. */
static const struct row records[] = {
	{ "", "\"execlog-parse\"", { "the output of execlog-parse",
	    "critpath" } },
	{ "", "\"make-record\"", { "the output of make-record", "critpath" } },
	{ "", "\"buildgraph-parse\"", { "the output of buildgraph-parse",
	    "critpath -g" } },
	{ "", "\"malparse\"", { "the output of malparse",
	    "malload or malstat" } },
	{ "", "\"callgraph-record\"", { "the output of callgraph-record",
	    "callgraph-stat" } },
	{ "", "\"callgraph\"", { "a call graph", "callgraph-stat" } },
	{ "", NULL, { "a stream of records", "another filter" } },
};

/* Whether the line is "TIME EVENT ..." with an event of distbuild. */
static bool
is_event(struct span line)
{
	static const char *const events[] = { "deploy ", "deployed ",
	    "started ", "finished ", "finished_from_cache ", "dep_wait ",
	    "dep_start ", "dep_finished ", "prepare_start ",
	    "resources_prepared ", "repository_prepared " };
	size_t i = 0, n;

	while (i < line.n && text_is_digit(line.p[i]))
		i++;
	if (i == 0 || i == line.n || line.p[i++] != ' ')
		return false;
	for (size_t e = 0; e < sizeof events / sizeof *events; e++) {
		n = strlen(events[e]);
		if (line.n - i >= n && memcmp(line.p + i, events[e], n) == 0)
			return true;
	}
	return false;
}

static bool
contains(struct span text, const char *key)
{
	const char *end = text.p + text.n, *p, *k, *from = text.p;
	size_t n_word = strcspn(key, ":[{,");

	for (; (from = memmem(from, (size_t)(end - from), key, n_word)) !=
	    NULL && from < end; from++) {
		p = from;
		for (k = key; *k != '\0' && p < end && *p == *k; k++) {
			p++;
			while (strchr(":[{,", *k) != NULL && k[1] != ' ' &&
			    p < end && text_is_space(*p))
				p++;
		}
		if (*k == '\0')
			return true;
	}
	return false;
}

static const struct foreign *
find_row(const struct row *rows, size_t n, struct span text)
{
	for (const struct row *r = rows; r < rows + n; r++)
		if (span_begins_with(text, r->start) &&
		    (r->key == NULL || contains(text, r->key)))
			return &r->foreign;
	return NULL;
}

/* The first line of [p, end), as far as it has been read. */
static struct span
first_line(const char *p, const char *end)
{
	const char *newline = memchr(p, '\n', (size_t)(end - p));

	return span_of(p, (size_t)((newline != NULL ? newline : end) - p));
}

/*
 * Whether the first line is a record; without a recio its beginning decides,
 * which is that of all records of weir.
 */
static bool
is_record(struct span line, struct recio *io)
{
	const struct field *type;
	const struct rec *r;
	const char *why;

	if (span_begins_with(line, "{\"type\":"))
		return true;
	if (io == NULL || line.n == 0 || *line.p != '{' ||
	    (r = recio_parse(io, line, &why)) == NULL)
		return false;
	type = rec_get(r, KEY_TYPE);
	return type != NULL && type->kind == REC_STRING;
}

const struct foreign *
foreign_recognize(struct span text)
{
	static const struct foreign event_log = { "a log of distbuild",
	    "execlog-parse" };
	struct span line = first_line(text.p, text.p + text.n);

	if (is_record(line, NULL))
		return find_row(records, sizeof records / sizeof *records,
		    line);
	if (is_event(line))
		return &event_log;
	return find_row(table, sizeof table / sizeof *table, span_of(text.p,
	    text.n < SIGNATURE_BYTES ? text.n : SIGNATURE_BYTES));
}

bool
foreign_has_adapter(const struct foreign *f)
{
	return f->reader != NULL && strstr(f->reader, ".jq") != NULL;
}

/*
 * Whether the bytes show what the file is: it has a line that is not only the
 * beginning of a JSON value.  A reader of a live stream must not wait for more.
 */
static bool
is_enough(const char *p, const char *end)
{
	struct span line = first_line(p, end);

	if (end - p >= SIGNATURE_BYTES)
		return true;
	if (line.p + line.n == end)
		return false;
	while (line.n > 0 && text_is_space(line.p[line.n - 1]))
		line.n--;
	return (*p != '{' && *p != '[') || line.p[line.n - 1] == '}';
}

static bool
is_own(const struct foreign *f, const char *program)
{
	return f->reader != NULL && program != NULL &&
	    strstr(f->reader, program) != NULL;
}

const struct foreign *
foreign_find(struct input *in, const char *program, struct recio *io)
{
	const struct foreign *found;
	const char *p;

	do {
		for (p = in->at; p < in->end && text_is_space(*p); p++)
			;
		found = io != NULL && is_record(first_line(p, in->end), io) ?
		    NULL : foreign_recognize(span_of(p,
		    (size_t)(in->end - p)));
		if (found != NULL && is_own(found, program))
			return NULL;
	} while (!is_enough(p, in->end) && in->end - in->at < SPACES_MAX &&
	    input_more(in));
	return found;
}
