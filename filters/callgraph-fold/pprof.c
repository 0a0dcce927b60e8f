/* pprof - writes callgraphs as a gzip-compressed profile of pprof */

#include <stdlib.h>
#include <zlib.h>

#include "common/base/err.h"
#include "common/base/num.h"
#include "filters/callgraph-fold/pprof.h"

/* The field numbers of the messages in profile.proto. */
enum { PROFILE_SAMPLE_TYPE = 1, PROFILE_SAMPLE = 2, PROFILE_MAPPING = 3,
    PROFILE_LOCATION = 4, PROFILE_FUNCTION = 5, PROFILE_STRING = 6,
    PROFILE_TIME_NANOS = 9, PROFILE_PERIOD_TYPE = 11, PROFILE_PERIOD = 12,
    PROFILE_COMMENT = 13, PROFILE_DEFAULT_SAMPLE_TYPE = 14 };
enum { VALUE_TYPE = 1, VALUE_UNIT = 2 };
enum { SAMPLE_LOCATIONS = 1, SAMPLE_VALUES = 2 };
enum { MAPPING_START = 2, MAPPING_LIMIT = 3, MAPPING_OFFSET = 4,
    MAPPING_FILENAME = 5, MAPPING_BUILD_ID = 6, MAPPING_HAS_FUNCTIONS = 7,
    MAPPING_HAS_FILENAMES = 8, MAPPING_HAS_LINES = 9,
    MAPPING_HAS_INLINED = 10 };
enum { LOCATION_MAPPING = 2, LOCATION_ADDRESS = 3, LOCATION_LINE = 4 };
enum { LINE_FUNCTION = 1, LINE_NUMBER = 2 };
enum { FUNCTION_NAME = 2, FUNCTION_SYSTEM_NAME = 3, FUNCTION_FILE = 4,
    FUNCTION_START_LINE = 5 };
enum { MESSAGE_ID = 1 };	/* of mappings, locations and functions */

/* The sample types, in the order in which a sample has their values. */
static const struct {
	unsigned measure;
	const char *type, *unit;
} types[] = { { CALLS, "calls", "count" }, { SELF_NS, "self", "nanoseconds" },
    { SAMPLES, "samples", "count" },
    { SELF_OFF_NS, "off_cpu", "nanoseconds" } };
enum { N_TYPES = sizeof types / sizeof *types };

#define TEXT_KEYS(K)							\
	K(TEXT_NAME, "name") K(TEXT_FILE, "file") K(TEXT_LINE, "line")
KEY_LIST(text_keys, TEXT_KEYS);

/* A function at a line, in a location. */
struct place {
	struct span name, file;
	int64_t start_line;	/* of the function; 0: unknown */
	int64_t number;		/* 0: unknown */
};

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

/* A string, a message or packed numbers. */
static void
put_bytes(struct buf *b, unsigned field, struct span bytes)
{
	put_varint(b, field << 3 | 2);
	put_varint(b, bytes.n);
	buf_add(b, bytes.p, bytes.n);
}

/* Encodes an interned message, with its id, in place of what b contains. */
static void
set_message(struct buf *b, const struct intern *messages, sym message)
{
	struct span rest = intern_span(messages, message);

	b->len = 0;
	put_number(b, MESSAGE_ID, message + 1u);
	buf_add(b, rest.p, rest.n);
}

/* --- adding --------------------------------------------------------------- */

void
pprof_init(struct pprof *p, bool collapse_recursion)
{
	*p = (struct pprof){ .collapse_recursion = collapse_recursion,
	    .time_us = INT_UNKNOWN };
	intern_init(&p->strings);
	intern_init(&p->functions);
	intern_init(&p->locations);
	intern_init(&p->mappings);
	intern_init(&p->stacks);
	intern_init(&p->comments);
	intern_add(&p->strings, span_of("", 0));
	p->texts_io = recio_new(text_keys);
}

void
pprof_release(struct pprof *p)
{
	intern_release(&p->strings);
	intern_release(&p->functions);
	intern_release(&p->locations);
	intern_release(&p->mappings);
	intern_release(&p->stacks);
	intern_release(&p->comments);
	recio_free(p->texts_io);
	free(p->mapping_info);
	free(p->measures);
	arena_release(&p->arena);
	buf_release(&p->message);
	buf_release(&p->nested);
	buf_release(&p->stack);
}

