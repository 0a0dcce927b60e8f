/* perf-diff - has performance changed, and which commit has changed it? */

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/err.h"
#include "common/base/num.h"
#include "common/filter/filter-read.h"
#include "common/filter/filter-reject.h"
#include "common/io/fd.h"
#include "common/io/input.h"
#include "common/perun/layout.h"
#include "filters/perf-diff/perf-diff.h"

enum { ID_MIN = 7, LINE_MAX_LENGTH = 1 << 20 };

enum { MEDIAN, BEST };
static const char *const values[] = { [MEDIAN] = "median", [BEST] = "best",
    NULL };
static const char *const parts[] = { "trace", NULL };
enum { PASS, FAIL };
static const char *const modes[] = { [PASS] = "pass", [FAIL] = "fail", NULL };

static struct {
	const char *directory, *effect, *accept;
	struct opt_word value, by, gone, suspected, unjudged;
	struct options o;
	bool svg, nearest;
} opt = { .directory = ".", .effect = "2", .value = OPT_WORDS(values),
    .by = OPT_WORDS(parts), .gone = OPT_WORDS(modes),
    .suspected = OPT_WORDS(modes), .unjudged = OPT_WORDS(modes), .o.top = 20 };

static struct samples samples;
static struct results results = { .samples = &samples, .options = &opt.o };

static const struct opt options[] = {
	{ 'H', "history", OPT_FLAG, &opt.o.history, NULL,
	    "find the commits that changed something", 0, 0 },
	{ 'C', "directory", OPT_STR, &opt.directory, "DIR",
	    "the store is in DIR or above (.)", 0, 0 },
	{ 0, "nearest", OPT_FLAG, &opt.nearest, NULL,
	    "OLD stands for its newest ancestor that was measured", 0, 0 },
	{ 'u', "uids", OPT_FLAG, &opt.o.uids, NULL,
	    "OLD and NEW are uids in one input, not files", 0, 0 },
	{ 0, "value", OPT_WORD, &opt.value, "WHICH",
	    "median or best of a run's or commit's samples (median)", 0, 0 },
	{ 0, "within-run", OPT_FLAG, &opt.o.within_run, NULL,
	    "samples of one run of the program count as runs", 0, 0 },
	{ 'b', "by", OPT_WORD, &opt.by, "WHAT",
	    "trace: compare stacks instead of their sums", 0, 0 },
	{ 'e', "effect", OPT_STR, &opt.effect, "PERCENT",
	    "smaller changes do not count (2)", 0, 0 },
	{ 'm', "more", OPT_LIST, &opt.o.more, "WHAT",
	    "more is better for this unit or uid", 0, 0 },
	{ 'x', "exact", OPT_LIST, &opt.o.exact, "WHAT",
	    "values of this unit or uid have no noise", 0, 0 },
	{ 'i', "improvements", OPT_FLAG, &opt.o.improvements, NULL,
	    "exit with 1 for an improvement, too", 0, 0 },
	{ 0, "gone", OPT_WORD, &opt.gone, "MODE",
	    "fail: exit with 1 if a key has no samples any more", 0, 0 },
	{ 0, "suspected", OPT_WORD, &opt.suspected, "MODE",
	    "fail: exit with 1 for what is suspected", 0, 0 },
	{ 0, "unjudged", OPT_WORD, &opt.unjudged, "MODE",
	    "fail if any key, pass if no key could be judged", 0, 0 },
	{ 'a', "accept", OPT_STR, &opt.accept, "FILE",
	    "the changes in FILE are accepted", 0, 0 },
	{ 0, "oldest-first", OPT_FLAG, &opt.o.oldest_first, NULL,
	    "the samples of the oldest commit came first", 0, 0 },
	{ 0, "newest-first", OPT_FLAG, &opt.o.newest_first, NULL,
	    "those of the newest did", 0, 0 },
	{ 0, "svg", OPT_FLAG, &opt.svg, NULL, "draw the history", 0, 0 },
	{ 'k', "top", OPT_NUM, &opt.o.top, "K",
	    "at most K lines of each kind in the report (20)", 1, 1 << 30 },
	{ 0 }
};

