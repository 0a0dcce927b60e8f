/* records - what each type of record measures */

#include <stdlib.h>
#include <string.h>

#include "common/base/hex.h"
#include "common/base/units.h"
#include "common/json/items.h"
#include "common/json/nonfinite.h"
#include "common/json/recio.h"
#include "common/json/skip.h"
#include "common/mal/fingerprint.h"
#include "common/perun/resources.h"
#include "common/program/functions.h"
#include "filters/profile-make/profile-make.h"

/* The declared keys (rec.h). */
#define RECORDS_KEYS(K)							\
	K(STAT, "stat") K(RUN, "run") K(ID, "id") K(NAME, "name")	\
	K(TARGET, "target") K(KIND, "kind") K(RULE, "rule")		\
	K(UID, "uid") K(PREPARE, "prepare") K(START_US, "start_us")	\
	K(END_US, "end_us") K(ELAPSED_US, "elapsed_us")			\
	K(POTENTIAL_US, "potential_us") K(WALL_US, "wall_us")		\
	K(LENGTH_US, "length_us") K(PATH, "path") K(BY, "by")		\
	K(VALUE, "value") K(WORK_US, "work_us") K(PATH_US, "path_us")	\
	K(FORMAT, "format") K(OPERATION, "operation")			\
	K(SELF_US, "self_us") K(QUERY_TEXT, "query_text")		\
	K(USER_FUNCTION, "user_function") K(MODULE, "module")		\
	K(FUNCTION, "function") K(FILE_NAME, "file")			\
	K(SELF_NS_KEY, "self_ns") K(SAMPLES_KEY, "samples")		\
	K(SELF_OFF_NS_KEY, "self_off_ns")				\
	K(CALLS_KEY, "calls") K(FAILED_US, "failed_us")			\
	K(TEST_US, "test_us") K(USER_US, "user_us")			\
	K(SYSTEM_US, "system_us") K(MAX_RSS_BYTES, "max_rss_bytes")	\
	K(PROGRAM, "program") K(UNIT, "unit")				\
	K(RESOURCE_TYPE, "resource_type") K(SUBTYPE, "subtype")		\
	K(CMD, "cmd") K(WORKLOAD, "workload") K(MACHINE, "machine")	\
	K(MINOR_VERSION, "minor_version") K(ORIGIN, "origin")		\
	K(HEADER, "header") K(PROFILE, "profile") K(QUERY, "query")	\
	K(EXACT, "exact")
KEY_INDEXES(RECORDS_KEYS);
const char *const records_keys[] = KEY_TEXTS(RECORDS_KEYS);

/* Of what the integers of records are amounts. */
enum measure { TIME_US, TIME_NS, SIZE_BYTES, N_SAMPLES, N_CALLS, N_MEASURED };
static const struct {
	const char *type, *subtype, *unit_name, *unit;
	int64_t factor;		/* from the integer to thousandths */
} measures[] = {
	[TIME_US] = { "time", "", "time", "us", 1000 },
	[TIME_NS] = { "time", "", "time", "us", 1 },
	[SIZE_BYTES] = { "memory", "", "memory", "bytes", 1000 },
	[N_SAMPLES] = { "mixed", "samples", "mixed(samples)", "samples",
	    1000 },
	[N_CALLS] = { "mixed", "calls", "mixed(calls)", "calls", 1000 },
};

struct records {
	struct amounts *amounts;
	struct intern *texts;		/* of amounts */
	struct header *header;
	struct callgraph graph;
	struct recio *graph_recio;
	struct functions functions;
	uint32_t stream;		/* of the last record */
	uint32_t function;		/* what the record is about, instead of
					   uid; or INDEX_NONE */
	struct resources *resources;	/* of a profile */
	/* Looked up once for each measure that occurs. */
	struct { bool is_known; sym type, subtype; } measured[N_MEASURED];
	struct buf query;		/* the fingerprint of the last
					   query_stat record's */
	struct buf uid, why;
	size_t n_bad;			/* values of this profile not used */
	struct buf bad;			/* why the first is not */
};

