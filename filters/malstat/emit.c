/* emit - writes the answers as records */

#include "common/base/num.h"
#include "common/filter/filter.h"
#include "filters/malstat/malstat.h"

/* By enum instance_kind. */
static const char *const kinds[] = { "work", "call", "dataflow", "plan" };

/* Begins a record; for a query it names the query's execution. */
static struct buf *
begin_record(const struct costs *a, struct filter *f, const char *type)
{
	struct buf *b = filter_begin_record(f, type);

	if (a->root != INDEX_NONE)
		json_int(b, "query", a->trace->executions[a->root].key.id);
	return b;
}

static void
put_session(struct buf *b, const struct costs *a, uint32_t session)
{
	json_text(b, "session", executions_session_name(a->trace, session));
}

static void
emit_root(const struct costs *a, struct filter *f, const struct root_use *u)
{
	const struct execution *x = &a->trace->executions[u->root];
	struct buf *b = filter_begin_record(f, x->is_query ? "query_cost" :
	    "unlinked_plan");

	if (x->is_query)
		json_int(b, "query", x->key.id);
	json_int(b, x->is_query ? "root_execution_id" : "execution_id",
	    x->key.id);
	put_session(b, a, x->session);
	json_int(b, "tag", x->tag);
	json_sym(b, "user_function", &a->trace->names, x->function);
	json_sym(b, "query_text", &a->trace->names, x->query);
	if (u->elapsed_us != INT_UNKNOWN) {
		json_int(b, "start_us", u->start_us);
		json_int(b, "elapsed_us", u->elapsed_us);
	}
	json_int(b, "busy_us", u->busy_us);
	if (!u->is_untimed)
		json_uint(b, "threads_seen", u->n_threads);
	if (u->elapsed_us != INT_UNKNOWN)
		json_ratio(b, "average_parallelism",
		    ratio_of(u->busy_us, u->elapsed_us));
	if (u->costliest != SYM_NONE) {
		json_sym(b, "operation", &a->trace->names, u->costliest);
		json_int(b, "operation_us", u->costliest_us);
		json_ratio(b, "share", ratio_of(u->costliest_us, u->busy_us));
	}
	filter_end_record(f);
}

void
queries_emit(const struct queries *q, const struct costs *a, struct filter *f)
{
	for (size_t i = 0; i < q->n; i++)
		if (is_listed(a, &q->list[i]))
			emit_root(a, f, &q->list[i]);
}

static void
emit_operation(const struct costs *a, struct filter *f,
    const struct operation *o)
{
	bool is_work = o->kind == KIND_WORK;
	struct buf *b = begin_record(a, f, is_work ? "operation" : "container");

	if (!is_work)
		json_cstr(b, "kind", kinds[o->kind]);
	json_sym(b, "operation", &a->trace->names, o->name);
	json_uint(b, "instances", o->n);
	if (is_work) {
		json_int(b, "self_us", o->self_us);
		json_ratio(b, "share", ratio_of(o->self_us, a->busy_us));
	}
	json_int(b, "elapsed_us", o->total_us);
	json_int(b, "longest_us", o->longest_us);
	filter_end_record(f);
}

static void
emit_instance(const struct costs *a, struct filter *f, uint32_t index)
{
	const struct instance *i = &a->trace->instances[index];
	const struct execution *x = &a->trace->executions[i->execution];
	struct buf *b = begin_record(a, f, "instance");

	json_sym(b, "operation", &a->trace->names, i->operation);
	put_session(b, a, x->session);
	json_int(b, "execution_id", x->key.id);
	json_int(b, "tag", x->tag);
	json_int(b, "pc", i->pc);
	json_int(b, "thread", i->thread);
	if (!i->is_untimed)
		json_int(b, "start_us", i->start_us);
	json_int(b, "elapsed_us", i->end_us - i->start_us);
	json_int(b, "self_us", i->self_us);
	json_ratio(b, "share", ratio_of(i->self_us, a->busy_us));
	json_int(b, "usec", i->server_us);
	json_sym(b, "statement", &a->trace->names, i->statement);
	filter_end_record(f);
}

/*
 * Writes a use of the cores.  Keys of the times in which queries ran begin with
 * "query_", which all others leave out.  threads_key: of the number of threads,
 * without that.  session: to which also compare the use, or NULL.
 */