static sym
add_function(struct pprof *p, const struct place *line)
{
	struct buf *b = &p->message;
	sym name = intern_add(&p->strings, line->name);

	b->len = 0;
	put_number(b, FUNCTION_NAME, name);
	put_number(b, FUNCTION_SYSTEM_NAME, name);
	put_number(b, FUNCTION_FILE, intern_add(&p->strings, line->file));
	put_number(b, FUNCTION_START_LINE, (uint64_t)line->start_line);
	return intern_add(&p->functions, buf_span(b));
}

/* Decodes a JSON string. */
static struct span
decode(struct pprof *p, struct span token)
{
	struct span text = span_of("", 0);
	struct rec *rec;
	const char *why;

	p->nested.len = 0;
	buf_str(&p->nested, "{\"file\":");
	buf_add(&p->nested, token.p, token.n);
	buf_char(&p->nested, '}');
	rec = recio_parse(p->texts_io, buf_span(&p->nested), &why);
	if (rec != NULL && rec_str(rec, TEXT_FILE, &text) != REC_OK)
		text = span_of("", 0);
	return text;
}

/* A decoded string of an item; empty if it is not a string. */
static struct span
text_of(struct pprof *p, const struct rec *rec, unsigned key)
{
	struct span text;

	return rec_str(rec, key, &text) == REC_OK ?
	    arena_span(&p->arena, text) : span_of("", 0);
}

/* Adds a module, and returns the symbol of its mapping. */
static sym
add_mapping(struct pprof *p, const struct graph_module *m)
{
	struct buf *b = &p->message;
	size_t n_before = p->mappings.n;
	sym path, build_id, number;

	path = intern_add(&p->strings, m->path);
	build_id = intern_add(&p->strings, m->build_id);
	b->len = 0;
	put_number(b, MAPPING_START, m->start);
	put_number(b, MAPPING_LIMIT, m->end);
	put_number(b, MAPPING_OFFSET, m->start - m->base);
	put_number(b, MAPPING_FILENAME, path);
	put_number(b, MAPPING_BUILD_ID, build_id);
	number = intern_add(&p->mappings, buf_span(b));
	p->mapping_info = mem_grow(p->mapping_info, &p->mapping_cap,
	    number + 1u, sizeof *p->mapping_info);
	if (number >= n_before)
		p->mapping_info[number] = (struct pprof_mapping){ 0 };
	return number;
}

/* A record while its nodes are added. */
struct adding {
	struct pprof *p;
	const struct callgraph *g;
	sym *mappings;		/* by module */
	sym *entries;		/* by node: the location of its function */
	sym *calls;		/* by node: the location of its call, in the
				   function of its parent; or SYM_NONE */
};

/*
 * Adds a location.  Lines that were inlined come first, each into the next; the
 * last is the function at the address.
 */
static sym
add_location(struct adding *a, bool has_address, uint64_t address,
    const struct place *lines, size_t n)
{
	const struct graph_module *m = has_address ?
	    callgraph_module_at(a->g, address) : NULL;
	sym mapping = m != NULL ? a->mappings[m - a->g->modules] : SYM_NONE;
	struct pprof_mapping *info = mapping != SYM_NONE ?
	    &a->p->mapping_info[mapping] : &(struct pprof_mapping){ 0 };
	struct buf location = { 0 }, line = { 0 };
	sym number;

	info->has_frames = true;
	info->lacks_names |= n == 0;
	info->has_inlined |= n > 1;
	if (mapping != SYM_NONE)
		put_number(&location, LOCATION_MAPPING, mapping + 1u);
	put_number(&location, LOCATION_ADDRESS, has_address ? address : 0);

	for (size_t i = 0; i < n; i++) {
		line.len = 0;
		put_number(&line, LINE_FUNCTION,
		    add_function(a->p, &lines[i]) + 1u);
		put_number(&line, LINE_NUMBER, (uint64_t)lines[i].number);
		put_bytes(&location, LOCATION_LINE, buf_span(&line));
		info->lacks_files |= lines[i].file.n == 0;
		info->lacks_lines |= lines[i].number == 0;
	}

	number = intern_add(&a->p->locations, buf_span(&location));
	buf_release(&location);
	buf_release(&line);
	return number;
}

static int64_t
line_number(struct span token)
{
	int64_t number;

	return text_i64(token, &number) && number > 0 ? number : 0;
}

/* The function of a node, or "??" if it has neither a name nor an address. */
static struct place
function_of(const struct graph_node *n)
{
	int64_t line = line_number(n->texts[NODE_LINE]);

	return (struct place){ n->name.n > 0 ? n->name : span_str("??"),
	    n->file, line, line };
}

/*
 * The functions that were inlined where a node is called, innermost first, and
 * then the function of its parent, each with the line that it has reached.  The
 * first contains the call; each of the others contains the inlined call of the
 * one before it.
 */
