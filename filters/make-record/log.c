/* log - sums the recipe lines of each target, and writes tasks */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/err.h"
#include "common/base/intern.h"
#include "common/filter/filter-reject.h"
#include "common/filter/filter.h"
#include "filters/make-record/log.h"

/* The fields of a line that shell.c writes; names follow, "|" among them. */
enum { ID, PARENT, MAKE, START, END, CPU, STATUS, DIRECTORY, TARGET, N_FIELDS };

/* A recipe line, in the order in which they ended. */
struct log_line {
	uint32_t task;
	sym parent;		/* the line that runs this make, or SYM_NONE */
	int64_t start_us, end_us, cpu_us;
	int status;
	bool runs_make;		/* its time is that of the lines of this make */
};

/* A target of one make process. */
struct task {
	sym path, make;
	uint32_t last_line;
	uint32_t number;	/* among the tasks with this path, from 1 */
	uint32_t previous;	/* the previous one of them, or INDEX_NONE */
	uint32_t parent;	/* the task whose line runs this make */
	uint32_t first_child, next_sibling;	/* by parent */
	uint32_t mark;		/* of the last list that contains it */
	int64_t start_us, end_us, elapsed_us, cpu_us;
	int status;		/* of the last line */
	size_t names, n_names;	/* of its prerequisites, see state.names */
	bool has_start;		/* see put_start() */
};

static struct {
	struct intern paths, makes, line_ids, keys;
	uint32_t *newest;	/* task with a path, by symbol */
	size_t newest_cap;
	uint32_t *line_of;	/* line with an id, by symbol */
	size_t line_of_cap;
	struct log_line *lines;
	size_t n_lines, lines_cap;
	struct task *tasks;	/* indexed by the symbol in keys */
	size_t n_tasks, tasks_cap;
	/*
	 * Prerequisites, as pairs of a path and the index plus 1 of the next
	 * pair of the same task: a double-colon target has several lists.
	 */
	struct name { sym path; size_t next; } *names;
	size_t n_names, names_cap;
	char *top;		/* the directory of make-record */
	size_t top_length;
	struct buf text;
	bool any_make;
	char run[64];
} state;

/* --- names --- */

/*
 * The path of a target relative to the top directory, or absolute if it is not
 * below that.  Resolves . and .. as text.
 */
static sym
path_of(const char *directory, const char *name)
{
	struct buf *b = &state.text;
	const char *p, *end;
	size_t n;

	b->len = 0;
	for (int part = name[0] == '/'; part < 2; part++)
		for (p = part == 0 ? directory : name; *p != '\0'; p = end) {
			p += strspn(p, "/");
			end = p + strcspn(p, "/");
			n = (size_t)(end - p);
			if (n == 0 || (n == 1 && p[0] == '.'))
				continue;
			if (n == 2 && memcmp(p, "..", 2) == 0) {
				while (b->len > 0 && b->data[--b->len] != '/')
					;
				continue;
			}
			buf_char(b, '/');
			buf_add(b, p, n);
		}
	/* make takes "d" and "d/" for two targets. */
	if (name[0] != '\0' && name[strlen(name) - 1] == '/')
		buf_char(b, '/');
	n = state.top_length;
	if (b->len > n && memcmp(b->data, state.top, n) == 0 &&
	    b->data[n] == '/' && b->len > n + 1)
		return intern_add(&state.paths, span_of(b->data + n + 1,
		    b->len - n - 1));
	return intern_add(&state.paths, buf_span(b));
}

static void
put_id(struct buf *b, const struct task *t, const char *suffix)
{
	struct span path = intern_span(&state.paths, t->path);
	char number[16] = "";

	if (t->number > 1)
		snprintf(number, sizeof number, " (%u)", (unsigned)t->number);
	state.text.len = 0;
	buf_add(&state.text, path.p, path.n);
	buf_str(&state.text, number);
	buf_str(&state.text, suffix);
	json_quote(b, buf_span(&state.text));
}

/* --- reading --- */

/* Adds the symbol's entry to an array by symbol, and returns it. */
static uint32_t *
entry_of(uint32_t **array, size_t *cap, sym s)
{
	size_t old = *cap;

	*array = mem_grow(*array, cap, (size_t)s + 1, sizeof **array);
	for (size_t i = old; i < *cap; i++)
		(*array)[i] = INDEX_NONE;
	return &(*array)[s];
}

