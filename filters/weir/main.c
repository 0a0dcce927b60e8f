/* weir - says what files are, and how to ask about them */

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/filter/filter-reject.h"
#include "common/filter/filter.h"
#include "common/report/report-values.h"
#include "common/report/report.h"
#include "common/report/table.h"
#include "filters/weir/weir.h"

static const struct opt options[] = { { 0 } };

static const struct about about = {
	.operands = "[- | file-or-directory ...]",
	.purpose = "Says what files are, and prints the pipelines that answer "
	    "the usual questions\nabout them; without files, lists the "
	    "filters.",
	.examples = {
	    "weir",
	    "weir ninja_log graph.dot",
	},
	.reads = "what is to be recognized",
	.output = filter_writes_text,
};

/* The filters by what they answer; a heading has no filter. */
static const struct { const char *filter, *answers; } filters[] = {
	{ NULL, "Builds" },
	{ "execlog-parse", "which tasks ran, where and when: from a log" },
	{ "buildgraph-parse", "what depends on what: from a graph" },
	{ "make-record", "what each target of make took and waited for" },
	{ "critpath", "what takes so long, and what would shorten it" },
	{ "execlog-stat", "where the time went, the cache, failures" },
	{ "timeline", "what ran when, as a picture or a page" },
	{ "graph-export", "what waited for what, as a drawing" },
	{ "trace-export", "the same for Perfetto and other viewers" },
	{ NULL, "Queries" },
	{ "malparse", "what MonetDB did: from a trace" },
	{ "malstat", "what costs most, how well the cores are used" },
	{ "malload", "anything that SQL can ask" },
	{ NULL, "Programs" },
	{ "callgraph-record", "who calls what, how often, how long" },
	{ "callgraph-symbolize", "names and lines for addresses" },
	{ "callgraph-release", "the same after a program was stripped" },
	{ "callgraph-merge", "the sum over processes and machines" },
	{ "callgraph-stat", "which functions cost most, what has changed" },
	{ "callgraph-fold", "flame graphs; files for other viewers" },
	{ NULL, "History" },
	{ "profile-make", "one profile of anything measured" },
	{ "perf-diff", "what is slower, how sure, since which commit" },
	{ "pidx-init", "a store of profiles beside a repository" },
	{ "pidx-write", "keeps a profile with its commit" },
	{ "pidx-read", "which profiles commits have" },
	{ "pidx-rm", "takes profiles from an index" },
	{ "pidx-fsck", "whether a store is whole" },
	{ "pidx-jobs", "what is to be measured" },
	{ "vcs-log", "the commits of a repository" },
	{ "vcs-heads", "its branches" },
	{ "vcs-resolve", "the commit that a name means" },
};
enum { N_FILTERS = sizeof filters / sizeof *filters };

static void
list_filters(struct buf *b)
{
	for (size_t i = 0; i < N_FILTERS; i++)
		if (filters[i].filter == NULL)
			report_heading(b, "%s%s", i > 0 ? "\n" : "",
			    filters[i].answers);
		else
			buf_printf(b, "  %-20s %s\n", filters[i].filter,
			    filters[i].answers);
	buf_str(b, "\nweir FILE... says what files are, and how to ask about "
	    "them.\nThe tour is weir(7).\n");
}

/* The filters beside this program come before others of the same name. */
static void
prepend_to_path(void)
{
	char folder[PATH_MAX];
	const char *path = getenv("PATH");
	struct buf all = { 0 };

	if (!file_own_folder(folder, sizeof folder))
		return;
	buf_printf(&all, "%s:%s", folder, path != NULL ? path :
	    "/usr/bin:/bin");
	setenv("PATH", buf_cstr(&all), 1);
	buf_release(&all);
}

static void
describe(struct filter *f, const struct file *file)
{
	struct buf *b = filter_out(f);
	size_t from = b->len;

	report_text(b, span_str(strcmp(file->path, "-") == 0 ? "<stdin>" :
	    file->path));
	buf_str(b, ": ");
	buf_add(b, file->is.data, file->is.len);
	report_sentence(b, from);
	f->cannot_answer |= file->is_unreadable;
	f->answered_no |= file->role == ROLE_NONE;
}

int
main(int argc, char **argv)
{
	struct filter f;
	struct file *files;
	size_t n;

	filter_begin(&f, &about, options, argc, argv);
	n = f.reading.n_operands;
	if (n == 0)
		list_filters(filter_out(&f));
	prepend_to_path();
	files = mem_zero(n, sizeof *files);
	for (size_t i = 0; i < n; i++) {
		files[i].path = f.reading.operands[i];
		file_examine(&files[i]);
		describe(&f, &files[i]);
	}
	questions_write(filter_out(&f), files, n);
	for (size_t i = 0; i < n; i++)
		file_release(&files[i]);
	free(files);
	return filter_end(&f);
}
