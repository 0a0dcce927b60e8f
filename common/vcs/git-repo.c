/* git-repo - opens a git repository and reads its objects */

#include <errno.h>
#include <fcntl.h>
#include <git2/sys/alloc.h>
#include <git2/sys/odb_backend.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/base/sort.h"
#include "common/io/fd.h"
#include "common/io/listing.h"
#include "common/vcs/git-repo.h"
#include "common/vcs/git.h"

void
gitvcs_format_id(struct vcs_id *to, const git_oid *id)
{
	git_oid_tostr(to->hex, sizeof to->hex, id);
}

static int
compare_ids(const void *a, const void *b)
{
	return git_oid_cmp(a, b);
}

static const char *
last_error(void)
{
	const git_error *e = git_error_last();

	return e != NULL && e->message != NULL ? e->message : "unknown error";
}

void
gitvcs_check(int error, const char *what)
{
	const git_error *e = git_error_last();

	if (error != GIT_ENOTFOUND && e != NULL && (e->klass == GIT_ERROR_OS ||
	    e->klass == GIT_ERROR_NOMEMORY))
		die("%s: %s", what, last_error());
	if (err_is_failure(errno))
		die_errno("%s", what);
}

bool
gitvcs_fail(struct vcs *v, const char *fmt, ...)
{
	char text[VCS_WHY_SIZE / 2];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	gitvcs_check(GIT_ERROR, text);
	return vcs_fail(v, "%s: %.500s", text, last_error());
}

/* --- libgit2 --- */

/*
 * libgit2 reads all certificates of the system when it is initialized, although
 * weir never uses the network.  Reading them takes 3 of the 8 ms in which a
 * filter starts.  If libgit2 is built with mbedtls, as in Debian, this function
 * replaces the one of mbedtls that reads a file of certificates; libgit2 then
 * goes on without any.
 */
int mbedtls_x509_crt_parse_file(void *chain, const char *path);

int
mbedtls_x509_crt_parse_file(void *chain, const char *path)
{
	(void)chain, (void)path;
	return -1;
}

/*
 * libgit2 does not survive a failed allocation: some of its functions go on
 * with the null pointer, and reporting an error allocates memory, too.  So it
 * gets allocators that end the program instead of failing.
 */

static void *
allocate(size_t n, const char *file, int line)
{
	(void)file, (void)line;
	return mem_alloc(n);
}

static void *
resize(void *p, size_t n, const char *file, int line)
{
	(void)file, (void)line;
	return mem_resize(p, n, 1);
}

#if LIBGIT2_VER_MAJOR == 1 && LIBGIT2_VER_MINOR < 7

static void *
allocate_zeros(size_t n, size_t size, const char *file, int line)
{
	(void)file, (void)line;
	return mem_zero(n, size);
}

static void *
allocate_array(size_t n, size_t size, const char *file, int line)
{
	(void)file, (void)line;
	return mem_resize(NULL, n, size);
}

static void *
resize_array(void *p, size_t n, size_t size, const char *file, int line)
{
	(void)file, (void)line;
	return mem_resize(p, n, size);
}

static char *
copy(const char *s, const char *file, int line)
{
	(void)file, (void)line;
	return mem_strdup(s);
}

static char *
copy_prefix(const char *s, size_t n, const char *file, int line)
{
	(void)file, (void)line;
	return mem_strndup(s, strnlen(s, n));
}

static char *
copy_bytes(const char *p, size_t n, const char *file, int line)
{
	(void)file, (void)line;
	return mem_strndup(p, n);
}

static git_allocator allocator = { allocate, allocate_zeros, copy, copy_prefix,
    copy_bytes, resize, resize_array, allocate_array, free };

#else

static git_allocator allocator = { allocate, resize, free };

#endif

/*
 * Commits are read once, so caching them is useless.  Verifying the hash of
 * each object would take a quarter more time; git log does not do it either.
 * By default libgit2 rejects repositories with the extensions listed here, but
 * they do not matter to a reader of commits, except for the value of
 * objectFormat, which require_sha1() reads.  require_trust() checks owners.
 */
