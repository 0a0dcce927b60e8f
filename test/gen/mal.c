/*
 * mal - generates the profiler events of simulated MonetDB servers
 *
 * A query runs as a plan of instructions ("ops").  Their variables are
 * constants, scalars and BATs (MonetDB's columns).  The pc of an op is its
 * number in the plan, from 0.
 *
 * The formats S, M and P are those of weir-mal(5).  The suffix _s, _m, _p or
 * _mp of a function names the formats for which it writes.
 *
 * The same arguments always give the same bytes, on any machine.  Queries come
 * in rounds: one to three run at the same time on each server.  The events of a
 * round are simulated, sorted and written before the next round begins.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "test/gen/gen.h"

#define MAX_SERVERS	8
#define MAX_PARALLEL	3	/* queries of a round on one server */
#define MAX_OPS		900	/* instructions of a plan */
#define MAX_VARS	8000	/* variables of a plan */
#define MAX_SLOTS	12000	/* results and arguments of all ops of a plan */
#define MAX_COLUMNS	24	/* of a result */
#define WORKERS		6	/* threads of a dataflow block */
#define THREADS		(MAX_PARALLEL * (WORKERS + 1) + 2)	/* of a server;
				   the first thread has the number 1 */
#define EPOCH_US	UINT64_C(1600000000000000)	/* in 2020 */

#define LEN(a)	(sizeof(a) / sizeof(a)[0])

struct text {
	char *p;
	size_t n, cap;
};

enum var_kind { CONSTANT, SCALAR, BAT };

struct var {
	enum var_kind kind;
	char letter;		/* of its name: C for candidates, else X */
	bool view, persistent;	/* of a BAT */
	uint32_t number;	/* in its name, as in X_12 */
	uint32_t bid, parent;	/* of a BAT: its id, and that of the BAT that it
				   is a view of */
	uint32_t count, size;	/* of a BAT: rows, and bytes */
	int assigned_at, last_use;	/* pcs; -1: none */
	const char *type;	/* without bat[:] */
	size_t value, n_value;	/* unless a BAT: offset in the plan's values,
				   and length */
	size_t alias, n_alias;	/* name of a table's column: the same; length 0
				   if there is none */
};

struct op {
	const char *module, *function;
	const char *barrier, *operator, *algorithm;
	int first_slot;		/* index in the plan's slots */
	int n_ret, n_arg;
	bool appends;		/* to its first argument, in place */
	uint64_t start_us, end_us;	/* since the server started */
	uint64_t written_us;	/* when the end event is written: its sort_us */
	int thread;
};

struct plan {
	uint32_t server;	/* index in servers[] */
	uint32_t client;	/* number of the session */
	uint32_t tag;		/* number of the query on the server */
	uint32_t next_number;	/* of a variable */
	char name[16];
	struct op ops[MAX_OPS];
	struct var vars[MAX_VARS];
	int slots[MAX_SLOTS];	/* indexes in vars: for each op its results,
				   then its arguments */
	int n_ops, n_vars, n_slots;
	int call_pc;		/* of the call of callee; -1: none */
	int dataflow_end;	/* pc after the dataflow block, which begins at
				   pc 2 */
	struct text values;	/* of the variables */
	struct plan *callee;	/* the plan of a function that this one calls,
				   or NULL; a callee points to itself */
	const char *table;	/* from which the query reads */
	uint64_t begin_us;	/* when the server got the query's text */
	uint64_t written_us;	/* the latest sort_us of its events so far */
};

struct event {
	uint64_t sort_us;	/* when it is written */
	uint32_t sequence;	/* the order of events of equal sort_us */
	struct plan *plan;
	int pc;			/* below 0: a phase, see write_phase() */
	bool done;		/* the end of an op, not its start */
};

/*
 * The operations, with a letter for each result and argument.  BATs: b of any
 * type, n of lng, d of dbl, h of hge, e of bit, c candidates, o groups.  v is a
 * result without a value.  Arguments only: m is the transaction; the others are
 * constants: s schema, t table, k column, i int, w word, y bit, l nil:lng,
 * B nil:BAT, D date, C comparison.  Every plan has sql.mvc, then the second
 * template (tid), then the first (bind).
 */
static const struct template {
	const char *module, *function, *rets, *args;
	unsigned weight;
	const char *algorithm;
	bool appends;
} templates[] = {
	{ "sql", "bind", "b", "mstkiii", 10, NULL, false },
	{ "sql", "tid", "c", "mstii", 2, NULL, false },
	{ "algebra", "thetaselect", "c", "bcDC", 4, "fullscan_any", false },
	{ "algebra", "select", "c", "ncDDyyy", 2, "densescan_lng", false },
	{ "algebra", "projection", "b", "cb", 22, "project1_loop", false },
	{ "algebra", "projection", "n", "cn", 10, "project1_lng", false },
	{ "algebra", "projectionpath", "b", "coob", 3, NULL, false },
	{ "algebra", "join", "cc", "bbBByl", 4, "hashjoin using hash", false },
	{ "algebra", "difference", "c", "ccBByyl", 2, "hashjoin", false },
	{ "algebra", "project", "n", "bi", 3, NULL, false },
	{ "batcalc", "*", "n", "nn", 6, NULL, false },
	{ "batcalc", "-", "n", "in", 4, NULL, false },
	{ "batcalc", "+", "n", "ni", 4, NULL, false },
	{ "batcalc", "/", "d", "dn", 2, NULL, false },
	{ "batcalc", "dbl", "d", "in", 5, NULL, false },
	{ "batcalc", "==", "e", "bw", 2, NULL, false },
	{ "batcalc", "ifthenelse", "n", "eln", 2, NULL, false },
	{ "group", "group", "oon", "b", 4, "BATgroup_internal", false },
	{ "group", "subgroupdone", "oon", "bo", 3, NULL, false },
	{ "aggr", "subsum", "h", "nooyy", 8, NULL, false },
	{ "aggr", "subcount", "n", "oooy", 4, NULL, false },
	{ "aggr", "subavg", "dn", "dooyy", 4, NULL, false },
	{ "mat", "packIncrement", "b", "bi", 12, NULL, false },
	{ "mat", "packIncrement", "b", "bb", 14, NULL, true },
	{ "bat", "append", "b", "bw", 5, NULL, true },
	{ "algebra", "sort", "boo", "byyy", 2, "BATsort", false },
	{ "language", "pass", "v", "b", 24, NULL, false },
	{ "language", "pass", "v", "n", 4, NULL, false }
};

static const char *const tables[] = {
	"orders_2021", "shipment", "ware house", "meter_reading", "kunde",
	"lieferung", "artikel", "route"
};

