/* log - reads what the recorder has logged */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/err.h"
#include "common/build/column.h"
#include "common/filter/filter-reject.h"
#include "common/filter/filter.h"
#include "filters/make-record/graph.h"
#include "filters/make-record/log.h"

enum { MAKE_FIELDS = 3, FLAGS_FIELDS = 5, START_FIELDS = 7, END_FIELDS = 5,
    FIELDS_MAX = 7 };

/* A record: its fields after the letter; the rest of a D is rules. */
struct record {
	char *fields[FIELDS_MAX];
	size_t n;
	char *end;
};

static struct {
	struct graph *graph;
	struct intern processes;	/* of makes: "MAKE PID" */
	struct column line_of;		/* by process: the line that it runs */
	struct column make_of;		/* by id */
	struct buf text;
} state;

/*
 * The path of a name in a directory, which is absolute.  Resolves . and .. as
 * text.
 */
static sym
path_of(const char *directory, struct span name)
{
	struct buf *b = &state.text;
	const char *p, *end;
	size_t n;

	b->len = 0;
	for (int part = name.n > 0 && name.p[0] == '/'; part < 2; part++) {
		p = part == 0 ? directory : name.p;
		end = part == 0 ? p + strlen(p) : p + name.n;
		for (; p < end; p += n) {
			if (*p == '/') {
				n = 1;
				continue;
			}
			for (n = 1; p + n < end && p[n] != '/'; n++)
				;
			if (n == 1 && p[0] == '.')
				continue;
			if (n == 2 && p[0] == '.' && p[1] == '.') {
				while (b->len > 0 && b->data[--b->len] != '/')
					;
				continue;
			}
			buf_char(b, '/');
			buf_add(b, p, n);
		}
	}
	/* make takes "d" and "d/" for two targets. */
	if (name.n > 0 && name.p[name.n - 1] == '/')
		buf_char(b, '/');
	return intern_add(&state.graph->texts, buf_span(b));
}

/* Adds prerequisites, which blanks separate.  | is before order-only ones. */
static void
add_names(uint32_t target, const char *directory, const char *p)
{
	struct span name;

	for (; *p != '\0'; p += name.n) {
		p += strspn(p, " \t");
		name = span_of(p, strcspn(p, " \t"));
		if (name.n > 0 && !span_eq(name, "|"))
			graph_add_name(state.graph, target,
			    span_eq(name, ".WAIT") ? SYM_NONE :
			    path_of(directory, name));
	}
}

static uint32_t
find_make(const char *id)
{
	return column_get(&state.make_of,
	    intern_add(&state.graph->texts, span_str(id)));
}

static const char *
directory_of(uint32_t make)
{
	return intern_str(&state.graph->texts,
	    state.graph->makes[make].directory);
}

static bool
read_make(const struct record *r)
{
	struct graph *g = state.graph;
	struct make *m;

	if (r->n != MAKE_FIELDS)
		return false;
	column_set(&state.make_of, intern_add(&g->texts,
	    span_str(r->fields[0])), (uint32_t)g->n_makes);
	g->makes = mem_grow(g->makes, &g->makes_cap, g->n_makes + 1,
	    sizeof *g->makes);
	m = &g->makes[g->n_makes++];
	*m = (struct make){ .n_jobs = 1, .first_target = INDEX_NONE,
	    .start_us = INT_UNKNOWN, .end_us = INT_UNKNOWN };
	m->line = intern_add(&g->texts, span_str(r->fields[1]));
	m->directory = intern_add(&g->texts, span_str(r->fields[2]));
	return true;
}

/*
 * Reads the options in MAKEFLAGS.  The first word may be letters of options
 * without values; after "--" come variables.
 */
static bool
read_flags(const struct record *r)
{
	uint32_t index = r->n > 0 ? find_make(r->fields[0]) : INDEX_NONE;
	struct make *m;
	char *save, *word;
	uint64_t n;

	if (r->n != FLAGS_FIELDS || index == INDEX_NONE)
		return false;
	m = &state.graph->makes[index];
	text_u64(span_str(r->fields[1]), &m->jobserver);
	m->has_own_jobs = r->fields[2][0] == '1';
	m->shares_fifo = strstr(r->fields[4], "jobserver-fifo") != NULL;
	for (word = strtok_r(r->fields[3], " ", &save);
	    word != NULL && strcmp(word, "--") != 0;
	    word = strtok_r(NULL, " ", &save)) {
		if (strncmp(word, "-j", 2) == 0)
			m->n_jobs = text_u64(span_str(word + 2), &n) ?
			    (uint32_t)n : 0;
		m->has_load_limit |= strncmp(word, "-l", 2) == 0;
		m->shares_fifo &= strcmp(word, "--jobserver-style=pipe") != 0;
	}
	return true;
}

static sym
process_of(const char *make, const char *pid)
{
	state.text.len = 0;
	buf_printf(&state.text, "%s %s", make, pid);
	return intern_add(&state.processes, buf_span(&state.text));
}