struct records *
records_new(struct amounts *amounts, struct header *header)
{
	struct records *r = mem_zero(1, sizeof *r);

	r->amounts = amounts;
	r->texts = &amounts->texts;
	r->header = header;
	r->graph_recio = recio_new(callgraph_keys);
	callgraph_init(&r->graph);
	functions_init(&r->functions);
	r->resources = resources_new();
	return r;
}

/* --- what a record is about: a text that is the same in the next run ------ */

/* A member; empty if it is absent or not a string. */
static struct span
text_of(const struct rec *rec, unsigned key)
{
	struct span text = span_of("", 0);

	return rec_str(rec, key, &text) == REC_OK ? text : span_of("", 0);
}

/*
 * The first of these members, by a list of keys that KEY_TYPE ends, that is not
 * empty; empty if none is.
 */
static struct span
first_text(const struct rec *rec, const unsigned *keys)
{
	while (*keys != KEY_TYPE && text_of(rec, *keys).n == 0)
		keys++;
	return *keys != KEY_TYPE ? text_of(rec, *keys) : span_of("", 0);
}

/*
 * The id of a prepare task, prepare:WORKER:WHAT or prepare:WHAT, without the
 * worker.
 */
static struct span
skip_worker(struct span id)
{
	static const char prefix[] = "prepare:";
	size_t n = sizeof prefix - 1, i = n;

	if (id.n < n || memcmp(id.p, prefix, n) != 0)
		return id;
	while (i < id.n && text_is_digit(id.p[i]))
		i++;
	if (i > n && i < id.n && id.p[i] == ':')
		n = i + 1;
	return span_of(id.p + n, id.n - n);
}

/*
 * What is the same in the next run: not the ids of copies, instructions and
 * prepare tasks, which contain hosts, executions and workers.
 */
static bool
put_task(struct records *r, const struct rec *rec)
{
	static const unsigned usual[] = { TARGET, NAME, ID, KEY_TYPE },
	    copy[] = { TARGET, NAME, UID, ID, KEY_TYPE },
	    prepare[] = { PREPARE, ID, KEY_TYPE },
	    instruction[] = { RULE, NAME, ID, KEY_TYPE };
	const unsigned *keys = usual;
	struct span kind = text_of(rec, KIND), text;

	if (span_eq(kind, "copy")) {
		buf_str(&r->uid, "copy of ");
		keys = copy;
	} else if (span_eq(kind, "prepare")) {
		buf_str(&r->uid, "prepare ");
		keys = prepare;
	} else if (span_eq(kind, "instruction") || span_eq(kind, "call")) {
		keys = instruction;
	}
	text = first_text(rec, keys);
	if (keys == prepare)
		text = skip_worker(text);
	buf_add(&r->uid, text.p, text.n);
	return text.n > 0;
}

static bool
put_group(struct records *r, const struct rec *rec)
{
	struct buf *b = &r->uid;
	struct span by, value;

	if (rec_str(rec, BY, &by) != REC_OK ||
	    rec_str(rec, VALUE, &value) != REC_OK)
		return false;
	buf_add(b, by.p, by.n);
	buf_char(b, ' ');
	buf_add(b, value.p, value.n);
	return true;
}

static bool
put_member(struct records *r, const struct rec *rec, unsigned key)
{
	struct span text = text_of(rec, key);

	buf_add(&r->uid, text.p, text.n);
	return text.n > 0;
}

static bool
put_function(struct records *r, const struct rec *rec)
{
	struct function_id id = { .name = text_of(rec, NAME),
	    .module = text_of(rec, MODULE) };
	struct span address;

	if (id.name.n > 0)
		id.file = text_of(rec, FILE_NAME);
	else if (rec_str(rec, FUNCTION, &address) == REC_OK &&
	    hex_address(address, &id.offset))
		id.build = id.module;
	else
		return false;
	r->function = functions_add(&r->functions, &id);
	return true;
}

/* Operations of one query are also in the answer about all queries. */
static bool
put_operation(struct records *r, const struct rec *rec)
{
	if (!put_member(r, rec, OPERATION))
		return false;
	if (rec_get(rec, QUERY) != NULL) {
		buf_str(&r->uid, " in ");
		buf_add(&r->uid, r->query.data, r->query.len);
	}
	return true;
}