static const char *const columns[] = {
	"amount", "weight_kg", "paid_at", "city", "country_code", "id",
	"customer_id", "status", "discount", "price_net", "Größe", "note",
	"delivered", "route_no", "rebate", "remark"
};

/* The values of strings, with the escapes of MAL. */
static const char *const words[] = {
	"open", "closed", "FRAGILE", "north-west", "it\\'s", "Zürich",
	"50% off", "a\\tb", "\\\"quoted\\\"", "back\\\\slash", "東京", "tea"
};

static const char *const column_types[] = {
	"int", "str", "lng", "date", "str", "int", "oid", "bit", "timestamp"
};

static struct server {
	char uuid[40];
	uint64_t now_us;	/* since the server started */
	uint64_t epoch_us;	/* when it started, since 1970 */
	uint32_t next_tag;
} servers[MAX_SERVERS];

static uint64_t n_written;
static uint32_t n_servers = 1;
static char format;
static struct plan *plans;	/* of a round: each is followed by the space
				   for its callee */
static struct event *events;
static size_t n_events, cap_events;
static struct text out, scratch;

/*
 * Text.
 */

/* Makes space for n bytes, and returns where they begin. */
static char *
reserve(struct text *t, size_t n)
{
	if (t->cap - t->n < n) {
		t->cap = 2 * (t->cap + n);
		t->p = resize(t->p, t->cap, 1);
	}
	return t->p + t->n;
}

static void
put(struct text *t, const char *p, size_t n)
{
	memcpy(reserve(t, n), p, n);
	t->n += n;
}

/* The file of a BAT is named after the BAT's octal number. */
static void
put_octal(struct text *t, uint32_t value)
{
	char digits[16];
	int n = snprintf(digits, sizeof digits, "%" PRIo32, value);

	put(t, digits, (size_t)n);
}

static void
put_str(struct text *t, const char *s)
{
	put(t, s, strlen(s));
}

#define PUT(t, literal)	put(t, literal, sizeof(literal) - 1)

static void
put_u(struct text *t, uint64_t value)
{
	char digits[20], *p = digits + sizeof digits;

	do
		*--p = (char)('0' + value % 10);
	while ((value /= 10) > 0);
	put(t, p, (size_t)(digits + sizeof digits - p));
}

/* Writes a JSON string; servers escape only these characters. */
static void
put_quoted(struct text *t, const char *p, size_t n)
{
	char *to = reserve(t, 2 * n + 2), c;

	*to++ = '"';
	for (size_t i = 0; i < n; i++) {
		c = p[i];
		if (c == '"' || c == '\\' || c == '\n' || c == '\t')
			*to++ = '\\';
		*to++ = (char)(c == '\n' ? 'n' : c == '\t' ? 't' : c);
	}
	*to++ = '"';
	t->n = (size_t)(to - t->p);
}

/* Writes a MAL string, which has quotes and escapes, as a JSON string. */
static void
put_unescaped(struct text *t, const char *p, size_t n)
{
	static struct text plain;
	char *to = reserve(&plain, n), *start = to;

	for (size_t i = 1; i + 1 < n; i++)
		if (p[i] == '\\')
			*to++ = (char)(p[++i] == 'n' ? '\n' :
			    p[i] == 't' ? '\t' : p[i]);
		else
			*to++ = p[i];
	put_quoted(t, start, (size_t)(to - start));
}

static void
put_key_u(struct text *t, const char *key, uint64_t value)
{
	put_str(t, key);
	put_u(t, value);
}

static void
put_key_str(struct text *t, const char *key, const char *value)
{
	put_str(t, key);
	PUT(t, "\"");
	put_str(t, value);
	PUT(t, "\"");
}

static void
flush(struct text *t)
{
	if (fwrite(t->p, 1, t->n, stdout) != t->n)
		fail("cannot write: %s", strerror(errno));
	t->n = 0;
}

/*
 * Variables.  The value of a constant is MAL text: strings have quotes.
 */

static struct var *
new_var(struct plan *plan, enum var_kind kind, const char *type)
{
	struct var *v;

	if (plan->n_vars == MAX_VARS)
		fail("too many variables");
	v = &plan->vars[plan->n_vars++];
	*v = (struct var){ .kind = kind, .letter = 'X', .type = type };
	v->number = plan->next_number;
	plan->next_number += 1 + below(3);
	v->assigned_at = v->last_use = -1;
	return v;
}

static void
set_value(struct plan *plan, struct var *v, const char *p, size_t n)
{
	v->value = plan->values.n;
	v->n_value = n;
	put(&plan->values, p, n);
}

/*
 * This function and the next three return the index of a constant of the plan,
 * new or existing.
 */
static int
constant(struct plan *plan, const char *type, const char *value)
{
	struct var *v;
	size_t n = strlen(value);

	/* Equal constants are one variable, unless they are far apart. */
	for (int i = plan->n_vars; i-- > 0 && i > plan->n_vars - 60;) {
		v = &plan->vars[i];
		if (v->kind == CONSTANT && v->type == type && v->n_value == n &&
		    memcmp(plan->values.p + v->value, value, n) == 0)
			return i;
	}
	v = new_var(plan, CONSTANT, type);
	set_value(plan, v, value, n);
	return plan->n_vars - 1;
}

static int
int_constant(struct plan *plan, uint32_t value)
{
	char text[16];

	snprintf(text, sizeof text, "%" PRIu32, value);
	return constant(plan, "int", text);
}

static int
string_constant(struct plan *plan, const char *value)
{
	char text[64];

	snprintf(text, sizeof text, "\"%s\"", value);
	return constant(plan, "str", text);
}

static int
date_constant(struct plan *plan)
{
	char text[32];

	snprintf(text, sizeof text, "%d-%02d-%02d", 2001 + (int)below(20),
	    1 + (int)below(12), 1 + (int)below(28));
	return constant(plan, "date", text);
}

/* The type of a BAT for a letter of templates[]; for b a random one. */
static const char *
type_of(char letter)
{
	switch (letter) {
	case 'n': return "lng";
	case 'd': return "dbl";
	case 'h': return "hge";
	case 'e': return "bit";
	case 'c': case 'o': return "oid";
	default: return column_types[below(LEN(column_types))];
	}
}

/*
 * Whether a variable is a BAT that may be an argument for a letter of
 * templates[].  The result of the plan itself, assigned at pc 0, may not.
 */
static bool
has_kind(const struct var *v, char letter)
{
	if (v->kind != BAT || v->assigned_at == 0)
		return false;
	if (letter == 'b')
		return true;
	if (letter == 'c' || letter == 'o')
		return strcmp(v->type, "oid") == 0 &&
		    (letter == 'c') == (v->letter == 'C');
	return strcmp(v->type, type_of(letter)) == 0;
}

