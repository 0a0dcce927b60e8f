/* git - the back end for git: HEAD, branches, changed files, function table */

#include <errno.h>
#include <stdlib.h>

#include "common/base/mem.h"
#include "common/base/sort.h"
#include "common/vcs/git-commit.h"
#include "common/vcs/git-name.h"
#include "common/vcs/git-repo.h"
#include "common/vcs/git-walk.h"
#include "common/vcs/git.h"

static void
free_branches(struct gitvcs *g)
{
	for (size_t i = 0; i < g->n_branches; i++)
		free((char *)(uintptr_t)g->branches[i].name);
	g->n_branches = 0;
}

static void
close_git(struct vcs *v)
{
	struct gitvcs *g = v->state;

	gitvcs_walk_end(&g->walk);
	free_branches(g);
	free(g->branches);
	gitvcs_close(v);
}

/* --- HEAD and branches --- */

static bool
get_minor_head(struct vcs *v, struct vcs_id *id)
{
	struct gitvcs *g = v->state;
	git_oid oid;
	int error = git_reference_name_to_id(&oid, g->repo, "HEAD");

	if (error == GIT_ENOTFOUND)
		return vcs_fail(v, "HEAD has no commit yet");
	if (error != 0)
		return gitvcs_fail(v, "cannot read HEAD");
	gitvcs_format_id(id, &oid);
	return true;
}

static const char *
short_name(const char *name)
{
	static const char heads[] = "refs/heads/";
	size_t n = sizeof heads - 1;

	return strncmp(name, heads, n) == 0 ? name + n : name;
}

static bool
get_head_major_version(struct vcs *v, const char **name)
{
	struct gitvcs *g = v->state;
	git_reference *head;
	const char *target;
	struct vcs_id id;

	if (git_reference_lookup(&head, g->repo, "HEAD") != 0)
		return gitvcs_fail(v, "cannot read HEAD");
	target = git_reference_symbolic_target(head);
	if (target == NULL)
		gitvcs_format_id(&id, git_reference_target(head));
	g->head_name.len = 0;
	buf_str(&g->head_name, target != NULL ? short_name(target) : id.hex);
	*name = buf_cstr(&g->head_name);
	git_reference_free(head);
	return true;
}

/* A branch whose reference cannot be resolved has no commit yet. */
static void
add_branch(struct gitvcs *g, const char *full_name)
{
	struct vcs_branch *b;
	git_oid id;
	int error;

	g->branches = mem_grow(g->branches, &g->branches_cap,
	    g->n_branches + 1, sizeof *g->branches);
	b = &g->branches[g->n_branches++];
	*b = (struct vcs_branch){ .name = mem_strdup(short_name(full_name)) };
	errno = 0;
	error = git_reference_name_to_id(&id, g->repo, full_name);
	b->has_id = error == 0;
	if (b->has_id)
		gitvcs_format_id(&b->id, &id);
	else
		gitvcs_check(error, full_name);
}

static int
compare_branches(const void *a, const void *b)
{
	const struct vcs_branch *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static bool
walk_major_versions(struct vcs *v, const struct vcs_branch **branches,
    size_t *n)
{
	struct gitvcs *g = v->state;
	git_reference_iterator *it;
	const char *name;
	int error;

	free_branches(g);
	if (git_reference_iterator_glob_new(&it, g->repo, "refs/heads/*") != 0)
		return gitvcs_fail(v, "cannot list the branches");
	while ((error = git_reference_next_name(&name, it)) == 0)
		add_branch(g, name);
	git_reference_iterator_free(it);
	if (error != GIT_ITEROVER)
		return gitvcs_fail(v, "cannot list the branches");
	sort(g->branches, g->n_branches, sizeof *g->branches,
	    compare_branches);
	*branches = g->branches;
	*n = g->n_branches;
	return true;
}

/* --- commits and the work tree --- */

static bool
get_minor_version_info(struct vcs *v, const struct vcs_id *id,
    struct vcs_version *version)
{
	git_odb_object *object;
	git_oid oid;

	if (git_oid_fromstr(&oid, id->hex) != 0)
		return gitvcs_fail(v, "'%s' is not an id", id->hex);
	return gitvcs_read_commit(v, &oid, &object) &&
	    gitvcs_parse_version(v, object, version);
}

/* A callback for each changed file: the first one ends the comparison. */
static int
stop_at_change(const char *path, unsigned status, void *context)
{
	(void)path;
	(void)status;
	*(bool *)context = true;
	return GIT_EUSER;
}

/* libgit2 1.5 does not read the settings of a work tree. */
static bool
is_bare(const struct gitvcs *g)
{
	struct buf path = { 0 };
	git_config *config;
	int bare = 0;

	buf_printf(&path, "%sconfig.worktree", git_repository_path(g->repo));
	if (git_config_open_ondisk(&config, buf_cstr(&path)) == 0) {
		if (git_config_get_bool(&bare, config, "core.bare") != 0)
			bare = 0;
		git_config_free(config);
	}
	buf_release(&path);
	return bare || git_repository_is_bare(g->repo);
}

static bool
is_dirty(struct vcs *v, bool *dirty)
{
	struct gitvcs *g = v->state;
	git_status_options options;
	int error;

	*dirty = false;
	if (is_bare(g))
		return true;
	git_status_options_init(&options, GIT_STATUS_OPTIONS_VERSION);
	/* The default options leave out untracked and ignored files. */
	error = git_status_foreach_ext(g->repo, &options, stop_at_change,
	    dirty);
	return error == 0 || *dirty || gitvcs_fail(v,
	    "cannot compare the work tree");
}

const struct vcs_backend vcs_git = {
	.type = "git",
	.open = gitvcs_open,
	.close = close_git,
	.init = gitvcs_init,
	.get_minor_head = get_minor_head,
	.get_head_major_version = get_head_major_version,
	.massage_parameter = gitvcs_massage_parameter,
	.get_minor_version_info = get_minor_version_info,
	.walk_minor_versions = gitvcs_walk_begin,
	.next_minor_version = gitvcs_walk_next,
	.walk_major_versions = walk_major_versions,
	.is_dirty = is_dirty,
};
