/* perf-diff - has performance changed, and which commit has changed it? */

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/err.h"
#include "common/base/num.h"
#include "common/filter/filter-reject.h"
#include "filters/perf-diff/accept.h"
#include "filters/perf-diff/results.h"
#include "filters/perf-diff/compare.h"
#include "filters/perf-diff/emit.h"
#include "filters/perf-diff/history.h"
#include "filters/perf-diff/number.h"
#include "filters/perf-diff/profiles.h"
#include "filters/perf-diff/read.h"
#include "filters/perf-diff/report.h"
#include "filters/perf-diff/svg.h"
#include "filters/perf-diff/phrases.h"

static struct {
	const char *directory, *effect, *accept, *value, *by;
	const char *gone, *suspected, *unjudged;
	struct options o;
	bool svg, nearest;
} opt = { .directory = ".", .effect = "2", .value = "median", .gone = "pass",
    .suspected = "pass", .o.top = 20 };

static const struct opt options[] = {
	{ 'H', "history", OPT_FLAG, &opt.o.history, NULL,
	    "find the commits that changed something", 0, 0 },
	{ 'C', "directory", OPT_STR, &opt.directory, "DIR",
	    "the store is in DIR or above (.)", 0, 0 },
	{ 0, "nearest", OPT_FLAG, &opt.nearest, NULL,
	    "OLD stands for its newest ancestor that was measured", 0,
	    0 },
	{ 0, "now", OPT_STR, &opt.o.now, "COMMIT",
	    "only what is now worse than at COMMIT counts", 0, 0 },
	{ 0, "value", OPT_STR, &opt.value, "WHICH",
	    "median or min of the samples of a commit (median)", 0, 0 },
	{ 'b', "by", OPT_STR, &opt.by, "WHAT",
	    "trace: compare stacks instead of their sums", 0, 0 },
	{ 'e', "effect", OPT_STR, &opt.effect, "PERCENT",
	    "smaller changes do not count (2)", 0, 0 },
	{ 'm', "more", OPT_LIST, &opt.o.more, "WHAT",
	    "more is better for this unit or uid", 0, 0 },
	{ 'x', "exact", OPT_LIST, &opt.o.exact, "WHAT",
	    "values of this unit or uid have no noise", 0, 0 },
	{ 'i', "improvements", OPT_FLAG, &opt.o.improvements, NULL,
	    "exit with 1 for an improvement, too", 0, 0 },
	{ 0, "gone", OPT_STR, &opt.gone, "MODE",
	    "fail: exit with 1 if a key has no samples any more", 0, 0 },
	{ 0, "suspected", OPT_STR, &opt.suspected, "MODE",
	    "fail: exit with 1 for what is suspected", 0, 0 },
	{ 0, "unjudged", OPT_STR, &opt.unjudged, "MODE",
	    "fail if any key, pass if no key could be judged", 0, 0 },
	{ 'a', "accept", OPT_STR, &opt.accept, "FILE",
	    "the changes in FILE are accepted", 0, 0 },
	{ 0, "oldest-first", OPT_FLAG, &opt.o.oldest_first, NULL,
	    "the samples of a history came in this order", 0, 0 },
	{ 0, "svg", OPT_FLAG, &opt.svg, NULL,
	    "draw the history", 0, 0 },
	{ 'k', "top", OPT_NUM, &opt.o.top, "K",
	    "at most K lines of each kind in the report (20)", 1, 1 << 30 },
	{ 0 }
};

static const struct about about = {
	.operands = "[OLD NEW | --history [file ...]]",
	.purpose = "Says whether performance has changed between OLD and NEW, "
	    "each a commit, a\nfile or a quoted pattern of files, or which "
	    "commits of a history changed it.",
	.reads = "profiles or samples",
	.keys = read_keys,
	.reports = true,
};

/*
 * Reads a side: a commit, a file, or all files that match a pattern, in the
 * order of their names.  Returns the id of the commit, else NULL.
 */
static char *
read_side(struct reader *r, struct filter *f, const char *operand,
    uint32_t side, bool *nearest)
{
	struct buf why = { 0 };
	char *id = NULL;
	glob_t found;

	/* No commit is named "-", "./file" or "/file". */
	if (strcmp(operand, "-") != 0 && strchr("./", *operand) == NULL)
		id = profiles_read(r, f, opt.directory, operand, side, nearest,
		    &why);
	if (id != NULL)
		return id;
	if (strcmp(operand, "-") == 0 || access(operand, F_OK) == 0) {
		buf_release(&why);
		filter_read_next(f, operand, true);
		reader_read_files(r, f, side);
		return NULL;
	}
	if (strpbrk(operand, "*?[") == NULL)
		die("'%s' is neither a file nor a commit%s", operand,
		    buf_cstr(&why));
	buf_release(&why);
	if (glob(operand, 0, NULL, &found) != 0)
		die("no file matches '%s'", operand);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		filter_read_next(f, found.gl_pathv[i], true);
		reader_read_files(r, f, side);
	}
	globfree(&found);
	return NULL;
}

