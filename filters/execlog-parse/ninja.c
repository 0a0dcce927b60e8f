/* ninja - reads .ninja_log, which has a line for each output of each run */

#include <stdlib.h>
#include <string.h>

#include "common/base/err.h"
#include "common/base/intern.h"
#include "common/base/num.h"
#include "common/base/sort.h"
#include "common/frame/filter.h"
#include "filters/execlog-parse/formats.h"
#include "filters/execlog-parse/records.h"

/*
 * Times are counted from the start of a run of ninja.  Lines are appended as
 * commands end, so a line with an earlier end than the previous line begins a
 * new run.
 *
 * Sometimes ninja recompacts the log: it writes the last line of each output in
 * the order of a hash table.  Then ends rise and fall at random and say nothing
 * about runs.  Such a log is recognized by the modification times of outputs,
 * which go back from one supposed run to the next as often as they go forward.
 *
 * All lines are in memory: there are about as many as outputs.
 */
enum { FIELDS = 5, VERSION_MIN = 4, VERSION_MAX = 7 };

#define SIGNATURE "# ninja log"

enum { START, END, MTIME, OUTPUT, HASH };

struct entry {
	int64_t start_us, end_us;
	int64_t mtime;		/* of the output; the unit depends on ninja */
	uint32_t run;
	sym output;
	sym hash;		/* of the command; in version 4 the command */
};

static struct {
	struct filter *f;
	uint64_t version;	/* of the last header */
	struct intern names;
	struct entry *entries;
	size_t n, cap;
	uint32_t run;		/* that of the last line, from 0 */
} state;

static void
read_header(const struct line *line)
{
	static const char header[] = SIGNATURE " v";
	size_t n = sizeof header - 1;
	struct span version;

	if (line->len <= n || memcmp(line->p, header, n) != 0) {
		filter_reject(state.f, "the comment is not a header of ninja");
		return;
	}
	version = span_of(line->p + n, line->len - n);
	if (!text_u64(version, &state.version) || state.version < VERSION_MIN ||
	    state.version > VERSION_MAX)
		die("%s is a ninja log of version %.*s; this program knows "
		    "%d to %d", state.f->input.name, SPAN_ARG(version),
		    VERSION_MIN, VERSION_MAX);
	/* A header after other lines begins another log, and so a new run. */
	state.run += state.n > 0;
}

static bool
split(struct span field[FIELDS], const char *p, size_t n)
{
	const char *end = p + n, *tab;

	for (int i = 0; i < FIELDS - 1; i++, p = tab + 1) {
		if ((tab = memchr(p, '\t', (size_t)(end - p))) == NULL)
			return false;
		field[i] = span_of(p, (size_t)(tab - p));
	}
	field[FIELDS - 1] = span_of(p, (size_t)(end - p));
	return field[OUTPUT].n > 0;
}

static bool
read_time(struct span field, const char *name, int64_t *us)
{
	if (read_ms(field, us))
		return true;
	filter_reject(state.f, "%s '%.*s' is not a number of milliseconds, or "
	    "is too large", name, SPAN_ARG(field));
	return false;
}

static void
read_line(const struct line *line)
{
	struct span field[FIELDS];
	struct entry e = { 0 };

	if (*line->p == '#') {
		read_header(line);
		return;
	}
	if (!filter_check_text(state.f, line))
		return;
	if (!split(field, line->p, line->len)) {
		filter_reject(state.f, "the line does not have five fields "
		    "separated by tabs, or its output is empty");
		return;
	}
	if (!read_time(field[START], "start", &e.start_us) ||
	    !read_time(field[END], "end", &e.end_us))
		return;
	if (!text_i64(field[MTIME], &e.mtime)) {
		filter_reject(state.f, "mtime '%.*s' is not a number",
		    SPAN_ARG(field[MTIME]));
		return;
	}
	if (state.n > 0 && e.end_us < state.entries[state.n - 1].end_us)
		state.run++;
	e.run = state.run;
	e.output = intern_add(&state.names, field[OUTPUT]);
	e.hash = intern_add(&state.names, field[HASH]);
	state.entries = mem_grow(state.entries, &state.cap, state.n + 1,
	    sizeof *state.entries);
	state.entries[state.n++] = e;
}

/*
 * In an appended log the newest mtime of a run is not older than that of the
 * previous run.  The log is considered recompacted if it seems to have five or
 * more runs and this is false for more than a quarter of the changes from
 * one run to the next, of which there are state.run.
 */
