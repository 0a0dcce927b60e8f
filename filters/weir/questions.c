/* questions - what can be asked about files, and the pipelines for that */

#include <string.h>

#include "common/report/report.h"
#include "filters/weir/weir.h"

/*
 * Of how many files of a role a question is asked.  A path without its graph is
 * not complete, so nothing keeps or compares it: then a log is asked for its
 * tasks.
 */
enum number { ANY, ONE, ONE_PATH, ONE_LOG, PAIR, TWO, TWO_PATHS, TWO_LOGS,
    SEVERAL };

/*
 * The pipeline is `filter`, which reads the records of the files of the role,
 * and `rest`, in which % is a space and the name of the first.  For TWO, each
 * of them goes through `rest` to a file of its own, and `filter` reads both.
 * For PAIR the arguments of `filter` are the first two uids of one file.
 */
static const struct question {
	enum role role;
	enum number number;
	const char *text, *filter, *rest;
} questions[] = {
	{ ROLE_TASKS, ANY, "What takes so long, and what would shorten it?",
	    "critpath", "" },
	{ ROLE_TASKS, ANY, "Where did the time go?", "execlog-stat", "" },
	{ ROLE_TASKS, ONE, "What ran when?", "timeline --html",
	    " >timeline.html" },
	{ ROLE_TASKS, ONE, "What if there were more workers?",
	    "critpath --workers 16", "" },
	{ ROLE_TASKS, SEVERAL, "How long did each take?", "critpath --summary",
	    "" },
	{ ROLE_TASKS, TWO_PATHS, "Which steps have become slower?",
	    "perf-diff --text", " | critpath | profile-make" },
	{ ROLE_TASKS, TWO_LOGS, "Which tasks have become slower?",
	    "perf-diff --text", " | profile-make" },
	{ ROLE_TASKS, ONE_PATH, "How is it kept with the commit, after "
	    "pidx-init?", "critpath",
	    " | profile-make --cmd build | pidx-write" },
	{ ROLE_TASKS, ONE_LOG, "How are its tasks kept with the commit, after "
	    "pidx-init?", "profile-make --cmd build", " | pidx-write" },
	{ ROLE_PATH, ONE, "How is it kept with the commit, after pidx-init?",
	    "profile-make --cmd build", " | pidx-write" },

	{ ROLE_ROWS, ANY, "What costs most, and are the cores used?",
	    "malstat", "" },
	{ ROLE_ROWS, ANY, "What does SQL say of it?", "malload traces.db",
	    " && sqlite3 traces.db 'SELECT short_statement, duration FROM "
	    "instructions ORDER BY 2 DESC LIMIT 9'" },
	{ ROLE_ROWS, TWO, "What has become slower?", "malstat --text --diff",
	    "" },
	{ ROLE_DATABASE, ANY, "What costs most, and are the cores used?",
	    "malstat --db", "" },

	{ ROLE_CALLGRAPHS, ANY, "Which functions cost most?",
	    "callgraph-symbolize", " | callgraph-stat" },
	{ ROLE_CALLGRAPHS, ANY, "Which functions are called most?",
	    "callgraph-symbolize", " | callgraph-stat --sort calls" },
	{ ROLE_CALLGRAPHS, ANY, "Who calls a function, here main?",
	    "callgraph-symbolize", " | callgraph-stat --callers main" },
	{ ROLE_CALLGRAPHS, ANY, "How does it look as a flame graph?",
	    "callgraph-symbolize", " | callgraph-fold --svg >flames.svg" },
	{ ROLE_CALLGRAPHS, TWO, "What is called more, or has become slower?",
	    "callgraph-stat --text --diff", " | callgraph-symbolize" },
	{ ROLE_PROGRAM, ONE, "What does it call, and how often, if it is "
	    "linked with weir-instrument(3)?", "callgraph-record -o calls",
	    "" },

	{ ROLE_SAMPLES, PAIR, "Which of these two is better, and is that "
	    "certain?", "perf-diff --text --within-run --uids", "" },
	{ ROLE_SAMPLES, ONE, "What is each median?",
	    "jq -rs 'map(select(.value)) | group_by(.uid)[] | [.[0].uid, "
	    "(map(.value) | sort | (.[(length - 1) / 2 | floor] + "
	    ".[length / 2 | floor]) / 2), .[0].unit] | @tsv'", "" },
	{ ROLE_SAMPLES, ONE, "How are they kept with the commit, after "
	    "pidx-init?", "profile-make --cmd bench", " | pidx-write" },
	{ ROLE_SAMPLES, TWO, "Has it become slower?", "perf-diff --text", "" },
	{ ROLE_PROFILES, ONE, "How is it kept with the commit, after "
	    "pidx-init?", "pidx-write", "" },
	{ ROLE_PROFILES, TWO, "What has become slower?", "perf-diff --text",
	    "" },
	{ ROLE_PROFILES, ONE, "Since when is it slower, if this is a history?",
	    "perf-diff --text --history", "" },
	{ ROLE_COMMITS, ONE, "Which profiles are registered with them?",
	    "pidx-read", "" },
	{ ROLE_STORE, ONE, "Is the store whole?", "pidx-fsck -C", "" },
	{ ROLE_STORE, ONE, "What has become slower, and since which commit?",
	    "vcs-log -C", " | pidx-read -C% --profiles | perf-diff --history "
	    "--text" },
	{ ROLE_REPOSITORY, ONE, "How are profiles kept beside its commits?",
	    "pidx-init", "" },
};
enum { N_QUESTIONS = sizeof questions / sizeof *questions };

