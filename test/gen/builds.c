/*
 * builds - generates the logs of simulated builds, in the formats of execlog-
 *	parse(1) other than distbuild, and the private log of make-record
 *
 * The same arguments always give the same bytes, on any machine.  A log has
 * about as many bytes as asked for: it ends after the task that exceeds them.
 */

#include <string.h>

#include "test/gen/gen.h"

#define LEN(a)	(sizeof(a) / sizeof(a)[0])

/* November 22, 2026, 10:00:00 UTC */
#define START_MS	INT64_C(1795341600000)

enum { STEP_MS = 7, UNITS_PER_RUN = 500, TASKS_PER_STAGE = 1000, THREADS = 16,
    DEPS_MAX = 4 };

static uint64_t size_bytes, written_bytes;

static void out(const char *, ...) __attribute__((format(printf, 1, 2)));

static void
out(const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vprintf(fmt, ap);
	va_end(ap);
	if (n > 0)
		written_bytes += (uint64_t)n;
}

static void
out_bytes(const void *p, size_t n)
{
	fwrite(p, 1, n, stdout);
	written_bytes += n;
}

static bool
is_full(void)
{
	return written_bytes >= size_bytes;
}

/*
 * Chooses up to DEPS_MAX tasks before task i, at most 50 back and each only
 * once.  Returns their number.
 */
static uint32_t
pick_deps(uint64_t i, uint64_t *deps)
{
	uint32_t n = 0;

	for (uint64_t dep = i; n < DEPS_MAX;) {
		dep -= dep < 12 ? dep : 1 + below(12);
		if (dep == 0)
			break;
		deps[n++] = dep - 1;
	}
	return n;
}

/* Writes the dependencies of task i with separators. */
static void
out_deps(uint64_t i, const char *before, const char *between)
{
	uint64_t deps[DEPS_MAX];
	uint32_t n = pick_deps(i, deps);

	for (uint32_t d = 0; d < n; d++)
		out("%s%" PRIu64, d == 0 ? before : between, deps[d]);
}

/* A time of a build of less than a day, in the form of RFC 3339. */
static void
out_time(const char *key, uint64_t ms)
{
	ms %= 14 * 3600 * 1000;
	out("\"%s\": \"2026-11-22T%02u:%02u:%02u.%03u456Z\"", key,
	    (unsigned)(10 + ms / 3600000), (unsigned)(ms / 60000 % 60),
	    (unsigned)(ms / 1000 % 60), (unsigned)(ms % 1000));
}

static void
go(void)
{
	for (uint64_t i = 0; !is_full(); i++) {
		out("%s\t{\n\t\t\"ID\": %" PRIu64 ",\n\t\t\"Mode\": \"build\","
		    "\n\t\t\"Package\": \"example.com/project/package%" PRIu64
		    "\",\n", i == 0 ? "[\n" : ",\n", i, i);
		out("\t\t\"Deps\": [");
		out_deps(i, "\n\t\t\t", ",\n\t\t\t");
		out("\n\t\t],\n\t\t\"Objdir\": \"/tmp/go-build1/b%" PRIu64
		    "/\",\n\t\t\"Priority\": %" PRIu64 ",\n\t\t", i, i);
		out_time("TimeReady", STEP_MS * i);
		out(",\n\t\t");
		out_time("TimeStart", STEP_MS * i + below(90));
		out(",\n\t\t");
		out_time("TimeDone", STEP_MS * i + 100 + below(900));
		out(",\n\t\t\"Cmd\": [\n\t\t\t\"compile -o $WORK/b%" PRIu64
		    "/_pkg_.a -trimpath \\\"$WORK\\\" -p main ./a.go\"\n\t\t],"
		    "\n\t\t\"CmdReal\": %" PRIu32 ",\n\t\t\"CmdUser\": %" PRIu32
		    "\n\t}", i, magnitude(20, 30), magnitude(20, 30));
	}
	out("\n]\n");
}

