/* rows - writes events, executions, variables, ... as rows of tables */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/num.h"
#include "common/filter/filter.h"
#include "common/json/recio.h"
#include "filters/malparse/malparse.h"

/* The name of the id column of each table. */
static const char *const id_columns[N_TABLES] = { "server_id", "execution_id",
    "event_id", "prerequisite_relation_id", "variable_id", "query_id",
    "initiates_executions_id", "query_phase_id", "heartbeat_id",
    "cpuload_id" };

/* A key of an object, and the column to which its value is copied. */
struct column {
	unsigned key;
	const char *name;
	enum {
		AS_INT,		/* also one that old servers write as text */
		AS_REAL,	/* likewise */
		AS_TEXT,	/* with its escapes, as it was written */
		AS_ARRAY,
		AS_FLAG		/* true if the value is 1 */
	} how;
};

void
rows_init(struct rows *rows, struct filter *f)
{
	*rows = (struct rows){ .f = f };
	for (enum row_table t = 0; t < N_TABLES; t++)
		rows->next[t] = 1;
	rows->variables = recio_new(variable_keys);
	rows->statement.variables = rows->variables;
	intern_init(&rows->types);
	for (size_t i = 0; i < N_MAL_TYPES; i++)
		intern_add(&rows->types, span_str(mal_types[i].name));
}

static void
end_row(struct rows *rows)
{
	struct buf *b = filter_out(rows->f);

	if (rows->discards_rows) {
		b->len = rows->row_start;
		return;
	}
	filter_end_record(rows->f);
}

static struct buf *
begin_row(struct rows *rows, const char *table)
{
	struct buf *b = filter_out(rows->f);

	if (!rows->has_begun) {
		rows->has_begun = true;
		rows->row_start = b->len;
		filter_begin_record(rows->f, "trace");
		end_row(rows);
	}
	rows->row_start = b->len;
	return filter_begin_record(rows->f, table);
}

static struct buf *
begin_numbered_row(struct rows *rows, const char *name, enum row_table t)
{
	struct buf *b = begin_row(rows, name);

	json_uint(b, id_columns[t], rows->next[t]++);
	return b;
}

/* Writes an estimate such as 1.5e+06, unless it is not a finite number. */
static void
put_real(struct buf *b, const char *column, struct span text)
{
	struct buf copy = { 0 };
	char *end;
	double value;

	buf_add(&copy, text.p, text.n);
	value = strtod(buf_cstr(&copy), &end);
	if (text.n > 0 && *end == '\0' && end == copy.data + text.n &&
	    isfinite(value)) {
		json_key(b, column);
		buf_printf(b, "%.15g", value);
	}
	buf_release(&copy);
}

static void
copy_columns(struct buf *b, const struct rec *r, const struct column *c,
    size_t n)
{
	const struct field *f;
	int64_t value;

	for (const struct column *end = c + n; c < end; c++) {
		f = rec_get(r, c->key);
		if (f == NULL)
			continue;
		if ((c->how == AS_TEXT && f->kind == REC_STRING) ||
		    (c->how == AS_ARRAY && f->kind == REC_ARRAY))
			json_raw(b, c->name, f->token);
		else if (c->how == AS_INT && event_int(r, c->key, &value))
			json_int(b, c->name, value);
		else if (c->how == AS_REAL)
			put_real(b, c->name, f->text);
		else if (c->how == AS_FLAG && event_int(r, c->key, &value) &&
		    value == 1)
			json_true(b, c->name);
	}
}

#define COPY(b, r, columns) \
	copy_columns(b, r, columns, sizeof columns / sizeof *(columns))

void
rows_put_header(struct rows *rows, const struct rec *r)
{
	static const struct column columns[] = {
	    { E_RELEASE, "release", AS_TEXT },
	    { E_VERSION, "version", AS_TEXT }, { E_HOST, "host", AS_TEXT },
	    { E_THREADS, "threads", AS_INT }, { E_MEMORY, "memory", AS_TEXT },
	    { E_OID, "oid", AS_INT }, { E_PACKAGES, "packages", AS_ARRAY } };
	struct span version;
	struct buf *b = begin_numbered_row(rows, "server", T_SERVER);

	COPY(b, r, columns);
	end_row(rows);
	if (rec_str(r, E_VERSION, &version) != REC_OK)
		return;
	rows->server_version.len = 0;
	buf_add(&rows->server_version, version.p, version.n);
}

void
rows_put_execution(struct rows *rows, const struct plans *plans,
    struct execution *x)
{
	struct span version = x->version, function = x->program;
	const char *dot = function.n == 0 ? NULL :
	    memchr(function.p, '.', function.n);
	struct buf *b = begin_row(rows, "mal_execution");