/* The index of a recent BAT for a letter of templates[], or -1. */
static int
recent_bat(struct plan *plan, char letter)
{
	int skip = (int)below(12), found = -1;

	for (int i = plan->n_vars; i-- > 0 && skip >= 0;)
		if (has_kind(&plan->vars[i], letter)) {
			found = i;
			skip--;
		}
	return found;
}

/* The size of a value in bytes. */
static uint32_t
width_of(const char *type)
{
	return strcmp(type, "bit") == 0 ? 1 : strcmp(type, "int") == 0 ||
	    strcmp(type, "date") == 0 ? 4 : strcmp(type, "hge") == 0 ? 16 : 8;
}

/* Returns the index of a new BAT for a letter of templates[]. */
static int
new_bat(struct plan *plan, char letter)
{
	struct var *v;

	v = new_var(plan, BAT, type_of(letter));
	if (letter == 'c')
		v->letter = 'C';
	v->bid = 100 + below(4000);
	v->count = magnitude(1, 22);
	v->size = v->count * width_of(v->type);
	return plan->n_vars - 1;
}

/*
 * Plans.
 */

static struct op *
new_op(struct plan *plan, const char *module, const char *function)
{
	struct op *op = &plan->ops[plan->n_ops++];

	*op = (struct op){ .module = module, .function = function };
	op->first_slot = plan->n_slots;
	return op;
}

static void
add_slot(struct plan *plan, int var)
{
	if (plan->n_slots == MAX_SLOTS)
		fail("too many arguments");
	plan->slots[plan->n_slots++] = var;
	plan->vars[var].last_use = plan->n_ops - 1;
}

static void
add_result(struct plan *plan, struct op *op, int var)
{
	add_slot(plan, var);
	plan->vars[var].assigned_at = plan->n_ops - 1;
	op->n_ret++;
}

static void
add_scalar(struct plan *plan, struct op *op, const char *type,
    const char *value)
{
	struct var *v;

	v = new_var(plan, SCALAR, type);
	set_value(plan, v, value, strlen(value));
	add_result(plan, op, plan->n_vars - 1);
}

static void
add_argument(struct plan *plan, struct op *op, int var)
{
	add_slot(plan, var);
	op->n_arg++;
}

static void
set_alias(struct plan *plan, struct var *v, const char *column)
{
	char text[96];
	int n;

	n = snprintf(text, sizeof text, "sys.%s.%s", plan->table, column);
	v->alias = plan->values.n;
	v->n_alias = (size_t)n;
	put(&plan->values, text, (size_t)n);
	v->view = one_in(3);
	v->persistent = true;
	v->parent = v->bid + 1;
}

/* A random constant for a letter of templates[]; for k, stores the column. */
static int
literal(struct plan *plan, char letter, const char **column)
{
	static const char *const comparisons[] = { "<=", ">=", "==", "<" };

	switch (letter) {
	case 's': return string_constant(plan, "sys");
	case 't': return string_constant(plan, plan->table);
	case 'i': return int_constant(plan, below(12));
	case 'w': return string_constant(plan, words[below(LEN(words))]);
	case 'y': return constant(plan, "bit", one_in(2) ? "true" : "false");
	case 'B': return constant(plan, "BAT", "nil");
	case 'l': return constant(plan, "lng", "nil");
	case 'D': return date_constant(plan);
	case 'C': return string_constant(plan,
	    comparisons[below(LEN(comparisons))]);
	default:
		*column = columns[below(LEN(columns))];
		return string_constant(plan, *column);
	}
}

/*
 * The index of the result of sql.mvc, the transaction: the first scalar of type
 * int.
 */
static int
find_mvc(struct plan *plan)
{
	for (int i = 0; i < plan->n_vars; i++)
		if (plan->vars[i].kind == SCALAR &&
		    strcmp(plan->vars[i].type, "int") == 0)
			return i;
	return 0;
}

/* Whether the plan has a BAT for each argument of the template that is one. */
static bool
has_arguments(struct plan *plan, const struct template *t)
{
	for (const char *a = t->args; *a != '\0'; a++)
		if (strchr("bndheco", *a) != NULL && recent_bat(plan, *a) < 0)
			return false;
	return true;
}

static void
add_template(struct plan *plan, const struct template *t)
{
	const char *column = NULL;
	struct op *op;
	int arguments[8], n = 0;

	for (const char *a = t->args; *a != '\0'; a++)
		arguments[n++] = *a == 'm' ? find_mvc(plan) :
		    strchr("bndheco", *a) != NULL ? recent_bat(plan, *a) :
		    literal(plan, *a, &column);
	op = new_op(plan, t->module, t->function);
	op->algorithm = t->algorithm;
	for (const char *r = t->rets; *r != '\0'; r++)
		if (*r == 'v')
			add_scalar(plan, op, "void", "0@0");
		else
			add_result(plan, op, new_bat(plan, *r));
	if (column != NULL)
		set_alias(plan, &plan->vars[plan->slots[op->first_slot]],
		    column);
	for (int i = 0; i < n; i++)
		add_argument(plan, op, arguments[i]);
	op->appends = t->appends;
}

/* Adds an op of a random template, by weight, whose arguments exist. */
static void
add_random(struct plan *plan)
{
	static unsigned total;
	const struct template *t;
	unsigned n;

	if (total == 0)
		for (size_t i = 0; i < LEN(templates); i++)
			total += templates[i].weight;
	do {
		n = below(total);
		for (t = templates; n >= t->weight; t++)
			n -= t->weight;
	} while (!has_arguments(plan, t));
	add_template(plan, t);
}

/*
 * An op that appends in place returns its first argument: the result is the
 * same BAT with one more row.
 */
static void
share_bats(struct plan *plan)
{
	struct var *to, *from;
	struct op *op;

	for (int pc = 0; pc < plan->n_ops; pc++) {
		op = &plan->ops[pc];
		if (!op->appends)
			continue;
		to = &plan->vars[plan->slots[op->first_slot]];
		from = &plan->vars[plan->slots[op->first_slot + 1]];
		to->bid = from->bid;
		to->type = from->type;
		to->count = from->count + 1;
		to->size = from->size + width_of(to->type);
	}
}

