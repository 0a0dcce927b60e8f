/* repository - finds the repository and other stores around a new store */

#include <stdio.h>
#include <string.h>

#include "common/base/err.h"
#include "common/io/fd.h"
#include "filters/pidx-init/repository.h"

/* Removes the last component of an absolute path; false if it is the root. */
static bool
ascend(char *path)
{
	char *slash = strrchr(path, '/');
	bool is_root = path[1] == '\0';

	slash[slash == path] = '\0';	/* the root keeps its slash */
	return !is_root;
}

enum vcs_found
repository_find(struct vcs *v, const char *type, const struct paths *paths,
    struct buf *url)
{
	char path[PATH_MAX];
	enum vcs_found found;

	strcpy(path, paths->directory);
	buf_str(url, "..");
	found = vcs_open(v, type, path, false);
	while (found == VCS_NOT_FOUND && ascend(path)) {
		buf_str(url, "/..");
		found = vcs_open(v, type, path, false);
	}
	return found;
}

/*
 * A url that begins with ".." is taken as relative to paths->directory, because
 * .perun may not exist yet.
 */
void
repository_path(const struct paths *paths, const char *url, struct buf *path)
{
	if (*url == '/')
		buf_str(path, url);
	else if (strcmp(url, "..") == 0 || strncmp(url, "../", 3) == 0)
		buf_printf(path, "%s%s", paths->directory, url + 2);
	else
		buf_printf(path, "%s/%s", paths->store, url);
}

void
init_warn_of_store_above(const struct paths *paths)
{
	char path[PATH_MAX], store[PATH_MAX + sizeof "/.perun/objects"];

	strcpy(path, paths->directory);
	while (ascend(path)) {
		snprintf(store, sizeof store, "%s/.perun/objects", path);
		if (fd_exists(store)) {
			err_warn("warning: the new store hides the one above: "
			    "'%s/.perun'", path[1] == '\0' ? "" : path);
			return;
		}
	}
}