/* As Bazel writes its profile. */
static void
chrome(void)
{
	out("{\"otherData\":{\"build_id\":\"8513b25e\",\"output_base\":"
	    "\"/src/out\"},\"traceEvents\":[\n");
	for (int i = 0; i < THREADS; i++)
		out("    {\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":1,"
		    "\"tid\":%d,\"args\":{\"name\":\"skyframe-evaluator %d\"}}"
		    ",\n", i, i);
	for (uint64_t i = 0; !is_full(); i++)
		out("    {\"cat\":\"action processing\",\"name\":\"Compiling "
		    "src/module%" PRIu64 "/file.cc\",\"ph\":\"X\",\"ts\":%"
		    PRIu64 ",\"dur\":%" PRIu32 ",\"pid\":1,\"out\":\"bazel-out/"
		    "k8/bin/module%" PRIu64 "/file.o\",\"args\":{\"target\":"
		    "\"//module%" PRIu64 ":lib\"},\"tid\":%" PRIu32 "},\n", i,
		    STEP_MS * 1000 * i, magnitude(10, 22), i, i / 10,
		    below(THREADS));
	out("    {\"cat\":\"general information\",\"name\":\"Finishing\","
	    "\"ph\":\"i\",\"ts\":1,\"pid\":1,\"tid\":0}\n]}\n");
}

/* The member Stage Info of an event, without its value's last brace. */
static void
out_stage(const char *event, uint64_t stage)
{
	out("{\"Event\":\"SparkListener%s\",\"Stage Info\":{\"Stage ID\":%"
	    PRIu64 ",\"Stage Attempt ID\":0,\"Stage Name\":\"map at "
	    "Words.scala:%" PRIu64 "\",\"Number of Tasks\":%d,\"RDD Info\":[],"
	    "\"Parent IDs\":[", event, stage, stage % 90, TASKS_PER_STAGE);
	if (stage > 0)
		out("%" PRIu64, stage - 1);
	out("],\"Details\":\"\",\"Submission Time\":%" PRIu64,
	    START_MS + stage * 1000 * STEP_MS);
}

/* An event of a task, up to its Task Info. */
static void
out_spark_task(const char *event, uint64_t i, uint64_t start_ms,
    uint64_t finish_ms)
{
	if (finish_ms > 0)
		event = "TaskEnd\",\"Task Type\":\"ShuffleMapTask";
	out("{\"Event\":\"SparkListener%s\",\"Stage ID\":%" PRIu64
	    ",\"Stage Attempt ID\":0,", event, i / TASKS_PER_STAGE);
	if (finish_ms > 0)
		out("\"Task End Reason\":{\"Reason\":\"Success\"},");
	out("\"Task Info\":{\"Task ID\":%" PRIu64 ",\"Index\":%" PRIu64
	    ",\"Attempt\":0,\"Launch Time\":%" PRIu64 ",\"Executor ID\":\"%"
	    PRIu64 "\",\"Host\":\"10.0.0.%" PRIu64 "\",\"Locality\":"
	    "\"PROCESS_LOCAL\",\"Speculative\":false,\"Getting Result Time\":0,"
	    "\"Finish Time\":%" PRIu64 ",\"Failed\":false,\"Killed\":false,"
	    "\"Accumulables\":[]}", i, i % TASKS_PER_STAGE, start_ms,
	    i % THREADS, i % THREADS, finish_ms);
}

static void
spark(void)
{
	uint64_t i = 0, start_ms = START_MS, took_ms;

	out("{\"Event\":\"SparkListenerLogStart\",\"Spark Version\":\"3.5.1\"}"
	    "\n{\"Event\":\"SparkListenerApplicationStart\",\"App Name\":"
	    "\"words\",\"App ID\":\"app-1\",\"Timestamp\":%" PRIu64
	    ",\"User\":\"dev\"}\n", start_ms);
	while (!is_full()) {
		out_stage("StageSubmitted", i / TASKS_PER_STAGE);
		out("},\"Properties\":{}}\n");
		do {
			start_ms = START_MS + STEP_MS * i;
			took_ms = magnitude(4, 14);
			out_spark_task("TaskStart", i, start_ms, 0);
			out("}\n");
			out_spark_task("TaskEnd", i, start_ms,
			    start_ms + took_ms);
			out(",\"Task Metrics\":{\"Executor Deserialize Time\":"
			    "3,\"Executor Deserialize CPU Time\":2000000,"
			    "\"Executor Run Time\":%" PRIu64 ",\"Executor CPU "
			    "Time\":%" PRIu64 "000000,\"Result Size\":1290,"
			    "\"JVM GC Time\":0,\"Result Serialization Time\":1,"
			    "\"Memory Bytes Spilled\":0}}\n", took_ms - 4,
			    took_ms - 4);
		} while (++i % TASKS_PER_STAGE != 0);
		out_stage("StageCompleted", i / TASKS_PER_STAGE - 1);
		out(",\"Completion Time\":%" PRIu64 "}}\n", start_ms + 20000);
	}
	out("{\"Event\":\"SparkListenerApplicationEnd\",\"Timestamp\":%" PRIu64
	    "}\n", start_ms + 30000);
}

