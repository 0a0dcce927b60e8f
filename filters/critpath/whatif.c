/* whatif - finds the tasks that options refer to, and changes their times */

#include <stdlib.h>
#include <string.h>

#include "common/base/err.h"
#include "common/base/mem.h"
#include "common/build/build-names.h"
#include "filters/critpath/keys.h"
#include "filters/critpath/whatif.h"

bool
whatif_read_time(const char *text, int64_t *us)
{
	static const struct { const char *name; double us; } units[] = {
		{ "us", 1 }, { "ms", 1e3 }, { "s", 1e6 }, { "m", 60e6 },
		{ "h", 3600e6 }
	};
	const size_t n_units = sizeof units / sizeof *units;
	const char *unit = text + strspn(text, "0123456789.");
	char number[32], *end;
	double value;
	size_t i = 0;

	/* strtod() alone would accept 0x10, 1e3 and infinity. */
	if (unit == text || (size_t)(unit - text) >= sizeof number)
		return false;
	memcpy(number, text, (size_t)(unit - text));
	number[unit - text] = '\0';
	value = strtod(number, &end);
	if (*end != '\0')
		return false;
	if (value > 0 || *unit != '\0') {
		while (i < n_units && strcmp(unit, units[i].name) != 0)
			i++;
		if (i == n_units)
			return false;
		value *= units[i].us;
	}
	/* Integers in records must be below 2^53, about 9.007e15. */
	if (!(value >= 0 && value < 9e15))
		return false;
	*us = (int64_t)(value + 0.5);
	return true;
}

/* Splits the value "A=B" of an option at this '='.  Returns B. */
static const char *
split_at(const char *equals, const char *option, const char *text,
    struct span *left)
{
	if (equals == NULL)
		die("--%s takes A=B, not '%s'", option, text);
	*left = span_of(text, (size_t)(equals - text));
	return equals + 1;
}

/*
 * Returns whether text is "OWN", which refers to all attempts at a task, or
 * "OWN#2", which refers only to the second attempt.  put writes the latter form
 * for the vertex.
 */
static bool
is_own(const struct network *net, uint32_t v, struct span text, struct span own,
    void (*put)(const struct network *, uint32_t, struct buf *))
{
	struct buf full = { 0 };
	bool matches = text.n >= own.n && memcmp(text.p, own.p, own.n) == 0;

	if (matches && text.n > own.n) {
		put(net, v, &full);
		matches = span_compare(buf_span(&full), text) == 0;
		buf_release(&full);
	}
	return matches;
}

/* Marks every vertex to which the id refers, and returns their number. */
static size_t
mark_id(const struct network *net, struct span id, bool *marks)
{
	const struct intern *names = &net->build->names;
	size_t n = 0;

	for (uint32_t v = 0; v < net->n_vertices; v++)
		if (is_own(net, v, id, intern_span(names, network_id(net, v)),
		    network_put_id)) {
			marks[v] = true;
			n++;
		}
	return n;
}

/*
 * The two smallest of the ids that were added: least[0] < least[1].  Start with
 * SYM_NONE in both.
 */
static void
add_least(const struct intern *names, sym least[2], sym id)
{
	if (id == least[0] || id == least[1])
		return;
	if (least[0] == SYM_NONE || intern_cmp(names, id, least[0]) < 0) {
		least[1] = least[0];
		least[0] = id;
	} else if (least[1] == SYM_NONE ||
	    intern_cmp(names, id, least[1]) < 0) {
		least[1] = id;
	}
}

/*
 * Marks every vertex to which a name refers, and returns their number.  The
 * name must be that of a single task.  Copies have the name of what they copy,
 * and are found only by their ids.
 */
static size_t
mark_name(const struct network *net, struct span name, bool *marks)
{
	sym least[2] = { SYM_NONE, SYM_NONE };
	const struct task *t;
	size_t n = 0;

	for (uint32_t v = 0; v < net->n_tasks; v++) {
		t = network_task(net, v);
		if (t->kind == net->build->copy || !is_own(net, v, name,
		    build_name(net->build, t), network_put_name))
			continue;
		add_least(&net->build->names, least, t->id);
		marks[v] = true;
		n++;
	}
	if (least[1] != SYM_NONE)
		die("'%.*s' is the name of several tasks, such as '%s' and "
		    "'%s': use an id", SPAN_ARG(name),
		    intern_str(&net->build->names, least[0]),
		    intern_str(&net->build->names, least[1]));
	return n;
}

size_t
whatif_mark(const struct network *net, struct span text, bool *marks)
{
	size_t n = mark_id(net, text, marks);

	return n > 0 ? n : mark_name(net, text, marks);
}

size_t
whatif_set(struct network *net, const char *text)
{
	bool *marks = mem_zero(net->n_vertices, sizeof *marks);
	struct span id;
	const char *time = split_at(strrchr(text, '='), "set", text, &id);
	int64_t us;
	size_t n = 0;

	if (!whatif_read_time(time, &us))
		die("'%s' is not a time: 0, 90ms, 2.5s, 3m or 1h", time);
	whatif_mark(net, id, marks);
	for (uint32_t v = 0; v < net->n_tasks; v++)
		if (marks[v]) {
			net->dag.weight[v] = us;
			n++;
		}
	free(marks);
	return n;
}

void
whatif_add_key(const char *text)
{
	struct span name;

	split_at(strchr(text, '='), "drop", text, &name);
	keys_add(name);
}

size_t
whatif_drop(struct network *net, const char *text)
{
	struct span name;
	const char *value = split_at(strchr(text, '='), "drop", text, &name);
	unsigned key = keys_add(name);
	size_t n = 0;

	for (uint32_t v = 0; v < net->n_tasks; v++) {
		if (!span_eq(keys_value(net->build, network_task(net, v), key),
		    value))
			continue;
		net->dag.weight[v] = 0;
		n++;
	}
	return n;
}
