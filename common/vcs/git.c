/* vcs-git - version control by git, which libgit2 reads */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/base/mem.h"
#include "common/vcs/git.h"

void
gitvcs_id(struct vcs_id *to, const git_oid *id)
{
	git_oid_tostr(to->hex, sizeof to->hex, id);
}

int
gitvcs_compare_ids(const void *a, const void *b)
{
	return git_oid_cmp(a, b);
}

static const char *
last_error(void)
{
	const git_error *e = git_error_last();

	return e != NULL && e->message != NULL ? e->message : "unknown error";
}

bool
gitvcs_fail(struct vcs *v, const char *fmt, ...)
{
	char text[VCS_WHY_MAX / 2];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	return vcs_fail(v, "%s: %.500s", text, last_error());
}

/* --- opening --- */

/*
 * libgit2 begins with reading all certificates of the system, for networks
 * that nobody asks here, which is 3 of the 8 ms that a filter takes to start.
 * Where it does so by mbedtls, as in Debian, it finds this instead, and goes on
 * without.
 */
int mbedtls_x509_crt_parse_file(void *chain, const char *path);

int
mbedtls_x509_crt_parse_file(void *chain, const char *path)
{
	(void)chain, (void)path;
	return -1;
}

/*
 * Commits are read once, so that to keep them is of no use.  To hash each one,
 * to see whether it is what it is called, would take a quarter more time; git
 * does not do it either for what it shows.  Settings of single work trees and
 * objects that come later by themselves (partial clones) do not concern those
 * who read commits.
 */
static void
set_up_library(void)
{
	static const char *extensions[] = { "worktreeconfig", "partialclone" };

	git_libgit2_init();
	git_libgit2_opts(GIT_OPT_ENABLE_STRICT_HASH_VERIFICATION, 0);
	git_libgit2_opts(GIT_OPT_SET_CACHE_OBJECT_LIMIT, GIT_OBJECT_COMMIT,
	    (size_t)0);
	git_libgit2_opts(GIT_OPT_SET_EXTENSIONS, extensions, (size_t)2);
}

/* libgit2 1.5 says that it found no such setting, and no more. */
static bool
is_distrusted(int error)
{
	return error == GIT_EOWNER ||
	    strstr(last_error(), "safe.directory") != NULL;
}

static enum vcs_found
explain_open(struct vcs *v, int error, const char *path)
{
	if (path == NULL)
		path = ".";
	if (is_distrusted(error))
		vcs_fail(v, "the repository in '%.400s' belongs to somebody "
		    "else: git config --global --add safe.directory tells "
		    "that it is to be trusted", path);
	else if (error == GIT_ENOTFOUND)
		return VCS_NONE;
	else if (strstr(last_error(), "objectformat") != NULL)
		vcs_fail(v, "the repository in '%.400s' names objects by "
		    "another hash than SHA-1", path);
	else
		gitvcs_fail(v, "cannot open the repository in '%.400s'", path);
	return VCS_FAILED;
}

static bool
read_shallow(struct gitvcs *g, FILE *f)
{
	char line[256];
	git_oid id;

	while (fgets(line, sizeof line, f) != NULL) {
		if (git_oid_fromstrn(&id, line, VCS_ID_LEN) != 0)
			return false;
		g->shallow = mem_grow(g->shallow, &g->shallow_cap,
		    g->n_shallow + 1, sizeof *g->shallow);
		g->shallow[g->n_shallow++] = id;
	}
	if (g->n_shallow > 0)
		qsort(g->shallow, g->n_shallow, sizeof *g->shallow,
		    gitvcs_compare_ids);
	return ferror(f) == 0;
}

/* libgit2 says whether a clone is shallow, but not where it ends. */
static bool
open_shallow(struct vcs *v)
{
	struct gitvcs *g = v->own;
	struct buf path = { 0 };
	bool good = true;
	FILE *f;

	buf_printf(&path, "%sshallow", git_repository_commondir(g->repo));
	buf_char(&path, '\0');
	if ((f = fopen(path.data, "r")) != NULL) {
		good = read_shallow(g, f) ||
		    vcs_fail(v, "cannot read '%s'", path.data);
		fclose(f);
	}
	buf_release(&path);
	return good;
}