/* The task of a target in a make process; adds it if it is new. */
static uint32_t
find_task(sym path, sym make)
{
	const uint32_t pair[] = { path, make };
	sym key = intern_add(&state.keys, span_bytes((const char *)pair,
	    sizeof pair));
	uint32_t *newest;

	if (key < state.n_tasks)
		return key;
	newest = entry_of(&state.newest, &state.newest_cap, path);
	state.tasks = mem_grow(state.tasks, &state.tasks_cap,
	    state.n_tasks + 1, sizeof *state.tasks);
	state.tasks[state.n_tasks++] = (struct task){ .path = path,
	    .make = make, .previous = *newest, .parent = INDEX_NONE,
	    .number = *newest == INDEX_NONE ? 1 :
	    state.tasks[*newest].number + 1, .first_child = INDEX_NONE,
	    .next_sibling = INDEX_NONE, .mark = INDEX_NONE };
	*newest = key;
	return key;
}

/* Splits a line into fields; false if it is not whole.  *rest: the names. */
static bool
split_fields(char *p, char *end, char **fields, int64_t *numbers, char **rest)
{
	if (end - p < 2 || end[-1] != '\n' || end[-2] != '\0')
		return false;
	for (int i = 0; i < N_FIELDS; i++) {
		if (p >= end - 1)
			return false;
		fields[i] = p;
		p += strlen(p) + 1;
		numbers[i] = 0;
		if (i >= MAKE && i <= STATUS &&
		    !text_i64(span_str(fields[i]), &numbers[i]))
			return false;
	}
	*rest = p;
	return true;
}

static void
add_line(char **fields, const int64_t *numbers, const char *names,
    const char *end)
{
	uint32_t index = (uint32_t)state.n_lines, task;
	struct log_line *line;
	struct task *t;
	sym make;

	state.text.len = 0;
	buf_printf(&state.text, "%s %s", fields[PARENT], fields[MAKE]);
	make = intern_add(&state.makes, buf_span(&state.text));
	task = find_task(path_of(fields[DIRECTORY], fields[TARGET]), make);

	state.lines = mem_grow(state.lines, &state.lines_cap,
	    state.n_lines + 1, sizeof *state.lines);
	line = &state.lines[state.n_lines++];
	*line = (struct log_line){ .task = task, .parent = SYM_NONE,
	    .start_us = numbers[START], .end_us = numbers[END],
	    .cpu_us = numbers[CPU], .status = (int)numbers[STATUS] };
	if (fields[PARENT][0] != '\0')
		line->parent = intern_add(&state.line_ids,
		    span_str(fields[PARENT]));
	*entry_of(&state.line_of, &state.line_of_cap, intern_add(
	    &state.line_ids, span_str(fields[ID]))) = index;

	/* The prerequisites are the same for all lines of a rule. */
	t = &state.tasks[task];
	for (const char *p = names; p < end; p += strlen(p) + 1) {
		if (p[0] == '\0' || strcmp(p, "|") == 0)
			continue;
		state.names = mem_grow(state.names, &state.names_cap,
		    state.n_names + 1, sizeof *state.names);
		state.names[state.n_names++] = (struct name){
		    path_of(fields[DIRECTORY], p), t->names };
		t->names = state.n_names;
	}
}

static void
read_line(struct filter *f, char *p, size_t n)
{
	int64_t numbers[N_FIELDS];
	char *fields[N_FIELDS], *rest;

	if (strncmp(p, "!make", 5) == 0) {
		state.any_make = true;
	} else if (strncmp(p, "!shell ", 7) == 0) {
		state.any_make = true;
		p[n - 1] = '\0';
		filter_fail(f, "SHELL is '%s', which is not recorded: only sh, "
		    "bash, dash, ksh and zsh are", p + 7);
	} else if (!split_fields(p, p + n, fields, numbers, &rest)) {
		filter_fail(f, "a line of the log is damaged");
	} else if (strpbrk(fields[TARGET], " \t|") != NULL) {
		filter_fail(f, "the target '%s' is not recorded: its name has "
		    "a blank or |", fields[TARGET]);
	} else {
		add_line(fields, numbers, rest, p + n - 1);
	}
}

static void
read_log(struct filter *f, const char *path)
{
	FILE *log = fopen(path, "r");
	char *text = NULL;
	size_t cap = 0;
	ssize_t n;

	if (log == NULL) {
		filter_fail(f, "the log '%s' has disappeared", path);
		return;
	}
	while ((n = getline(&text, &cap, log)) > 0)
		read_line(f, text, (size_t)n);
	free(text);
	fclose(log);
}

/* --- linking --- */

