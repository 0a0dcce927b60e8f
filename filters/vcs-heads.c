/* vcs-heads - writes the branches of a repository as head records */

#include "common/base/err.h"
#include "common/filter/filter.h"
#include "common/perun/perun.h"
#include "common/report/table.h"

static struct {
	const char *repository;
	struct opt_word vcs;
	bool dirty;
} opt = { .vcs = OPT_POINTERS(vcs_backends) };

static const struct opt options[] = {
	{ 'C', "repository", OPT_STR, &opt.repository, "DIR",
	    "the repository in DIR or above (.)", 0, 0 },
	{ 0, "vcs", OPT_WORD, &opt.vcs, "TYPE",
	    "git or svs (svs in its store, else what is found)", 0, 0 },
	{ 'd', "dirty", OPT_FLAG, &opt.dirty, NULL,
	    "report uncommitted changes in the work tree", 0, 0 },
	{ 0 }
};

static const struct about about = {
	.operands = "",
	.purpose = "Writes a head record for every branch of a repository, "
	    "and marks the one that\nis checked out.",
	.examples = {
	    "vcs-heads",
	    "vcs-heads | jq -r 'select(.head).name'",
	},
	.reports = true,
};

static struct {
	struct table table;
	const char *head;	/* the branch that is checked out, or its id */
	bool is_dirty;		/* its work tree has changes */
} state;

static void
emit_head(struct filter *f, const struct vcs_branch *branch, bool is_head)
{
	struct buf *b = filter_begin_record(f, "head");

	json_cstr(b, "name", branch->name);
	if (branch->has_id)
		json_cstr(b, "id", branch->id.hex);
	json_flag(b, "head", is_head);
	json_flag(b, "dirty", is_head && state.is_dirty);
	filter_end_record(f);
}

static void
put_row(struct table *t, const struct vcs_branch *branch, bool is_head)
{
	struct buf name = { 0 };

	buf_str(table_cell(t), is_head ? "*" : "");
	table_next(t);
	buf_str(table_cell(t), branch->has_id ? branch->id.hex :
	    "no commit yet");
	table_next(t);
	buf_str(&name, branch->name);
	buf_str(&name, is_head && state.is_dirty ? " (changed)" : "");
	table_name(t, buf_span(&name), 0, name.len);
	buf_release(&name);
}

/* Returns whether the branch is that of HEAD. */
static bool
put_branch(struct filter *f, const struct vcs_branch *branch)
{
	bool is_head = strcmp(branch->name, state.head) == 0;

	if (f->text)
		put_row(&state.table, branch, is_head);
	else
		emit_head(f, branch, is_head);
	return is_head;
}

int
main(int argc, char **argv)
{
	struct filter f;
	struct vcs vcs;
	const struct vcs_branch *branches;
	struct vcs_branch head;
	bool has_head = false;
	size_t n;

	filter_begin(&f, &about, options, argc, argv);
	if (filter_operand(&f) != NULL)
		die("there are no operands: all branches are listed");
	if (!perun_open_vcs(&vcs, opt.vcs.given, opt.repository) ||
	    (opt.dirty && !vcs_is_dirty(&vcs, &state.is_dirty)) ||
	    !vcs_get_head_major_version(&vcs, &state.head) ||
	    !vcs_walk_major_versions(&vcs, &branches, &n))
		die("%s", vcs.why);
	if (f.text)
		table_init(&state.table, "LlL", NULL);
	for (size_t i = 0; i < n; i++)
		has_head |= put_branch(&f, &branches[i]);
	if (!has_head) {	/* it is detached or has no commit yet */
		head = (struct vcs_branch){ .name = state.head };
		head.has_id = vcs_get_minor_head(&vcs, &head.id);
		put_branch(&f, &head);
	}
	vcs_close(&vcs);
	if (f.text)
		table_print(&state.table, filter_out(&f));
	return filter_end(&f);
}