/* A member of a type of record that is an amount. */
static const struct figure {
	const char *type, *stat, *prefix;
	/*
	 * Appends to r->uid what the record is about; false if it does not say
	 * that.  NULL if this is the text of a member or, if that is 0, if the
	 * prefix says all.
	 */
	bool (*put_subject)(struct records *r, const struct rec *);
	unsigned member;
	unsigned key;
	enum measure measure;
} figures[] = {
	{ "task", NULL, "", put_task, 0, ELAPSED_US, TIME_US },
	{ "critical", NULL, "step ", put_task, 0, ELAPSED_US, TIME_US },
	{ "critical", NULL, "drag of ", put_task, 0, POTENTIAL_US, TIME_US },
	{ "group", NULL, "", put_group, 0, WORK_US, TIME_US },
	{ "group", NULL, "steps of ", put_group, 0, PATH_US, TIME_US },
	{ "group", NULL, "drag of ", put_group, 0, POTENTIAL_US, TIME_US },
	{ "critpath", NULL, "critical path", NULL, 0, LENGTH_US, TIME_US },
	{ "critpath", NULL, "build", NULL, 0, WALL_US, TIME_US },
	{ "build", NULL, "build", NULL, 0, WALL_US, TIME_US },
	{ "operation", NULL, "", put_operation, 0, SELF_US, TIME_US },
	{ "exit", NULL, "elapsed time", NULL, 0, ELAPSED_US, TIME_US },
	{ "exit", NULL, "user time", NULL, 0, USER_US, TIME_US },
	{ "exit", NULL, "system time", NULL, 0, SYSTEM_US, TIME_US },
	{ "exit", NULL, "memory", NULL, 0, MAX_RSS_BYTES, SIZE_BYTES },
	{ "stat", "wall", "build", NULL, 0, WALL_US, TIME_US },
	{ "stat", "type", "type ", NULL, NAME, ELAPSED_US, TIME_US },
	{ "stat", "stage", "stage ", NULL, NAME, WALL_US, TIME_US },
	{ "stat", "failed", "failed tasks", NULL, 0, FAILED_US, TIME_US },
	{ "stat", "tests", "tests", NULL, 0, TEST_US, TIME_US },
	{ "stat", "function", "", put_function, 0, SELF_NS_KEY, TIME_NS },
	{ "stat", "function", "", put_function, 0, SAMPLES_KEY, N_SAMPLES },
	{ "stat", "function", "", put_function, 0, CALLS_KEY, N_CALLS },
	{ "stat", "file", "file ", NULL, FILE_NAME, SELF_NS_KEY, TIME_NS },
	{ "stat", "module", "module ", NULL, MODULE, SELF_NS_KEY, TIME_NS },
};
enum { N_FIGURES = sizeof figures / sizeof *figures };

/* --- amounts -------------------------------------------------------------- */

/* An integer; if the member is another value, r->why says so. */
static enum rec_found
find_int(struct records *r, const struct rec *rec, unsigned key, int64_t *value)
{
	enum rec_found found = rec_int(rec, key, value);

	if (found == REC_BAD) {
		r->why.len = 0;
		buf_printf(&r->why, "%s is not an integer below 2^53",
		    records_keys[key]);
		buf_cstr(&r->why);
	}
	return found;
}

/* Sets the unit of a type in the profile, which has one unit for each. */
static const char *
set_unit(struct records *r, struct span name, struct span unit)
{
	struct span have = amounts_unit(r->amounts, name, unit);

	if (span_compare(have, unit) == 0)
		return NULL;
	r->why.len = 0;
	buf_printf(&r->why, "the unit of %.*s is %.*s here, but %.*s before",
	    SPAN_ARG(name), SPAN_ARG(unit), SPAN_ARG(have));
	return buf_cstr(&r->why);
}

/* The symbol of a text that may be empty. */
static sym
intern_text(struct records *r, struct span text)
{
	return text.n == 0 ? SYM_NONE : intern_add(r->texts, text);
}