	if (version.n == 0)
		version = buf_span(&rows->server_version);
	if (dot != NULL)	/* "s1_1" of "user.s1_1" */
		function = span_of(dot + 1,
		    (size_t)(function.p + function.n - dot) - 1);
	json_uint(b, "execution_id", x->id);
	json_sym(b, "server_session", &plans->names, x->key.session);
	json_sym(b, "client", &plans->names, x->key.client);
	if (x->key.tag > 0)
		json_int(b, "tag", x->key.tag);
	json_text(b, "server_version", version);
	json_text(b, "user_function", function);
	json_text(b, "user_id", x->user);
	end_row(rows);
	x->has_row = true;
}

/* Writes the columns after the times.  x is NULL if the event is rejected. */
static void
put_event(struct rows *rows, struct buf *b, const struct execution *x,
    const struct event *e)
{
	static const struct column sizes[] = { { E_RSS, "rss", AS_INT },
	    { E_SIZE, "type_size", AS_INT }, { E_INBLOCK, "inblock", AS_INT },
	    { E_OUBLOCK, "oublock", AS_INT }, { E_MAJFLT, "majflt", AS_INT },
	    { E_NSWAP, "nswap", AS_INT }, { E_NVCSW, "nvcsw", AS_INT } };
	static const struct column others[] = {
	    { E_BARRIER, "barrier", AS_TEXT },
	    { E_OPERATOR, "operator", AS_TEXT },
	    { E_ALGORITHM, "algorithm", AS_TEXT },
	    { E_NUMA, "numa", AS_ARRAY }, { E_EVENT, "server_event", AS_INT } };
	static const struct column texts[] = {
	    { E_STMT, "long_statement", AS_TEXT },
	    { E_SHORT, "short_statement", AS_TEXT } };
	struct statement *s = &rows->statement;
	int64_t caller;

	json_int(b, "thread", e->thread);
	json_text(b, "mal_function", e->program);
	json_int(b, "usec", e->usec);
	COPY(b, e->rec, sizes);
	if (event_int(e->rec, E_CALLER, &caller) && caller > 0)
		json_int(b, "caller", caller);
	COPY(b, e->rec, others);
	if (x != NULL && (s->is_masked || (rows->rebuilds_statements &&
	    rec_get(e->rec, E_STMT) == NULL &&
	    rec_get(e->rec, E_SHORT) == NULL))) {
		statement_build(s, x, e);
		json_str(b, "long_statement", buf_span(&s->long_text));
		json_str(b, "short_statement", buf_span(&s->short_text));
	} else if (!s->is_masked) {
		COPY(b, e->rec, texts);
	}
	json_text(b, "instruction", e->operation);
	json_text(b, "mal_module", e->module);
}

/* Begins the row of an event, up to the times. */
static struct buf *
begin_event(struct rows *rows, const struct execution *x,
    struct instruction *i, enum event_state state)
{
	struct buf *b = begin_numbered_row(rows, "profiler_event", T_EVENT);

	json_uint(b, "mal_execution_id", x->id);
	json_int(b, "pc", i->pc);
	json_int(b, "execution_state", state);
	if (++i->n_events[state] > 1)
		json_uint(b, "iteration", i->n_events[state]);
	return b;
}

void
rows_put_event(struct rows *rows, struct execution *x, struct instruction *i,
    const struct event *e)
{
	static const struct column times[] = {
	    { E_TIME, "local_time", AS_TEXT } };
	struct buf *b;
	uint64_t id;

	if (!i->is_open || e->state == STATE_START)	/* a new instance */
		i->first_event_id = 0;
	if (rows->derives_starts && e->format >= FORMAT_P &&
	    e->usec != INT_UNKNOWN && e->relative_us != INT_UNKNOWN) {
		i->first_event_id = rows->next[T_EVENT];
		b = begin_event(rows, x, i, STATE_START);
		json_true(b, "derived");
		json_int(b, "relative_time", e->relative_us - e->usec);
		json_int(b, "thread", e->thread);
		json_text(b, "instruction", e->operation);
		json_text(b, "mal_module", e->module);
		end_row(rows);
	}

	id = rows->next[T_EVENT];
	b = begin_event(rows, x, i, e->state);
	json_int(b, "relative_time", e->relative_us);
	json_int(b, "absolute_time", e->absolute_us);
	COPY(b, e->rec, times);
	put_event(rows, b, x, e);
	end_row(rows);
	if (i->first_event_id == 0)
		i->first_event_id = id;
	if (e->state == STATE_DONE)
		i->done_event_id = id;
}

void
rows_put_rejected(struct rows *rows, const struct event *e, const char *why)
{
	struct buf *b = begin_row(rows, "rejected_profiler_event");

	json_int(b, "pc", e->pc);
	if (e->has_state)
		json_int(b, "execution_state", e->state);
	json_int(b, "relative_time", e->relative_us);
	json_int(b, "absolute_time", e->absolute_us);
	put_event(rows, b, NULL, e);
	json_cstr(b, "rejection_reason", why);
	end_row(rows);
}