static void
set_up_library(void)
{
	static const char *extensions[] = { "noop-v1", "objectformat",
	    "partialclone", "preciousobjects", "worktreeconfig" };

	/* Before libgit2 is initialized, which allocates memory. */
	git_libgit2_opts(GIT_OPT_SET_ALLOCATOR, &allocator);
	git_libgit2_init();
	git_libgit2_opts(GIT_OPT_ENABLE_STRICT_HASH_VERIFICATION, 0);
	git_libgit2_opts(GIT_OPT_SET_CACHE_OBJECT_LIMIT, GIT_OBJECT_COMMIT,
	    (size_t)0);
	git_libgit2_opts(GIT_OPT_SET_EXTENSIONS, extensions,
	    sizeof extensions / sizeof *extensions);
	git_libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, 0);
}

/* False, with a reason, if the ids of the repository are not SHA-1. */
static bool
require_sha1(struct vcs *v, const char *path)
{
	struct gitvcs *g = v->state;
	struct buf file = { 0 };
	git_buf format = { 0 };
	git_config *config;
	bool ok = true;

	buf_printf(&file, "%sconfig", git_repository_commondir(g->repo));
	if (git_config_open_ondisk(&config, buf_cstr(&file)) == 0) {
		if (git_config_get_string_buf(&format, config,
		    "extensions.objectformat") == 0 &&
		    strcmp(format.ptr, "sha1") != 0)
			ok = vcs_fail(v, "cannot open the repository in "
			    "'%.400s': its ids are %.100s, not sha1 "
			    "(extensions.objectFormat)", path, format.ptr);
		git_config_free(config);
	}
	git_buf_dispose(&format);
	buf_release(&file);
	return ok;
}

/* --- trust --- */

/*
 * git reads a repository of another user only if safe.directory names it, in
 * the settings of the system, of the user or of a command line, which is passed
 * on in the environment.  libgit2 does not read all of them, and which ones
 * depends on its version, so its own check is disabled.
 */
struct trust {
	char path[PATH_MAX];	/* by which safe.directory names it */
	bool is_safe;
	bool was_safe;		/* before an empty value */
};

/*
 * Applies a value of safe.directory as git does from version 2.47 on: a path,
 * "PATH/" and a star for all below it, a star for everything.  An empty value
 * cancels those before it.  "." is a repository at whose top the user is.
 */
static void
apply_value(struct trust *t, const char *value)
{
	git_buf path = { 0 };
	char real[PATH_MAX];
	bool is_prefix;
	size_t n;

	if (value == NULL || *value == '\0') {
		t->is_safe = false;
		return;
	}
	if (git_config_parse_path(&path, value) != 0)	/* "~/" is HOME */
		return;
	n = path.size;
	is_prefix = n >= 2 && strcmp(path.ptr + n - 2, "/*") == 0;
	if (is_prefix)
		path.ptr[n - 1] = '\0';
	if (strcmp(value, "*") == 0) {
		t->is_safe = true;
	} else if ((*path.ptr == '/' || strcmp(path.ptr, ".") == 0) &&
	    realpath(path.ptr, real) != NULL) {
		n = real[1] == '\0' ? 0 : strlen(real);
		if (strncmp(t->path, real, n) == 0 &&
		    t->path[n] == (is_prefix ? '/' : '\0'))
			t->is_safe = true;
	}
	t->was_safe |= t->is_safe;
	git_buf_dispose(&path);
}

static int
apply_entry(const git_config_entry *entry, void *trust)
{
	apply_value(trust, entry->value);
	return 0;
}

/* Applies a file or, if the path is NULL, the one that libgit2 finds. */
static void
apply_file(struct trust *t, const char *path, int (*find)(git_buf *))
{
	git_buf found = { 0 };
	git_config *config;

	if (path == NULL && find(&found) == 0)
		path = found.ptr;
	if (path != NULL && git_config_open_ondisk(&config, path) == 0) {
		git_config_get_multivar_foreach(config, "safe.directory", NULL,
		    apply_entry, t);
		git_config_free(config);
	}
	git_buf_dispose(&found);
}

/*
 * Applies GIT_CONFIG_PARAMETERS, in which "git -c" passes its settings on:
 * 'KEY'='VALUE' or 'KEY=VALUE', quoted for the shell, with spaces between them.
 */