/* The symbol of the run of a sample; SYM_NONE if it is one of its own. */
static sym
intern_run(struct records *r, struct span run)
{
	return run.p == NULL ? SYM_NONE : intern_add(r->texts, run);
}

static const char *
begin_measure(struct records *r, enum measure m)
{
	const char *why;

	if (r->measured[m].is_known)
		return NULL;
	why = set_unit(r, span_str(measures[m].unit_name),
	    span_str(measures[m].unit));
	if (why != NULL)
		return why;
	r->measured[m].type = intern_text(r, span_str(measures[m].type));
	r->measured[m].subtype = intern_text(r, span_str(measures[m].subtype));
	r->measured[m].is_known = true;
	return NULL;
}

/* Adds to the amount of r->uid in a run. */
static const char *
add_amount(struct records *r, enum measure m, uint32_t run, int64_t value)
{
	const char *why = begin_measure(r, m);
	uint32_t resource;

	if (why != NULL)
		return why;
	resource = amounts_resource(r->amounts, (struct resource){
	    r->function != INDEX_NONE ? SYM_NONE :
	    intern_add(r->texts, buf_span(&r->uid)), r->measured[m].type,
	    r->measured[m].subtype, SYM_NONE, r->function, m == N_CALLS });
	/* A difference of two integers may be above 2^53. */
	return value < (int64_t)1 << REC_INT_BITS && amounts_add(r->amounts,
	    resource, run, value * measures[m].factor) ? NULL :
	    "the sum is 2^53 or more";
}

/* The value of a figure, which several integers may yield: see find_int(). */
static enum rec_found
find_value(struct records *r, const struct figure *f, const struct rec *rec,
    int64_t *value)
{
	int64_t start, off_ns, better;
	enum rec_found found, found_off = REC_ABSENT;

	/* A function has one figure, the best of time, samples and calls. */
	if (f->put_subject == put_function && f->measure != TIME_NS &&
	    (rec_int(rec, SELF_NS_KEY, &better) == REC_OK ||
	    (f->measure == N_CALLS &&
	    rec_int(rec, SAMPLES_KEY, &better) == REC_OK)))
		return REC_ABSENT;
	found = find_int(r, rec, f->key, value);
	/* A task may have only its start and end. */
	if (found == REC_ABSENT && f->key == ELAPSED_US) {
		found = find_int(r, rec, START_US, &start);
		if (found == REC_OK)
			found = find_int(r, rec, END_US, value);
		if (found == REC_OK)
			*value -= start;
	}
	/* The time of a function is that on the CPU. */
	if (f->key == SELF_NS_KEY)
		found_off = find_int(r, rec, SELF_OFF_NS_KEY, &off_ns);
	if (found == REC_OK && found_off == REC_OK && off_ns > 0)
		*value -= off_ns;
	return found_off == REC_BAD ? REC_BAD : found;
}

/* --- queries -------------------------------------------------------------- */

/*
 * Each execution of a query is an amount of its own, whichever stream it is in.
 * Queries without a time are rows of a table.
 */
static const char *
read_query(struct records *r, const struct rec *rec)
{
	static const unsigned keys[] = { QUERY_TEXT, USER_FUNCTION, KEY_TYPE };
	struct span text = first_text(rec, keys);
	const char *why;
	int64_t value;

	switch (find_int(r, rec, ELAPSED_US, &value)) {
	case REC_ABSENT:
		return NULL;
	case REC_BAD:
		return r->why.data;
	default:
		break;
	}
	if (text.n == 0 || value < 0)
		return "the query has no text, or a negative time";
	if ((why = begin_measure(r, TIME_US)) != NULL)
		return why;
	r->uid.len = 0;
	buf_str(&r->uid, "query ");
	query_fingerprint(&r->uid, text);
	amounts_append(r->amounts, amounts_resource(r->amounts,
	    (struct resource){ intern_add(r->texts, buf_span(&r->uid)),
	    r->measured[TIME_US].type, SYM_NONE, SYM_NONE, INDEX_NONE, false }),
	    rec_get(rec, ELAPSED_US)->token);
	return NULL;
}