static void
dbt(void)
{
	uint64_t at_ms;

	out("{\"metadata\": {\"dbt_schema_version\": \"https://schemas.getdbt."
	    "com/dbt/run-results/v6.json\", \"dbt_version\": \"1.9.0\", "
	    "\"invocation_id\": \"1f0e7c52\", \"env\": {}}, \"results\": [");
	for (uint64_t i = 0; !is_full(); i++) {
		at_ms = STEP_MS * i;
		out("%s{\"status\": \"success\", \"timing\": [{\"name\": "
		    "\"compile\", ", i == 0 ? "" : ", ");
		out_time("started_at", at_ms);
		out(", ");
		out_time("completed_at", at_ms += below(90));
		out("}, {\"name\": \"execute\", ");
		out_time("started_at", at_ms);
		out(", ");
		out_time("completed_at", at_ms + magnitude(4, 14));
		out("}], \"thread_id\": \"Thread-%" PRIu64 " (worker)\", "
		    "\"execution_time\": 0.4, \"adapter_response\": {\"_message"
		    "\": \"CREATE VIEW\"}, \"message\": null, \"failures\": "
		    "null, \"unique_id\": \"model.shop.orders_%" PRIu64 "\", "
		    "\"compiled\": true, \"compiled_code\": \"select * from "
		    "raw_%" PRIu64 "\", \"relation_name\": null}",
		    1 + i % THREADS, i, i);
	}
	out("], \"elapsed_time\": 8.5, \"args\": {\"which\": \"run\"}}\n");
}

static void
out_cargo_event(uint64_t run, const char *reason)
{
	out("{\"run_id\":\"20261122T100000000Z-%016" PRIx64 "\",\"timestamp\":"
	    "\"2026-11-22T10:00:00.882486636Z\",\"reason\":\"%s\"", run,
	    reason);
}

/* An event of a unit at a number of milliseconds. */
static void
out_unit_event(uint64_t run, const char *reason, uint32_t unit, uint64_t ms)
{
	out_cargo_event(run, reason);
	out(",\"index\":%" PRIu32 ",\"elapsed\":%" PRIu64 ".%03u123456}\n",
	    unit, ms / 1000, (unsigned)(ms % 1000));
}

static void
cargo(void)
{
	uint64_t ms;

	for (uint64_t run = 0; !is_full(); run++) {
		out_cargo_event(run, "build-started");
		out(",\"cwd\":\"/src\",\"rustc_version\":\"1.95.0\"}\n");
		for (uint32_t i = 0; i < UNITS_PER_RUN; i++) {
			out_cargo_event(run, "unit-registered");
			out(",\"package_id\":\"path+file:///src/crate%" PRIu32
			    "#0.1.0\",\"target\":{\"name\":\"crate%" PRIu32
			    "\",\"kind\":\"lib\"},\"mode\":\"build\",\"platform"
			    "\":\"x86_64-unknown-linux-gnu\",\"index\":%" PRIu32
			    ",\"dependencies\":[", i, i, i);
			out_deps(i, "", ",");
			out("]}\n");
		}
		for (uint32_t i = 0; i < UNITS_PER_RUN; i++) {
			ms = i * 90;
			out_unit_event(run, "unit-started", i, ms);
			out_unit_event(run, "unit-rmeta-finished", i,
			    ms += magnitude(4, 10));
			out_unit_event(run, "unit-finished", i,
			    ms + magnitude(4, 12));
		}
	}
}

/* A message of protocol buffers. */
struct message {
	unsigned char bytes[1000];
	size_t n;
};

static void
add_varint(struct message *m, uint64_t v)
{
	for (; v > 127; v >>= 7)
		m->bytes[m->n++] = (unsigned char)(v | 128);
	m->bytes[m->n++] = (unsigned char)v;
}

static void
add_number(struct message *m, unsigned field, uint64_t v)
{
	add_varint(m, field << 3);
	add_varint(m, v);
}