/* Appends SQL as a MAL string; a server escapes a quote of SQL as \'. */
static void
write_query(struct text *t, const struct plan *plan)
{
	int n = 2 + (int)below(10);

	PUT(t, "\"select ");
	for (int i = 0; i < n; i++) {
		put_str(t, one_in(3) ? "sum(" : "min(");
		put_str(t, columns[below(LEN(columns))]);
		PUT(t, ") as ");
		put_str(t, columns[below(LEN(columns))]);
		put_key_u(t, "_", (uint64_t)i);
		put_str(t, i + 1 == n ? " " : one_in(6) ? ",\\n" : ", ");
	}
	PUT(t, "from \\\"");
	put_str(t, plan->table);
	PUT(t, "\\\" where ");
	put_str(t, columns[below(LEN(columns))]);
	put_key_u(t, " <= date \\\\'20", 10 + below(10));
	PUT(t, "-07-01\\\\' and city <> \\\\'Zürich\\\\'");
	put_key_u(t, " limit ", 10 * (1 + below(50)));
	PUT(t, ";\"");
}

/* Adds querylog.define, which has the text of the query. */
static void
add_define(struct plan *plan)
{
	struct op *op;
	struct var *v;
	int text, pipe;

	v = new_var(plan, CONSTANT, "str");
	v->value = plan->values.n;
	write_query(&plan->values, plan);
	v->n_value = plan->values.n - v->value;
	text = plan->n_vars - 1;
	pipe = string_constant(plan, "default_pipe");
	op = new_op(plan, "querylog", "define");
	add_scalar(plan, op, "void", "0@0");
	add_argument(plan, op, text);
	add_argument(plan, op, pipe);
	add_argument(plan, op, int_constant(plan, below(900)));
}

static void
add_plan_head(struct plan *plan, const char *type)
{
	struct op *op;

	plan->n_ops = plan->n_vars = plan->n_slots = 0;
	plan->values.n = 0;
	plan->next_number = 1;
	plan->call_pc = -1;
	plan->table = tables[below(LEN(tables))];
	op = new_op(plan, "user", plan->name);
	op->operator = "function";
	if (*type == 'v')
		add_scalar(plan, op, "void", "0@0");
	else
		add_result(plan, op, new_bat(plan, 'n'));
}

static void
add_mvc(struct plan *plan)
{
	add_scalar(plan, new_op(plan, "sql", "mvc"), "int", "0");
}

static void
add_end(struct plan *plan)
{
	new_op(plan, "", "")->operator = "end";
}

static void
make_callee(struct plan *plan, int n)
{
	add_plan_head(plan, "bat");
	add_mvc(plan);
	add_template(plan, &templates[1]);
	add_template(plan, &templates[0]);
	while (plan->n_ops < n)
		add_random(plan);
	add_end(plan);
	share_bats(plan);
}

static void
add_call(struct plan *plan)
{
	struct op *op;

	plan->call_pc = plan->n_ops;
	op = new_op(plan, "user", plan->callee->name);
	add_result(plan, op, new_bat(plan, 'n'));
}

static void
add_result_set(struct plan *plan)
{
	struct op *op;
	int arguments[MAX_COLUMNS], n = 4 + (int)below(MAX_COLUMNS - 4);

	for (int i = 0; i < n; i++)
		arguments[i] = recent_bat(plan, 'b');
	op = new_op(plan, "sql", "resultSet");
	add_scalar(plan, op, "int", "7");
	for (int i = 0; i < n; i++)
		add_argument(plan, op, arguments[i]);
}

/*
 * Makes a plan of n ops: the function (pc 0), querylog.define (1), a dataflow
 * block (from 2 on), sql.resultSet and end.
 */
static void
make_plan(struct plan *plan, int n)
{
	struct op *op;

	add_plan_head(plan, "void");
	add_define(plan);
	op = new_op(plan, "language", "dataflow");
	op->barrier = "barrier";
	add_scalar(plan, op, "bit", "false");
	add_mvc(plan);
	add_template(plan, &templates[1]);
	for (int i = 0; i < 3; i++)
		add_template(plan, &templates[0]);
	if (plan->callee != NULL)
		add_call(plan);
	while (plan->n_ops < n - 2)
		add_random(plan);
	plan->dataflow_end = plan->n_ops;
	add_result_set(plan);
	add_end(plan);
	share_bats(plan);
}

/*
 * Time.
 */

/* In us. */
static uint32_t
duration_of(const struct op *op)
{
	if (strcmp(op->module, "language") == 0 || op->module[0] == '\0')
		return 1 + below(6);
	return strcmp(op->module, "sql") == 0 ? magnitude(2, 8) :
	    magnitude(3, 15);
}

/* Runs ops one after the other on one thread; returns the end. */
static uint64_t
run_in_order(struct plan *plan, int from, int to, uint64_t now, int thread)
{
	struct op *op;

	for (int pc = from; pc < to; pc++) {
		op = &plan->ops[pc];
		op->thread = thread;
		op->start_us = now += 1 + below(20);
		op->end_us = now += duration_of(op);
	}
	return now;
}

static uint64_t
run_callee(struct plan *plan, uint64_t now, int thread)
{
	struct op *head = &plan->ops[0];

	plan->written_us = 0;
	head->thread = thread;
	head->start_us = now += 1 + below(10);
	now = run_in_order(plan, 1, plan->n_ops, now, thread);
	return head->end_us = now + 2;
}

/*
 * Returns the time at which all arguments of an op have been assigned, or now
 * if that is later.
 */
static uint64_t
ready_us(const struct plan *plan, const struct op *op, uint64_t now)
{
	const struct var *v;

	for (int i = op->n_ret; i < op->n_ret + op->n_arg; i++) {
		v = &plan->vars[plan->slots[op->first_slot + i]];
		if (v->assigned_at > 0 &&
		    plan->ops[v->assigned_at].end_us > now)
			now = plan->ops[v->assigned_at].end_us;
	}
	return now;
}

/*
 * Runs the dataflow block; each op in turn gets the worker that is free first.
 * Returns the time at which the last op ends.
 */
static uint64_t
run_dataflow(struct plan *plan, uint64_t now, int first_thread)
{
	uint64_t free_us[WORKERS], end_us = now;
	struct op *op;
	int w;

	for (w = 0; w < WORKERS; w++)
		free_us[w] = now + 10 + below(90);
	for (int pc = 3; pc < plan->dataflow_end; pc++) {
		op = &plan->ops[pc];
		w = 0;
		for (int i = 1; i < WORKERS; i++)
			if (free_us[i] < free_us[w])
				w = i;
		op->thread = first_thread + w;
		op->start_us = ready_us(plan, op, free_us[w]) + 1 + below(8);
		op->end_us = pc == plan->call_pc ? run_callee(plan->callee,
		    op->start_us, op->thread) + 3 :
		    op->start_us + duration_of(op);
		free_us[w] = op->end_us;
		if (op->end_us > end_us)
			end_us = op->end_us;
	}
	return end_us;
}