struct files {
	const struct file *all;
	size_t n;
};

static size_t
count(const struct files *files, enum role role)
{
	size_t n = 0;

	for (size_t i = 0; i < files->n; i++)
		n += files->all[i].role == role;
	return n;
}

static const struct file *
find(const struct files *files, enum role role, size_t nth)
{
	const struct file *f = files->all;

	for (; f->role != role || nth-- > 0; f++)
		;
	return f;
}

static void
put_name(struct buf *b, const struct file *f)
{
	buf_char(b, ' ');
	/* A shell looks for a name without a slash in PATH. */
	if (f->role == ROLE_PROGRAM && strchr(f->path, '/') == NULL &&
	    *f->path != '-')
		buf_str(b, "./");
	if (strcmp(f->path, "-") == 0)
		buf_str(b, "FILE");
	else
		quote_for_shell(b, f->path);
}

/* Whether nothing has to make records of the files of the role. */
static bool
have_records(const struct files *files, enum role role)
{
	for (size_t i = 0; i < files->n; i++)
		if (files->all[i].role == role && files->all[i].reader.len > 0)
			return false;
	return true;
}

/* The command that writes the records of one file. */
static void
put_source(struct buf *b, const struct file *f)
{
	if (f->reader.len > 0)
		buf_add(b, f->reader.data, f->reader.len);
	else
		buf_str(b, "cat");
	put_name(b, f);
}

/* That of all files of a role, separated by semicolons. */
static void
put_sources(struct buf *b, const struct files *files, enum role role)
{
	const char *between = "";

	for (size_t i = 0; i < files->n; i++) {
		if (files->all[i].role != role)
			continue;
		buf_str(b, between);
		put_source(b, &files->all[i]);
		for (size_t k = 0; role == ROLE_NODES && k < files->n; k++)
			if (files->all[k].role == ROLE_DEPS) {
				buf_str(b, " --deps");
				put_name(b, &files->all[k]);
			}
		between = "; ";
	}
}

/* Tasks come with the nodes that say what they wait for. */
static void
put_pipeline(struct buf *b, const struct files *files,
    const struct question *q)
{
	bool has_nodes = q->role == ROLE_TASKS && count(files, ROLE_NODES) > 0;
	bool are_records = have_records(files, q->role) &&
	    (!has_nodes || have_records(files, ROLE_NODES));
	bool are_several = has_nodes || count(files, q->role) > 1;
	const struct buf *uids;

	if (!are_records) {
		buf_str(b, are_several ? "(" : "");
		if (has_nodes) {
			put_sources(b, files, ROLE_NODES);
			buf_str(b, "; ");
		}
		put_sources(b, files, q->role);
		buf_str(b, are_several ? ") | " : " | ");
	}
	buf_str(b, q->filter);
	if (q->number == PAIR) {
		uids = &find(files, q->role, 0)->uids;
		buf_printf(b, " %.*s", (int)uids->len, uids->data);
	}
	for (size_t i = 0; are_records && i < files->n; i++)
		if (files->all[i].role == q->role ||
		    (has_nodes && files->all[i].role == ROLE_NODES))
			put_name(b, &files->all[i]);
	for (const char *c = q->rest; *c != '\0'; c++)
		if (*c == '%')
			put_name(b, find(files, q->role, 0));
		else
			buf_char(b, *c);
}