/* --- callgraphs ----------------------------------------------------------- */

static const char *
read_callgraph(struct records *r, struct span text, uint32_t run)
{
	static const struct { unsigned index; enum measure measure; }
	    preferred[] = { { SELF_NS, TIME_NS }, { SAMPLES, N_SAMPLES },
	    { CALLS, N_CALLS } };
	const char *why;
	const struct rec *rec = recio_parse(r->graph_recio, text, &why);
	const struct graph_node *node;
	size_t k;

	if (rec == NULL || !callgraph_read(&r->graph, rec, &why))
		return why;
	callgraph_subtract_off_time(&r->graph);
	functions_begin(&r->functions, &r->graph, 0);
	for (size_t i = 0; i < r->graph.n_nodes; i++) {
		node = &r->graph.nodes[i];
		for (k = 0; k < 2; k++)
			if (node->measures[preferred[k].index] != INT_UNKNOWN)
				break;
		if (node->measures[preferred[k].index] == INT_UNKNOWN)
			continue;
		r->function = functions_find(&r->functions, node);
		why = add_amount(r, preferred[k].measure, run,
		    node->measures[preferred[k].index]);
		if (why != NULL)
			return why;
	}
	return NULL;
}

/* --- samples -------------------------------------------------------------- */

/* The type of an amount with a unit. */
static const char *
type_of_unit(const struct header *h, struct span unit)
{
	struct buf base = { 0 };
	bool is_time, is_size;

	unit_read(unit, &base);
	is_time = span_eq(buf_span(&base), "s");
	is_size = span_eq(buf_span(&base), "B");
	buf_release(&base);
	return is_time ? "time" : is_size ? "memory" :
	    h->type != NULL ? h->type : "mixed";
}

/* Sets a part that all samples of the profile must have in common. */
static const char *
set_part(struct records *r, enum header_part part, struct span text)
{
	static const char *const names[N_PARTS] = { "cmd", "workload", "label",
	    "machine", "origin" };
	struct part *p = &r->header->parts[part];

	if (text.p == NULL || p->is_fixed)
		return NULL;
	if (p->text == NULL)
		p->text = intern_str(r->texts, intern_add(r->texts, text));
	if (span_eq(text, p->text))
		return NULL;
	r->why.len = 0;
	buf_printf(&r->why, "the %s is '%.*s' here, but '%s' before",
	    names[part], SPAN_ARG(text), p->text);
	return buf_cstr(&r->why);
}

static const char *
set_parts(struct records *r, const struct rec *rec, const unsigned *keys)
{
	static const enum header_part parts[] = { [CMD] = PART_CMD,
	    [WORKLOAD] = PART_WORKLOAD, [MACHINE] = PART_MACHINE,
	    [MINOR_VERSION] = PART_ORIGIN, [ORIGIN] = PART_ORIGIN };
	const char *why = NULL;
	struct span text;

	for (; *keys != KEY_TYPE && why == NULL; keys++)
		if (rec_str(rec, *keys, &text) == REC_OK)
			why = set_part(r, parts[*keys], text);
	return why;
}

static struct span
text_or(const struct rec *rec, unsigned key, struct span otherwise)
{
	struct span text = text_of(rec, key);

	return text.n > 0 ? text : otherwise;
}

/* Why a JSON value is not that of a sample; NULL if it is. */
static const char *
check_value(struct span value)
{
	if (skip_number(value.p, value.p + value.n) != value.p + value.n)
		return nonfinite_is_string(value) ? "is not finite" :
		    "is not a number";
	if (!rec_is_finite(value))
		return "is too great";
	return value.p[0] == '-' ? "is negative" : NULL;
}