static enum output_kind
choose_output(void)
{
	return opt.svg ? OUTPUT_TEXT : OUTPUT_RECORDS;
}

static const struct about about = {
	.name = "perf-diff",
	.operands = "[OLD NEW | -u OLD NEW [file ...] | -H [file ...]]",
	.purpose = "Says whether performance has changed between OLD and NEW, "
	    "each a commit, a\nfile or a quoted pattern of files, or which "
	    "commits of a history changed it.",
	.examples = {
	    "perf-diff HEAD~1 HEAD",
	    "vcs-log | pidx-read --profiles | perf-diff --history",
	},
	.reads = "profiles or samples",
	.keys = read_keys,
	.reads_python = true,
	.reports = true,
	.output = choose_output,
};

/* --- sides ---------------------------------------------------------------- */

/* Reads the profiles of a commit; returns how many there are. */
static size_t
read_index(struct filter *f, struct perun *perun,
    const unsigned char *version, uint32_t side)
{
	struct buf bytes = { 0 }, explanation = { 0 }, packed = { 0 };
	struct object object = { 0 };
	const struct pidx_entry *e;
	struct pidx index;
	const char *why;
	size_t n;

	if (layout_read_index(perun, version, &bytes, &index,
	    &explanation) == STORE_FAILED)
		filter_fail(f, "%s", explanation.data);
	/* Even after an error, the index has the entries before the damage. */
	n = index.n;
	for (size_t i = 0; i < n; i++) {
		e = &index.entries[i];
		why = NULL;
		if (perun_read_object(&perun->store, e->object, &packed,
		    &object, &why))
			why = read_document(f, object.body, side);
		if (why != NULL)
			filter_fail(f, "cannot read the profile '%.*s': %s",
			    SPAN_ARG(e->path), why);
	}
	pidx_release(&index);
	buf_release(&bytes);
	buf_release(&explanation);
	buf_release(&packed);
	buf_release(&object.text);
	return n;
}

/* Reads the newest ancestor of OLD that has profiles, and sets its id. */
static size_t
read_nearest(struct filter *f, struct perun *perun, unsigned char *version)
{
	struct vcs_tip tip = { 0 };
	struct vcs_version v;
	size_t n = 0;

	store_id(tip.id.hex, version);
	if (!vcs_walk_minor_versions(&perun->vcs, &tip, 1, false))
		return 0;
	while (n == 0 &&
	    vcs_next_minor_version(&perun->vcs, &v) == VCS_FOUND) {
		store_parse_id(span_str(v.id.hex), version);
		n = read_index(f, perun, version, SIDE_OLD);
	}
	return n;
}

/*
 * Reads all profiles that are registered with a commit in the store.  With
 * --nearest, if there are none with OLD, those of its newest ancestor that has
 * some.  False if there is no store or no such commit: the reason is then
 * appended to why, after a colon.
 */
static bool
read_commit(struct filter *f, const char *commit, uint32_t side,
    struct buf *why)
{
	unsigned char version[STORE_NAME_SIZE], tag[STORE_NAME_SIZE];
	bool nearest = opt.nearest && side == SIDE_OLD;
	struct perun perun;
	const char *reason;
	struct stat st;
	char *id;
	size_t n;

	if (!perun_find(&perun, opt.directory, &reason)) {
		buf_printf(why, " of a store: %s", reason);
		return false;
	}
	if (!perun_open_repository(&perun, &reason) ||
	    !perun_resolve_version(&perun, commit, version, &reason)) {
		buf_printf(why, ": %s", reason);
		perun_close(&perun);
		return false;
	}
	if (stat(commit, &st) == 0 && !S_ISDIR(st.st_mode))
		filter_warn(f, "'%s' is a commit and a file: the commit is "
		    "read, ./%s would be the file", commit, commit);

