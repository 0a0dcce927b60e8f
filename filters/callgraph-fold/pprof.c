/* pprof - writes callgraphs as a gzip-compressed profile of pprof */

#include <stdlib.h>
#include <zlib.h>

#include "common/base/err.h"
#include "common/base/num.h"
#include "filters/callgraph-fold/callgraph-fold.h"

/* The fields of a profile; put_numbers() shows those of other messages. */
enum { PROFILE_SAMPLE_TYPE = 1, PROFILE_SAMPLE = 2, PROFILE_MAPPING = 3,
    PROFILE_LOCATION = 4, PROFILE_FUNCTION = 5, PROFILE_STRING = 6,
    PROFILE_TIME_NANOS = 9, PROFILE_PERIOD_TYPE = 11, PROFILE_PERIOD = 12,
    PROFILE_COMMENT = 13, PROFILE_DEFAULT_SAMPLE_TYPE = 14 };
enum { MESSAGE_ID = 1 };	/* of mappings, locations and functions */

/* The sample types, in the order in which a sample has their values. */
static const struct {
	unsigned measure;
	const char *type, *unit;
} types[] = {
	{ CALLS, "calls", "count" },
	{ SELF_NS, "self", "nanoseconds" },
	{ SAMPLES, "samples", "count" },
	{ SELF_OFF_NS, "off_cpu", "nanoseconds" }
};
enum { N_TYPES = sizeof types / sizeof *types };

#define INLINED_KEYS(K)							\
	K(INLINED_NAME, "name") K(INLINED_FILE, "file")			\
	K(INLINED_LINE, "line")
KEY_LIST(inlined_keys, INLINED_KEYS);

/* --- encoding ------------------------------------------------------------ */

static void
put_varint(struct buf *b, uint64_t n)
{
	for (; n >= 0x80; n >>= 7)
		buf_char(b, (char)(n | 0x80));
	buf_char(b, (char)n);
}

/* A number; 0 is the default, and is left out. */
static void
put_number(struct buf *b, unsigned field, uint64_t n)
{
	if (n == 0)
		return;
	put_varint(b, field << 3);
	put_varint(b, n);
}

/* Numbers in consecutive fields. */
static void
put_numbers(struct buf *b, unsigned field, const uint64_t *numbers, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		put_number(b, field + i, numbers[i]);
}

/* A string, a message or packed numbers. */
static void
put_bytes(struct buf *b, unsigned field, struct span bytes)
{
	put_varint(b, field << 3 | 2);
	put_varint(b, bytes.n);
	buf_add(b, bytes.p, bytes.n);
}

/* --- adding --------------------------------------------------------------- */

/* The number of a string. */
static uint64_t
string(struct pprof *p, struct span text)
{
	return intern_add(&p->strings, text);
}

void
pprof_init(struct pprof *p, bool collapse_recursion)
{
	*p = (struct pprof){ .collapse_recursion = collapse_recursion,
	    .time_us = INT_UNKNOWN };
	intern_init(&p->strings);
	intern_init(&p->functions);
	intern_init(&p->locations);
	intern_init(&p->mappings);
	intern_init(&p->comments);
	intern_init(&p->stacks);
	string(p, span_of("", 0));
	p->inlined_io = recio_new(inlined_keys);
}

void
pprof_release(struct pprof *p)
{
	intern_release(&p->strings);
	intern_release(&p->functions);
	intern_release(&p->locations);
	intern_release(&p->mappings);
	intern_release(&p->comments);
	intern_release(&p->stacks);
	recio_free(p->inlined_io);
	free(p->located);
	free(p->measures);
	buf_release(&p->lines);
	buf_release(&p->message);
	buf_release(&p->nested);
}

/* Adds a module, and returns the symbol of its mapping. */
static sym
add_mapping(struct pprof *p, const struct graph_module *m)
{
	size_t n_before = p->mappings.n;
	sym number;

	p->message.len = 0;
	put_numbers(&p->message, 2, (uint64_t[]){ m->start, m->end,
	    m->start - m->base, string(p, m->path), string(p, m->build_id) },
	    5);
	number = intern_add(&p->mappings, buf_span(&p->message));
	p->located = mem_grow(p->located, &p->located_cap, number + 1u,
	    sizeof *p->located);
	if (number >= n_before)
		p->located[number] = (struct located){ 0 };
	return number;
}