static void
put_comparison(struct buf *b, const struct files *files,
    const struct question *q)
{
	static const char *const sides[] = { "before", "after" };
	bool are_ready = have_records(files, q->role) && *q->rest == '\0';
	bool has_nodes = q->role == ROLE_TASKS && count(files, ROLE_NODES) > 0;

	for (size_t i = 0; !are_ready && i < 2; i++) {
		buf_str(b, has_nodes ? "(" : "");
		if (has_nodes) {
			put_sources(b, files, ROLE_NODES);
			buf_str(b, "; ");
		}
		put_source(b, find(files, q->role, i));
		buf_str(b, has_nodes ? ")" : "");
		buf_printf(b, "%s >%s &&\n    ", q->rest, sides[i]);
	}
	buf_str(b, q->filter);
	for (size_t i = 0; i < 2; i++)
		if (are_ready)
			put_name(b, find(files, q->role, i));
		else
			buf_printf(b, " %s", sides[i]);
}

/* Whether there is a log, but not what its tasks waited for. */
static bool
lacks_graph(const struct files *files)
{
	bool has_deps = count(files, ROLE_NODES) > 0, is_log = false;

	for (size_t i = 0; i < files->n; i++) {
		has_deps |= files->all[i].has_deps;
		is_log |= span_eq(buf_span(&files->all[i].reader),
		    "execlog-parse");
	}
	return is_log && !has_deps && count(files, ROLE_TASKS) > 0;
}

static bool
is_comparison(const struct question *q)
{
	return q->number == TWO || q->number == TWO_PATHS ||
	    q->number == TWO_LOGS;
}

static bool
is_asked(const struct files *files, const struct question *q)
{
	size_t n = count(files, q->role);

	switch (q->number) {
	case ONE:
		return n == 1;
	case ONE_PATH:
	case ONE_LOG:
		return n == 1 &&
		    (q->number == ONE_LOG) == lacks_graph(files);
	case PAIR:
		return n == 1 && find(files, q->role, 0)->uids.len > 0;
	case TWO:
		return n == 2;
	case TWO_PATHS:
	case TWO_LOGS:
		return n == 2 &&
		    (q->number == TWO_LOGS) == lacks_graph(files);
	case SEVERAL:
		return n > 1;
	default:
		return n > 0;
	}
}

/* What would make the answers better, or possible. */
static void
put_missing(struct buf *b, const struct files *files)
{
	size_t n_tasks = count(files, ROLE_TASKS);
	size_t n_nodes = count(files, ROLE_NODES);

	if (lacks_graph(files))
		report_note(b, "These tasks do not say what they waited for: "
		    "name the graph of the build, too, if there is one; ninja "
		    "-t graph prints that of ninja.");
	if (n_tasks == 0 && n_nodes > 0)
		report_note(b, "A graph has no times: name the log of the "
		    "build, too, such as .ninja_log.");
	if (n_nodes == 0 && count(files, ROLE_DEPS) > 0)
		report_note(b, "These dependencies belong to a graph: name it, "
		    "too, as ninja -t graph prints it.");
}

void
questions_write(struct buf *b, const struct file *all, size_t n)
{
	struct files files = { all, n };

	for (const struct question *q = questions;
	    q < questions + N_QUESTIONS; q++) {
		if (!is_asked(&files, q))
			continue;
		report_heading(b, "\n%s", q->text);
		buf_str(b, "    ");
		(is_comparison(q) ? put_comparison : put_pipeline)(b, &files,
		    q);
		buf_char(b, '\n');
	}
	put_missing(b, &files);
}
