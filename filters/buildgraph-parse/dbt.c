/* dbt - reads manifest.json of dbt, of any size, one member at a time */

#include <string.h>

#include "common/base/err.h"
#include "common/filter/filter-read.h"
#include "common/filter/filter-reject.h"
#include "common/filter/filter.h"
#include "common/json/recio.h"
#include "common/json/scan.h"
#include "filters/buildgraph-parse/dbt-nodes.h"
#include "filters/buildgraph-parse/formats.h"

/*
 * The document is {"metadata": {...}, ..., "parent_map": {ID: [ID, ...]}, ...},
 * where ID is a unique_id, TYPE.PROJECT.NAME.  Its objects may be larger than
 * --max-record, so they are read member by member, whether they are used or
 * not.
 */

/* Members of metadata. */
#define DBT_KEYS(K) K(INVOCATION_ID, "invocation_id")
KEY_LIST(dbt_keys, DBT_KEYS);

/* Keys of the record that add_node() reads. */
#define PARENTS_KEYS(K) K(PARENTS, "parents")
KEY_LIST(parents_keys, PARENTS_KEYS);

enum { DETECT_BYTES = 256 };

static struct {
	struct filter *f;
	struct buf run;		/* metadata.invocation_id */
	struct buf text;	/* of add_node() */
	struct recio *reader;	/* of add_node() */
} state;

/*
 * Adds a node; false if the tokens are not a string and an array of strings, or
 * null.  Only whole records can be checked, so the tokens are checked as the
 * members of one.
 */
static bool
add_node(struct span id, struct span parents)
{
	struct buf *b = &state.text;
	const struct span *items;
	const struct rec *r;
	struct span text;
	const char *why;
	size_t n = 0;

	b->len = 0;
	buf_str(b, "{\"type\":");
	buf_add(b, id.p, id.n);
	buf_str(b, ",\"parents\":");
	buf_add(b, parents.p, parents.n);
	buf_char(b, '}');
	r = recio_parse(state.reader, buf_span(b), &why);
	if (r == NULL || rec_strings(r, PARENTS, &items, &n) == REC_BAD ||
	    rec_str(r, KEY_TYPE, &text) != REC_OK)
		return false;
	dbt_nodes_add(text, items, n);
	return true;
}

/* Reads a member of an object, which is a node if the object is parent_map. */
static bool
read_pair(void *is_parent_map)
{
	static const char *const names[] = { NULL };
	struct span id, parents;

	if (filter_member(state.f, names) == NO_MEMBER ||
	    !filter_value(state.f, &parents))
		return false;
	if (!*(bool *)is_parent_map)
		return true;

	id = buf_span(&state.f->reading.key);
	if (!add_node(id, parents))
		filter_reject(state.f, "the parents of %.*s are not an array "
		    "of strings", SPAN_ARG(id));
	return true;
}

static bool
read_member(void *context)
{
	enum { METADATA, PARENT_MAP };
	static const char *const names[] = { "metadata", "parent_map", NULL };
	struct input *in = &state.f->input;
	int member = filter_member(state.f, names);
	bool is_parent_map = member == PARENT_MAP;
	struct span value, text;
	const struct rec *r;

	(void)context;
	if (is_parent_map || (member != METADATA && member != NO_MEMBER &&
	    scan_peek(in) == '{'))
		return scan_each(in, "{}", read_pair, &is_parent_map);
	if (member == NO_MEMBER || !filter_value(state.f, &value))
		return false;
	if (member != METADATA)
		return true;
	r = filter_record(state.f, value);
	if (r != NULL && rec_str(r, INVOCATION_ID, &text) == REC_OK)
		buf_add(&state.run, text.p, text.n);
	return true;
}

static bool
dbt_detect(struct input *in)
{
	return scan_peek(in) == '{' && format_contains(in,
	    "\"dbt_schema_version\"", DETECT_BYTES);
}

static void
dbt_read(struct filter *f, const struct format_options *options)
{
	if (options->deps_file != NULL)
		die("--deps needs a graph of ninja");
	state.f = f;
	state.reader = recio_new(parents_keys);
	do {
		while (scan_peek(&f->input) != -1) {
			state.run.len = 0;
			dbt_nodes_begin();
			if (!scan_each(&f->input, "{}", read_member, NULL))
				filter_reject_rest(f, span_of(NULL, 0),
				    "the document is not manifest.json of dbt: "
				    "{\"parent_map\": {ID: [ID, ...]}, ...}");
			dbt_nodes_emit(f, buf_span(&state.run));
		}
	} while (filter_next_file(f));
	buf_release(&state.run);
	recio_free(state.reader);
	buf_release(&state.text);
}

const struct input_format dbt_graph_format = {
	.name = "dbt",
	.help = "dbt's manifest.json",
	.keys = dbt_keys,
	.detect = dbt_detect,
	.read = dbt_read,
};