/* Adds a function to a location, at a line; 0: unknown. */
static void
add_line(struct pprof *p, uint64_t name, uint64_t file, int64_t start_line,
    int64_t line)
{
	sym function;

	p->nested.len = 0;
	put_numbers(&p->nested, 2, (uint64_t[]){ name, name, file,
	    (uint64_t)start_line }, 4);
	function = intern_add(&p->functions, buf_span(&p->nested));
	p->nested.len = 0;
	put_numbers(&p->nested, 1, (uint64_t[]){ function + 1u,
	    (uint64_t)line }, 2);
	put_bytes(&p->lines, 4, buf_span(&p->nested));
	p->found.lacks_file |= file == 0;
	p->found.lacks_line |= line == 0;
	p->n_lines++;
}

/* Adds a location, which has the lines that were added. */
static sym
add_location(struct pprof *p, const struct callgraph *g, const sym *mappings,
    bool has_address, uint64_t address)
{
	const struct graph_module *m = has_address ?
	    callgraph_module_at(g, address) : NULL;
	sym mapping = m != NULL ? mappings[m - g->modules] : SYM_NONE;
	struct located *l = m != NULL ? &p->located[mapping] : &p->found;

	l->any = true;
	l->lacks_name |= p->n_lines == 0;
	l->lacks_file |= p->found.lacks_file;
	l->lacks_line |= p->found.lacks_line;
	l->has_inlined |= p->n_lines > 1;
	p->message.len = 0;
	put_numbers(&p->message, 2, (uint64_t[]){ m != NULL ? mapping + 1u : 0,
	    has_address ? address : 0 }, 2);
	buf_add(&p->message, p->lines.data, p->lines.len);
	p->found = (struct located){ 0 };
	p->n_lines = p->lines.len = 0;
	return intern_add(&p->locations, buf_span(&p->message));
}

static int64_t
line_number(struct span token)
{
	int64_t number;

	return text_i64(token, &number) && number > 0 ? number : 0;
}

/*
 * Adds the function of a node, or "??", at a line.  If it has only an address,
 * the location has no line.
 */
static void
add_function(struct pprof *p, const struct graph_node *n, int64_t line)
{
	if (n->name.n > 0 || !n->has_function)
		add_line(p, string(p, n->name.n > 0 ? n->name :
		    span_str("??")), string(p, n->file),
		    line_number(n->texts[NODE_LINE]), line);
}

/*
 * Adds the lines of the place from which a node was called: the functions that
 * were inlined there, innermost first, and then the function of its parent,
 * each with the line that it has reached.  The first contains the call; each of
 * the others contains the inlined call of the one before it.
 */
static void
add_call_lines(struct pprof *p, const struct graph_node *n,
    const struct graph_node *parent)
{
	struct span rest = n->texts[NODE_CALL_INLINED], item, text;
	int64_t line = line_number(n->texts[NODE_CALL_LINE]);
	uint64_t file = rest.n > 0 ? string(p, n->call_file) : 0, name;
	struct rec *rec;
	const char *why;

	while (rest.n > 0 && (rec = recio_item(p->inlined_io, &rest, &item,
	    &why)) != NULL) {
		name = rec_str(rec, INLINED_NAME, &text) == REC_OK ?
		    string(p, text) : 0;
		add_line(p, name, file, 0, line);
		file = rec_str(rec, INLINED_FILE, &text) == REC_OK ?
		    string(p, text) : 0;
		if (rec_int(rec, INLINED_LINE, &line) != REC_OK || line < 0)
			line = 0;
	}
	add_function(p, parent, line);
}

static bool
is_same_function(const struct graph_node *a, const struct graph_node *b)
{
	if (a->name.n > 0 || b->name.n > 0)
		return span_compare(a->name, b->name) == 0 &&
		    (span_compare(a->file, b->file) == 0 ||
		    a->file.n == 0 || b->file.n == 0);
	return a->has_function && b->has_function && a->function == b->function;
}

