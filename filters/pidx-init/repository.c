/* repository - finds the repository and other stores around a new store */

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/err.h"
#include "common/vcs/vcs.h"
#include "filters/pidx-init/repository.h"

/* Does the directory have a file or directory of this name? */
static bool
contains(const char *directory, const char *name)
{
	char path[3 * PATH_MAX];	/* enough for all paths below */

	snprintf(path, sizeof path, "%s/%s", directory, name);
	return access(path, F_OK) == 0;
}

/*
 * Is the path that of a work tree with a directory .git, a linked work tree (in
 * which .git is a file) or a bare repository?
 */
static bool
is_repository(const char *path)
{
	struct stat st;
	char git[2 * PATH_MAX];

	snprintf(git, sizeof git, "%s/.git", path);
	if (stat(git, &st) == 0 && S_ISREG(st.st_mode))
		return true;
	return contains(git, "objects") || (contains(path, "HEAD") &&
	    contains(path, "objects") && contains(path, "refs"));
}

/* Dies if the filters could not read the repository. */
static void
require_readable(const char *path)
{
	struct vcs vcs;

	if (vcs_open(&vcs, "git", path, false) != VCS_FOUND)
		die("%s", vcs.why);
	vcs_close(&vcs);
}

static bool
has_store(const char *path)
{
	return contains(path, ".perun/objects");
}

/*
 * Searches the directory at path and those above it.  Truncates path to the
 * first directory that matches, and returns the number of components removed;
 * -1 if none matches.
 */
static int
search_upwards(char *path, bool (*matches)(const char *))
{
	char *slash;

	for (int n = 0;; n++) {
		if (matches(path))
			return n;
		slash = strrchr(path, '/');
		if (path[1] == '\0')	/* the root directory */
			return -1;
		slash[slash == path] = '\0';	/* the root keeps its slash */
	}
}

/* The url begins with "..", because it is relative to .perun. */
bool
repository_find(const struct paths *paths, struct buf *url)
{
	char path[PATH_MAX];
	int n;

	strcpy(path, paths->directory);
	n = search_upwards(path, is_repository);
	if (n == -1)
		return false;
	require_readable(path);
	buf_str(url, "..");
	while (n-- > 0)
		buf_str(url, "/..");
	return true;
}

/*
 * A url that begins with ".." is taken as relative to paths->directory, because
 * .perun may not exist yet.
 */
void
repository_check(const struct paths *paths, const char *url)
{
	char path[2 * PATH_MAX];

	if (*url == '/')
		snprintf(path, sizeof path, "%s", url);
	else if (strcmp(url, "..") == 0 || strncmp(url, "../", 3) == 0)
		snprintf(path, sizeof path, "%s%s", paths->directory, url + 2);
	else
		snprintf(path, sizeof path, "%s/%s", paths->store, url);
	if (!is_repository(path))
		die("there is no git repository at '%s' (--vcs-url %s is "
		    "relative to .perun)", path, url);
	require_readable(path);
}

void
init_warn_of_store_above(const struct paths *paths)
{
	char path[PATH_MAX];

	strcpy(path, paths->directory);
	if (search_upwards(path, has_store) > 0)
		err_warn("warning: the new store hides the one above: "
		    "'%s/.perun'", path[1] == '\0' ? "" : path);
}
