/* vcs-heads - writes the branches of a repository as head records */

#include "common/base/err.h"
#include "common/frame/filter.h"
#include "common/frame/report.h"
#include "common/vcs/vcs.h"

static struct {
	const char *repository, *vcs;
	bool dirty;
} opt;

static const struct opt options[] = {
	{ 'C', "repository", OPT_STR, &opt.repository, "DIR",
	    "the repository in DIR or above (.)", 0, 0 },
	{ 0, "vcs", OPT_STR, &opt.vcs, "TYPE",
	    "git or none (the first one found)", 0, 0 },
	{ 'd', "dirty", OPT_FLAG, &opt.dirty, NULL,
	    "report uncommitted changes in the work tree", 0, 0 },
	{ 0 }
};

static const struct about about = {
	.operands = "",
	.purpose = "Writes a head record for every branch of a repository, "
	    "and marks the one that\nis checked out.",
	.reports = true,
};

static void
emit_head(struct filter *f, const struct vcs_branch *branch, bool dirty)
{
	struct buf *b = filter_begin_record(f, "head");

	json_cstr(b, "name", branch->name);
	if (branch->has_id)
		json_cstr(b, "id", branch->id.hex);
	if (branch->is_head)
		json_true(b, "head");
	if (dirty)
		json_true(b, "dirty");
	filter_end_record(f);
}

/* The column of ids is 40 characters wide even if a branch has no id. */
static void
print_head(struct filter *f, const struct vcs_branch *branch, bool dirty)
{
	struct buf *b = filter_out(f);

	buf_printf(b, "%c %-*s  ", branch->is_head ? '*' : ' ',
	    VCS_ID_LEN, branch->has_id ? branch->id.hex : "no commit yet");
	report_text(b, span_str(branch->name));
	buf_str(b, dirty ? " (changed)\n" : "\n");
	filter_emit(f);
}

int
main(int argc, char **argv)
{
	struct filter f;
	struct vcs vcs;
	struct vcs_branch branch;
	enum vcs_found found;
	bool dirty = false;

	filter_begin(&f, &about, options, argc, argv);
	if (filter_operand(&f) != NULL)
		die("there are no operands: all branches are listed");
	if (!vcs_open(&vcs, opt.vcs, opt.repository, true) ||
	    (opt.dirty && !vcs_is_dirty(&vcs, &dirty)) ||
	    !vcs_walk_major_versions(&vcs))
		die("%s", vcs.why);
	while ((found = vcs_next_major_version(&vcs, &branch)) == VCS_FOUND)
		(f.text ? print_head : emit_head)(&f, &branch,
		    dirty && branch.is_head);
	if (found == VCS_FAILED)
		die("%s", vcs.why);
	vcs_close(&vcs);
	return filter_end(&f);
}