void
rows_put_prerequisite(struct rows *rows, uint64_t done, uint64_t consequent,
    int64_t pc)
{
	struct buf *b = begin_numbered_row(rows, "prerequisite_events",
	    T_PREREQUISITE);

	json_count(b, "prerequisite_event", done);
	json_uint(b, "consequent_event", consequent);
	json_int(b, "prerequisite_pc", pc);
	end_row(rows);
}

/*
 * The type_id of a type.  Writes the row of the type at its first use; for a
 * bat[:T], the row of T comes first.
 */
static uint64_t
find_type(struct rows *rows, struct span name)
{
	size_t n_before = rows->types.n;
	uint64_t subtype_id = 0;
	sym i = intern_add(&rows->types, name);
	struct buf *b;

	if (i < N_MAL_TYPES ? rows->has_type_row[i] : i < n_before)
		return i + 1;
	if (i < N_MAL_TYPES)
		rows->has_type_row[i] = true;
	if (name.n >= 7 && span_begins_with(name, "bat[:") &&
	    name.p[name.n - 1] == ']')
		subtype_id = find_type(rows, span_of(name.p + 5, name.n - 6));
	b = begin_row(rows, "mal_type");
	json_uint(b, "type_id", i + 1);
	json_str(b, "tname", name);
	if (i < N_MAL_TYPES)
		json_int(b, "base_size", mal_types[i].size);
	json_count(b, "subtype_id", subtype_id);
	end_row(rows);
	return i + 1;
}

/* Old servers have the key "kind", newer ones "persistence" or "mode". */
static bool
is_persistent(const struct rec *r)
{
	static const unsigned keys[] = { V_KIND, V_PERSISTENCE, V_MODE };
	struct span s;

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (rec_str(r, keys[i], &s) == REC_OK)
			return span_eq(s, "persistent");
	return false;
}

/* The value of a scalar, always as a string: 7 becomes "7", null "nil". */
static void
put_value(struct buf *b, const struct rec *r)
{
	const struct field *value = rec_get(r, V_VALUE);

	if (value == NULL || value->kind > REC_NULL)	/* array, object */
		return;
	if (value->kind == REC_STRING)
		json_raw(b, "mal_value", value->token);
	else if (value->kind == REC_NULL)
		json_word(b, "mal_value", "nil");
	else
		json_str(b, "mal_value", value->token);
}

/*
 * Writes the id, size and range of a BAT (a column).  Only a bid above 0 is the
 * id of a BAT; statements since 2018 have the size without it.
 */
static void
put_bat(struct buf *b, const struct rec *r)
{
	int64_t bid = INT_UNKNOWN, count = INT_UNKNOWN, size = INT_UNKNOWN;
	int64_t base, high;

	event_int(r, V_BID, &bid);
	event_int(r, V_COUNT, &count);
	event_int(r, V_SIZE, &size);
	if (bid > 0 || bid == INT_UNKNOWN) {
		json_int(b, "bid", bid);
		json_int(b, "var_count", count);
		json_int(b, "var_size", size);
	}
	if (!event_int(r, V_SEQBASE, &base))
		return;
	json_int(b, "seqbase", base);
	if (event_int(r, V_HGHBASE, &high))
		json_int(b, "hghbase", high);
	else if (rec_get(r, V_VIEW) != NULL && count != INT_UNKNOWN)
		json_int(b, "hghbase", base + count);
}

void
rows_put_variable(struct rows *rows, const struct execution *x,
    struct variable *v)
{
	static const struct column alias[] = { { V_ALIAS, "alias", AS_TEXT } };
	static const struct column others[] = {
	    { V_CONST, "is_constant", AS_FLAG },
	    { V_SORTED, "is_sorted", AS_FLAG },
	    { V_REVSORTED, "is_revsorted", AS_FLAG },
	    { V_NONIL, "is_nonil", AS_FLAG }, { V_NIL, "has_nil", AS_FLAG },
	    { V_KEY, "is_key", AS_FLAG }, { V_UDF, "is_udf", AS_FLAG },
	    { V_WIDTH, "width", AS_INT }, { V_HASH, "hash_size", AS_INT },
	    { V_VHEAP, "vheap_size", AS_INT },
	    { V_IMPRINTS, "imprints_size", AS_INT },
	    { V_FILE, "file", AS_TEXT }, { V_MINPOS, "minpos", AS_INT },
	    { V_MAXPOS, "maxpos", AS_INT },
	    { V_NESTIMATE, "nestimate", AS_REAL } };
	const char *why;
	const struct rec *r = recio_parse(rows->variables,
	    buf_span(&v->object), &why);
	struct span type = span_of(NULL, 0);
	uint64_t type_id = 0;
	int64_t parent = 0;
	struct buf *b;

