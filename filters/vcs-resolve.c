/* vcs-resolve - resolves the names of commits to ids */

#include "common/base/err.h"
#include "common/filter/filter-reject.h"
#include "common/filter/filter.h"
#include "common/perun/perun.h"
#include "common/report/report-values.h"
#include "common/report/report.h"

static struct {
	const char *repository;
	struct opt_word vcs, kind;
} opt = { .vcs = OPT_POINTERS(vcs_backends), .kind = OPT_WORDS(vcs_kinds) };

static const struct opt options[] = {
	{ 'C', "repository", OPT_STR, &opt.repository, "DIR",
	    "the repository in DIR or above (.)", 0, 0 },
	{ 0, "vcs", OPT_WORD, &opt.vcs, "TYPE",
	    "git or svs (svs in its store, else what is found)", 0, 0 },
	{ 't', "object-type", OPT_WORD, &opt.kind, "TYPE",
	    "commit, tree, blob, tag or any (commit)", 0, 0 },
	{ 0 }
};

static const struct about about = {
	.operands = "rev ...",
	.purpose = "Writes the id, 40 hexadecimal digits, of the commit that "
	    "each revision names.",
	.examples = {
	    "vcs-resolve HEAD~3",
	    "vcs-resolve --object-type tag v1.0",
	},
	.reports = true,
};

static void
emit(struct filter *f, const char *name, const struct vcs_id *id,
    enum vcs_kind kind)
{
	size_t from = filter_out(f)->len;
	struct buf *b;

	if (f->text) {
		report_text(filter_out(f), span_str(id->hex));
		report_sentence(filter_out(f), from);
		filter_emit(f);
		return;
	}
	b = filter_begin_record(f, "resolved");
	json_cstr(b, "name", name);
	json_cstr(b, "id", id->hex);
	json_cstr(b, "kind", vcs_kinds[kind]);
	filter_end_record(f);
}

int
main(int argc, char **argv)
{
	struct filter f;
	struct vcs vcs;
	struct vcs_id id;
	enum vcs_kind kind, actual_kind;
	const char *name;

	filter_begin(&f, &about, options, argc, argv);
	kind = (enum vcs_kind)opt.kind.index;
	if ((name = filter_operand(&f)) == NULL)
		die("there is no revision to resolve");
	if (!perun_open_vcs(&vcs, opt.vcs.given, opt.repository))
		die("%s", vcs.why);
	for (; name != NULL; name = filter_operand(&f)) {
		if (vcs_massage_parameter(&vcs, name, kind, &id, &actual_kind))
			emit(&f, name, &id, actual_kind);
		else
			filter_fail(&f, "'%s' does not name %s %s: %s", name,
			    kind == VCS_ANY ? "an" : "a",
			    kind == VCS_ANY ? "object" : vcs_kinds[kind],
			    vcs.why);
	}
	vcs_close(&vcs);
	return filter_end(&f);
}