static void
put_use(struct buf *b, const struct use *u, bool is_of_queries,
    const char *threads_key, const struct session *session)
{
	size_t from = is_of_queries ? 0 : strlen("query_");
	int64_t workers = session == NULL ? 0 : session->workers;
	int64_t cores = session == NULL ? 0 : session->cores;

	json_int(b, &"query_wall_us"[from], u->wall_us);
	json_int(b, &"query_busy_us"[from], u->busy_us);
	json_uint(b, threads_key, u->n_threads);
	json_ratio(b, &"query_utilisation"[from], utilisation(u,
	    (int64_t)u->n_threads));
	json_ratio(b, &"query_average_parallelism"[from],
	    ratio_of(u->busy_us, u->wall_us));
	if (workers > 0 && !is_of_queries)
		json_int(b, "workers", workers);
	if (workers > 0)
		json_ratio(b, &"query_utilisation_of_workers"[from],
		    utilisation(u, workers));
	if (cores > 0 && !is_of_queries)
		json_int(b, "cores", cores);
	if (cores > 0)
		json_ratio(b, &"query_utilisation_of_cores"[from],
		    utilisation(u, cores));

	/* How long 0, 1, 2, ... threads worked at once. */
	if (u->n_levels > 0) {
		json_open(b, "parallelism_histogram_us", '[');
		for (size_t i = 0; i < u->n_levels; i++) {
			if (i > 0)
				buf_char(b, ',');
			buf_i64(b, u->histogram_us[i]);
		}
		json_close(b, ']');
	}
	json_int(b, &"query_idle_us"[from], u->idle_us);
	json_int(b, &"query_serial_us"[from], u->serial_us);
}

static void
emit_session(const struct costs *a, struct filter *f, const struct cores *c)
{
	const struct session *session = &a->trace->sessions[c->session];
	struct buf *b = begin_record(a, f, "cores");

	put_session(b, a, c->session);
	put_use(b, &c->use, false, "threads_seen", session);
	if (c->ran_queries)
		put_use(b, &c->queries, true, "query_threads_seen", session);
	filter_end_record(f);
}

static void
emit_block(const struct costs *a, struct filter *f, const struct cores *c)
{
	const struct instance *i = &a->trace->instances[c->block];
	struct buf *b = begin_record(a, f, "dataflow");

	put_session(b, a, c->session);
	json_int(b, "execution_id",
	    a->trace->executions[i->execution].key.id);
	json_int(b, "pc", i->pc);
	json_int(b, "start_us", i->start_us);
	/* Unlike those of a session, which the server states. */
	put_use(b, &c->use, false, "workers", NULL);
	filter_end_record(f);
}

static void
emit_query(const struct costs *a, struct filter *f)
{
	const struct execution *x;
	struct buf *b;

	if (a->root == INDEX_NONE)
		return;
	x = &a->trace->executions[a->root];
	b = begin_record(a, f, "query_stat");
	put_session(b, a, x->session);
	json_int(b, "tag", x->tag);
	json_sym(b, "query_text", &a->trace->names, x->query);
	json_int(b, "busy_us", a->busy_us);
	json_uint(b, "instances", a->n_instances);
	filter_end_record(f);
}

void
costs_emit(const struct costs *a, struct filter *f, uint64_t top)
{
	emit_query(a, f);
	/* The containers follow the operations in the same array. */
	for (size_t i = 0; i < a->n_operations + a->n_containers; i++)
		emit_operation(a, f, &a->operations[i]);
	for (size_t i = 0; i < a->n_work && i < top; i++)
		emit_instance(a, f, a->costliest[i]);
	for (size_t i = 0; i < a->n_cores; i++)
		if (a->cores[i].block == INDEX_NONE)
			emit_session(a, f, &a->cores[i]);
	for (size_t i = 0; i < a->n_cores; i++)
		if (a->cores[i].block != INDEX_NONE)
			emit_block(a, f, &a->cores[i]);
}

void
summary_emit(const struct trace *t, struct filter *f)
{
	struct buf *b = filter_begin_record(f, "malstat");

	json_uint(b, "events", t->n_events);
	json_uint(b, "executions", t->n_executions);
	json_uint(b, "instances", t->n);
	json_uint(b, "done_without_start", t->n_no_start);
	json_uint(b, "restarted", t->n_restarted);
	json_uint(b, "unfinished", t->n_unfinished);
	json_uint(b, "without_clock", t->n_no_clock);
	filter_end_record(f);
}