static bool
is_recompacted(void)
{
	int64_t newest = INT64_MIN, newest_before = INT64_MIN;
	size_t n_older = 0;

	for (size_t i = 0; i < state.n; i++) {
		if (state.entries[i].mtime > newest)
			newest = state.entries[i].mtime;
		if (i + 1 < state.n && state.entries[i + 1].run ==
		    state.entries[i].run)
			continue;
		n_older += newest < newest_before;
		newest_before = newest;
		newest = INT64_MIN;
	}
	return state.run >= 4 && n_older > state.run / 4;
}

/* Whether all outputs of the last run are newer than those of all others. */
static bool
last_run_is_newest(void)
{
	int64_t newest_before = INT64_MIN, oldest = INT64_MAX, mtime;

	for (size_t i = 0; i < state.n; i++) {
		mtime = state.entries[i].mtime;
		if (state.entries[i].run < state.run &&
		    mtime > newest_before)
			newest_before = mtime;
		if (state.entries[i].run == state.run && mtime < oldest)
			oldest = mtime;
	}
	return oldest > newest_before;
}

/* Drops all entries but the last of each output. */
static void
keep_last_of_each_output(void)
{
	size_t *last = mem_zero(state.names.n, sizeof *last), n = 0;

	for (size_t i = 0; i < state.n; i++)
		last[state.entries[i].output] = i;
	for (size_t i = 0; i < state.n; i++)
		if (last[state.entries[i].output] == i)
			state.entries[n++] = state.entries[i];
	state.n = n;
	free(last);
}

static void
keep_last_run(void)
{
	size_t n = 0;

	for (size_t i = 0; i < state.n; i++)
		if (state.entries[i].run == state.run)
			state.entries[n++] = state.entries[i];
	state.n = n;
}

/* Entries are equal if they are outputs of one command. */
static int
compare_commands(const struct entry *x, const struct entry *y)
{
	int order = cmp_i64(x->end_us, y->end_us);

	if (order == 0)
		order = cmp_i64(x->start_us, y->start_us);
	return order != 0 ? order :
	    intern_cmp(&state.names, x->hash, y->hash);
}

static int
is_absolute(sym output)
{
	return *intern_str(&state.names, output) == '/';
}

/*
 * The first output of a command names its task.  Absolute paths come last:
 * CMake lists some files twice, and the graph knows them by the relative path.
 */
static int
compare_entries(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int order = compare_commands(x, y);

	if (order == 0)
		order = is_absolute(x->output) - is_absolute(y->output);
	return order != 0 ? order :
	    intern_cmp(&state.names, x->output, y->output);
}

/* Emits one task: the n outputs of one command. */
static void
emit_task(const struct entry *e, size_t n)
{
	struct buf *b = filter_begin_record(state.f, "task");

	json_str(b, "id", intern_span(&state.names, e->output));
	json_word(b, "kind", "run");
	put_times(b, e->start_us, e->end_us);
	json_open(b, "outputs", '[');
	for (size_t i = 0; i < n; i++)
		json_item(b, intern_span(&state.names, e[i].output));
	json_close(b, ']');
	json_str(b, state.version == VERSION_MIN ? "command" : "command_hash",
	    intern_span(&state.names, e->hash));
	filter_end_record(state.f);
}

static void
emit_tasks(void)
{
	struct extent extent = { 0 };
	size_t n;

	sort(state.entries, state.n, sizeof *state.entries, compare_entries);
	for (size_t i = 0; i < state.n; i += n) {
		for (n = 1; i + n < state.n; n++)
			if (compare_commands(&state.entries[i],
			    &state.entries[i + n]) != 0)
				break;
		emit_task(&state.entries[i], n);
		extent_add(&extent, state.entries[i].start_us);
		extent_add(&extent, state.entries[i].end_us);
	}
	emit_build(state.f, FORMAT_NINJA, &extent);
}

bool
ninja_detect(struct input *in)
{
	return format_begins_with(in, SIGNATURE);
}

void
ninja_read(struct filter *f, const struct format_options *options)
{
	bool all_outputs = options->all_outputs;
	struct line line;

	state.f = f;
	state.version = 5;	/* assumed if there is no header */
	intern_init(&state.names);
	while (filter_line(f, &line))
		read_line(&line);
	if (!all_outputs && is_recompacted() && !last_run_is_newest()) {
		err_warn("warning: ninja has recompacted this log, which mixes "
		    "its runs: the last record of every output is used");
		all_outputs = true;
	}
	if (!all_outputs)
		keep_last_run();
	keep_last_of_each_output();
	emit_tasks();
	intern_release(&state.names);
	free(state.entries);
}