/*
 * Sets the times of all ops; see make_plan() for their pcs.  The first 3 ms are
 * those of the phases before, see add_events().
 */
static void
run(struct plan *plan, uint64_t now, int first_thread)
{
	struct op *head = &plan->ops[0], *dataflow = &plan->ops[2];

	plan->begin_us = now;
	plan->written_us = 0;
	head->thread = dataflow->thread = first_thread;
	head->start_us = now += 3000;
	now = run_in_order(plan, 1, 2, now, first_thread);
	dataflow->start_us = now += 3;
	dataflow->end_us = now = run_dataflow(plan, now, first_thread + 1) + 5;
	now = run_in_order(plan, plan->dataflow_end, plan->n_ops, now,
	    first_thread);
	head->end_us = now + 2;
}

/*
 * Events.
 */

static void
add_event(struct plan *plan, int pc, bool done, uint64_t us)
{
	if (n_events == cap_events) {
		cap_events = cap_events > 0 ? 2 * cap_events : 4096;
		events = resize(events, cap_events, sizeof *events);
	}
	events[n_events] = (struct event){ us, (uint32_t)n_events, plan, pc,
	    done };
	n_events++;
}

/*
 * Adds the events of a plan.  Format P has no start events, but an event for
 * each phase of a query: five before the plan runs, and one after it.
 */
static void
add_events(struct plan *plan)
{
	const struct op *op;

	if (format == 'P' && plan->callee != plan)
		for (int phase = 1; phase <= 6; phase++)
			add_event(plan, -phase, true, phase < 6 ?
			    plan->begin_us + 500 * (uint64_t)phase :
			    plan->ops[0].end_us + 90);
	for (int pc = 0; pc < plan->n_ops; pc++) {
		op = &plan->ops[pc];
		if (format != 'P')
			add_event(plan, pc, false, op->start_us);
		add_event(plan, pc, true, op->end_us);
	}
}

static int
compare_events(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	if (x->sort_us != y->sort_us)
		return x->sort_us < y->sort_us ? -1 : 1;
	return x->sequence < y->sequence ? -1 : 1;
}

/*
 * The earliest sort_us for an event: a result is not used before the event that
 * assigns it is written, and the end of a dataflow block is written after all
 * events of the plan so far.
 */
static uint64_t
earliest_us(const struct event *e)
{
	const struct plan *plan = e->plan;
	const struct op *op = &plan->ops[e->pc];
	const struct var *v;
	uint64_t us = 0;

	if (op->barrier != NULL && e->done)
		return plan->written_us;
	for (int i = op->n_ret; i < op->n_ret + op->n_arg; i++) {
		v = &plan->vars[plan->slots[op->first_slot + i]];
		if (v->assigned_at > 0 &&
		    plan->ops[v->assigned_at].written_us > us)
			us = plan->ops[v->assigned_at].written_us;
	}
	return us;
}

static uint64_t
max_u64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/*
 * Delays one event in 16 of those after pc 2, and every event that would be
 * written before the previous one of its thread, or before earliest_us().
 */
static void
delay(struct event *e, uint64_t *thread_us)
{
	struct op *op = &e->plan->ops[e->pc];

	if (e->pc > 2 && one_in(16))
		e->sort_us += below(400);
	e->sort_us = max_u64(e->sort_us, max_u64(*thread_us, earliest_us(e)));
	if (e->done)
		op->written_us = e->sort_us;
	e->plan->written_us = max_u64(e->plan->written_us, e->sort_us);
	*thread_us = e->sort_us;
}

/*
 * Sorts the events by time, delays some, and sorts again.  The lines are not in
 * the order of their times, because servers read the clock before they lock the
 * stream.
 */
static void
sort_events(void)
{
	uint64_t thread_us[MAX_SERVERS][THREADS] = { { 0 } };
	struct event *e;

	qsort(events, n_events, sizeof *events, compare_events);
	for (size_t i = 0; i < n_events; i++) {
		e = &events[i];
		e->sequence = (uint32_t)i;
		if (e->pc >= 0)
			delay(e, &thread_us[e->plan->server]
			    [e->plan->ops[e->pc].thread]);
	}
	qsort(events, n_events, sizeof *events, compare_events);
}

/*
 * Writing.
 */

static void
put_name(struct text *t, const struct var *v)
{
	char letter[2] = { v->letter, '_' };

	put(t, letter, 2);
	put_u(t, v->number);
}

static void
put_type(struct text *t, const struct var *v)
{
	if (v->kind == BAT)
		PUT(t, "bat[:");
	put_str(t, v->type);
	if (v->kind == BAT)
		PUT(t, "]");
}

static void
put_value(struct text *t, const struct plan *plan, const struct var *v)
{
	put(t, plan->values.p + v->value, v->n_value);
}

/* The number of rows of a variable at this event. */
static uint32_t
count_at(const struct plan *plan, const struct event *e, int slot)
{
	const struct op *op = &plan->ops[e->pc];
	const struct var *v = &plan->vars[plan->slots[op->first_slot + slot]];

	if (slot < op->n_ret)
		return e->done ? v->count : 0;
	return v->count + (op->appends && slot == op->n_ret && e->done ? 1 : 0);
}

/*
 * Writes a variable of a statement: name, value or number of rows, and type.
 * If is_short, writes it as in the key "short": without a BAT's file, the quotes
 * of a date and the type.
 */
static void
put_term(struct text *t, const struct event *e, int slot, bool is_short)
{
	const struct plan *plan = e->plan;
	const struct op *op = &plan->ops[e->pc];
	const struct var *v = &plan->vars[plan->slots[op->first_slot + slot]];
	const char *quote;

	if (v->kind != CONSTANT)
		put_name(t, v);
	if (v->kind == BAT && !is_short && slot < op->n_ret && !e->done)
		PUT(t, "=nil");
	else if (v->kind == BAT) {
		if (!is_short) {
			PUT(t, "=<tmp_");
			put_octal(t, v->bid);
		}
		put_str(t, is_short ? "[" : ">[");
		put_u(t, count_at(plan, e, slot));
		PUT(t, "]");
	} else {
		quote = !is_short && strcmp(v->type, "date") == 0 ? "\"" : "";
		if (v->kind != CONSTANT)
			PUT(t, "=");
		put_str(t, quote);
		put_value(t, plan, v);
		put_str(t, quote);
		if (is_short && v->kind == SCALAR && slot >= op->n_ret)
			PUT(t, " ");
	}
	if (!is_short) {
		PUT(t, ":");
		put_type(t, v);
	}
}

static void
put_terms(struct text *t, const struct event *e, int from, int to,
    bool is_short)
{
	for (int i = from; i < to; i++) {
		if (i > from)
			PUT(t, ", ");
		put_term(t, e, i, is_short);
	}
}

