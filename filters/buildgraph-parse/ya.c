/* ya - reads ya's graph.json, of any size, one node at a time */

#include "common/base/err.h"
#include "common/filter/filter-read.h"
#include "common/filter/filter-get.h"
#include "common/filter/filter-reject.h"
#include "common/filter/filter.h"
#include "common/json/recio.h"
#include "common/json/scan.h"
#include "filters/buildgraph-parse/formats.h"

/* Keys of a node.  The document is {"graph": [node, ...], ...}. */
#define YA_KEYS(K)							\
	K(UID, "uid") K(DEPS, "deps") K(OUTPUTS, "outputs") K(KV, "kv")	\
	K(TAGS, "tags") K(NODE_TYPE, "node-type") K(INPUTS, "inputs")	\
	K(PLATFORM, "platform")
KEY_LIST(ya_keys, YA_KEYS);

/*
 * The keys of the object "kv" in a node: P is the rule, and RUN_TEST whether
 * the node runs a test.
 */
#define KV_KEYS(K) K(P, "p") K(RUN_TEST, "run_test_node") K(PC, "pc")
KEY_LIST(kv_keys, KV_KEYS);

/* Writes an array of strings under its own key, unless it is empty. */
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

/* What the reader needs besides the input. */
struct reader {
	struct filter *f;
	struct recio *kv;		/* reads "kv" */
	struct buf joined, printed;	/* for put_name() */
};

/* Writes text with the roots of sources and outputs as ya prints them. */
static void
add_printed(struct buf *to, struct span text)
{
	static const struct { const char *root, *printed; } roots[] = {
		{ "$(BUILD_ROOT)", "$(B)" }, { "$(SOURCE_ROOT)", "$(S)" }
	};
	size_t i, n;

	while (text.n > 0) {
		for (i = 0; i < 2; i++)
			if (span_begins_with(text, roots[i].root))
				break;
		if (i < 2)
			buf_str(to, roots[i].printed);
		else
			buf_char(to, *text.p);
		n = i < 2 ? strlen(roots[i].root) : 1;
		text = span_of(text.p + n, text.n - n);
	}
}

/*
 * Writes the outputs as ya prints them under the key `name`: several are joined
 * to "lib/a.{h, cpp}", of more than two only the first and the last.  One
 * output that is printed unchanged needs no name: a node without one has the
 * name of its first output.
 */
static void
put_name(struct buf *b, const struct rec *node, struct reader *r)
{
	const struct span *items;
	struct buf *joined = &r->joined, *printed = &r->printed;
	struct span first, last;
	size_t n, prefix;

	if (rec_strings(node, OUTPUTS, &items, &n) != REC_OK || n == 0)
		return;
	joined->len = printed->len = 0;
	first = items[0];
	last = items[n - 1];
	prefix = n == 1 ? first.n : text_common_prefix(first, last);
	buf_add(joined, first.p, prefix);
	if (n > 1) {
		buf_char(joined, '{');
		buf_add(joined, first.p + prefix, first.n - prefix);
		buf_str(joined, n == 2 ? ", " : " ... ");
		buf_add(joined, last.p + prefix, last.n - prefix);
		buf_char(joined, '}');
	}
	add_printed(printed, buf_span(joined));
	if (n > 1 || span_compare(buf_span(printed), first) != 0)
		json_str(b, "name", buf_span(printed));
}

static void
put_string(struct buf *b, const char *name, const struct rec *rec,
    unsigned key)
{
	struct span text;

	if (rec_str(rec, key, &text) == REC_OK)
		json_str(b, name, text);
}

/* Rejects a node without a uid or with an array that is not of strings. */
static bool
check_node(struct filter *f, const struct rec *node)
{
	static const unsigned arrays[] = { DEPS, OUTPUTS, TAGS };
	const struct span *items;
	struct span uid;
	size_t n;

	if (rec_str(node, UID, &uid) != REC_OK || uid.n == 0) {
		filter_reject(f, "the node has no uid");
		return false;
	}
	for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
		if (!filter_get_strings(f, node, arrays[i], &items, &n))
			return false;
	return true;
}

static bool
read_element(void *context)
{
	struct reader *r = context;
	const struct rec *kv;
	struct rec *node;
	struct buf *b;

	if (!filter_object(r->f, &node))
		return false;
	if (node == NULL || !check_node(r->f, node))
		return true;
	b = filter_begin_record(r->f, "node");
	put_string(b, "id", node, UID);
	put_name(b, node, r);
	put_array(b, node, DEPS);
	/* "kv" has keys of its own, so it needs a reader of its own. */
	kv = recio_member(r->kv, node, KV);
	if (kv != NULL) {
		put_string(b, "rule", kv, P);
		json_flag(b, "test", rec_true(kv, RUN_TEST));
	}
	put_array(b, node, OUTPUTS);
	put_array(b, node, TAGS);
	put_string(b, "node_type", node, NODE_TYPE);
	filter_end_record(r->f);
	return true;
}

/* Reads a member of the document, of which only "graph" is used. */
static bool
read_member(void *context)
{
	static const char *const names[] = { "graph", NULL };
	struct reader *r = context;
	int member = filter_member(r->f, names);
	struct span value;

	if (member == 0)
		return scan_each(&r->f->input, "[]", read_element, r);
	return member != NO_MEMBER && filter_value(r->f, &value);
}

static bool
ya_detect(struct input *in)
{
	return scan_peek(in) == '{';
}

static void
ya_read(struct filter *f, const struct format_options *options)
{
	struct reader r = { .f = f, .kv = recio_new(kv_keys) };

	if (options->deps_file != NULL)
		die("--deps needs a graph of ninja");
	do {
		while (scan_peek(&f->input) != -1)
			if (!scan_each(&f->input, "{}", read_member, &r))
				filter_reject_rest(f, span_of(NULL, 0),
				    "the document is not ya's graph.json: "
				    "{\"graph\": [node, ...], ...}");
	} while (filter_next_file(f));
	recio_free(r.kv);
	buf_release(&r.joined);
	buf_release(&r.printed);
}

const struct input_format ya_graph_format = {
	.name = "ya",
	.help = "ya's graph.json",
	.keys = ya_keys,
	.detect = ya_detect,
	.read = ya_read,
};