static void
apply_parameters(struct trust *t, const char *p)
{
	static const char key[] = "safe.directory=";
	struct buf word = { 0 };
	bool quoted = false;

	for (; *p != '\0'; p++) {
		if (*p == '\'') {
			quoted = !quoted;
		} else if (*p == ' ' && !quoted) {
			word.len = 0;
		} else {
			if (*p == '\\' && !quoted && p[1] != '\0')
				p++;
			buf_char(&word, *p);
		}
		if (p[1] == '\0' || (p[1] == ' ' && !quoted))
			if (strncasecmp(buf_cstr(&word), key,
			    sizeof key - 1) == 0)
				apply_value(t, word.data + sizeof key - 1);
	}
	buf_release(&word);
}

/* Applies GIT_CONFIG_KEY_0 and GIT_CONFIG_VALUE_0, and so on. */
static void
apply_numbered(struct trust *t, uint64_t count)
{
	char name[64];
	const char *key, *value;

	for (uint64_t i = 0; i < count; i++) {
		snprintf(name, sizeof name, "GIT_CONFIG_KEY_%" PRIu64, i);
		key = getenv(name);
		snprintf(name, sizeof name, "GIT_CONFIG_VALUE_%" PRIu64, i);
		value = getenv(name);
		if (key == NULL || value == NULL)
			return;
		if (strcasecmp(key, "safe.directory") == 0)
			apply_value(t, value);
	}
}

/* Applies all settings, in git's order. */
static void
apply_settings(struct trust *t)
{
	const char *text = getenv("GIT_CONFIG_NOSYSTEM");
	int skipped = 0;
	uint64_t count;

	if (text != NULL && git_config_parse_bool(&skipped, text) != 0)
		skipped = 1;
	if (!skipped)
		apply_file(t, getenv("GIT_CONFIG_SYSTEM"),
		    git_config_find_system);
	text = getenv("GIT_CONFIG_GLOBAL");
	if (text == NULL)
		apply_file(t, NULL, git_config_find_xdg);
	apply_file(t, text, git_config_find_global);

	text = getenv("GIT_CONFIG_COUNT");
	if (text != NULL && text_u64(span_str(text), &count))
		apply_numbered(t, count);
	text = getenv("GIT_CONFIG_PARAMETERS");
	if (text != NULL)
		apply_parameters(t, text);
}

/*
 * Does the path belong to the user or, for root, to the one who called sudo?
 * True if it is missing.
 */
static bool
is_own(const char *path)
{
	const char *caller = getenv("SUDO_UID");
	struct stat st;
	uint64_t id;

	if (lstat(path, &st) != 0) {
		if (errno != ENOENT)
			die_errno("cannot examine '%s'", path);
		return true;
	}
	return st.st_uid == geteuid() || (geteuid() == 0 && caller != NULL &&
	    text_u64(span_str(caller), &id) && st.st_uid == id);
}

/*
 * Sets the path by which safe.directory names the repository: that of the work
 * tree in which git finds it, or of a bare repository.  That core.worktree or a
 * link names a work tree, which a stranger may have written, does not suffice.
 */
static void
set_trusted_path(struct trust *t, git_repository *repo)
{
	const char *gitdir = git_repository_path(repo);
	const char *tree = git_repository_workdir(repo);
	size_t n = strlen(gitdir), suffix_len = sizeof ".git/" - 1;
	git_buf found = { 0 };
	char path[PATH_MAX];

	snprintf(path, sizeof path, "%s", gitdir);
	if (n > suffix_len && n < sizeof path &&
	    strcmp(gitdir + n - suffix_len - 1, "/.git/") == 0)
		path[n - suffix_len] = '\0';
	else if (tree != NULL && git_repository_discover(&found, tree, 0,
	    NULL) == 0 && strcmp(found.ptr, gitdir) == 0)
		snprintf(path, sizeof path, "%s", tree);
	if (realpath(path, t->path) == NULL)
		*t->path = '\0';
	git_buf_dispose(&found);
}

/*
 * False, with advice, if the open repository belongs to another user and no
 * safe.directory that git would obey names it.
 */
static bool
require_trust(struct vcs *v)
{
	struct gitvcs *g = v->state;
	struct trust t = { .is_safe = false };
	struct buf link = { 0 };

	set_trusted_path(&t, g->repo);
	buf_printf(&link, "%s/.git", t.path);
	t.is_safe = is_own(t.path) && is_own(buf_cstr(&link)) &&
	    is_own(git_repository_path(g->repo));
	buf_release(&link);
	if (t.is_safe)
		return true;
	apply_settings(&t);
	return t.is_safe || vcs_fail(v, "the repository in '%.300s' belongs to "
	    "another user: %s git config --global --add safe.directory "
	    "'%.300s'", t.path, t.was_safe ? "an empty safe.directory cancels "
	    "the one that names it; after it," : "to trust it,", t.path);
}