static void
add_bytes(struct message *m, unsigned field, const void *p, size_t n)
{
	add_varint(m, field << 3 | 2);
	add_varint(m, n);
	memcpy(m->bytes + m->n, p, n);
	m->n += n;
}

static void
add_text(struct message *m, unsigned field, const char *text)
{
	add_bytes(m, field, text, strlen(text));
}

static void
out_node(uint64_t i)
{
	struct message node = { .n = 0 }, metrics = { .n = 0 };
	struct message packed = { .n = 0 }, length = { .n = 0 };
	uint64_t deps[DEPS_MAX];
	char text[100];

	add_number(&metrics, 1, START_MS + STEP_MS * i);
	add_number(&metrics, 2, magnitude(4, 14));
	add_number(&metrics, 7, magnitude(3, 10));
	for (uint32_t d = 0, n = pick_deps(i, deps); d < n; d++)
		add_varint(&packed, deps[d]);
	snprintf(text, sizeof text, "action 'Compiling module%" PRIu64
	    "/file.cc'", i);
	add_text(&node, 1, text);
	if (i > 0)
		add_number(&node, 2, i);
	snprintf(text, sizeof text, "//module%" PRIu64 ":lib", i / 10);
	add_text(&node, 3, text);
	add_text(&node, 4, "CppCompile");
	add_bytes(&node, 5, metrics.bytes, metrics.n);
	add_bytes(&node, 6, packed.bytes, packed.n);
	add_text(&node, 7, "remote");
	add_varint(&length, node.n);
	out_bytes(length.bytes, length.n);
	out_bytes(node.bytes, node.n);
}

static void
bazel_graph(void)
{
	for (uint64_t i = 0; !is_full(); i++)
		out_node(i);
}

static void
ninja(void)
{
	uint64_t start_ms, end_ms;

	out("# ninja log v5\n");
	for (uint64_t i = 0; !is_full(); i++) {
		start_ms = STEP_MS * i;
		end_ms = start_ms + STEP_MS * THREADS;
		out("%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\tmodule%" PRIu64
		    "/CMakeFiles/lib.dir/file.c.o\t%" PRIx64 "\n", start_ms,
		    end_ms, (START_MS + end_ms) * 1000000, i, next_random());
	}
}

static void
local(void)
{
	for (uint64_t i = 0; !is_full(); i++)
		out("%s\"%016" PRIx64 "\": {\"type\": \"CC\", \"timing\": [%"
		    PRIu64 ".25, %" PRIu64 ".5], \"cached\": false, \"size\": "
		    "%" PRIu32 "}", i == 0 ? "{" : ",\n", next_random(),
		    START_MS / 1000 + i, START_MS / 1000 + i + 1,
		    magnitude(8, 24));
	out("}\n");
}

/* A recipe line of one make process for each target. */
static void
make(void)
{
	uint64_t deps[DEPS_MAX], end_us;

	out("!make\n");
	for (uint64_t i = 0; !is_full(); i++) {
		end_us = (START_MS + STEP_MS * (i + THREADS)) * 1000;
		out("7.%" PRIu64 "%c%c7%c%" PRIu64 "%c%" PRIu64 "%c5%c0%c/src%c"
		    "module%" PRIu64 "/file.o%c", i, 0, 0, 0,
		    end_us - magnitude(10, 17), 0, end_us, 0, 0, 0, 0, i, 0);
		for (uint32_t d = 0, n = pick_deps(i, deps); d < n; d++)
			out("module%" PRIu64 "/file.o%c", deps[d], 0);
		out("\n");
	}
}

int
main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*write)(void);
	} formats[] = {
		{ "bazel-graph", bazel_graph }, { "cargo", cargo },
		{ "chrome", chrome }, { "dbt", dbt }, { "go", go },
		{ "local", local }, { "make", make }, { "ninja", ninja },
		{ "spark", spark },
	};

	generator = "builds";
	if (argc != 3) {
		fputs("usage: builds FORMAT BYTES\n", stderr);
		return 2;
	}
	size_bytes = number(argv[2], 1, UINT64_MAX);
	for (size_t i = 0; i < LEN(formats); i++) {
		if (strcmp(argv[1], formats[i].name) != 0)
			continue;
		formats[i].write();
		if (fflush(stdout) != 0)
			fail("cannot write: %s", strerror(errno));
		return 0;
	}
	fail("'%s' is not a format", argv[1]);
	return 2;
}