static struct place *
find_lines(struct adding *a, const struct graph_node *n,
    const struct graph_node *parent, size_t *n_lines)
{
	struct span rest = n->texts[NODE_CALL_INLINED], item, file;
	int64_t number = line_number(n->texts[NODE_CALL_LINE]);
	struct place *lines = NULL;
	size_t cap = 0;
	struct rec *rec;
	const char *why;

	*n_lines = 0;
	file = n->texts[NODE_CALL_FILE];
	if (file.n > 0)
		file = arena_span(&a->p->arena, decode(a->p, file));
	while (rest.n > 0 && (rec = recio_item(a->p->texts_io, &rest, &item,
	    &why)) != NULL) {
		lines = mem_grow(lines, &cap, *n_lines + 1, sizeof *lines);
		lines[(*n_lines)++] = (struct place){ text_of(a->p, rec,
		    TEXT_NAME), file, 0, number };
		file = text_of(a->p, rec, TEXT_FILE);
		if (rec_int(rec, TEXT_LINE, &number) != REC_OK || number < 0)
			number = 0;
	}
	lines = mem_grow(lines, &cap, *n_lines + 1, sizeof *lines);
	lines[*n_lines] = function_of(parent);
	lines[(*n_lines)++].number = number;
	return lines;
}

/*
 * Adds the place in the parent's function from which a node was called.  An
 * inlined function was called from no address of its own: then it is the start
 * of the parent's function, without a line.
 */