static void
put_results(struct text *t, const struct event *e, bool is_short)
{
	const struct op *op = &e->plan->ops[e->pc];
	const struct plan *plan = e->plan;
	const struct var *first = &plan->vars[plan->slots[op->first_slot]];

	if (op->n_ret == 0 || strcmp(op->function, "pass") == 0 ||
	    strcmp(op->function, "resultSet") == 0 ||
	    (is_short && strcmp(first->type, "void") == 0))
		return;
	if (op->n_ret > 1)
		PUT(t, "(");
	put_terms(t, e, 0, op->n_ret, is_short);
	if (op->n_ret > 1)
		PUT(t, ")");
	put_str(t, is_short && first->kind == BAT ? ":= " : " := ");
}

static void
put_statement(struct text *t, const struct event *e, bool is_short)
{
	const struct op *op = &e->plan->ops[e->pc];

	if (op->operator != NULL) {
		put_str(t, op->operator);
		PUT(t, " user.");
		put_str(t, e->plan->name);
		if (e->pc > 0)
			put_str(t, is_short ? "" : ";");
		else if (is_short)
			PUT(t, "( )");
		else {
			PUT(t, "():");
			put_type(t, &e->plan->vars[e->plan->slots[0]]);
			PUT(t, ";");
		}
		return;
	}
	if (op->barrier != NULL && !is_short)
		PUT(t, "barrier ");
	put_results(t, e, is_short);
	if (!is_short) {
		put_str(t, op->module);
		PUT(t, ".");
	}
	put_str(t, op->function);
	put_str(t, is_short ? "( " : "(");
	put_terms(t, e, op->n_ret, op->n_ret + op->n_arg, is_short);
	put_str(t, !is_short ? ");" : op->n_arg > 0 ? " )" : ")");
}

static void
put_prerequisites(struct text *t, const struct event *e)
{
	const struct op *op = &e->plan->ops[e->pc];
	const char *separator = "";
	const struct var *v;

	PUT(t, ",\"prereq\":[");
	for (int i = op->n_ret; i < op->n_ret + op->n_arg; i++) {
		v = &e->plan->vars[e->plan->slots[op->first_slot + i]];
		if (v->assigned_at <= 0)
			continue;
		put_str(t, separator);
		put_u(t, (uint64_t)v->assigned_at);
		separator = ",";
	}
	PUT(t, "]");
}

static void
put_bat_s(struct text *t, const struct event *e, int slot)
{
	const struct op *op = &e->plan->ops[e->pc];
	const struct var *v;
	uint32_t count = count_at(e->plan, e, slot);

	v = &e->plan->vars[e->plan->slots[op->first_slot + slot]];
	if (slot < op->n_ret && !e->done) {
		PUT(t, ",\"bid\":0,\"count\":0,\"size\":0");
		return;
	}
	if (v->view) {
		put_key_u(t, ",\"view\":\"true\",\"parent\":", v->parent);
		put_key_u(t, ",\"seqbase\":0,\"hghbase\":", count);
	}
	put_key_str(t, ",\"kind\":", v->persistent ? "persistent" :
	    "transient");
	put_key_u(t, ",\"bid\":", v->bid);
	put_key_u(t, ",\"count\":", count);
	put_key_u(t, ",\"size\":", v->size);
}

static void
put_alias(struct text *t, const struct plan *plan, const struct var *v)
{
	if (v->n_alias == 0)
		return;
	PUT(t, ",\"alias\":\"");
	put(t, plan->values.p + v->alias, v->n_alias);
	PUT(t, "\"");
}

static void
put_variable_s(struct text *t, const struct event *e, int slot)
{
	const struct op *op = &e->plan->ops[e->pc];
	const struct var *v;

	v = &e->plan->vars[e->plan->slots[op->first_slot + slot]];
	put_key_u(t, "{\"index\":", (uint64_t)slot);
	PUT(t, ",\"name\":\"");
	put_name(t, v);
	PUT(t, "\"");
	put_alias(t, e->plan, v);
	PUT(t, ",\"type\":\"");
	put_type(t, v);
	PUT(t, "\"");
	if (v->kind == BAT)
		put_bat_s(t, e, slot);
	else {
		PUT(t, ",\"value\":");
		put_quoted(t, e->plan->values.p + v->value, v->n_value);
	}
	put_str(t, v->last_use == e->pc ? ",\"eol\":1}" : ",\"eol\":0}");
}

static void
put_variables_s(struct text *t, const struct event *e, const char *key,
    int from, int to)
{
	put_str(t, key);
	for (int i = from; i < to; i++) {
		if (i > from)
			PUT(t, ",");
		put_variable_s(t, e, i);
	}
	PUT(t, "]");
}

static void
put_statements(struct text *t, const struct event *e)
{
	scratch.n = 0;
	put_statement(&scratch, e, false);
	PUT(t, ",\"stmt\":");
	put_quoted(t, scratch.p, scratch.n);
	scratch.n = 0;
	put_statement(&scratch, e, true);
	PUT(t, ",\"short\":");
	put_quoted(t, scratch.p, scratch.n);
}

static void
put_resources(struct text *t)
{
	put_key_u(t, ",\"rss\":", 400 + n_written / 1024 % 100);
	PUT(t, ",\"size\":0");
	if (one_in(4))
		put_key_u(t, ",\"inblock\":", 1 + below(400));
	if (one_in(400))
		put_key_u(t, ",\"oublock\":", 1 + below(40));
	if (one_in(50))
		put_key_u(t, ",\"majflt\":", 1 + below(4));
	if (one_in(2))
		put_key_u(t, ",\"nvcsw\":", 1 + below(60));
}

static void
write_s(struct text *t, const struct event *e, uint64_t clk_us)
{
	const struct op *op = &e->plan->ops[e->pc];
	const struct server *server = &servers[e->plan->server];
	bool is_end = op->module[0] == '\0';

	PUT(t, "{\"version\":\"11.33.99 (hg id: 0123456789ab)\","
	    "\"source\":\"trace\"");
	put_key_u(t, ",\"clk\":", clk_us);
	put_key_u(t, ",\"ctime\":", server->epoch_us + clk_us);
	put_key_u(t, ",\"thread\":", (uint64_t)op->thread);
	PUT(t, ",\"function\":\"user.");
	put_str(t, e->plan->name);
	put_key_u(t, "\",\"pc\":", (uint64_t)e->pc);
	put_key_u(t, ",\"tag\":", e->plan->tag);
	put_key_str(t, ",\"module\":", op->module);
	put_key_str(t, ",\"instruction\":", is_end ? "" : op->function);
	put_key_str(t, ",\"session\":", server->uuid);
	put_key_str(t, ",\"state\":", e->done ? "done" : "start");
	put_key_u(t, ",\"usec\":", e->done ? op->end_us - op->start_us : 0);
	put_resources(t);
	put_statements(t, e);
	put_prerequisites(t, e);
	put_variables_s(t, e, ",\"ret\":[", 0, op->n_ret);
	if (op->n_arg > 0)
		put_variables_s(t, e, ",\"arg\":[", op->n_ret,
		    op->n_ret + op->n_arg);
	PUT(t, "}\n");
}

