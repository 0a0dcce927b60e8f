/* ya - reads ya's graph.json, of any size, one node at a time */

#include "common/base/err.h"
#include "common/frame/filter.h"
#include "common/json/recio.h"
#include "common/json/scan.h"
#include "filters/buildgraph-parse/formats.h"

/* Keys of a node.  The document is {"graph": [node, ...], ...}. */
enum { UID = KEY_TYPE + 1, DEPS, OUTPUTS, KV, TAGS, NODE_TYPE };

const char *const ya_keys[] = { "type", "uid", "deps", "outputs", "kv", "tags",
    "node-type",
    /* Not used: nodes have them, and declared keys are read faster. */
    "inputs", "platform", NULL };

/* The keys of a node's "kv"; P is the rule. */
enum { P = KEY_TYPE + 1, RUN_TEST };

static const char *const kv_keys[] = { "type", "p", "run_test_node",
    "pc" /* not used */, NULL };

static void
put_array(struct buf *b, const struct rec *node, unsigned key)
{
	const struct span *items;
	size_t n;

	if (rec_strings(node, key, &items, &n) != REC_OK || n == 0)
		return;
	json_open(b, ya_keys[key], '[');
	for (size_t i = 0; i < n; i++)
		json_item(b, items[i]);
	json_close(b, ']');
}

static void
put_string(struct buf *b, const char *name, const struct rec *rec,
    unsigned key)
{
	struct span text;

	if (rec_str(rec, key, &text) == REC_OK)
		json_str(b, name, text);
}

static void
put_kv(struct buf *b, const struct rec *node, struct recio *kv_reader)
{
	const struct field *field = rec_get(node, KV);
	const struct rec *kv;
	const char *why;

	if (field == NULL || field->kind != REC_OBJECT)
		return;
	/* The token is valid: it was read before, as a part of the node. */
	kv = recio_parse(kv_reader, field->token, &why);
	if (kv == NULL)
		return;
	put_string(b, "rule", kv, P);
	if (rec_true(kv, RUN_TEST))
		json_true(b, "test");
}

static void
emit_node(struct filter *f, const struct rec *node, struct recio *kv_reader)
{
	struct buf *b = filter_begin_record(f, "node");

	put_string(b, "id", node, UID);
	put_array(b, node, DEPS);
	put_kv(b, node, kv_reader);
	put_array(b, node, OUTPUTS);
	put_array(b, node, TAGS);
	put_string(b, "node_type", node, NODE_TYPE);
	filter_end_record(f);
}

static bool
check_node(struct filter *f, const struct rec *node)
{
	static const int arrays[] = { DEPS, OUTPUTS, TAGS };
	const struct span *items;
	struct span uid;
	size_t n;

	if (rec_str(node, UID, &uid) != REC_OK || uid.n == 0) {
		filter_reject(f, "the node has no uid");
		return false;
	}
	for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
		if (rec_strings(node, (unsigned)arrays[i], &items, &n) ==
		    REC_BAD) {
			filter_reject(f, "%s is not an array of strings",
			    ya_keys[arrays[i]]);
			return false;
		}
	return true;
}

static bool
read_nodes(struct filter *f, struct recio *kv_reader)
{
	struct rec *node;

	if (!scan_accept(&f->input, '['))
		return false;
	if (scan_accept(&f->input, ']'))
		return true;
	do {
		if (!filter_object(f, &node))
			return false;
		if (node != NULL && check_node(f, node))
			emit_node(f, node, kv_reader);
	} while (scan_accept(&f->input, ','));
	return scan_accept(&f->input, ']');
}

/* Reads the members of the document, of which only "graph" is used. */
static bool
read_document(struct filter *f, struct recio *kv_reader)
{
	struct span key;
	bool is_graph;

	if (!scan_accept(&f->input, '{'))
		return false;
	if (scan_accept(&f->input, '}'))
		return true;
	do {
		if (scan_peek(&f->input) != '"' || !filter_value(f, &key))
			return false;
		is_graph = span_eq(key, "\"graph\"");
		if (!scan_accept(&f->input, ':'))
			return false;
		if (!(is_graph ? read_nodes(f, kv_reader) :
		    filter_value(f, &key)))
			return false;
	} while (scan_accept(&f->input, ','));
	return scan_accept(&f->input, '}');
}

bool
ya_detect(struct input *in)
{
	return scan_peek(in) == '{';
}

void
ya_read(struct filter *f, const struct format_options *options)
{
	struct recio *kv_reader = recio_new(kv_keys);

	if (options->deps_file != NULL)
		die("--deps needs a graph of ninja");
	do {
		while (scan_peek(&f->input) != -1)
			if (!read_document(f, kv_reader))
				filter_reject_rest(f, span_of(NULL, 0),
				    "the document is not ya's graph.json: "
				    "{\"graph\": [node, ...], ...}");
	} while (filter_next_file(f));
	recio_free(kv_reader);
}