/* The locations of a node's function, and of its call in its parent's. */
struct node_locations {
	sym entry, call;
};

/* Adds the measures of a node to its stack, unless all are 0. */
static void
add_sample(struct pprof *p, const struct graph_node *nodes, uint32_t node,
    const struct node_locations *locations)
{
	const int64_t *measures = nodes[node].measures;
	size_t n_before = p->stacks.n;
	bool counts = false;
	uint32_t parent;
	sym stack;

	for (unsigned i = 0; i < N_TYPES; i++)
		if (measures[types[i].measure] != INT_UNKNOWN) {
			p->is_measured[types[i].measure] = true;
			counts |= measures[types[i].measure] > 0;
		}
	if (!counts)
		return;

	p->message.len = 0;
	put_varint(&p->message, locations[node].entry + 1u);
	for (; (parent = nodes[node].parent) != INDEX_NONE; node = parent)
		if (!p->collapse_recursion ||
		    !is_same_function(&nodes[node], &nodes[parent]))
			put_varint(&p->message, locations[node].call + 1u);
	stack = intern_add(&p->stacks, buf_span(&p->message));

	p->measures = mem_grow(p->measures, &p->measures_cap, stack + 1u,
	    sizeof *p->measures);
	if (stack >= n_before)
		memset(p->measures[stack], 0, sizeof *p->measures);
	for (unsigned i = 0; i < N_MEASURES; i++)
		if (measures[i] != INT_UNKNOWN)
			p->measures[stack][i] = saturating_add(
			    p->measures[stack][i], measures[i]);
}

void
pprof_add(struct pprof *p, const struct callgraph *g, const struct rec *rec)
{
	sym *mappings = mem_resize(NULL, g->n_modules + 1, sizeof *mappings);
	struct node_locations *locations = mem_resize(NULL, g->n_nodes + 1,
	    sizeof *locations);
	const struct graph_node *n, *parent;
	struct span program;
	bool has_site;

	p->time_us = time_earlier(p->time_us,
	    callgraph_count(rec, GRAPH_TIME_US, INT_UNKNOWN));
	if (rec_str(rec, GRAPH_PROGRAM, &program) == REC_OK)
		intern_add(&p->comments, program);
	if (rec_true(rec, GRAPH_FOLDED_RECURSION))
		intern_add(&p->comments, span_str("recursion was folded"));
	if (callgraph_count(rec, GRAPH_NODES_LIMITED, 0) > 0)
		intern_add(&p->comments, span_str("some calls are counted at "
		    "an ancestor: the number of nodes was limited"));
	for (size_t i = 0; i < g->n_modules; i++)
		mappings[i] = add_mapping(p, &g->modules[i]);

	for (size_t i = 0; i < g->n_nodes; i++) {
		n = &g->nodes[i];
		add_function(p, n, line_number(n->texts[NODE_LINE]));
		locations[i].entry = add_location(p, g, mappings,
		    n->has_function, n->function);
		if (n->parent != INDEX_NONE) {
			parent = &g->nodes[n->parent];
			if (parent->name.n > 0)
				add_call_lines(p, n, parent);
			/* An inlined function was called from no address of
			   its own: then it is the start of its parent's. */
			has_site = n->has_call_site && (parent->name.n == 0 ||
			    n->texts[NODE_CALL_LINE].n > 0);
			locations[i].call = add_location(p, g, mappings,
			    has_site || parent->has_function, has_site ?
			    n->call_site - 1 : parent->function);
		}
		add_sample(p, g->nodes, (uint32_t)i, locations);
	}
	free(mappings);
	free(locations);
}

/* --- writing -------------------------------------------------------------- */

/* The message of a sample type, as a field of the profile. */
static void
put_type(struct pprof *p, struct buf *b, unsigned field, unsigned type)
{
	p->nested.len = 0;
	put_numbers(&p->nested, 1, (uint64_t[]){
	    string(p, span_str(types[type].type)),
	    string(p, span_str(types[type].unit)) }, 2);
	put_bytes(b, field, buf_span(&p->nested));
}

