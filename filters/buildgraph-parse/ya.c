/* ya - graph.json, hundreds of megabytes of it, a node at a time */

#include "common/filter.h"
#include "common/recio.h"
#include "common/scan.h"
#include "filters/buildgraph-parse/formats.h"

/* {"graph": [node, ...], "result": [uid, ...], ...} */
enum { UID = KEY_TYPE + 1, DEPS, OUTPUTS, KV, TAGS, PLATFORM, NODE_TYPE,
    TARGET };

const char *const ya_keys[] = { "type", "uid", "deps", "outputs", "kv", "tags",
    "platform", "node-type", "target_properties", NULL };

/* Of the objects within a node. */
enum { P = KEY_TYPE + 1, RUN_TEST, MODULE_LANG };

static const char *const inner_keys[] = { "type", "p", "run_test_node",
    "module_lang", NULL };

static void
put_array(struct buf *b, const struct rec *node, unsigned key)
{
	const struct field *field = rec_get(node, key);

	if (field != NULL && field->n_items > 0)
		json_raw(b, ya_keys[key], field->token);
}

static void
put_string(struct buf *b, const char *name, const struct rec *rec,
    unsigned key)
{
	struct span text;

	if (rec_str(rec, key, &text) == REC_GOOD)
		json_str(b, name, text);
}

/* An object within the node as a record, or NULL. */
static struct rec *
inner_record(struct recio *inner, const struct rec *node, unsigned key)
{
	const struct field *field = rec_get(node, key);
	const char *why;

	if (field == NULL || field->kind != REC_OBJECT)
		return NULL;
	return recio_parse(inner, field->token, &why);
}

static void
emit_node(struct filter *f, const struct rec *node, struct recio *inner)
{
	struct buf *b = filter_out(f);
	const struct rec *object;
	struct span uid;

	(void)rec_str(node, UID, &uid);
	json_begin(b, "node");
	json_str(b, "id", uid);
	put_array(b, node, DEPS);
	if ((object = inner_record(inner, node, KV)) != NULL) {
		put_string(b, "rule", object, P);
		if (rec_true(object, RUN_TEST))
			json_true(b, "test");
	}
	put_array(b, node, OUTPUTS);
	put_array(b, node, TAGS);
	put_string(b, "platform", node, PLATFORM);
	put_string(b, "node_type", node, NODE_TYPE);
	if ((object = inner_record(inner, node, TARGET)) != NULL)
		put_string(b, "module_lang", object, MODULE_LANG);
	json_end(b);
	filter_emit(f);
}

static bool
is_sound(struct filter *f, const struct rec *node)
{
	static const int arrays[] = { DEPS, OUTPUTS, TAGS };
	const struct span *items;
	struct span uid;
	size_t n;

	if (rec_str(node, UID, &uid) != REC_GOOD || uid.n == 0) {
		filter_reject(f, "a node without a uid");
		return false;
	}
	for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
		if (rec_strings(node, (unsigned)arrays[i], &items, &n) ==
		    REC_BAD) {
			filter_reject(f, "'%s' is no array of strings",
			    ya_keys[arrays[i]]);
			return false;
		}
	return true;
}

static bool
read_nodes(struct filter *f, struct recio *inner)
{
	struct span value;
	struct rec *node;

	if (!scan_take(&f->input, '['))
		return false;
	if (scan_take(&f->input, ']'))
		return true;
	do {
		if (!filter_value(f, &value))
			return false;
		node = filter_value_record(f, value);
		if (node != NULL && is_sound(f, node))
			emit_node(f, node, inner);
	} while (scan_take(&f->input, ','));
	return scan_take(&f->input, ']');
}

/* Of the document's pairs only "graph" is of interest. */
static bool
read_document(struct filter *f, struct recio *inner)
{
	struct span key;
	bool is_graph;

	if (!scan_take(&f->input, '{'))
		return false;
	if (scan_take(&f->input, '}'))
		return true;
	do {
		if (scan_peek(&f->input) != '"' || !filter_value(f, &key))
			return false;
		is_graph = span_eq(key, "\"graph\"");
		if (!scan_take(&f->input, ':'))
			return false;
		if (!(is_graph ? read_nodes(f, inner) : filter_value(f, &key)))
			return false;
	} while (scan_take(&f->input, ','));
	return scan_take(&f->input, '}');
}

void
ya_read(struct filter *f)
{
	struct recio *inner = recio_new(inner_keys);

	do {
		while (scan_peek(&f->input) != -1)
			if (!read_document(f, inner))
				filter_reject_rest(f, "not ya's graph.json: "
				    "{\"graph\": [node, ...], ...}");
	} while (filter_next_file(f));
	recio_free(inner);
}