static const char *
read_sample(struct records *r, const struct rec *rec)
{
	static const unsigned parts[] = { CMD, WORKLOAD, MACHINE,
	    MINOR_VERSION, KEY_TYPE };
	const struct field *value = rec_get(rec, VALUE);
	struct span uid, unit, type, subtype, run = span_of(NULL, 0);
	const char *why;

	if (rec_str(rec, UID, &uid) != REC_OK)
		return "uid is not a string";
	if (value == NULL)
		return "value is missing";
	if ((why = check_value(value->token)) != NULL) {
		r->bad.len = 0;
		buf_printf(&r->bad, "the value of '%.*s' %s", SPAN_ARG(uid),
		    why);
		return buf_cstr(&r->bad);
	}
	if ((why = set_parts(r, rec, parts)) != NULL)
		return why;
	unit = text_or(rec, UNIT, r->header->unit);
	type = text_or(rec, RESOURCE_TYPE,
	    span_str(type_of_unit(r->header, unit)));
	subtype = text_or(rec, SUBTYPE, span_eq(type, "mixed") ? unit :
	    span_of("", 0));
	r->uid.len = 0;
	buf_add(&r->uid, type.p, type.n);
	if (span_eq(type, "mixed") && subtype.n > 0)
		buf_printf(&r->uid, "(%.*s)", SPAN_ARG(subtype));
	if (unit.n > 0 && (why = set_unit(r, buf_span(&r->uid), unit)) != NULL)
		return why;
	rec_str(rec, RUN, &run);
	amounts_append(r->amounts, amounts_resource(r->amounts,
	    (struct resource){ intern_add(r->texts, uid), intern_text(r, type),
	    intern_text(r, subtype), intern_run(r, run), INDEX_NONE,
	    rec_true(rec, EXACT) }), value->token);
	return NULL;
}

/* --- profiles ------------------------------------------------------------- */

static const char *
read_group(struct records *r, const struct resource_group *g)
{
	struct span rest = g->amounts, item;
	const char *why = NULL;
	uint32_t resource;

	if (!g->is_valid && r->n_bad++ == 0)
		buf_printf(&r->bad, "the resource '%.*s' has no array of "
		    "amounts", SPAN_ARG(g->uid));
	if (g->unit.p != NULL)
		why = set_unit(r, g->unit_name, g->unit);
	if (why != NULL)
		return why;
	resource = amounts_resource(r->amounts, (struct resource){
	    intern_add(r->texts, g->uid),
	    intern_text(r, g->type.n > 0 ? g->type : span_str("mixed")),
	    intern_text(r, g->subtype), intern_run(r, g->run), INDEX_NONE,
	    g->exact });
	while (items_next(&rest, &item)) {
		why = check_value(item);
		if (why == NULL)
			amounts_append(r->amounts, resource, item);
		else if (r->n_bad++ == 0)
			buf_printf(&r->bad, "an amount of '%.*s' %s",
			    SPAN_ARG(g->uid), why);
	}
	return NULL;
}

/*
 * Adds the amounts of a profile, or none if it is invalid.  Returns why some of
 * them were not added, or NULL.
 */
static const char *
read_profile(struct records *r, const struct rec *rec, struct span document)
{
	static const unsigned keys[] = { MINOR_VERSION, ORIGIN, KEY_TYPE };
	const char *why = resources_begin(r->resources, document);
	const struct profile_parts *p = resources_parts(r->resources);
	const struct { enum header_part part; struct span text; } parts[] =
	    { { PART_CMD, p->cmd }, { PART_WORKLOAD, p->workload },
	    { PART_LABEL, p->label }, { PART_MACHINE, p->machine } };
	struct resource_group group;
	size_t n = r->amounts->n;

	r->n_bad = r->bad.len = 0;
	if (why == NULL)
		why = set_parts(r, rec, keys);
	if (why == NULL)
		r->header->lacks |= p->lacks;
	for (size_t i = 0; i < sizeof parts / sizeof *parts && why == NULL; i++)
		why = set_part(r, parts[i].part, parts[i].text);
	while (why == NULL && resources_next(r->resources, &group))
		why = read_group(r, &group);
	if (why != NULL)
		r->amounts->n = n;
	if (why != NULL || r->n_bad == 0)
		return why;
	if (r->n_bad > 1)
		buf_printf(&r->bad, "; %zu more %s not used", r->n_bad - 1,
		    plural(r->n_bad - 1, "value is", "values are"));
	return buf_cstr(&r->bad);
}