static void
read_options(void)
{
	static const char *const values[] = { "median", "min", NULL };
	static const char *const modes[] = { "pass", "fail", NULL };
	static const char *const parts[] = { "trace", NULL };
	double percent;
	bool fails;

	if (!number_read(span_str(opt.effect), &percent) || !(percent >= 0 &&
	    percent <= 1e6))
		die("--effect: '%s' is not a percentage", opt.effect);
	opt.o.min_effect = percent / 100;
	opt.o.least = opt_choice("value", opt.value, values, sizeof *values);
	opt.o.fail_if_gone = opt_choice("gone", opt.gone, modes,
	    sizeof *modes);
	opt.o.fail_if_suspected = opt_choice("suspected", opt.suspected,
	    modes, sizeof *modes);
	if (opt.unjudged != NULL) {
		fails = opt_choice("unjudged", opt.unjudged, modes,
		    sizeof *modes);
		opt.o.fail_if_unjudged = fails;
		opt.o.pass_if_unjudged = !fails;
	}
	if (opt.by != NULL)
		opt_choice("by", opt.by, parts, sizeof *parts);
	if (!opt.o.history && (opt.o.oldest_first || opt.svg ||
	    opt.o.now != NULL))
		die("--oldest-first, --now and --svg need --history");
	if (opt.accept != NULL)
		opt.o.accepted = accepted_read(opt.accept);
}

/* Sets the exit status, with a message that says why it is not 0. */
static void
decide(struct filter *f, const struct results *a)
{
	const struct options *o = a->options;
	const size_t *n = a->counts;
	const char *gone = phrases_sentence(a, SENTENCE_GONE);
	const char *units = phrases_sentence(a, SENTENCE_UNITS), *unjudged =
	    o->fail_if_unjudged ? phrases_sentence(a, SENTENCE_UNJUDGED) : "";

	if (*gone != '\0' && !o->fail_if_gone)
		filter_warn(f, "%s", gone);
	if (a->n_tested == 0 && !o->pass_if_unjudged)
		/* That nothing came has been said. */
		filter_cannot_answer(f, a->samples->n_samples == 0 &&
		    f->rejecting.n_faults > 0 ? NULL :
		    phrases_sentence(a, SENTENCE_ANSWER));
	else if (n[VERDICT_DEGRADED] > 0 || (o->improvements &&
	    n[VERDICT_IMPROVED] > 0) || (o->fail_if_suspected &&
	    a->n_worse_suspected > 0))
		filter_answer_no(f, phrases_sentence(a, SENTENCE_ANSWER));
	else if (o->fail_if_gone && *gone != '\0')
		filter_answer_no(f, gone);
	else if (*unjudged != '\0' || *units != '\0')
		filter_answer_no(f, *unjudged != '\0' ? unjudged : units);
}

static void
answer(struct filter *f, struct samples *s, struct results *a)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (results_is_listed(a, &opt.o.more, i))
			s->keys[i].more_is_better = true;
	if (opt.o.history)
		history_find(a, f);
	else
		compare_sides(a);
	results_finish(a);
	if (opt.svg)
		svg_draw(a, f);
	else if (f->text)
		report_answer(a, f);
	else if (s->n_samples > 0)
		emit_answer(a, f);
	decide(f, a);
	results_release(a);
}

int
main(int argc, char **argv)
{
	struct filter f;
	struct samples samples;
	struct arena texts = { 0 };
	struct reader *reader;
	const char *old = NULL, *new = NULL;
	char *old_commit = NULL, *new_commit = NULL;
	bool nearest, none = false;

	filter_begin(&f, &about, options, argc, argv);
	read_options();
	nearest = opt.nearest;
	if (opt.svg)
		filter_write_text(&f);

	samples_init(&samples);
	reader = reader_new(&samples, opt.by != NULL);
	if (opt.o.history) {
		reader_read_files(reader, &f, INDEX_NONE);
	} else {
		old = filter_operand(&f);
		new = filter_operand(&f);
		if (new == NULL || filter_operand(&f) != NULL)
			die("two operands are needed, OLD and NEW, or "
			    "--history");
		old_commit = read_side(reader, &f, old, SIDE_OLD, &nearest);
		new_commit = read_side(reader, &f, new, SIDE_NEW, &none);
		if (old_commit == NULL)
			nearest = false;
		if (nearest && new_commit != NULL &&
		    strcmp(old_commit, new_commit) == 0)
			die("the newest measured ancestor of '%s' is '%s' "
			    "itself", old, new);
	}

	answer(&f, &samples, &(struct results){ .samples = &samples,
	    .options = &opt.o, .texts = &texts, .old_commit = old_commit,
	    .new_commit = new_commit, .asked_commit = nearest ? old : NULL });
	free(old_commit);
	free(new_commit);
	arena_release(&texts);
	accepted_free(opt.o.accepted);
	reader_free(reader);
	samples_release(&samples);
	return filter_end(&f);
}