static void
put_bat_mp(struct text *t, const struct event *e, int slot)
{
	const struct op *op = &e->plan->ops[e->pc];
	const struct var *v;
	uint32_t bits;
	bool is_unassigned = slot < op->n_ret && !e->done;

	v = &e->plan->vars[e->plan->slots[op->first_slot + slot]];
	if (v->view && !is_unassigned) {
		put_key_u(t, ",\"view\":\"true\",\"parent\":", v->parent);
		PUT(t, ",\"seqbase\":0");
	}
	put_key_str(t, ",\"mode\":", v->persistent ? "persistent" :
	    "transient");
	/* Five flags, from a hash of the variable; nil only without nonil. */
	bits = v->number * UINT32_C(2654435761) >> 27;
	put_key_u(t, ",\"sorted\":", bits & 1);
	put_key_u(t, ",\"revsorted\":", bits >> 1 & 1);
	put_key_u(t, ",\"nonil\":", bits >> 2 & 1);
	put_key_u(t, ",\"nil\":", (bits & 12) == 8);
	put_key_u(t, ",\"key\":", bits >> 4 & 1);
	if (format == 'P' && bits > 28)
		put_key_str(t, ",\"nestimate\":", "12");
	PUT(t, ",\"file\":\"tmp_");
	put_octal(t, is_unassigned ? 0 : v->bid);
	put_key_u(t, "\",\"width\":", width_of(v->type));
	if (strcmp(v->type, "str") == 0)
		put_key_u(t, ",\"vheap\":", 8192 + v->count);
	put_key_u(t, ",\"bid\":", is_unassigned ? 0 : v->bid);
	put_key_u(t, ",\"count\":", count_at(e->plan, e, slot));
	put_key_u(t, ",\"size\":", is_unassigned ? 0 : v->size);
}

/* Values are JSON in format P, and MAL text in a JSON string in format M. */
static void
put_value_mp(struct text *t, const struct plan *plan, const struct var *v)
{
	const char *p = plan->values.p + v->value;
	bool is_string = strcmp(v->type, "str") == 0 && *p == '"';

	PUT(t, ",\"value\":");
	if (format == 'M')
		put_quoted(t, p, v->n_value);
	else if (strcmp(v->type, "BAT") == 0)
		PUT(t, "null");
	else if (strcmp(v->type, "int") == 0)
		put(t, p, v->n_value);
	else if (is_string)
		put_unescaped(t, p, v->n_value);
	else
		put_quoted(t, p, v->n_value);
}

static void
put_variable_mp(struct text *t, const struct event *e, int slot)
{
	const struct op *op = &e->plan->ops[e->pc];
	const struct var *v;

	v = &e->plan->vars[e->plan->slots[op->first_slot + slot]];
	put_key_u(t, slot < op->n_ret ? "{\"ret\":" : "{\"arg\":",
	    (uint64_t)slot);
	PUT(t, ",\"var\":\"");
	put_name(t, v);
	PUT(t, "\"");
	put_alias(t, e->plan, v);
	PUT(t, ",\"type\":\"");
	put_type(t, v);
	PUT(t, "\"");
	if (v->kind == BAT)
		put_bat_mp(t, e, slot);
	else {
		put_str(t, v->kind == CONSTANT ? ",\"const\":1" :
		    ",\"const\":0");
		put_value_mp(t, e->plan, v);
	}
	put_key_u(t, ",\"eol\":",
	    v->last_use > 0 ? (uint64_t)v->last_use : 0);
	PUT(t, "}");
}

static void
put_variables_mp(struct text *t, const struct event *e)
{
	const struct op *op = &e->plan->ops[e->pc];

	if (op->n_ret + op->n_arg == 0)
		return;
	PUT(t, ",\"args\":[");
	for (int i = 0; i < op->n_ret + op->n_arg; i++) {
		if (i > 0)
			PUT(t, ",");
		put_variable_mp(t, e, i);
	}
	PUT(t, "]");
}

static void
put_operation_mp(struct text *t, const struct op *op)
{
	if (op->module[0] != '\0') {
		put_key_str(t, ",\"module\":", op->module);
		put_key_str(t, ",\"function\":", op->function);
	}
	if (op->barrier != NULL)
		put_key_str(t, ",\"barrier\":", op->barrier);
	if (op->operator != NULL)
		put_key_str(t, ",\"operator\":", op->operator);
}

static void
write_m(struct text *t, const struct event *e, uint64_t clk_us)
{
	const struct op *op = &e->plan->ops[e->pc];
	const struct server *server = &servers[e->plan->server];

	PUT(t, "{\"version\":\"11.41.99 (hg id: 0123456789ab)\",\"user\":3");
	put_key_u(t, ",\"clk\":", server->epoch_us + clk_us);
	put_key_u(t, ",\"mclk\":", clk_us);
	put_key_u(t, ",\"thread\":", (uint64_t)op->thread);
	PUT(t, ",\"program\":\"user.");
	put_str(t, e->plan->name);
	put_key_u(t, "\",\"pc\":", (uint64_t)e->pc);
	put_key_u(t, ",\"tag\":", e->plan->tag);
	put_operation_mp(t, op);
	put_key_str(t, ",\"session\":", server->uuid);
	put_key_str(t, ",\"state\":", e->done ? "done" : "start");
	put_key_u(t, ",\"usec\":", e->done ? op->end_us - op->start_us : 0);
	if (op->algorithm != NULL && e->done)
		put_key_str(t, ",\"algorithm\":", op->algorithm);
	put_variables_mp(t, e);
	PUT(t, "}\n");
}