static bool
read_start(const struct record *r, bool is_function)
{
	struct graph *g = state.graph;
	uint32_t make = r->n > 0 ? find_make(r->fields[0]) : INDEX_NONE;
	int64_t start_us;
	struct recipe_line *line;

	if (r->n != START_FIELDS || make == INDEX_NONE ||
	    !text_i64(span_str(r->fields[3]), &start_us))
		return false;
	column_set(&state.line_of, process_of(r->fields[0], r->fields[2]),
	    (uint32_t)g->n_lines);
	g->lines = mem_grow(g->lines, &g->lines_cap, g->n_lines + 1,
	    sizeof *g->lines);
	line = &g->lines[g->n_lines++];
	*line = (struct recipe_line){ .is_function = is_function,
	    .start_us = start_us, .end_us = INT64_MAX, .next = INDEX_NONE };
	state.text.len = 0;
	buf_printf(&state.text, "%s.%s", r->fields[0], r->fields[1]);
	line->id = intern_add(&g->texts, buf_span(&state.text));
	line->target = graph_target(g, path_of(directory_of(make),
	    span_str(r->fields[4])), make);
	/* If make ends by itself, it will log the same and more. */
	if (g->targets[line->target].first_name == INDEX_NONE) {
		add_names(line->target, directory_of(make), r->fields[5]);
		add_names(line->target, directory_of(make), r->fields[6]);
	}
	return true;
}

/* The process may be a $(shell) that belongs to no line. */
static bool
read_end(const struct record *r)
{
	int64_t end_us, cpu_us, status;
	struct recipe_line *line;
	uint32_t index;
	sym process;

	if (r->n != END_FIELDS || !text_i64(span_str(r->fields[2]), &end_us) ||
	    !text_i64(span_str(r->fields[3]), &cpu_us) ||
	    !text_i64(span_str(r->fields[4]), &status))
		return false;
	process = process_of(r->fields[0], r->fields[1]);
	index = column_get(&state.line_of, process);
	if (index == INDEX_NONE)
		return true;
	line = &state.graph->lines[index];
	line->end_us = end_us < line->start_us ? line->start_us : end_us;
	line->cpu_us = cpu_us;
	line->status = (int)status;
	column_set(&state.line_of, process, INDEX_NONE);
	return true;
}

/* Reads "TARGET: PREREQUISITE..."; returns the target. */
static uint32_t
read_rule(uint32_t make, const char *rule)
{
	struct graph *g = state.graph;
	const char *directory = directory_of(make), *colon = rule;
	struct target *t;
	uint32_t target;

	/* A name may have a colon, but no blank after it. */
	do
		colon = strchr(colon + 1, ':');
	while (colon != NULL && colon[1] != '\0' && colon[1] != ' ');
	if (colon == NULL)
		return INDEX_NONE;
	target = graph_target(g, path_of(directory, span_of(rule,
	    (size_t)(colon - rule) - (colon[-1] == ':'))), make);
	t = &g->targets[target];
	if (!t->has_rule)
		t->first_name = INDEX_NONE;
	t->has_rule = true;
	if (strcmp(rule, ".NOTPARALLEL:") == 0)
		g->makes[make].is_serial = true;
	add_names(target, directory, colon + 1);
	return target;
}

static bool
read_rules(const struct record *r)
{
	uint32_t make = r->n > 0 ? find_make(r->fields[0]) : INDEX_NONE;
	uint32_t target = INDEX_NONE;
	struct span name;

	if (make == INDEX_NONE)
		return false;
	for (char *p = r->fields[0] + strlen(r->fields[0]) + 1; p < r->end;
	    p += strlen(p) + 1) {
		if (p[0] == '+' && target != INDEX_NONE)
			state.graph->targets[target].shares_jobserver = true;
		if (p[0] != '#' && p[0] != '+')
			target = read_rule(make, p);
		if (p[0] != '#')
			continue;
		for (const char *q = strchr(p, ':') + 1; *q != '\0';
		    q = name.p + name.n) {
			q += strspn(q, " ");
			name = span_of(q, strcspn(q, " "));
			if (target != INDEX_NONE && name.n > 0)
				graph_add_also(state.graph, target,
				    graph_target(state.graph, path_of(
				    directory_of(make), name), make));
		}
	}
	return true;
}

/* Reads a record; p is ended by NUL and newline, or is not whole. */
static void
read_record(struct filter *f, char *p, size_t n)
{
	struct record r = { .end = p + n - 1 };
	bool is_whole = n > 2 && p[1] == '\0' && p[n - 1] == '\n' &&
	    p[n - 2] == '\0';

	if (is_whole && (p[0] == 'I' || p[0] == 'U')) {
		if (p[0] == 'I')
			filter_fail(f, "a make that has a variable IFS is not "
			    "recorded");
		else
			filter_fail(f, "what '%s' runs cannot be followed",
			    p + 2);
		return;
	}
	for (char *q = p + 2; is_whole && q < r.end && r.n < FIELDS_MAX;
	    q += strlen(q) + 1)
		r.fields[r.n++] = q;
	if (!is_whole || !(p[0] == 'M' ? read_make(&r) :
	    p[0] == 'S' || p[0] == 'F' ? read_start(&r, p[0] == 'F') :
	    p[0] == 'E' ? read_end(&r) : p[0] == 'J' ? read_flags(&r) :
	    p[0] == 'D' && read_rules(&r)))
		filter_fail(f, "a record of the log is damaged");
}

void
log_read(struct filter *f, const char *path, struct graph *g)
{
	FILE *log = fopen(path, "r");
	char *text = NULL;
	size_t cap = 0;
	ssize_t n;

	state.graph = g;
	intern_init(&state.processes);
	if (log == NULL && err_is_failure(errno))
		die_errno("cannot open '%s'", path);
	if (log == NULL) {
		filter_fail(f, "the log '%s' has disappeared", path);
		return;
	}
	while ((n = getline(&text, &cap, log)) > 0)
		read_record(f, text, (size_t)n);
	if (!feof(log))
		die_errno("cannot read '%s'", path);
	free(text);
	fclose(log);

	intern_release(&state.processes);
	free(state.line_of.values);
	free(state.make_of.values);
	buf_release(&state.text);
}