/* --- records -------------------------------------------------------------- */

static const char *
read_figures(struct records *r, const struct rec *rec, uint32_t run)
{
	struct span stat = text_of(rec, STAT);
	const struct figure *f, *used[N_FIGURES];
	int64_t values[N_FIGURES], path;
	enum rec_found found = REC_ABSENT;
	const char *why = NULL;
	size_t n = 0;

	/* Of several critical paths only the first is that of the build. */
	if (rec_is(rec, "critical") || rec_is(rec, "critpath"))
		found = find_int(r, rec, PATH, &path);
	if (found == REC_OK && path > 1)
		return NULL;

	/* Nothing is added of a record that is rejected. */
	for (f = figures; f < figures + N_FIGURES && found != REC_BAD; f++) {
		if (!rec_is(rec, f->type) ||
		    (f->stat != NULL && !span_eq(stat, f->stat)))
			continue;
		found = find_value(r, f, rec, &values[n]);
		if (found == REC_OK)
			used[n++] = f;
	}
	if (found == REC_BAD)
		return r->why.data;
	for (size_t i = 0; i < n && why == NULL; i++) {
		f = used[i];
		r->uid.len = 0;
		r->function = INDEX_NONE;
		buf_str(&r->uid, f->prefix);
		if (f->put_subject != NULL ? !f->put_subject(r, rec) :
		    f->member != 0 && !put_member(r, rec, f->member))
			return "the record does not name what was measured";
		/* A step that ended before it started, as clocks differ, took
		   no time. */
		why = add_amount(r, f->measure, run,
		    values[i] < 0 ? 0 : values[i]);
	}
	return why;
}

const char *
records_read(struct records *r, const struct rec *rec, struct span text,
    uint32_t stream)
{
	const struct field *profile = rec_get(rec, PROFILE);
	struct span name, program;
	uint32_t run;

	if (stream != r->stream)
		functions_begin(&r->functions, NULL, 0);
	r->stream = stream;
	if (rec_get(rec, HEADER) != NULL)
		return read_profile(r, rec, text);
	if (rec_is(rec, "profile") && profile != NULL)
		return read_profile(r, rec, profile->token);
	if (rec_is(rec, "sample") || (rec_get(rec, KEY_TYPE) == NULL &&
	    rec_get(rec, UID) != NULL))
		return read_sample(r, rec);
	if (rec_is(rec, "query_stat")) {
		r->query.len = 0;
		query_fingerprint(&r->query, text_of(rec, QUERY_TEXT));
		return NULL;
	}
	if (rec_is(rec, "query_cost"))
		return read_query(r, rec);

	/* Records without a run belong to the only run of their stream. */
	run = rec_str(rec, RUN, &name) == REC_OK ? amounts_run(r->amounts, 0,
	    intern_add(r->texts, name)) :
	    amounts_run(r->amounts, stream, SYM_NONE);
	/* What was run, from records that say so; without its version. */
	if (r->header->program.n == 0 &&
	    rec_str(rec, rec_is(rec, "build") ? FORMAT : PROGRAM, &program) ==
	    REC_OK) {
		program = functions_unversioned(span_base_name(program));
		r->header->program = intern_span(r->texts,
		    intern_add(r->texts, program));
	}
	return rec_is(rec, "callgraph") ? read_callgraph(r, text, run) :
	    read_figures(r, rec, run);
}

bool
records_finish(struct records *r)
{
	struct functions *t = &r->functions;
	size_t n = t->n;
	uint32_t *numbers = functions_resolve(t);
	sym *uids = mem_resize(NULL, n + 1, sizeof *uids);
	bool fits;

	for (size_t i = 0; i < n; i++) {
		r->uid.len = 0;
		functions_label(t, numbers[i], true, &r->uid);
		uids[i] = intern_add(r->texts, buf_span(&r->uid));
	}
	fits = n == 0 || amounts_name_functions(r->amounts, uids);
	free(numbers);
	free(uids);
	return fits;
}
