/* build-names - describes tasks: their rules, targets and names */

#include <string.h>

#include "common/base/buf.h"
#include "common/build/build-names.h"
#include "common/build/build.h"
#include "common/json/json.h"
#include "common/report/report-values.h"
#include "common/report/report.h"
#include "common/report/table.h"

/* The id of the node that describes a task: of a copy, what is copied. */
static sym
node_id(const struct build *b, const struct task *t)
{
	return t->kind == b->copy ? t->uid : t->id;
}

sym
build_rule(const struct build *b, const struct task *t)
{
	uint32_t node;

	if (t->rule != SYM_NONE)
		return t->rule;
	node = build_find_node(b, node_id(b, t));
	return node == INDEX_NONE ? SYM_NONE : b->nodes[node].rule;
}

/* The value of a task, by the number of its column. */
static sym
value_of(const struct build *b, const struct task *t, unsigned number)
{
	const struct columns *c = &b->labels.task_values;
	sym smallest = columns_get(c, number, (size_t)(t - b->tasks)), value;

	if (smallest != SYM_NONE)
		return smallest;
	for (uint32_t i = build_find_task(b, t->id); i != INDEX_NONE;
	    i = b->tasks[i].next) {
		value = columns_get(c, number, i);
		if (smallest == SYM_NONE || (value != SYM_NONE &&
		    intern_cmp(&b->names, value, smallest) < 0))
			smallest = value;
	}
	return smallest != SYM_NONE ? smallest :
	    columns_get(&b->labels.node_values, number,
	    build_find_node(b, node_id(b, t)));
}

sym
build_target(const struct build *b, const struct task *t)
{
	return value_of(b, t, 0);
}

sym
build_value(const struct build *b, const struct task *t, unsigned kept)
{
	return value_of(b, t, 1 + kept);
}

bool
build_has_value(const struct build *b, unsigned kept)
{
	const struct columns *c = &b->labels.task_values;

	return 1 + kept < c->n && c->list[1 + kept].n > 0;
}

/*
 * A name, valid until the next call.  Names are not interned: nearly all
 * differ, and only those in the answer are read.
 */
static struct span
name_at(const struct build *b, uint32_t place)
{
	static struct buf name;

	texts_get(&b->labels.name_texts, place, &name);
	return buf_span(&name);
}

/* The place of the name of an id in name_texts; INDEX_NONE: it has none. */
static uint32_t
find_name(const struct build *b, sym id)
{
	uint32_t name = column_get(&b->labels.task_names,
	    build_find_task(b, id));
	uint32_t node = build_find_node(b, id);

	if (name != INDEX_NONE || node == INDEX_NONE ||
	    (b->nodes[node].flags & (NODE_IS_OUTPUT | NODE_HAS_NAME)) ==
	    NODE_IS_OUTPUT)
		return name;
	return column_get(&b->labels.node_names, node);
}

static uint32_t
find_task_name(const struct build *b, const struct task *t)
{
	uint32_t name = find_name(b, t->id);

	return name == INDEX_NONE && t->kind == b->copy ?
	    find_name(b, t->uid) : name;
}

struct span
build_name_of_id(const struct build *b, sym id)
{
	uint32_t name = find_name(b, id);

	return name != INDEX_NONE ? name_at(b, name) :
	    intern_span(&b->names, id);
}

struct span
build_name(const struct build *b, const struct task *t)
{
	uint32_t name = find_task_name(b, t);

	if (name != INDEX_NONE)
		return name_at(b, name);
	return intern_span(&b->names, t->kind == b->copy &&
	    t->uid != SYM_NONE ? t->uid : t->id);
}

void
build_emit_id(const struct build *b, const struct task *t, struct buf *to)
{
	struct buf id = { 0 };

	build_put_id(b, t, &id);
	json_str(to, "id", buf_span(&id));
	buf_release(&id);
}

void
build_emit_name(const struct build *b, const struct task *t, struct buf *to)
{
	uint32_t name = find_task_name(b, t);

	if (name != INDEX_NONE)
		json_str(to, "name", name_at(b, name));
}

void
build_emit_task(const struct build *b, const struct task *t, struct buf *to)
{
	bool is_copy = t->kind == b->copy;
	const struct { const char *key; sym value; } members[] = {
		{ "kind", t->kind }, { "rule", build_rule(b, t) },
		{ "target", build_target(b, t) },
		{ "uid", is_copy ? t->uid : SYM_NONE },
		{ "consumer", is_copy ? t->consumer : SYM_NONE },
		{ "host", t->host }
	};

	build_emit_id(b, t, to);
	build_emit_name(b, t, to);
	for (size_t i = 0; i < sizeof members / sizeof *members; i++)
		json_sym(to, members[i].key, &b->names, members[i].value);
}