	n = read_index(f, &perun, version, side);
	/* Perun registers profiles with an annotated tag under its own id. */
	if (perun_resolve_tag(&perun, commit, tag))
		n += read_index(f, &perun, tag, side);
	if (n == 0 && nearest) {
		n = read_nearest(f, &perun, version);
		results.asked_commit = commit;
	}
	if (n == 0)
		die("no profile is registered with '%s'%s", commit, nearest ?
		    " or an ancestor of it" : "");
	id = mem_alloc(STORE_ID_SIZE);
	store_id(id, version);
	results.commits[side] = id;
	perun_close(&perun);
	return true;
}

/* A callback: ends a search for files that cannot be completed. */
static int
stop_at_failure(const char *path, int error)
{
	(void)path;
	return err_is_failure(error);
}

/*
 * Reads a side: a commit, a file, or all files that match a pattern, in the
 * order of their names.
 */
static void
read_side(struct filter *f, const char *operand, uint32_t side)
{
	struct buf why = { 0 };
	glob_t found;
	int error;

	/* No commit is named "-", "./file" or "/file". */
	if (strcmp(operand, "-") != 0 && strchr("./", *operand) == NULL &&
	    read_commit(f, operand, side, &why))
		return;
	if (strcmp(operand, "-") == 0 || fd_exists(operand)) {
		buf_release(&why);
		filter_read_next(f, operand, true);
		read_files(f, side);
		return;
	}
	if (strpbrk(operand, "*?[") == NULL)
		die("'%s' is neither a file nor a commit%s", operand,
		    buf_cstr(&why));
	buf_release(&why);
	error = glob(operand, 0, stop_at_failure, &found);
	if (error == GLOB_NOMATCH)
		die("no file matches '%s'", operand);
	if (error != 0)
		die_errno("cannot search for '%s'", operand);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		filter_read_next(f, found.gl_pathv[i], true);
		read_files(f, side);
	}
	globfree(&found);
}

static void
read_sides(struct filter *f)
{
	const char *old = filter_operand(f), *new = filter_operand(f);

	if (opt.o.uids && new != NULL) {
		if (strcmp(old, new) == 0)
			die("--uids: OLD and NEW are the same");
		read_pair(f, old, new);
		samples_join_sides(&samples, PART_WORKLOAD);
		samples_join_sides(&samples, PART_CMD);
		return;
	}
	if (new == NULL || filter_operand(f) != NULL)
		die("two operands are needed, OLD and NEW, or --history");
	read_side(f, old, SIDE_OLD);
	read_side(f, new, SIDE_NEW);
	samples_join_sides(&samples, PART_CMD);
	if (results.asked_commit != NULL && results.commits[SIDE_NEW] != NULL &&
	    strcmp(results.commits[SIDE_OLD], results.commits[SIDE_NEW]) == 0)
		die("the newest measured ancestor of '%s' is '%s' itself", old,
		    new);
}

/* --- options, and the answer ---------------------------------------------- */

/*
 * Reads the file of accepted changes: on each line a commit, by its id or the
 * first 7 or more characters of it, and the uid; or the commit alone, for all
 * uids.  A line that begins with # is a comment.
 */
static void
read_accepted(struct accepted *a, const char *path)
{
	char *files[] = { mem_strdup(path) };
	struct input in;
	struct line line;
	struct span text, commit, uid;

	input_init(&in, files, 1);
	while (input_next_file(&in))
		while (input_line(&in, LINE_MAX_LENGTH, &line)) {
			text = text_trim(span_of(line.p, line.len));
			if (line.too_long)
				die("%s: a line is too long", path);
			if (text.n == 0 || text.p[0] == '#')
				continue;
			commit = span_of(text.p, 0);
			while (commit.n < text.n &&
			    !text_is_space(text.p[commit.n]))
				commit.n++;
			if (commit.n < ID_MIN)
				die("%s:%llu: '%.*s' is not the id of a "
				    "commit, or less than %d characters of it",
				    in.name, (unsigned long long)in.line,
				    SPAN_ARG(commit), ID_MIN);
			a->list = mem_grow(a->list, &a->cap, a->n + 1,
			    sizeof *a->list);
			uid = text_trim(span_of(text.p + commit.n,
			    text.n - commit.n));
			a->list[a->n++] = (struct accepted_change){
			    mem_strndup(commit.p, commit.n),
			    mem_strndup(uid.p, uid.n) };
		}
	input_release(&in);
	free(files[0]);
}