/* Writes interned messages with their ids and, if they are mappings, flags. */
static void
put_messages(struct pprof *p, struct buf *b, unsigned field,
    const struct intern *messages)
{
	const struct located *l;
	struct span rest;
	bool has_names;

	for (sym i = 0; i < messages->n; i++) {
		rest = intern_span(messages, i);
		p->message.len = 0;
		put_number(&p->message, MESSAGE_ID, i + 1u);
		buf_add(&p->message, rest.p, rest.n);
		if (field == PROFILE_MAPPING) {
			l = &p->located[i];
			has_names = l->any && !l->lacks_name;
			put_numbers(&p->message, 7, (uint64_t[]){ has_names,
			    has_names && !l->lacks_file,
			    has_names && !l->lacks_line, l->has_inlined }, 4);
		}
		put_bytes(b, field, buf_span(&p->message));
	}
}

/* Writes the bytes as gzip does, without a name and a time of writing. */
static void
write_gzip(struct filter *f, const struct buf *b)
{
	enum { GZIP_WINDOW = 15 + 16, MEMORY = 8 };
	z_stream z = { .next_in = (unsigned char *)b->data };
	struct buf *out = filter_out(f);
	size_t room;

	if (b->len > INT32_MAX)
		die("protobuf has no messages of more than 2 GiB");
	if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW,
	    MEMORY, Z_DEFAULT_STRATEGY) != Z_OK)
		die("out of memory (zlib)");
	room = deflateBound(&z, b->len);
	buf_need(out, room);
	z.next_out = (unsigned char *)out->data + out->len;
	z.avail_in = (uInt)b->len;
	z.avail_out = (uInt)room;
	if (deflate(&z, Z_FINISH) != Z_STREAM_END)
		bug("zlib did not finish");
	out->len += z.total_out;
	deflateEnd(&z);
	filter_emit(f);
}

void
pprof_write(struct pprof *p, struct filter *f, unsigned measure)
{
	struct buf b = { 0 };

	for (unsigned i = 0; i < N_TYPES; i++) {
		if (!p->is_measured[types[i].measure])
			continue;
		put_type(p, &b, PROFILE_SAMPLE_TYPE, i);
		if (types[i].measure == measure)
			put_number(&b, PROFILE_DEFAULT_SAMPLE_TYPE,
			    string(p, span_str(types[i].type)));
		if (types[i].measure == SAMPLES) {
			put_type(p, &b, PROFILE_PERIOD_TYPE, i);
			put_number(&b, PROFILE_PERIOD, 1);
		}
	}
	if (p->time_us != INT_UNKNOWN)
		put_number(&b, PROFILE_TIME_NANOS, (uint64_t)p->time_us * 1000);
	for (sym i = 0; i < p->comments.n; i++)
		put_number(&b, PROFILE_COMMENT,
		    string(p, intern_span(&p->comments, i)));

	for (sym stack = 0; stack < p->stacks.n; stack++) {
		p->message.len = p->nested.len = 0;
		for (unsigned i = 0; i < N_TYPES; i++)
			if (p->is_measured[types[i].measure])
				put_varint(&p->nested, (uint64_t)
				    p->measures[stack][types[i].measure]);
		put_bytes(&p->message, 1, intern_span(&p->stacks, stack));
		put_bytes(&p->message, 2, buf_span(&p->nested));
		put_bytes(&b, PROFILE_SAMPLE, buf_span(&p->message));
	}
	put_messages(p, &b, PROFILE_MAPPING, &p->mappings);
	put_messages(p, &b, PROFILE_LOCATION, &p->locations);
	put_messages(p, &b, PROFILE_FUNCTION, &p->functions);
	/* Types and comments have added some. */
	for (sym i = 0; i < p->strings.n; i++)
		put_bytes(&b, PROFILE_STRING, intern_span(&p->strings, i));
	write_gzip(f, &b);
	buf_release(&b);
}