	if (rec_str(r, KEY_TYPE, &type) == REC_OK && type.n > 0)
		type_id = find_type(rows, type);

	b = begin_row(rows, "mal_variable");
	json_uint(b, "variable_id", v->id);
	json_str(b, "name", v->name);
	json_uint(b, "mal_execution_id", x->id);
	COPY(b, r, alias);
	json_count(b, "type_id", type_id);
	json_flag(b, "is_persistent", is_persistent(r));
	put_bat(b, r);
	if (!rows->statement.is_masked)
		put_value(b, r);
	if (event_int(r, V_PARENT, &parent) && parent > 0)
		json_int(b, "parent", parent);
	json_flag(b, "is_view", rec_get(r, V_VIEW) != NULL);
	COPY(b, r, others);
	end_row(rows);
	v->has_row = true;
}

void
rows_put_use(struct rows *rows, uint64_t event_id, int64_t index,
    const struct variable *v, const char *flag, bool eol)
{
	struct buf *b = begin_row(rows, "event_variable_list");

	json_uint(b, "event_id", event_id);
	json_int(b, "variable_list_index", index);
	json_uint(b, "variable_id", v->id);
	json_flag(b, flag, flag != NULL);
	json_flag(b, "eol", eol);
	end_row(rows);
}

void
rows_put_query(struct rows *rows, const struct execution *x, struct span text)
{
	struct buf *b = begin_numbered_row(rows, "query", T_QUERY);

	if (!rows->statement.is_masked)
		json_text(b, "query_text", text);
	json_uint(b, "root_execution_id", x->id);
	end_row(rows);
}

void
rows_put_link(struct rows *rows, uint64_t parent, uint64_t child,
    bool remote)
{
	struct buf *b = begin_numbered_row(rows, "initiates_executions",
	    T_INITIATES);

	json_uint(b, "parent_id", parent);
	json_uint(b, "child_id", child);
	json_key(b, "remote");
	buf_str(b, remote ? "true" : "false");
	end_row(rows);
}

void
rows_put_phase(struct rows *rows, const struct execution *x,
    const struct event *e)
{
	static const struct column phase[] = { { E_PHASE, "phase", AS_TEXT } };
	static const struct column stamps[] = { { E_TSTART, "tstart", AS_INT },
	    { E_TEND, "tend", AS_INT } };
	struct buf *b = begin_numbered_row(rows, "query_phase", T_PHASE);
	struct span state;

	if (x != NULL)
		json_uint(b, "mal_execution_id", x->id);
	json_text(b, "client", e->client);
	COPY(b, e->rec, phase);
	json_int(b, "relative_time", e->relative_us);
	json_int(b, "usec", e->usec);
	json_int(b, "thread", e->thread);
	COPY(b, e->rec, stamps);
	json_flag(b, "failed", rec_str(e->rec, E_STATE, &state) == REC_OK &&
	    span_eq(state, "error"));
	end_row(rows);
}

void
rows_put_heartbeat(struct rows *rows, const struct event *e)
{
	static const struct column ints[] = { { E_RSS, "rss", AS_INT },
	    { E_INBLOCK, "inblock", AS_INT }, { E_OUBLOCK, "oublock", AS_INT },
	    { E_MAJFLT, "majflt", AS_INT }, { E_NSWAP, "nswap", AS_INT },
	    { E_NVCSW, "nvcsw", AS_INT } };
	const struct field *f = rec_get(e->rec, E_CPULOAD);
	uint64_t id = rows->next[T_HEARTBEAT], core = 0;
	struct buf *b = begin_numbered_row(rows, "heartbeat", T_HEARTBEAT);
	const char *p;
	char *number_end;
	double load;

	json_text(b, "server_session", e->session);
	json_int(b, "clk", e->relative_us);
	json_int(b, "ctime", e->absolute_us);
	COPY(b, e->rec, ints);
	end_row(rows);

	if (f == NULL)
		return;
	/* An array of numbers, or its text as a string: "[ 0.10 , 0.20]". */
	for (p = f->token.p; p < f->token.p + f->token.n;) {
		if (!text_is_digit(*p)) {
			p++;
			continue;
		}
		load = strtod(p, &number_end);	/* stops at , or ] or space */
		p = number_end;
		b = begin_numbered_row(rows, "cpuload", T_CPULOAD);
		json_uint(b, "heartbeat_id", id);
		json_uint(b, "core", core++);
		/*
		 * A load is at most 1.  A number far above that, of 1e6 or
		 * more, is garbled, and may be infinite: 0 is written.
		 */
		json_ratio(b, "val", load < 1e6 ? load : 0);
		end_row(rows);
	}
}