static void
read_options(void)
{
	char *end;
	double percent = strtod(opt.effect, &end);

	if (end == opt.effect || *end != '\0' ||
	    !(percent >= 0 && percent <= 1e6))
		die("--effect: '%s' is not a percentage", opt.effect);
	opt.o.min_effect = percent / 100;
	opt.o.best = opt.value.index == BEST;
	if (!opt.o.history && (opt.o.oldest_first || opt.o.newest_first ||
	    opt.svg))
		die("--oldest-first, --newest-first and --svg need --history");
	if (opt.o.oldest_first && opt.o.newest_first)
		die("--oldest-first and --newest-first exclude each other");
	if (opt.o.history && opt.o.uids)
		die("--uids is not for a history");
	/* Of two programs none is the old one. */
	opt.o.improvements |= opt.o.uids;
	if (opt.accept != NULL)
		read_accepted(&opt.o.accepted, opt.accept);
}

/* Sets the exit status, with a message that says why it is not 0. */
static void
decide(struct filter *f)
{
	const struct results *a = &results;
	bool judge_all = opt.unjudged.index == FAIL, judge_any = judge_all ||
	    opt.unjudged.given == NULL || (opt.o.history && !a->is_ordered);
	const char *gone = say_sentence(a, SENTENCE_GONE), *fault =
	    judge_all ? say_sentence(a, SENTENCE_UNJUDGED) : "";

	if (*fault == '\0' && judge_all)
		fault = say_sentence(a, SENTENCE_UNMEASURED);
	if (*fault == '\0')
		fault = say_sentence(a, SENTENCE_UNITS);
	if (*gone != '\0' && opt.gone.index == PASS)
		filter_warn(f, "%s", gone);
	if (a->n_tested == 0 && judge_any)
		/* That nothing came has been said. */
		filter_cannot_answer(f, samples.n_samples == 0 &&
		    f->rejecting.n_faults > 0 ? NULL :
		    say_sentence(a, SENTENCE_ANSWER));
	else if (a->counts[VERDICT_DEGRADED] > 0 || (opt.o.improvements &&
	    a->counts[VERDICT_IMPROVED] > 0) || (opt.suspected.index == FAIL &&
	    a->n_worse_suspected > 0))
		filter_answer_no(f, say_sentence(a, SENTENCE_ANSWER));
	else if (opt.gone.index == FAIL && *gone != '\0')
		filter_answer_no(f, gone);
	else if (*fault != '\0')
		filter_answer_no(f, fault);
}

int
main(int argc, char **argv)
{
	struct filter f;

	filter_begin(&f, &about, options, argc, argv);
	read_options();
	samples_init(&samples, !opt.o.history);
	read_init(&samples, opt.by.given != NULL);
	if (opt.o.history) {
		read_files(&f, INDEX_NONE);
	} else {
		filter_need_whole(&f);
		read_sides(&f);
	}

	for (uint32_t i = 0; i < samples.n; i++)
		if (results_is_listed(&results, &opt.o.more, i))
			samples.keys[i].more_is_better = true;
	if (opt.o.history)
		history_find(&results, &f);
	else
		compare_sides(&results);
	results_finish(&results);
	if (opt.svg)
		svg_draw(&results, &f);
	else if (f.text)
		report_answer(&results, &f);
	else if (samples.n_samples > 0)
		emit_answer(&results, &f);
	decide(&f);
	return filter_end(&f);
}