static sym
add_call(struct adding *a, const struct graph_node *n,
    const struct graph_node *parent)
{
	bool has_line = n->texts[NODE_CALL_LINE].n > 0, has_site;
	struct place *lines;
	size_t n_lines;
	sym number;

	if (parent->name.n == 0)
		return add_location(a, n->has_call_site || parent->has_function,
		    n->has_call_site ? n->call_site - 1 : parent->function,
		    NULL, 0);
	lines = find_lines(a, n, parent, &n_lines);
	has_site = has_line && n->has_call_site;
	number = add_location(a, has_site || parent->has_function,
	    has_site ? n->call_site - 1 : parent->function, lines, n_lines);
	free(lines);
	return number;
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

/* Adds the measures of a node to its stack, unless all are 0. */
static void
add_sample(struct adding *a, uint32_t node)
{
	const struct graph_node *nodes = a->g->nodes;
	const int64_t *measures = nodes[node].measures;
	struct pprof *p = a->p;
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

	/* The ids of the locations of the node and its callers. */
	p->stack.len = 0;
	put_varint(&p->stack, a->entries[node] + 1u);
	for (; (parent = nodes[node].parent) != INDEX_NONE; node = parent)
		if (!p->collapse_recursion ||
		    !is_same_function(&nodes[node], &nodes[parent]))
			put_varint(&p->stack, a->calls[node] + 1u);
	stack = intern_add(&p->stacks, buf_span(&p->stack));

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
	struct adding a = { .p = p, .g = g,
	    .mappings = mem_resize(NULL, g->n_modules + 1, sizeof(sym)),
	    .entries = mem_resize(NULL, g->n_nodes + 1, sizeof(sym)),
	    .calls = mem_resize(NULL, g->n_nodes + 1, sizeof(sym)) };
	struct span program;

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
		a.mappings[i] = add_mapping(p, &g->modules[i]);
	for (size_t i = 0; i < g->n_nodes; i++) {
		const struct graph_node *n = &g->nodes[i];
		struct place line = function_of(n);

		a.entries[i] = add_location(&a, n->has_function, n->function,
		    &line, n->name.n > 0 || !n->has_function);
		a.calls[i] = n->parent == INDEX_NONE ? SYM_NONE :
		    add_call(&a, n, &g->nodes[n->parent]);
		arena_reset(&p->arena);
		add_sample(&a, (uint32_t)i);
	}
	free(a.mappings);
	free(a.entries);
	free(a.calls);
}

/* --- writing -------------------------------------------------------------- */

static void
put_type(struct pprof *p, struct buf *b, unsigned field, unsigned type)
{
	p->nested.len = 0;
	put_number(&p->nested, VALUE_TYPE,
	    intern_add(&p->strings, span_str(types[type].type)));
	put_number(&p->nested, VALUE_UNIT,
	    intern_add(&p->strings, span_str(types[type].unit)));
	put_bytes(b, field, buf_span(&p->nested));
}

static void
put_sample(struct pprof *p, struct buf *b, sym stack)
{
	struct buf values = { 0 };

	for (unsigned i = 0; i < N_TYPES; i++)
		if (p->is_measured[types[i].measure])
			put_varint(&values, (uint64_t)
			    p->measures[stack][types[i].measure]);
	p->message.len = 0;
	put_bytes(&p->message, SAMPLE_LOCATIONS, intern_span(&p->stacks,
	    stack));
	put_bytes(&p->message, SAMPLE_VALUES, buf_span(&values));
	put_bytes(b, PROFILE_SAMPLE, buf_span(&p->message));
	buf_release(&values);
}

static void
put_mapping(struct pprof *p, struct buf *b, sym mapping)
{
	const struct pprof_mapping *info = &p->mapping_info[mapping];
	struct buf *m = &p->message;

	set_message(m, &p->mappings, mapping);
	put_number(m, MAPPING_HAS_FUNCTIONS, info->has_frames &&
	    !info->lacks_names);
	put_number(m, MAPPING_HAS_FILENAMES, info->has_frames &&
	    !info->lacks_names && !info->lacks_files);
	put_number(m, MAPPING_HAS_LINES, info->has_frames &&
	    !info->lacks_names && !info->lacks_lines);
	put_number(m, MAPPING_HAS_INLINED, info->has_inlined);
	put_bytes(b, PROFILE_MAPPING, buf_span(m));
}

static void
put_header(struct pprof *p, struct buf *b, unsigned measure)
{
	for (unsigned i = 0; i < N_TYPES; i++)
		if (p->is_measured[types[i].measure])
			put_type(p, b, PROFILE_SAMPLE_TYPE, i);
	for (unsigned i = 0; i < N_TYPES; i++)
		if (types[i].measure == measure)
			put_number(b, PROFILE_DEFAULT_SAMPLE_TYPE, intern_add(
			    &p->strings, span_str(types[i].type)));
	if (p->is_measured[SAMPLES]) {
		put_type(p, b, PROFILE_PERIOD_TYPE, N_TYPES - 1);
		put_number(b, PROFILE_PERIOD, 1);
	}
	if (p->time_us != INT_UNKNOWN)
		put_number(b, PROFILE_TIME_NANOS, (uint64_t)p->time_us * 1000);
	for (sym i = 0; i < p->comments.n; i++)
		put_number(b, PROFILE_COMMENT, intern_add(&p->strings,
		    intern_span(&p->comments, i)));
}

static void
put_messages(struct pprof *p, struct buf *b, unsigned field,
    const struct intern *messages)
{
	for (sym i = 0; i < messages->n; i++) {
		set_message(&p->message, messages, i);
		put_bytes(b, field, buf_span(&p->message));
	}
}

/* Writes the bytes as gzip does, without a name and a time of writing. */
static void
write_gzip(struct filter *f, const struct buf *b)
{
	enum { CHUNK = 1 << 16, GZIP_WINDOW = 15 + 16, MEMORY = 8 };
	z_stream z = { 0 };
	struct buf *out = filter_out(f);
	size_t done = 0;
	int status = Z_OK;

	if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW,
	    MEMORY, Z_DEFAULT_STRATEGY) != Z_OK)
		die("out of memory (zlib)");
	while (status != Z_STREAM_END) {
		size_t n = b->len - done < CHUNK ? b->len - done : CHUNK;

		if (z.avail_in == 0) {
			z.next_in = (unsigned char *)b->data + done;
			z.avail_in = (uInt)n;
			done += n;
		}
		buf_need(out, CHUNK);
		z.next_out = (unsigned char *)out->data + out->len;
		z.avail_out = CHUNK;
		status = deflate(&z, done == b->len ? Z_FINISH : Z_NO_FLUSH);
		if (status == Z_STREAM_ERROR)
			bug("zlib did not finish (%d)", status);
		out->len += CHUNK - z.avail_out;
		filter_emit(f);
	}
	deflateEnd(&z);
}

void
pprof_write(struct pprof *p, struct filter *f, unsigned measure)
{
	struct buf b = { 0 };

	put_header(p, &b, measure);
	for (sym i = 0; i < p->stacks.n; i++)
		put_sample(p, &b, i);
	for (sym i = 0; i < p->mappings.n; i++)
		put_mapping(p, &b, i);
	put_messages(p, &b, PROFILE_LOCATION, &p->locations);
	put_messages(p, &b, PROFILE_FUNCTION, &p->functions);
	/* After put_header(), which adds some. */
	for (sym i = 0; i < p->strings.n; i++)
		put_bytes(&b, PROFILE_STRING, intern_span(&p->strings, i));
	write_gzip(f, &b);
	buf_release(&b);
}
