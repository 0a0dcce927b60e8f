/* bazel-graph - reads Bazel's execution graph log, a stream of messages */

#define _GNU_SOURCE	/* memmem() */
#include <stdlib.h>
#include <string.h>

#include "common/filter/filter-read.h"
#include "common/filter/filter-reject.h"
#include "common/filter/filter.h"
#include "filters/execlog-parse/formats.h"
#include "filters/execlog-parse/protobuf.h"
#include "filters/execlog-parse/records.h"

/*
 * The log is a sequence of messages execution_graph.Node, each after its length
 * as a varint.  Several threads of Bazel write it, so the order of the messages
 * means nothing.
 *
 * A scalar of 0 is not written.  So in a log with dependencies one node has no
 * index, number 0; but in a log without them, no node has an index, and the
 * tasks are numbered from 0.  If the first message has no index, it is number 0
 * in both, and the next message shows which kind of log this is.
 */

/* The fields of a Node. */
enum { DESCRIPTION = 1, INDEX, TARGET_LABEL, MNEMONIC, METRICS,
    DEPENDENT_INDEX, RUNNER, RUNNER_SUBTYPE, RETRY_OF, RULE_CLASS, IDENTIFIER,
    NODE_FIELDS };

/* The fields of its Metrics; those from PARSE on are phases, in ms. */
enum { START_MS = 1, DURATION_MS, PARSE, FETCH, NETWORK, UPLOAD, PROCESS,
    SETUP, PROCESS_OUTPUTS, QUEUE, RETRY, RETRY_BY_ERROR, OTHER,
    DISCOVER_INPUTS, METRIC_FIELDS };

/* The phases in the records; RETRY_BY_ERROR is details of RETRY. */
static const char *const phase_names[METRIC_FIELDS] = {
	[PARSE] = "parse", [FETCH] = "fetch", [NETWORK] = "network",
	[UPLOAD] = "upload", [PROCESS] = "process", [SETUP] = "setup",
	[PROCESS_OUTPUTS] = "process_outputs", [QUEUE] = "queue",
	[RETRY] = "retry", [OTHER] = "other",
	[DISCOVER_INPUTS] = "discover_inputs",
};

enum { US_PER_MS = 1000 };

/* How many bytes detection buffers at most. */
enum { FIRST_MESSAGE_MAX = 16 << 20 };

/* In how many bytes, at the beginning, a file must show that it is not text. */
enum { TEXT_BYTES = 1024 };

struct node {
	/* By field number: text fields; p is NULL if the node has none. */
	struct span texts[NODE_FIELDS];
	int32_t index, retry_of;
	bool has_index, has_retry_of;
	int64_t start_ms;
	int32_t metrics_ms[METRIC_FIELDS];	/* by field number */
};

static struct {
	struct filter *f;
	enum { UNDECIDED, WITH_INDEXES, WITHOUT_INDEXES } kind;
	struct extent extent;
	int64_t n_tasks;	/* written so far */
	int32_t *deps;		/* of the current node */
	size_t n_deps, deps_cap;
	struct id_set indexes;
} state;

static bool
add_dep(uint64_t value)
{
	int32_t index;

	if (!protobuf_int32(value, &index))
		return false;
	state.deps = mem_grow(state.deps, &state.deps_cap, state.n_deps + 1,
	    sizeof *state.deps);
	state.deps[state.n_deps++] = index;
	return true;
}

/* Adds one number or, if they are packed, several. */
static const char *
read_deps(const struct protobuf_field *field)
{
	static const char why[] = "dependent_index is not a list of numbers";
	enum protobuf_result result;
	struct span rest = field->bytes;
	uint64_t value;

	if (field->wire == PROTOBUF_VARINT)
		return add_dep(field->value) ? NULL : why;
	if (field->wire != PROTOBUF_LEN)
		return why;
	while ((result = protobuf_varint(&rest, &value)) == PROTOBUF_OK)
		if (!add_dep(value))
			return why;
	return result == PROTOBUF_END ? NULL : why;
}

static const char *
describe(enum protobuf_result result)
{
	switch (result) {
	case PROTOBUF_BEYOND:
		return "a field extends beyond its message";
	case PROTOBUF_INVALID:
		return "a field has an unknown wire type, the number 0 or a "
		    "number of more than 64 bits";
	default:
		return NULL;
	}
}

