/* git-trust - does the user trust a repository of git? */

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/vcs/git-trust.h"
#include "common/vcs/git.h"

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

bool
gitvcs_require_trust(struct vcs *v)
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