static void
write_phase(struct text *t, const struct event *e)
{
	static const char *const phases[] = {
		"text_to_sql", "sql_to_rel", "rel_opt", "rel_to_mal",
		"mal_opt", "trans_commit"
	};
	const struct plan *plan = e->plan;
	const struct var *v;
	int phase = -e->pc - 1;

	put_key_u(t, "{\"sessionid\":\"", plan->client);
	put_key_u(t, "\", \"clk\":", phase < 5 ? plan->begin_us + 500 *
	    (uint64_t)(phase + 1) : plan->ops[0].end_us + 90);
	put_key_u(t, ", \"thread\":", (uint64_t)plan->ops[0].thread);
	put_key_str(t, ", \"phase\":", phases[phase]);
	if (phase == 0 || phase == 5)
		put_key_u(t, ", \"tstart\":", plan->tag + 20);
	if (phase == 5)
		put_key_u(t, ", \"tend\":", plan->tag + 21);
	put_key_u(t, ", \"tag\":", plan->tag);
	if (phase == 0) {
		v = &plan->vars[plan->slots[plan->ops[1].first_slot + 1]];
		PUT(t, ", \"query\":");
		put_unescaped(t, plan->values.p + v->value, v->n_value);
	}
	put_key_u(t, ", \"usec\":", 20 + below(450));
	PUT(t, "}\n");
}

static void
write_p(struct text *t, const struct event *e, uint64_t clk_us)
{
	const struct op *op;

	if (e->pc < 0) {
		write_phase(t, e);
		return;
	}
	op = &e->plan->ops[e->pc];
	put_key_u(t, "{\"sessionid\":\"", e->plan->client);
	put_key_u(t, "\",\"clk\":", clk_us);
	put_key_u(t, ",\"thread\":", (uint64_t)op->thread);
	put_key_u(t, ",\"phase\":\"mal_engine\",\"pc\":", (uint64_t)e->pc);
	put_key_u(t, ",\"tag\":", e->plan->tag);
	put_operation_mp(t, op);
	put_key_u(t, ",\"usec\":", op->end_us - op->start_us);
	if (op->algorithm != NULL)
		put_key_str(t, ",\"algorithm\":", op->algorithm);
	put_variables_mp(t, e);
	PUT(t, "}\n");
}

static void
write_event(const struct event *e)
{
	uint64_t us = 0;

	if (e->pc >= 0)
		us = e->done ? e->plan->ops[e->pc].end_us :
		    e->plan->ops[e->pc].start_us;
	switch (format) {
	case 'S': write_s(&out, e, us); break;
	case 'M': write_m(&out, e, us); break;
	default: write_p(&out, e, us); break;
	}
	n_written++;
	if (out.n >= 1 << 18)
		flush(&out);
}

/*
 * Rounds.
 */

/*
 * The number of ops of a plan: most plans are small, a third are large.  left
 * is the number of events still wanted; except in format P, an op has two.
 */
static int
pick_size(uint64_t left)
{
	uint32_t n = one_in(3) ? 200 + below(600) : 20 + below(180);

	if (format != 'P')
		left /= 2;
	if (n > left)
		n = (uint32_t)left;
	return n < 20 ? 20 : (int)n;
}

/* lane: the index of a query among those that a server runs concurrently. */
static void
name_plan(struct plan *plan, uint32_t server, uint32_t lane, const char *fmt)
{
	plan->server = server;
	plan->client = server * MAX_PARALLEL + lane;
	plan->tag = servers[server].next_tag++;
	snprintf(plan->name, sizeof plan->name, fmt, plan->tag % 1000);
}

static void
add_query(uint32_t server, uint32_t lane, uint64_t left)
{
	struct plan *plan = &plans[2 * (server * MAX_PARALLEL + lane)];

	name_plan(plan, server, lane, "s%" PRIu32 "_1");
	plan->callee = one_in(4) ? plan + 1 : NULL;
	if (plan->callee != NULL) {
		name_plan(plan + 1, server, lane, "L%" PRIu32);
		plan[1].callee = plan + 1;	/* marks it as a callee */
		make_callee(plan + 1, 6 + (int)below(10));
	}
	make_plan(plan, pick_size(left));
	run(plan, servers[server].now_us + below(20000),
	    1 + (int)(lane * (WORKERS + 1)));
	add_events(plan);
	if (plan->callee != NULL)
		add_events(plan + 1);
}

static uint64_t
latest_end_us(void)
{
	uint64_t us = 0;

	for (size_t i = 0; i < n_events; i++)
		if (events[i].sort_us > us)
			us = events[i].sort_us;
	return us;
}

static void
write_round(uint64_t left)
{
	uint64_t now_us;
	uint32_t n_parallel;

	n_events = 0;
	for (uint32_t server = 0; server < n_servers; server++) {
		n_parallel = 1 + (one_in(3) && left > 1000 ? 1 + below(2) : 0);
		for (uint32_t lane = 0; lane < n_parallel; lane++)
			add_query(server, lane, left);
	}
	now_us = latest_end_us() + 1000;
	for (uint32_t server = 0; server < n_servers; server++)
		servers[server].now_us = now_us;
	sort_events();
	for (size_t i = 0; i < n_events; i++)
		write_event(&events[i]);
}

static void
make_servers(void)
{
	uint64_t a, b;

	for (uint32_t i = 0; i < n_servers; i++) {
		a = next_random();
		b = next_random();
		snprintf(servers[i].uuid, sizeof servers[i].uuid, "%08" PRIx32
		    "-%04" PRIx32 "-4%03" PRIx32 "-8%03" PRIx32 "-%012" PRIx64,
		    (uint32_t)(a >> 32), (uint32_t)a >> 16, (uint32_t)a & 0xfff,
		    (uint32_t)b & 0xfff, b >> 16);
		servers[i].now_us = 1000000;
		servers[i].epoch_us = EPOCH_US + magnitude(10, 30);
		servers[i].next_tag = 2;
	}
}

static void
usage(void)
{
	fputs("usage: mal [-n SERVERS] S|M|P EVENTS [SEED]\n", stderr);
	exit(2);
}

int
main(int argc, char **argv)
{
	uint64_t wanted;
	int c;

	generator = "mal";
	while ((c = getopt(argc, argv, "n:")) != -1) {
		if (c != 'n')
			usage();
		n_servers = (uint32_t)number(optarg, 1, MAX_SERVERS);
	}
	if (argc - optind < 2 || argc - optind > 3 ||
	    strlen(argv[optind]) != 1 || strchr("SMP", *argv[optind]) == NULL)
		usage();
	format = *argv[optind];
	wanted = number(argv[optind + 1], 1, UINT64_C(10000000000));
	if (argc - optind == 3)
		random_state = number(argv[optind + 2], 0, UINT64_MAX);

	plans = calloc(2 * MAX_PARALLEL * n_servers, sizeof *plans);
	if (plans == NULL)
		fail("out of memory");
	make_servers();
	while (n_written < wanted)
		write_round(wanted - n_written);
	flush(&out);
	if (fclose(stdout) != 0)
		fail("cannot write: %s", strerror(errno));
	fprintf(stderr, "%" PRIu64 " events\n", n_written);
	return 0;
}