static const char *
read_metrics(const struct protobuf_field *field, struct node *node)
{
	const int64_t ms_max = ((INT64_C(1) << REC_INT_BITS) - 1) / US_PER_MS -
	    INT32_MAX;
	struct span rest = field->bytes;
	struct protobuf_field metric;
	enum protobuf_result result;

	if (field->wire != PROTOBUF_LEN)
		return "metrics is not a message";
	while ((result = protobuf_field(&rest, &metric)) == PROTOBUF_OK) {
		if (metric.number >= METRIC_FIELDS ||
		    metric.number == RETRY_BY_ERROR)
			continue;
		if (metric.wire != PROTOBUF_VARINT)
			return "a metric is not a number";
		if (metric.number == START_MS) {
			if (metric.value > (uint64_t)ms_max)
				return "start_timestamp_millis is negative or "
				    "too large";
			node->start_ms = (int64_t)metric.value;
		} else if (!protobuf_int32(metric.value,
		    &node->metrics_ms[metric.number])) {
			return "a metric has more than 32 bits";
		}
	}
	return describe(result);
}

static const char *
read_number(const struct protobuf_field *field, int32_t *number, bool *has)
{
	if (field->wire != PROTOBUF_VARINT ||
	    !protobuf_int32(field->value, number))
		return field->number == INDEX ?
		    "index is not a number of 32 bits" :
		    "retry_of is not a number of 32 bits";
	*has = true;
	return NULL;
}

static const char *
read_field(const struct protobuf_field *field, struct node *node)
{
	switch (field->number) {
	case INDEX:
		return read_number(field, &node->index, &node->has_index);
	case RETRY_OF:
		return read_number(field, &node->retry_of,
		    &node->has_retry_of);
	case METRICS:
		return read_metrics(field, node);
	case DEPENDENT_INDEX:
		return read_deps(field);
	default:
		if (field->number >= NODE_FIELDS)
			return NULL;
		if (field->wire != PROTOBUF_LEN)
			return "a text field is not a text";
		if (!utf8_valid(field->bytes.p, field->bytes.n))
			return "a text field is not UTF-8";
		node->texts[field->number] = field->bytes;
		return NULL;
	}
}

/*
 * Reads a message as a node, and its dependencies to state.deps.  As protocol
 * buffers demand, the last value of a field counts, and the parts of a message
 * that is given several times are joined.  Returns NULL or what is wrong.
 */
static const char *
read_node(struct span message, struct node *node)
{
	struct protobuf_field field;
	enum protobuf_result result;
	const char *why;

	*node = (struct node){ .index = 0 };
	state.n_deps = 0;
	while ((result = protobuf_field(&message, &field)) == PROTOBUF_OK)
		if ((why = read_field(&field, node)) != NULL)
			return why;
	if (result == PROTOBUF_END && node->index < 0)
		return "index is negative";
	return describe(result);
}

/* A retry has the dependencies of the attempt before, but waited for that. */
static void
put_deps(struct buf *b, const struct node *node)
{
	bool is_listed = !node->has_retry_of;

	if (state.n_deps == 0 && !node->has_retry_of)
		return;
	json_open(b, "deps", '[');
	for (size_t i = 0; i < state.n_deps; i++) {
		put_numeric_item(b, state.deps[i]);
		is_listed |= state.deps[i] == node->retry_of;
	}
	if (!is_listed)
		put_numeric_item(b, node->retry_of);
	json_close(b, ']');
}

static void
put_phases(struct buf *b, const struct node *node)
{
	bool is_open = false;

	for (size_t i = PARSE; i < METRIC_FIELDS; i++) {
		if (phase_names[i] == NULL || node->metrics_ms[i] <= 0)
			continue;
		if (!is_open)
			json_open(b, "parts_us", '{');
		is_open = true;
		json_int(b, phase_names[i],
		    (int64_t)node->metrics_ms[i] * US_PER_MS);
	}
	if (is_open)
		json_close(b, '}');
}