/* Links each task of a sub-make to the task whose line runs it. */
static void
link_to_parent(struct log_line *line)
{
	uint32_t parent_line = line->parent == SYM_NONE ? INDEX_NONE :
	    *entry_of(&state.line_of, &state.line_of_cap, line->parent);
	struct task *t = &state.tasks[line->task];
	uint32_t parent;

	if (parent_line == INDEX_NONE)
		return;
	state.lines[parent_line].runs_make = true;
	parent = state.lines[parent_line].task;
	if (t->parent != INDEX_NONE || parent == line->task)
		return;
	t->parent = parent;
	t->next_sibling = state.tasks[parent].first_child;
	state.tasks[parent].first_child = line->task;
}

/* Adds a line to its target, in the order in which the lines ended. */
static void
sum_line(uint32_t index)
{
	const struct log_line *line = &state.lines[index];
	struct task *t = &state.tasks[line->task];

	if (t->end_us == 0 || line->start_us < t->start_us)
		t->start_us = line->start_us;
	if (line->end_us > t->end_us)
		t->end_us = line->end_us;
	t->last_line = index;
	t->status = line->status;
	if (line->runs_make)
		return;
	t->elapsed_us += line->end_us - line->start_us;
	t->cpu_us += line->cpu_us;
}

/*
 * The task that made a prerequisite: the one of the same make process, or else
 * the last one that another make process finished before this task began.
 * Its last line ended earlier, so there are no cycles.
 */
static uint32_t
find_maker(const struct task *t, sym path)
{
	uint32_t maker = *entry_of(&state.newest, &state.newest_cap, path);
	uint32_t found = INDEX_NONE;
	const struct task *m;

	for (; maker != INDEX_NONE; maker = m->previous) {
		m = &state.tasks[maker];
		if (m->last_line >= t->last_line)
			continue;
		if (m->make == t->make)
			return maker;
		if (m->end_us <= t->start_us && (found == INDEX_NONE ||
		    m->last_line > state.tasks[found].last_line))
			found = maker;
	}
	return found;
}

/*
 * Whether a task of a sub-make waits for what the parent's target waits for.
 * Parents end after their children, so they are asked first.
 */
static void
set_has_start(struct task *t)
{
	if (t->first_child == INDEX_NONE)
		return;
	t->has_start = t->parent != INDEX_NONE &&
	    state.tasks[t->parent].has_start;
	for (size_t i = t->names; i > 0 && !t->has_start;
	    i = state.names[i - 1].next)
		t->has_start = find_maker(t, state.names[i - 1].path) !=
		    INDEX_NONE;
}

/* --- writing --- */

static void
put_dep(struct buf *b, const struct task *t, const char *suffix)
{
	if (b->data[b->len - 1] != '[')
		buf_char(b, ',');
	put_id(b, t, suffix);
}

/* What a task waits for before its first line. */
static void
put_prerequisites(struct buf *b, const struct task *t, uint32_t mark)
{
	uint32_t maker;

	if (t->parent != INDEX_NONE && state.tasks[t->parent].has_start)
		put_dep(b, &state.tasks[t->parent], " (start)");
	for (size_t i = t->names; i > 0; i = state.names[i - 1].next) {
		maker = find_maker(t, state.names[i - 1].path);
		if (maker == INDEX_NONE || state.tasks[maker].mark == mark)
			continue;
		state.tasks[maker].mark = mark;
		put_dep(b, &state.tasks[maker], "");
	}
}

/*
 * The moment at which a target that runs make begins: the tasks of the sub-make
 * wait for this one, and it waits for the prerequisites of the target.
 */
static void
put_start(struct filter *f, const struct task *t, uint32_t mark)
{
	struct buf *b = filter_begin_record(f, "task");

	json_key(b, "id");
	put_id(b, t, " (start)");
	json_word(b, "kind", "run");
	json_cstr(b, "run", state.run);
	json_int(b, "start_us", t->start_us);
	json_int(b, "end_us", t->start_us);
	json_int(b, "elapsed_us", 0);
	json_open(b, "deps", '[');
	put_prerequisites(b, t, mark);
	json_close(b, ']');
	filter_end_record(f);
}

/* The suffix of a path, such as ".o"; empty if there is none. */
static struct span
suffix_of(struct span path)
{
	struct span name = span_base_name(path);

	for (size_t i = name.n; i-- > 1;)
		if (name.p[i] == '.' && i + 1 < name.n)
			return span_of(name.p + i, name.n - i);
	return span_of(NULL, 0);
}

static void
put_status(struct buf *b, const struct task *t, bool make_failed)
{
	int status = WIFSIGNALED(t->status) ? 128 + WTERMSIG(t->status) :
	    WEXITSTATUS(t->status);
	char text[16];

	snprintf(text, sizeof text, "%d", status);
	json_word(b, "status", text);
	if (status != 0 && make_failed)
		json_true(b, "failed");
}

