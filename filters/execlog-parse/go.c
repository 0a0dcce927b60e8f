/* go - reads the action graph of the go command (-debug-actiongraph) */

#include <string.h>

#include "common/base/err.h"
#include "common/base/num.h"
#include "common/filter/filter-read.h"
#include "common/filter/filter-get.h"
#include "common/filter/filter-reject.h"
#include "common/filter/filter.h"
#include "common/json/items.h"
#include "common/json/scan.h"
#include "filters/execlog-parse/formats.h"
#include "filters/execlog-parse/records.h"
#include "filters/execlog-parse/rfc3339.h"

#define GO_KEYS(K)							\
	K(ID, "ID") K(MODE, "Mode") K(PACKAGE, "Package")		\
	K(DEPS, "Deps") K(FAILED, "Failed") K(BUILD_ID, "BuildID")	\
	K(TIME_START, "TimeStart") K(TIME_DONE, "TimeDone")		\
	K(CMD_REAL, "CmdReal") K(CMD_USER, "CmdUser")			\
	K(CMD_SYS, "CmdSys")
KEY_LIST(go_keys, GO_KEYS);

enum { NS_PER_US = 1000 };

/* An action of the graph, as far as it is checked before it is written. */
struct action {
	struct span id, mode, package;	/* package may be empty */
	int64_t start_us, end_us;	/* INT_UNKNOWN: the action never ran */
	int64_t cpu_us;			/* or INT_UNKNOWN */
	bool from_cache;
	const struct field *deps;	/* or NULL */
};

static struct {
	struct filter *f;
	struct extent extent;
	struct id_set ids;	/* of the graph that is being read */
	size_t n_tasks, n_without_times;	/* written, of that graph */
	struct buf name;	/* of a task */
} state;

static bool
read_id(const struct rec *rec, struct action *a)
{
	const struct field *field;
	uint64_t id;

	if (rec_find(rec, ID, REC_NUMBER, &field) != REC_OK ||
	    !text_u64(field->text, &id) || id >> REC_INT_BITS != 0) {
		filter_reject(state.f, "the action has no ID, or it is not a "
		    "number from 0 to 2^53 - 1");
		return false;
	}
	if (!id_set_add(&state.ids, id)) {
		filter_reject(state.f, "the ID %llu occurs twice",
		    (unsigned long long)id);
		return false;
	}
	a->id = field->text;
	return true;
}

/* Go writes its zero time, of the year 1, for what has not happened. */
static bool
read_time(const struct rec *rec, unsigned key, int64_t *us)
{
	struct span text;

	*us = INT_UNKNOWN;
	if (!filter_get_str(state.f, rec, key, &text))
		return false;
	if (text.n == 0 || span_eq(text, "0001-01-01T00:00:00Z") ||
	    read_rfc3339_us(text, us))
		return true;
	filter_reject(state.f, "%s '%.*s' is not a time as in RFC 3339, or is "
	    "too far from 1970", go_keys[key], SPAN_ARG(text));
	return false;
}

static bool
read_ns(const struct rec *rec, unsigned key, int64_t *ns)
{
	enum rec_found found = rec_int(rec, key, ns);

	if (found == REC_ABSENT)
		*ns = INT_UNKNOWN;
	if (found == REC_ABSENT || (found == REC_OK && *ns >= 0))
		return true;
	filter_reject(state.f, "%s is not a number of nanoseconds below 2^53",
	    go_keys[key]);
	return false;
}

/* Reads the time of the commands of an action. */
static bool
read_commands(const struct rec *rec, struct action *a)
{
	int64_t real_ns, user_ns, sys_ns;
	struct span build_id;

	if (!read_ns(rec, CMD_REAL, &real_ns) ||
	    !read_ns(rec, CMD_USER, &user_ns) ||
	    !read_ns(rec, CMD_SYS, &sys_ns) ||
	    !filter_get_str(state.f, rec, BUILD_ID, &build_id))
		return false;
	a->cpu_us = INT_UNKNOWN;
	/* Go leaves out a time that is 0. */
	if (user_ns != INT_UNKNOWN || sys_ns != INT_UNKNOWN)
		a->cpu_us = ((user_ns == INT_UNKNOWN ? 0 : user_ns) +
		    (sys_ns == INT_UNKNOWN ? 0 : sys_ns)) / NS_PER_US;
	/* An action that fails, or is skipped because another one failed, has
	   no build id; other modes never run a command. */
	a->from_cache = real_ns == INT_UNKNOWN && build_id.n > 0 &&
	    (span_eq(a->mode, "build") || span_eq(a->mode, "link"));
	return true;
}

