/* vcs-log - writes the history of a repository as version records */

#include <stdlib.h>

#include "common/base/err.h"
#include "common/base/num.h"
#include "common/filter/filter.h"
#include "common/perun/perun.h"

static struct {
	const char *repository;
	struct opt_word vcs;
	uint64_t max_count;
	bool first_parent, no_walk;
} opt = { .vcs = OPT_POINTERS(vcs_backends), .max_count = UINT64_MAX };

static const struct opt options[] = {
	{ 'C', "repository", OPT_STR, &opt.repository, "DIR",
	    "the repository in DIR or above (.)", 0, 0 },
	{ 0, "vcs", OPT_WORD, &opt.vcs, "TYPE",
	    "git or svs (svs in its store, else what is found)", 0, 0 },
	{ 'f', "first-parent", OPT_FLAG, &opt.first_parent, NULL,
	    "follow only the first parent of a merge", 0, 0 },
	{ 0, "no-walk", OPT_FLAG, &opt.no_walk, NULL,
	    "only the revisions that are given", 0, 0 },
	{ 'n', "max-count", OPT_NUM, &opt.max_count, "N",
	    "at most N versions", 0, 0 },
	{ 0 }
};

static const struct about about = {
	.operands = "[rev | rev..rev | ^rev ...]",
	.purpose = "Writes a version record for every commit in the history "
	    "of a revision (HEAD),\nin the order of git rev-list.",
	.examples = {
	    "vcs-log v1.0..HEAD",
	    "vcs-log --first-parent | pidx-read --profiles",
	},
};

static void
emit_version(struct filter *f, const struct vcs_version *version)
{
	struct buf *b = filter_begin_record(f, "version");

	json_str(b, "id", span_str(version->id.hex));
	json_open(b, "parents", '[');
	for (size_t i = 0; i < version->n_parents; i++)
		json_item(b, span_str(version->parents[i].hex));
	json_close(b, ']');
	json_str(b, "author", version->author);
	json_str(b, "email", version->email);
	json_int(b, "time", version->time_s);
	json_int(b, "utc_offset_minutes", version->utc_offset_minutes);
	json_int(b, "author_time", version->author_time_s);
	json_str(b, "message", version->message);
	filter_end_record(f);
}

/* Writes the tips alone. */
static void
write_tips(struct filter *f, struct vcs *vcs, const struct vcs_tips *tips)
{
	struct vcs_version version;

	for (size_t i = 0; i < tips->n && i < opt.max_count; i++) {
		if (tips->list[i].excluded)
			die("--no-walk takes no ranges");
		if (!vcs_get_minor_version_info(vcs, tips->list[i].id.hex,
		    &version))
			die("%s", vcs->why);
		emit_version(f, &version);
	}
}

/* Writes the history of the tips. */
static void
walk(struct filter *f, struct vcs *vcs, const struct vcs_tips *tips)
{
	enum vcs_found found = VCS_NOT_FOUND;
	struct vcs_version version;

	if (!vcs_walk_minor_versions(vcs, tips->list, tips->n,
	    opt.first_parent))
		die("%s", vcs->why);
	for (uint64_t i = 0; i < opt.max_count && (found =
	    vcs_next_minor_version(vcs, &version)) == VCS_FOUND; i++)
		emit_version(f, &version);
	if (found == VCS_FAILED)
		die("%s", vcs->why);
}

int
main(int argc, char **argv)
{
	struct filter f;
	struct vcs vcs;
	struct vcs_tips tips = { 0 };
	const char *text;

	filter_begin(&f, &about, options, argc, argv);
	if (!perun_open_vcs(&vcs, opt.vcs.given, opt.repository))
		die("%s", vcs.why);

	text = filter_operand(&f);
	do {
		if (!vcs_add_tips(&vcs, text, &tips))
			die("%s", vcs.why);
		text = filter_operand(&f);
	} while (text != NULL);
	if (opt.no_walk)
		write_tips(&f, &vcs, &tips);
	else
		walk(&f, &vcs, &tips);
	vcs_close(&vcs);
	free(tips.list);
	return filter_end(&f);
}