/*
 * Readers take the time from start to end if they know both.  So start_us is
 * left out if the target waited between its lines, or for a make that it ran.
 */
static void
put_times(struct buf *b, const struct task *t)
{
	bool waited = t->end_us - t->start_us != t->elapsed_us;

	json_int(b, waited ? "started_us" : "start_us", t->start_us);
	json_int(b, "end_us", t->end_us);
	json_int(b, "elapsed_us", t->elapsed_us);
}

static void
put_task(struct filter *f, const struct task *t, uint32_t mark,
    bool make_failed)
{
	struct span path = intern_span(&state.paths, t->path);
	struct span suffix = suffix_of(path);
	struct buf *b = filter_begin_record(f, "task");
	struct task *child;

	json_key(b, "id");
	put_id(b, t, "");
	json_str(b, "name", path);
	json_str(b, "target", path);
	if (suffix.n > 0)
		json_str(b, "rule", suffix);
	json_word(b, "kind", "run");
	json_cstr(b, "run", state.run);
	put_times(b, t);
	json_int(b, "cpu_us", t->cpu_us);

	json_open(b, "deps", '[');
	put_prerequisites(b, t, mark);
	for (uint32_t i = t->first_child; i != INDEX_NONE;
	    i = child->next_sibling) {
		child = &state.tasks[i];
		if (child->mark == mark || child->last_line >= t->last_line)
			continue;
		child->mark = mark;
		put_dep(b, child, "");
	}
	json_close(b, ']');
	put_status(b, t, make_failed);
	filter_end_record(f);
}

/* If make failed before it ran anything, nothing is known of the build. */
static void
put_build(struct filter *f, bool make_failed)
{
	int64_t start_us = INT64_MAX, end_us = 0;
	struct buf *b;

	if (state.n_lines == 0 && (make_failed || !state.any_make))
		return;
	for (size_t i = 0; i < state.n_lines; i++) {
		if (state.lines[i].start_us < start_us)
			start_us = state.lines[i].start_us;
		if (state.lines[i].end_us > end_us)
			end_us = state.lines[i].end_us;
	}
	b = filter_begin_record(f, "build");
	json_cstr(b, "run", state.run);
	json_word(b, "format", "make");
	if (state.n_lines > 0) {
		json_int(b, "start_us", start_us);
		json_int(b, "end_us", end_us);
		json_int(b, "wall_us", end_us - start_us);
	}
	filter_end_record(f);
}

/* Writes the tasks in the order in which their last lines ended. */
static void
put_tasks(struct filter *f, bool make_failed)
{
	const struct task *t;
	uint32_t mark = 0;

	for (size_t i = 0; i < state.n_lines; i++) {
		t = &state.tasks[state.lines[i].task];
		if (t->last_line != i)
			continue;
		if (t->has_start)
			put_start(f, t, mark++);
		put_task(f, t, mark++, make_failed);
	}
}

void
log_write_tasks(struct filter *f, const char *path, int make_status,
    int64_t began_us)
{
	time_t s = (time_t)(began_us / 1000000);
	struct tm tm;
	size_t n = gmtime_r(&s, &tm) == NULL ? 0 : strftime(state.run,
	    sizeof state.run, "%Y-%m-%dT%H:%M:%S", &tm);

	snprintf(state.run + n, sizeof state.run - n, ".%06dZ",
	    (int)(began_us % 1000000));
	intern_init(&state.paths);
	intern_init(&state.makes);
	intern_init(&state.line_ids);
	intern_init(&state.keys);
	state.top = getcwd(NULL, 0);
	state.top_length = state.top != NULL ? strlen(state.top) : 0;
	read_log(f, path);
	if (!state.any_make)
		err_warn("warning: nothing was recorded: the command ran no "
		    "GNU make from version 4.0 on");

	for (size_t i = 0; i < state.n_lines; i++)
		link_to_parent(&state.lines[i]);
	for (size_t i = 0; i < state.n_lines; i++)
		sum_line((uint32_t)i);
	for (size_t i = state.n_lines; i-- > 0;)
		if (state.tasks[state.lines[i].task].last_line == i)
			set_has_start(&state.tasks[state.lines[i].task]);
	put_tasks(f, make_status != 0);
	put_build(f, make_status != 0);

	intern_release(&state.paths);
	intern_release(&state.makes);
	intern_release(&state.line_ids);
	intern_release(&state.keys);
	free(state.newest);
	free(state.line_of);
	free(state.lines);
	free(state.tasks);
	free(state.names);
	free(state.top);
	buf_release(&state.text);
}