static void
emit_node(int64_t id, const struct node *node)
{
	static const unsigned char names[] = { DESCRIPTION, TARGET_LABEL,
	    MNEMONIC };
	const struct span *texts = node->texts, runner = texts[RUNNER];
	struct buf *b = filter_begin_record(state.f, "task");
	int64_t start_us = node->start_ms * US_PER_MS;
	int64_t elapsed_us = (int64_t)node->metrics_ms[DURATION_MS] * US_PER_MS;
	size_t i = 0;

	put_numeric_id(b, "id", id);
	while (i < sizeof names - 1 && texts[names[i]].n == 0)
		i++;
	json_text(b, "name", texts[names[i]]);
	json_word(b, "kind", "run");
	put_run(b);

	/* A node without metrics or without a duration took no time.  A start
	   of 0 is not known, but then the duration still is. */
	if (node->start_ms == 0) {
		json_int(b, "elapsed_us", elapsed_us);
	} else {
		put_times(b, start_us, start_us + elapsed_us);
		extent_add(&state.extent, start_us);
		if (elapsed_us > 0)
			extent_add(&state.extent, start_us + elapsed_us);
	}

	json_text(b, "target", texts[TARGET_LABEL]);
	json_text(b, "rule", texts[MNEMONIC]);
	json_text(b, "host", runner);
	put_deps(b, node);
	json_flag(b, "from_cache", runner.n > 0 && memmem(runner.p, runner.n,
	    "cache hit", strlen("cache hit")) != NULL);
	put_phases(b, node);
	json_text(b, "runner_subtype", texts[RUNNER_SUBTYPE]);
	json_text(b, "rule_class", texts[RULE_CLASS]);
	json_text(b, "identifier", texts[IDENTIFIER]);
	filter_end_record(state.f);
}

static void
read_message(struct span message)
{
	const char *why;
	struct node node;
	bool has_indexes;

	/* Bazel writes at least a description. */
	why = message.n == 0 ? "the message is empty" :
	    read_node(message, &node);
	if (why != NULL) {
		filter_reject(state.f, "%s", why);
		return;
	}
	has_indexes = node.has_index || state.n_deps > 0;
	if (state.kind == UNDECIDED && has_indexes) {
		state.kind = WITH_INDEXES;
	} else if (state.kind == UNDECIDED && state.n_tasks > 0) {
		state.kind = WITHOUT_INDEXES;
		filter_warn(state.f, "the log has no dependencies; Bazel "
		    "writes them with "
		    "--experimental_execution_graph_log_dep_type=all");
	}

	if (state.kind == WITHOUT_INDEXES && has_indexes) {
		filter_reject(state.f, "the node has an index or dependencies, "
		    "but the first two nodes have none");
		return;
	}
	if (state.kind != WITHOUT_INDEXES &&
	    !id_set_add(&state.indexes, (uint64_t)node.index)) {
		filter_reject(state.f, "the index %d is that of an earlier "
		    "node", (int)node.index);
		return;
	}
	/* Number 0 is the first node, so nothing that is retried; and without
	   indexes retry_of means nothing. */
	if (node.index == 0)
		node.has_retry_of = false;
	emit_node(state.kind == WITHOUT_INDEXES ? state.n_tasks :
	    node.index, &node);
	state.n_tasks++;
}

/*
 * Sets *message to the next message, as far as it is in the buffer, and *n to
 * its length with the varint before it if it is there completely.  Otherwise
 * the result is PROTOBUF_BEYOND, or PROTOBUF_END if nothing is in the buffer;
 * if the length is above the limit, PROTOBUF_INVALID.
 */
static enum protobuf_result
find_message(const struct input *in, uint64_t limit, struct span *message,
    size_t *n)
{
	struct span rest = span_of(in->at, (size_t)(in->end - in->at));
	enum protobuf_result result;
	uint64_t length;

	*message = span_of(in->at, 0);
	result = protobuf_varint(&rest, &length);
	if (result != PROTOBUF_OK)
		return result;
	if (length > limit)
		return PROTOBUF_INVALID;
	*message = rest;
	if (length > rest.n)
		return PROTOBUF_BEYOND;
	message->n = (size_t)length;
	*n = (size_t)(rest.p - in->at) + message->n;
	return PROTOBUF_OK;
}

