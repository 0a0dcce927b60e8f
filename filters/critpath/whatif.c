/* whatif - finds the tasks that options refer to, and changes their times */

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/err.h"
#include "common/base/mem.h"
#include "common/build/build-names.h"
#include "filters/critpath/critpath.h"

/* Reads digits with an optional point.  strtod() alone would accept 0x1e3. */
static bool
read_decimal(const char **p, double *value)
{
	size_t n = strspn(*p, "0123456789.");
	char number[32], *end;

	if (n == 0 || n >= sizeof number)
		return false;
	memcpy(number, *p, n);
	number[n] = '\0';
	*value = strtod(number, &end);
	*p += n;
	return *end == '\0';
}

bool
whatif_read_time(const char *text, int64_t *us)
{
	static const struct { const char *name; double us; } units[] = {
		{ "h", 3600e6 }, { "ms", 1e3 }, { "m", 60e6 }, { "s", 1e6 },
		{ "us", 1 }
	};
	const size_t n_units = sizeof units / sizeof *units;
	double number, sum = 0, last_us = INFINITY;
	size_t i;

	*us = 0;
	if (strcmp(text, "0") == 0)
		return true;
	do {
		if (!read_decimal(&text, &number))
			return false;
		for (i = 0; i < n_units && strncmp(text, units[i].name,
		    strlen(units[i].name)) != 0; i++)
			;
		/* The units of "1h5m30s" become smaller. */
		if (i == n_units || units[i].us >= last_us)
			return false;
		text += strlen(units[i].name);
		last_us = units[i].us;
		sum += number * last_us;
	} while (*text != '\0');
	/* Integers in records must be below 2^53, about 9.007e15. */
	if (!(sum >= 0 && sum < 9e15))
		return false;
	*us = (int64_t)(sum + 0.5);
	return true;
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

size_t
whatif_mark(const struct network *net, struct span text, bool *marks)
{
	const struct intern *names = &net->build->names;
	sym least[2] = { SYM_NONE, SYM_NONE };
	const struct task *t;
	size_t n = 0;

	for (uint32_t v = 0; v < net->n_vertices; v++)
		if (is_own(net, v, text, intern_span(names, network_id(net,
		    v)), network_put_id)) {
			marks[v] = true;
			n++;
		}
	if (n > 0)
		return n;

	/*
	 * A name must be that of a single task.  Copies have the name of what
	 * they copy, and are found only by their ids.
	 */
	for (uint32_t v = 0; v < net->n_tasks; v++) {
		t = network_task(net, v);
		if (t->kind == net->build->copy || !is_own(net, v, text,
		    build_name(net->build, t), network_put_name))
			continue;
		add_least(names, least, t->id);
		marks[v] = true;
		n++;
	}
	if (least[1] != SYM_NONE)
		die("'%.*s' is the name of several tasks, such as '%s' and "
		    "'%s': use an id", SPAN_ARG(text),
		    intern_str(names, least[0]), intern_str(names, least[1]));
	return n;
}

size_t
whatif_set(struct network *net, const char *option, const char *text)
{
	bool *marks = mem_zero(net->n_vertices, sizeof *marks);
	const char *equals = strrchr(text, '=');
	int64_t us;
	size_t n = 0;

	if (equals == NULL)
		die("--%s takes A=B, not '%s'", option, text);
	if (!whatif_read_time(equals + 1, &us))
		die("'%s' is not a time: 0, 90ms, 2.5s, 3m or 1h", equals + 1);
	whatif_mark(net, span_of(text, (size_t)(equals - text)), marks);
	for (uint32_t v = 0; v < net->n_tasks; v++)
		if (marks[v]) {
			net->dag.weight[v] = us;
			n++;
		}
	free(marks);
	return n;
}

/* The parts of the value KEY=VALUE or KEY=VALUE=NUMBER of an option. */
struct selection {
	unsigned key;
	struct span value;
	double number;		/* at least 0 */
};

static struct selection
read_selection(const char *option, const char *text)
{
	bool has_number = strcmp(option, "drop") != 0;
	const char *value = strchr(text, '='), *number = strrchr(text, '=');
	struct selection s = { 0 };
	const char *p;

	if (value == NULL || (has_number && number == value))
		die("--%s takes %s, not '%s'", option, has_number ?
		    "KEY=VALUE=NUMBER" : "KEY=VALUE", text);
	s.key = keys_add(span_of(text, (size_t)(value - text)));
	value++;
	s.value = span_of(value, has_number ? (size_t)(number - value) :
	    strlen(value));
	if (!has_number)
		return s;
	p = number + 1;
	if (!read_decimal(&p, &s.number) || *p != '\0' || s.number > 1e6)
		die("--%s: '%s' is not a number from 0 to 1000000", option,
		    number + 1);
	return s;
}

void
whatif_add_key(const char *option, const char *text)
{
	read_selection(option, text);
}

/*
 * Marks the tasks that have the value or, if there is none, those whose value
 * matches it as a pattern of the shell.  Returns their number.
 */
static size_t
mark_value(const struct network *net, const struct selection *s, bool *marks)
{
	char *pattern = mem_strndup(s->value.p, s->value.n), *text;
	struct span value;
	size_t n = 0;

	for (int is_pattern = 0; is_pattern < 2 && n == 0; is_pattern++) {
		for (uint32_t v = 0; v < net->n_tasks; v++) {
			value = keys_value(net->build, network_task(net, v),
			    s->key);
			/* A task without the key has no value. */
			if (value.n == 0)
				continue;
			if (is_pattern) {
				text = mem_strndup(value.p, value.n);
				marks[v] = fnmatch(pattern, text, 0) == 0;
				free(text);
			} else {
				marks[v] = span_compare(value, s->value) == 0;
			}
			n += marks[v];
		}
	}
	free(pattern);
	return n;
}

size_t
whatif_scale(struct network *net, const char *option, const char *text)
{
	struct selection s = read_selection(option, text);
	bool *marks = mem_zero(net->n_vertices, sizeof *marks);
	size_t n = mark_value(net, &s, marks);
	double us;

	for (uint32_t v = 0; v < net->n_tasks; v++) {
		us = (double)net->dag.weight[v] * s.number;
		if (marks[v] && us >= 9e15)
			die("--scale makes a task longer than 285 years");
		if (marks[v])
			net->dag.weight[v] = (int64_t)(us + 0.5);
	}
	free(marks);
	return n;
}

size_t
whatif_limit(const struct network *net, const char *text,
    struct dag_limits *limits)
{
	struct selection s = read_selection("limit", text);
	bool *marks = mem_zero(net->n_vertices, sizeof *marks);
	size_t n = mark_value(net, &s, marks);

	if (s.number < 1)
		die("--limit: at least 1 task must be able to run");
	if (limits->of == NULL)
		limits->of = mem_ones(net->n_vertices, sizeof *limits->of);
	limits->most = mem_resize(limits->most, limits->n + 1,
	    sizeof *limits->most);
	for (uint32_t v = 0; v < net->n_tasks; v++)
		if (marks[v] && limits->of[v] == INDEX_NONE)
			limits->of[v] = (uint32_t)limits->n;
	limits->most[limits->n++] = (uint64_t)s.number;
	free(marks);
	return n;
}
