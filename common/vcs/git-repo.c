/* git-repo - opens a git repository and reads its objects */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/base/mem.h"
#include "common/base/sort.h"
#include "common/vcs/git.h"

void
gitvcs_format_id(struct vcs_id *to, const git_oid *id)
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
	char text[VCS_WHY_SIZE / 2];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	return vcs_fail(v, "%s: %.500s", text, last_error());
}

/* --- opening --- */

/*
 * libgit2 reads all certificates of the system when it is initialized, although
 * weir never uses the network.  This takes 3 of the 8 ms in which a filter
 * starts.  If libgit2 is built with mbedtls, as in Debian, this function
 * replaces the one that reads them; libgit2 then goes on without certificates.
 */
int mbedtls_x509_crt_parse_file(void *chain, const char *path);

int
mbedtls_x509_crt_parse_file(void *chain, const char *path)
{
	(void)chain, (void)path;
	return -1;
}

/*
 * Commits are read once, so caching them is useless.  Verifying the hash of
 * each object would take a quarter more time; git log does not do it either.
 * libgit2 rejects repositories with these two extensions by default, but they
 * do not matter to a reader of commits.
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

/*
 * Was the repository rejected because it belongs to another user?  libgit2 1.5
 * reports only that it did not find the setting safe.directory.
 */
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
		vcs_fail(v, "the repository in '%.400s' belongs to another "
		    "user: to trust it, add it with git config --global "
		    "--add safe.directory", path);
	else if (error == GIT_ENOTFOUND)
		return VCS_NONE;
	else if (strstr(last_error(), "objectformat") != NULL)
		vcs_fail(v, "the repository in '%.400s' uses a hash other "
		    "than SHA-1", path);
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
	sort(g->shallow, g->n_shallow, sizeof *g->shallow,
	    gitvcs_compare_ids);
	return ferror(f) == 0;
}

/* libgit2 reports whether a clone is shallow, but not where it ends. */
static bool
open_shallow(struct vcs *v)
{
	struct gitvcs *g = v->state;
	struct buf path = { 0 };
	bool ok = true;
	FILE *f;

	buf_printf(&path, "%sshallow", git_repository_commondir(g->repo));
	if ((f = fopen(buf_cstr(&path), "r")) != NULL) {
		ok = read_shallow(g, f) ||
		    vcs_fail(v, "cannot read '%s'", path.data);
		fclose(f);
	}
	buf_release(&path);
	return ok;
}

static bool
open_objects(struct vcs *v)
{
	struct gitvcs *g = v->state;

	if (git_repository_odb(&g->odb, g->repo) != 0)
		return gitvcs_fail(v, "cannot open the objects");
	return open_shallow(v);
}

void
gitvcs_close(struct vcs *v)
{
	struct gitvcs *g = v->state;

	git_odb_object_free(g->object);
	git_odb_free(g->odb);
	git_repository_free(g->repo);
	if (g->recoder != (iconv_t)-1)
		iconv_close(g->recoder);
	free(g->parents);
	free(g->shallow);
	buf_release(&g->text);
	buf_release(&g->head_name);
	free(g);
	git_libgit2_shutdown();
}

enum vcs_found
gitvcs_open(struct vcs *v, const char *path, bool upwards)
{
	unsigned flags = path == NULL ? GIT_REPOSITORY_OPEN_FROM_ENV :
	    upwards ? 0 : GIT_REPOSITORY_OPEN_NO_SEARCH;
	enum vcs_found found = VCS_FOUND;
	struct gitvcs *g;
	int error;

	v->state = g = mem_zero(1, sizeof *g);
	g->recoder = (iconv_t)-1;
	set_up_library();
	error = git_repository_open_ext(&g->repo, path, flags, NULL);
	if (error != 0)
		found = explain_open(v, error, path);
	else if (!open_objects(v))
		found = VCS_FAILED;
	if (found != VCS_FOUND)
		gitvcs_close(v);
	return found;
}

bool
gitvcs_init(struct vcs *v, const char *path)
{
	git_repository *repo = NULL;
	bool ok;

	set_up_library();
	ok = git_repository_init(&repo, path, 0) == 0 ||
	    gitvcs_fail(v, "cannot create a repository in '%.400s'", path);
	git_repository_free(repo);
	git_libgit2_shutdown();
	return ok;
}

/* --- objects --- */

bool
gitvcs_read_commit(struct vcs *v, const git_oid *id, git_odb_object **object)
{
	struct gitvcs *g = v->state;
	struct vcs_id hex;

	gitvcs_format_id(&hex, id);
	if (git_odb_read(object, g->odb, id) != 0)
		return gitvcs_fail(v, "cannot read commit %s", hex.hex);
	if (git_odb_object_type(*object) == GIT_OBJECT_COMMIT)
		return true;
	git_odb_object_free(*object);
	*object = NULL;
	return vcs_fail(v, "%s is not a commit", hex.hex);
}

bool
gitvcs_is_shallow(const struct gitvcs *g, const git_oid *id)
{
	return g->n_shallow > 0 && bsearch(id, g->shallow, g->n_shallow,
	    sizeof *id, gitvcs_compare_ids) != NULL;
}