/* A control character that text files do not have. */
static bool
is_control(char c)
{
	return (unsigned char)c < 0x20 && !text_is_space(c);
}

/*
 * Whether the file is text, which might pass for a message here and there.  The
 * tags of a node's times are control characters, so a log has some soon, unless
 * it is truncated in its first message.
 */
static bool
is_text_file(struct input *in)
{
	struct span message;
	size_t n;

	for (size_t i = 0; i < TEXT_BYTES; i++) {
		if (i == (size_t)(in->end - in->at) && !input_more(in))
			return find_message(in, TEXT_BYTES, &message, &n) ==
			    PROTOBUF_OK;
		if (is_control(in->at[i]))
			return false;
	}
	return true;
}

/* Messages are counted as lines, so a fault has the number of its message. */
static void
read_file(struct filter *f)
{
	enum protobuf_result result;
	struct input *in = &f->input;
	struct span message;
	size_t n;

	if (is_text_file(in)) {
		filter_reject_rest(f, span_of(in->at, 0), "the file is text, "
		    "and not Bazel's execution graph log");
		return;
	}
	do {
		while ((result = find_message(in, f->max_record, &message,
		    &n)) == PROTOBUF_OK) {
			f->current = span_of(in->at, n);
			f->current_line = ++in->line;
			in->at += n;
			read_message(message);
		}
	} while (result != PROTOBUF_INVALID && input_more(in));
	if (result == PROTOBUF_BEYOND)
		filter_reject_rest(f, span_of(in->at, 0),
		    "the file ends within a message");
	else if (result == PROTOBUF_INVALID)
		filter_reject_rest(f, span_of(in->at, 0),
		    "the length of a message is larger than --max-record");
}

/* A byte above ASCII, or a control character that text files do not have. */
static bool
is_binary(struct span bytes)
{
	for (size_t i = 0; i < bytes.n; i++)
		if ((unsigned char)bytes.p[i] > 0x7e || is_control(bytes.p[i]))
			return true;
	return false;
}

/*
 * A raw stream has no magic.  Its first message must be a node without faults
 * that has a description, target or mnemonic, and at least one byte that is not
 * of ASCII text: any node with metrics has one.  If the file ends within it,
 * its last field may be truncated.  Other input is recognized as early as
 * possible, because it may come slowly through a pipe.
 */
static bool
bazel_graph_detect(struct input *in)
{
	enum protobuf_result result;
	struct span message;
	struct node node;
	const char *why;
	size_t n, seen = 0;

	/* What Spark has compressed may look like a truncated message. */
	if (spark_format.detect(in))
		return false;
	do {
		result = find_message(in, FIRST_MESSAGE_MAX, &message, &n);
		/* A long message is read again only when it has doubled. */
		if (result == PROTOBUF_BEYOND && seen > TEXT_BYTES &&
		    message.n < 2 * seen)
			continue;
		seen = message.n;
		why = read_node(message, &node);
		if (result == PROTOBUF_INVALID || (why != NULL &&
		    (result == PROTOBUF_OK ||
		    why != describe(PROTOBUF_BEYOND))))
			return false;
	} while (result != PROTOBUF_OK && input_more(in));
	/* input_more() may have moved the message. */
	find_message(in, FIRST_MESSAGE_MAX, &message, &n);
	return is_binary(message) && (node.texts[DESCRIPTION].n > 0 ||
	    node.texts[TARGET_LABEL].n > 0 || node.texts[MNEMONIC].n > 0 ||
	    result == PROTOBUF_BEYOND);
}

static void
bazel_graph_read(struct filter *f, const struct format_options *options)
{
	(void)options;
	state.f = f;
	id_set_init(&state.indexes);
	do
		read_file(f);
	while (filter_next_file(f));
	emit_build(f, bazel_graph_format.name, &state.extent);
	id_set_release(&state.indexes);
	free(state.deps);
	memset(&state, 0, sizeof state);
}

const struct input_format bazel_graph_format = {
	.name = "bazel-graph",
	.help = "Bazel's execution graph log",
	.detect = bazel_graph_detect,
	.read = bazel_graph_read,
};