/* --- opening --- */

/*
 * Reads the file "shallow", which has one id on each line: libgit2 reports
 * whether a clone is shallow, but not where it ends.
 */
static bool
read_shallow(struct vcs *v)
{
	struct gitvcs *g = v->state;
	struct buf path = { 0 };
	char line[256];
	bool ok;
	git_oid id;
	FILE *f;

	buf_printf(&path, "%sshallow", git_repository_commondir(g->repo));
	f = fopen(buf_cstr(&path), "r");
	ok = f != NULL || errno == ENOENT;
	while (f != NULL && ok && fgets(line, sizeof line, f) != NULL) {
		g->shallow = mem_grow(g->shallow, &g->shallow_cap,
		    g->n_shallow + 1, sizeof *g->shallow);
		ok = git_oid_fromstrn(&id, line, VCS_ID_LEN) == 0;
		if (ok)
			g->shallow[g->n_shallow++] = id;
	}
	if (!ok || (f != NULL && !feof(f)))
		ok = vcs_fail(v, "cannot read '%s'", path.data);
	sort(g->shallow, g->n_shallow, sizeof *g->shallow, compare_ids);
	if (f != NULL)
		fclose(f);
	buf_release(&path);
	return ok;
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

/* Does the repository have this work tree? */
static bool
has_work_tree(git_repository *repo, const char *path)
{
	const char *tree = git_repository_workdir(repo);
	struct stat a, b;

	return tree != NULL && stat(tree, &a) == 0 && stat(path, &b) == 0 &&
	    a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/*
 * Opens what git would; the result is a code of libgit2.  libgit2 refuses to
 * open anything if GIT_WORK_TREE is set, and looks for references in
 * GIT_NAMESPACE, which git does only for those who fetch and push.  It leaks
 * memory if the work tree that it is given is the one that it has found.
 */
static int
open_repository(git_repository **repo, const char *path, unsigned flags)
{
	const char *value = path == NULL ? getenv("GIT_WORK_TREE") : NULL;
	char *tree = value != NULL ? mem_strdup(value) : NULL;
	int error;

	if (tree != NULL)
		unsetenv("GIT_WORK_TREE");
	error = git_repository_open_ext(repo, path, flags,
	    getenv("GIT_CEILING_DIRECTORIES"));
	if (tree != NULL)
		setenv("GIT_WORK_TREE", tree, 1);
	if (error == 0)
		error = git_repository_set_namespace(*repo, NULL);
	if (error == 0 && tree != NULL && !has_work_tree(*repo, tree))
		error = git_repository_set_workdir(*repo, tree, 0);
	free(tree);
	return error;
}

enum vcs_found
gitvcs_open(struct vcs *v, const char *path, bool upwards)
{
	unsigned flags = path == NULL ? GIT_REPOSITORY_OPEN_FROM_ENV :
	    upwards ? 0 : GIT_REPOSITORY_OPEN_NO_SEARCH;
	bool is_named = path == NULL && getenv("GIT_DIR") != NULL;
	enum vcs_found found = VCS_FAILED;
	struct gitvcs *g;
	int error;

	v->state = g = mem_zero(1, sizeof *g);
	g->recoder = (iconv_t)-1;
	set_up_library();
	error = open_repository(&g->repo, path, flags);
	/* libgit2 takes a file that it cannot examine for a missing one. */
	if (error == GIT_ENOTFOUND)
		error = open_repository(&g->repo, path, flags);
	if (path == NULL)
		path = ".";
	if (error == GIT_ENOTFOUND)
		found = VCS_NOT_FOUND;
	else if (error != 0)
		gitvcs_fail(v, "cannot open the repository in '%.400s'", path);
	else if ((is_named || require_trust(v)) &&
	    require_sha1(v, path) && read_shallow(v))
		found = VCS_FOUND;
	if (found == VCS_FOUND && git_repository_odb(&g->odb, g->repo) != 0) {
		gitvcs_fail(v, "cannot open the objects");
		found = VCS_FAILED;
	}
	if (found != VCS_FOUND)
		gitvcs_close(v);
	return found;
}

/* libgit2 would reset settings of a repository that exists. */
bool
gitvcs_init(struct vcs *v, const char *path)
{
	git_repository *repo = NULL;
	bool ok;

	set_up_library();
	ok = git_repository_open_ext(NULL, path,
	    GIT_REPOSITORY_OPEN_NO_SEARCH, NULL) == 0 ||
	    git_repository_init(&repo, path, 0) == 0 ||
	    gitvcs_fail(v, "cannot create a repository in '%.400s'", path);
	git_repository_free(repo);
	git_libgit2_shutdown();
	return ok;
}

/* --- objects --- */

void
gitvcs_check_packs(const struct gitvcs *g)
{
	struct buf path = { 0 };
	struct listing packs = { 0 };
	const char *ending;
	struct stat st;
	void *map;
	char byte;
	size_t n;
	int fd, saved_errno = errno;

	buf_printf(&path, "%sobjects/pack", git_repository_commondir(g->repo));
	n = path.len;
	if (!listing_read(&packs, AT_FDCWD, buf_cstr(&path)))
		gitvcs_check(GIT_ENOTFOUND, path.data);
	for (size_t i = 0; i < packs.n; i++) {
		ending = strrchr(packs.names[i], '.');
		if (ending == NULL || (strcmp(ending, ".pack") != 0 &&
		    strcmp(ending, ".idx") != 0))
			continue;
		path.len = n;
		buf_printf(&path, "/%s", packs.names[i]);
		fd = open(buf_cstr(&path), O_RDONLY | O_CLOEXEC);
		if (fd == -1 || fstat(fd, &st) == -1 ||
		    read(fd, &byte, 1) == -1)
			gitvcs_check(GIT_ENOTFOUND, path.data);
		/* libgit2 maps the index, but only parts of the pack. */
		else if (strcmp(ending, ".idx") == 0 && st.st_size > 0) {
			map = mmap(NULL, (size_t)st.st_size, PROT_READ,
			    MAP_PRIVATE, fd, 0);
			if (map == MAP_FAILED)
				gitvcs_check(GIT_ENOTFOUND, path.data);
			else
				munmap(map, (size_t)st.st_size);
		}
		fd_close(fd);
	}
	listing_release(&packs);
	buf_release(&path);
	errno = saved_errno;
}

void
gitvcs_check_object(const struct gitvcs *g, const git_oid *id)
{
	git_odb_backend *b;
	git_object_t type;
	struct vcs_id hex;
	size_t size;
	void *data;
	int error;

	gitvcs_check_packs(g);	/* names the reason, which libgit2 does not */
	gitvcs_format_id(&hex, id);
	for (size_t i = 0; i < git_odb_num_backends(g->odb); i++) {
		if (git_odb_get_backend(&b, g->odb, i) != 0)
			continue;
		errno = 0;
		error = b->read(&data, &size, &type, b, id);
		if (error == 0)
			git_odb_backend_data_free(b, data);
		else
			gitvcs_check(error, hex.hex);
	}
}

bool
gitvcs_read_commit(struct vcs *v, const git_oid *id, git_odb_object **object)
{
	struct gitvcs *g = v->state;
	struct vcs_id hex;

	gitvcs_format_id(&hex, id);
	if (git_odb_read(object, g->odb, id) != 0) {
		gitvcs_check_object(g, id);
		/* What has failed once may work now. */
		if (git_odb_read(object, g->odb, id) != 0)
			return gitvcs_fail(v, "cannot read commit %s", hex.hex);
	}
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
	    sizeof *id, compare_ids) != NULL;
}

/* Is core.commitGraph, which is true by default, false? */
static bool
has_graph_disabled(const struct gitvcs *g)
{
	git_config *config;
	int value = 1;

	if (git_repository_config(&config, g->repo) != 0)
		return false;
	if (git_config_get_bool(&value, config, "core.commitGraph") != 0)
		value = 1;
	git_config_free(config);
	return value == 0;
}

void
gitvcs_open_graph(const struct gitvcs *g, struct commit_graph *graph)
{
	git_buf path = { 0 };

	*graph = (struct commit_graph){ 0 };
	if (g->n_shallow > 0 || has_graph_disabled(g) ||
	    git_repository_item_path(&path, g->repo,
	    GIT_REPOSITORY_ITEM_OBJECTS) != 0)
		return;
	commit_graph_open(graph, path.ptr);
	git_buf_dispose(&path);
}