/* Whether all items of an array are ids. */
static bool
has_only_ids(struct span array)
{
	struct span item;
	uint64_t id;

	while (items_next(&array, &item))
		if (!text_u64(item, &id))
			return false;
	return true;
}

static bool
read_deps(const struct rec *rec, struct action *a)
{
	enum rec_found found = rec_find(rec, DEPS, REC_ARRAY, &a->deps);

	if (found == REC_ABSENT)
		a->deps = NULL;
	if (found == REC_ABSENT ||
	    (found == REC_OK && has_only_ids(a->deps->token)))
		return true;
	filter_reject(state.f, "Deps is not an array of IDs");
	return false;
}

static void
emit_task(const struct rec *rec, const struct action *a)
{
	struct buf *b = filter_begin_record(state.f, "task");
	struct buf *name = &state.name;
	struct span rest, item;

	json_str(b, "id", a->id);
	name->len = 0;
	buf_add(name, a->mode.p, a->mode.n);
	if (a->mode.n > 0 && a->package.n > 0)
		buf_char(name, ' ');
	buf_add(name, a->package.p, a->package.n);
	json_text(b, "name", buf_span(name));
	json_text(b, "target", a->package);
	json_text(b, "rule", a->mode);
	json_word(b, "kind", "run");
	put_run(b);
	put_times(b, a->start_us, a->end_us);

	if (a->deps != NULL) {
		rest = a->deps->token;
		json_open(b, "deps", '[');
		while (items_next(&rest, &item))
			json_item(b, item);
		json_close(b, ']');
	}
	json_flag(b, "from_cache", a->from_cache);
	json_flag(b, "failed", rec_true(rec, FAILED));
	json_int(b, "cpu_us", a->cpu_us);
	filter_end_record(state.f);
}

static bool
read_action(void *context)
{
	struct action a;
	struct rec *rec;

	(void)context;
	if (!filter_object(state.f, &rec))
		return false;
	if (rec == NULL || !read_id(rec, &a) ||
	    !filter_get_str(state.f, rec, MODE, &a.mode) ||
	    !filter_get_str(state.f, rec, PACKAGE, &a.package) ||
	    !read_deps(rec, &a) ||
	    !read_time(rec, TIME_START, &a.start_us) ||
	    !read_time(rec, TIME_DONE, &a.end_us) || !read_commands(rec, &a))
		return true;
	emit_task(rec, &a);
	state.n_tasks++;
	if (a.start_us == INT_UNKNOWN && a.end_us == INT_UNKNOWN)
		state.n_without_times++;
	extent_add(&state.extent, a.start_us);
	extent_add(&state.extent, a.end_us);
	return true;
}

/* Reads one graph.  Each has its own ids. */
static void
read_graph(void)
{
	state.n_tasks = state.n_without_times = 0;
	id_set_init(&state.ids);
	if (!scan_each(&state.f->input, "[]", read_action, NULL))
		filter_reject_rest(state.f, span_of(NULL, 0),
		    "the graph is not an array of actions, or it is "
		    "truncated");
	id_set_release(&state.ids);
	if (state.n_tasks > 0 && state.n_without_times == state.n_tasks)
		err_warn("warning: %s: no action has times: go was interrupted "
		    "or is still running", state.f->input.name);
}

static bool
go_detect(struct input *in)
{
	return scan_peek(in) == '[';
}

static void
go_read(struct filter *f, const struct format_options *options)
{
	(void)options;
	state.f = f;
	do
		while (scan_peek(&f->input) != -1)
			read_graph();
	while (filter_next_file(f));
	emit_build(f, go_format.name, &state.extent);
	buf_release(&state.name);
	memset(&state, 0, sizeof state);
}

const struct input_format go_format = {
	.name = "go",
	.help = "an action graph of go build -debug-actiongraph",
	.keys = go_keys,
	.detect = go_detect,
	.read = go_read,
};
