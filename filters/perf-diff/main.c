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
	const char *directory, *effect, *accept;
	struct options o;
	bool svg;
} opt = { .directory = ".", .effect = "2", .o.top = 20 };

static const struct opt options[] = {
	{ 'H', "history", OPT_FLAG, &opt.o.history, NULL,
	    "find the commits that changed something", 0, 0 },
	{ 'C', "directory", OPT_STR, &opt.directory, "DIR",
	    "the store is in DIR or above (.)", 0, 0 },
	{ 'e', "effect", OPT_STR, &opt.effect, "PERCENT",
	    "smaller changes do not count (2)", 0, 0 },
	{ 'm', "more", OPT_LIST, &opt.o.more, "WHAT",
	    "more is better for this unit or uid", 0, 0 },
	{ 'i', "improvements", OPT_FLAG, &opt.o.improvements, NULL,
	    "exit with 1 for an improvement, too", 0, 0 },
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
	    "each a file, a quoted\npattern of files or a commit, or which "
	    "commits of a history have changed it.",
	.reads = "profiles or samples",
	.keys = read_keys,
	.reports = true,
};

/*
 * Reads a side: a file, a commit, or all files that match a pattern, in the
 * order of their names.  Returns the id of the commit, else NULL.
 */
static char *
read_side(struct reader *r, struct filter *f, const char *operand,
    uint32_t side)
{
	glob_t found;

	if (strcmp(operand, "-") == 0 || access(operand, F_OK) == 0) {
		filter_read_next(f, operand, true);
		reader_read_files(r, f, side);
		return NULL;
	}
	if (strpbrk(operand, "*?[") == NULL)
		return profiles_read(r, f, opt.directory, operand, side);
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
answer(struct filter *f, const struct samples *s, const char *old_commit,
    const char *new_commit)
{
	struct results a = { .samples = s, .options = &opt.o,
	    .old_commit = old_commit, .new_commit = new_commit };
	struct buf why = { 0 };

	if (opt.o.history)
		history_find(&a, f);
	else
		compare_sides(&a);
	results_count(&a);
	if (opt.svg)
		svg_draw(&a, f);
	else if (f->text)
		report_answer(&a, f);
	else if (s->n_samples > 0)
		emit_answer(&a, f);

	/* The exit status says whether something is worse. */
	if (a.counts[VERDICT_DEGRADED] > 0 || (opt.o.improvements &&
	    a.counts[VERDICT_IMPROVED] > 0)) {
		phrases_sentence(&a, &why);
		filter_answer_no(f, buf_cstr(&why));
	}
	buf_release(&why);
	results_release(&a);
}

int
main(int argc, char **argv)
{
	struct filter f;
	struct samples samples;
	struct reader *reader;
	const char *old = NULL, *new = NULL;
	char *old_commit = NULL, *new_commit = NULL;
	double percent;

	filter_begin(&f, &about, options, argc, argv);
	if (!number_read(span_str(opt.effect), &percent) || !(percent >= 0 &&
	    percent <= 1e6))
		die("--effect: '%s' is not a percentage", opt.effect);
	opt.o.min_effect = percent / 100;
	if (!opt.o.history && (opt.o.oldest_first || opt.svg))
		die("--oldest-first and --svg need --history");
	if (opt.accept != NULL)
		opt.o.accepted = accepted_read(opt.accept);
	if (opt.svg)
		filter_write_text(&f);

	samples_init(&samples);
	reader = reader_new(&samples);
	if (opt.o.history) {
		reader_read_files(reader, &f, INDEX_NONE);
	} else {
		old = filter_operand(&f);
		new = filter_operand(&f);
		if (new == NULL || filter_operand(&f) != NULL)
			die("two operands are needed, OLD and NEW, or "
			    "--history");
		old_commit = read_side(reader, &f, old, SIDE_OLD);
		new_commit = read_side(reader, &f, new, SIDE_NEW);
	}

	answer(&f, &samples, old_commit, new_commit);
	free(old_commit);
	free(new_commit);
	accepted_free(opt.o.accepted);
	reader_free(reader);
	samples_release(&samples);
	return filter_end(&f);
}