static bool
open_objects(struct vcs *v)
{
	struct gitvcs *g = v->own;

	if (git_repository_odb(&g->odb, g->repo) != 0)
		return gitvcs_fail(v, "cannot open the objects");
	return open_shallow(v);
}

static void
close_git(struct vcs *v)
{
	struct gitvcs *g = v->own;

	gitvcs_walk_end(&g->walk);
	git_odb_object_free(g->object);
	git_odb_free(g->odb);
	git_repository_free(g->repo);
	if (g->recoder != (iconv_t)-1)
		iconv_close(g->recoder);
	for (size_t i = 0; i < g->n_branches; i++)
		free((char *)(uintptr_t)g->branches[i].name);
	free(g->branches);
	free(g->parents);
	free(g->shallow);
	buf_release(&g->text);
	buf_release(&g->name);
	free(g);
	git_libgit2_shutdown();
}

static enum vcs_found
open_git(struct vcs *v, const char *path, bool upwards)
{
	unsigned flags = path == NULL ? GIT_REPOSITORY_OPEN_FROM_ENV :
	    upwards ? 0 : GIT_REPOSITORY_OPEN_NO_SEARCH;
	enum vcs_found found = VCS_FOUND;
	struct gitvcs *g;
	int error;

	v->own = g = mem_zero(1, sizeof *g);
	g->recoder = (iconv_t)-1;
	set_up_library();
	error = git_repository_open_ext(&g->repo, path, flags, NULL);
	if (error != 0)
		found = explain_open(v, error, path);
	else if (!open_objects(v))
		found = VCS_FAILED;
	if (found != VCS_FOUND)
		close_git(v);
	return found;
}

static bool
init(struct vcs *v, const char *path)
{
	git_repository *repo = NULL;
	bool good;

	set_up_library();
	good = git_repository_init(&repo, path, 0) == 0 ||
	    gitvcs_fail(v, "cannot make a repository in '%.400s'", path);
	git_repository_free(repo);
	git_libgit2_shutdown();
	return good;
}

/* --- HEAD and branches --- */

static bool
get_minor_head(struct vcs *v, struct vcs_id *id)
{
	struct gitvcs *g = v->own;
	git_oid oid;
	int error = git_reference_name_to_id(&oid, g->repo, "HEAD");

	if (error == GIT_ENOTFOUND)
		return vcs_fail(v, "HEAD has no commit yet");
	if (error != 0)
		return gitvcs_fail(v, "cannot read HEAD");
	gitvcs_id(id, &oid);
	return true;
}

static const char *
short_name(const char *name)
{
	static const char heads[] = "refs/heads/";
	size_t n = sizeof heads - 1;

	return strncmp(name, heads, n) == 0 ? name + n : name;
}

/* The full name of HEAD's branch; NULL in *target if it is on none. */
static bool
look_up_head(struct vcs *v, git_reference **head, const char **target)
{
	struct gitvcs *g = v->own;

	if (git_reference_lookup(head, g->repo, "HEAD") != 0)
		return gitvcs_fail(v, "cannot read HEAD");
	*target = git_reference_symbolic_target(*head);
	return true;
}

static bool
get_head_major_version(struct vcs *v, const char **name)
{
	struct gitvcs *g = v->own;
	git_reference *head;
	const char *target;
	struct vcs_id id;

	if (!look_up_head(v, &head, &target))
		return false;
	if (target == NULL)
		gitvcs_id(&id, git_reference_target(head));
	g->name.len = 0;
	buf_str(&g->name, target != NULL ? short_name(target) : id.hex);
	buf_char(&g->name, '\0');
	*name = g->name.data;
	git_reference_free(head);
	return true;
}

static struct vcs_branch *
add_branch(struct gitvcs *g, const char *name)
{
	char *copy = strcpy(mem_alloc(strlen(name) + 1), name);

	g->branches = mem_grow(g->branches, &g->branches_cap,
	    g->n_branches + 1, sizeof *g->branches);
	g->branches[g->n_branches] = (struct vcs_branch){ .name = copy };
	return &g->branches[g->n_branches++];
}

