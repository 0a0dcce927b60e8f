/* vcs-heads - writes the branches of a repository as head records */

#include "common/base/err.h"
#include "common/filter/filter.h"
#include "common/perun/perun.h"
#include "common/report/table.h"

static struct {
	const char *repository, *vcs;
	bool dirty;
} opt;

static const struct opt options[] = {
	{ 'C', "repository", OPT_STR, &opt.repository, "DIR",
	    "the repository in DIR or above (.)", 0, 0 },
	{ 0, "vcs", OPT_STR, &opt.vcs, "TYPE",
	    "git or svs (svs in an svs store, else git)", 0, 0 },
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

static void
put_row(struct table *t, const struct vcs_branch *branch, bool dirty)
{
	struct buf name = { 0 };

	buf_str(table_cell(t), branch->is_head ? "*" : "");
	table_next(t);
	buf_str(table_cell(t), branch->has_id ? branch->id.hex :
	    "no commit yet");
	table_next(t);
	buf_str(&name, branch->name);
	buf_str(&name, dirty ? " (changed)" : "");
	table_name(t, buf_span(&name), 0, name.len);
	buf_release(&name);
}

int
main(int argc, char **argv)
{
	struct filter f;
	struct vcs vcs;
	const struct vcs_branch *branches, *branch;
	struct table table = { 0 };
	bool dirty = false;
	size_t n;

	filter_begin(&f, &about, options, argc, argv);
	if (filter_operand(&f) != NULL)
		die("there are no operands: all branches are listed");
	if (!perun_open_vcs(&vcs, opt.vcs, opt.repository) ||
	    (opt.dirty && !vcs_is_dirty(&vcs, &dirty)) ||
	    !vcs_walk_major_versions(&vcs, &branches, &n))
		die("%s", vcs.why);
	if (f.text)
		table_init(&table, "LlL", NULL);
	for (branch = branches; branch < branches + n; branch++)
		if (f.text)
			put_row(&table, branch, dirty && branch->is_head);
		else
			emit_head(&f, branch, dirty && branch->is_head);
	vcs_close(&vcs);
	if (f.text)
		table_print(&table, filter_out(&f));
	return filter_end(&f);
}