void
build_put_run(const struct build *b, struct buf *to)
{
	struct buf name = { 0 };

	if (b->run_name == NULL)
		return;
	report_text(&name, span_str(b->run_name));
	if (to->len > 0)
		report_blank(to);
	report_heading(to, "Run %s", buf_cstr(&name));
	report_blank(to);
	buf_release(&name);
}

void
build_put_id(const struct build *b, const struct task *t, struct buf *to)
{
	struct span id = intern_span(&b->names, t->id);

	buf_add(to, id.p, id.n);
	if (t->attempt > 1)
		buf_printf(to, "#%u", (unsigned)t->attempt);
}

void
build_put_name(const struct build *b, const struct task *t, struct buf *to)
{
	struct span name = build_name(b, t);

	buf_add(to, name.p, name.n);
	if (t->attempt > 1)
		buf_printf(to, "#%u", (unsigned)t->attempt);
}

/* Whether a name such as "build net/http" begins with the word `rule`. */
static bool
begins_with_rule(struct span name, const char *rule)
{
	size_t n = strlen(rule);

	return span_begins_with(name, rule) &&
	    (name.n == n || name.p[n] == ' ');
}

/* What precedes the name in a description. */
static void
put_before_name(const struct build *b, const struct task *t, struct buf *to)
{
	uint32_t node = build_find_node(b, t->id);
	sym word = build_rule(b, t);

	if (t->kind == b->copy && t->uid != SYM_NONE) {
		buf_str(to, "copy of ");
		return;
	}
	if (word == SYM_NONE && t->kind != b->run)
		word = t->kind;
	if (word == SYM_NONE || t->kind == b->prepare ||
	    begins_with_rule(build_name(b, t), intern_str(&b->names, word)))
		return;
	if (node != INDEX_NONE && find_name(b, t->id) == INDEX_NONE &&
	    (b->nodes[node].flags & NODE_IS_OUTPUT) != 0)
		return;
	buf_str(to, intern_str(&b->names, word));
	buf_char(to, ' ');
}

static void
put_after_name(const struct build *b, const struct task *t, struct buf *to)
{
	if (t->host != SYM_NONE) {
		buf_str(to, t->kind == b->copy && t->uid != SYM_NONE ?
		    " to " : " on ");
		buf_str(to, intern_str(&b->names, t->host));
	}
	if ((t->flags & TASK_CACHED) != 0)
		buf_str(to, " (from the cache)");
	if ((t->flags & TASK_FAILED) != 0)
		buf_str(to, " (failed)");
	if (task_is_unfinished(t))
		buf_str(to, " (unfinished)");
}

void
build_describe(const struct build *b, const struct task *t, struct buf *to)
{
	put_before_name(b, t, to);
	build_put_name(b, t, to);
	put_after_name(b, t, to);
}

void
build_put_cell(const struct build *b, const struct task *t, struct table *table)
{
	struct buf text = { 0 };
	size_t from, end;

	put_before_name(b, t, &text);
	from = text.len;
	build_put_name(b, t, &text);
	end = text.len;
	put_after_name(b, t, &text);
	table_name(table, buf_span(&text), from, end);
	buf_release(&text);
}

int
build_compare_tasks(const struct build *b, const struct task *x,
    const struct task *y)
{
	return intern_cmp(&b->names, x->id, y->id) ?:
	    (int)x->attempt - (int)y->attempt;
}

/*
 * The extension of the file whose path is the name of the task or, if the name
 * has no extension, the kind of the task.
 */
static sym
extension_of(struct build *b, const struct task *t)
{
	struct span name = build_name(b, t);
	size_t i = name.n;

	while (i > 0 && name.p[i - 1] != '.' && name.p[i - 1] != '/')
		i--;
	/* i is one past the last '.' or '/'; a '.' that begins the file's name,
	   as in ".config", does not begin an extension. */
	if (i < 2 || name.p[i - 1] == '/' || name.p[i - 2] == '/' ||
	    i == name.n)
		return t->kind;
	return intern_add(&b->names, span_of(name.p + i - 1, name.n - i + 1));
}

sym
build_type(struct build *b, const struct task *t)
{
	sym rule;

	if (t->kind == b->copy || t->kind == b->prepare)
		return t->kind;
	rule = build_rule(b, t);
	return rule != SYM_NONE ? rule : extension_of(b, t);
}