/* A name that leads nowhere is a branch without a commit. */
static void
set_branch_id(struct gitvcs *g, struct vcs_branch *b, const char *full_name)
{
	git_oid id;

	b->has_id = git_reference_name_to_id(&id, g->repo, full_name) == 0;
	if (b->has_id)
		gitvcs_id(&b->id, &id);
}

static bool
add_branches(struct vcs *v)
{
	struct gitvcs *g = v->own;
	git_reference_iterator *it;
	const char *name;
	int error;

	if (git_reference_iterator_glob_new(&it, g->repo, "refs/heads/*") != 0)
		return gitvcs_fail(v, "cannot list the branches");
	while ((error = git_reference_next_name(&name, it)) == 0)
		set_branch_id(g, add_branch(g, short_name(name)), name);
	git_reference_iterator_free(it);
	return error == GIT_ITEROVER || gitvcs_fail(v,
	    "cannot list the branches");
}

static int
compare_branches(const void *a, const void *b)
{
	const struct vcs_branch *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* Marks the one that HEAD is on, or adds it. */
static bool
mark_head(struct vcs *v)
{
	struct gitvcs *g = v->own;
	struct vcs_branch *b;
	const char *name;

	if (!get_head_major_version(v, &name))
		return false;
	for (b = g->branches; b < g->branches + g->n_branches; b++)
		if (strcmp(b->name, name) == 0)
			break;
	if (b == g->branches + g->n_branches) {
		b = add_branch(g, name);
		set_branch_id(g, b, "HEAD");
	}
	b->is_head = true;
	return true;
}

static bool
walk_major_versions(struct vcs *v)
{
	struct gitvcs *g = v->own;

	for (size_t i = 0; i < g->n_branches; i++)
		free((char *)(uintptr_t)g->branches[i].name);
	g->n_branches = g->next_branch = 0;
	if (!add_branches(v))
		return false;
	if (g->n_branches > 0)
		qsort(g->branches, g->n_branches, sizeof *g->branches,
		    compare_branches);
	return mark_head(v);
}

static enum vcs_found
next_major_version(struct vcs *v, struct vcs_branch *branch)
{
	struct gitvcs *g = v->own;

	if (g->next_branch == g->n_branches)
		return VCS_NONE;
	*branch = g->branches[g->next_branch++];
	return VCS_FOUND;
}

/* --- versions and the work tree --- */

static bool
get_minor_version_info(struct vcs *v, const struct vcs_id *id,
    struct vcs_version *version)
{
	git_odb_object *object;
	git_oid oid;

	if (git_oid_fromstr(&oid, id->hex) != 0)
		return gitvcs_fail(v, "'%s' is no id", id->hex);
	return gitvcs_read_commit(v, &oid, &object) &&
	    gitvcs_version(v, object, version);
}

static int
stop_at_change(const char *path, unsigned status, void *payload)
{
	(void)path;
	(void)status;
	*(bool *)payload = true;
	return GIT_EUSER;
}

static bool
is_dirty(struct vcs *v, bool *dirty)
{
	struct gitvcs *g = v->own;
	git_status_options options;
	int error;

	*dirty = false;
	if (git_repository_is_bare(g->repo))
		return true;
	git_status_options_init(&options, GIT_STATUS_OPTIONS_VERSION);
	/* Not asked for, untracked and ignored files are not listed. */
	error = git_status_foreach_ext(g->repo, &options, stop_at_change,
	    dirty);
	return error == 0 || *dirty || gitvcs_fail(v,
	    "cannot compare the work tree");
}

const struct vcs_backend vcs_git = {
	.type = "git",
	.open = open_git,
	.close = close_git,
	.init = init,
	.get_minor_head = get_minor_head,
	.get_head_major_version = get_head_major_version,
	.massage_parameter = gitvcs_massage_parameter,
	.get_minor_version_info = get_minor_version_info,
	.walk_minor_versions = gitvcs_walk_begin,
	.next_minor_version = gitvcs_walk_next,
	.walk_major_versions = walk_major_versions,
	.next_major_version = next_major_version,
	.is_dirty = is_dirty,
};
