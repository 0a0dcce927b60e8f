/* make - creates a store on disk, completely or not at all */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/err.h"
#include "common/base/text.h"
#include "common/io/fd.h"
#include "filters/pidx-init/make.h"

const char *const init_subdirectories[N_SUBDIRECTORIES] = { "cache", "jobs",
	"logs", "objects", "stats", "tmp" };

static struct {
	const struct paths *paths;
	struct span settings;
	struct made *made;
	const char *making;		/* what is created now, for messages */
} job;

/*
 * The bool functions below return false on failure, with errno set.  store is a
 * descriptor of the directory .perun.
 */

/*
 * Writes a file under a temporary name, renames it, and sets *made, unless
 * there is one of this name.
 */
static bool
make_file(int store, const char *name, struct span text, bool *made)
{
	static const char temporary[] = ".new";
	struct stat st;
	bool ok;
	int fd;

	job.making = name;
	if (fstatat(store, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
		return true;
	if (errno != ENOENT)
		return false;
	fd = openat(store, temporary, O_WRONLY | O_CREAT | O_TRUNC |
	    O_NOFOLLOW | O_CLOEXEC, 0666);
	if (fd == -1)
		return false;
	errno = ENOSPC;		/* a short write does not set it */
	ok = write(fd, text.p, text.n) == (ssize_t)text.n && fsync(fd) == 0;
	ok = close(fd) == 0 && ok &&
	    renameat(store, temporary, store, name) == 0;
	if (!ok)
		unlinkat(store, temporary, 0);
	*made = ok;
	return ok;
}

/* Creates a directory, and sets *made, unless there is one of this name. */
static bool
make_directory(int store, const char *name, bool *made)
{
	struct stat st;

	job.making = name;
	*made = mkdirat(store, name, 0777) == 0;
	if (*made)
		return true;
	if (errno != EEXIST || fstatat(store, name, &st, 0) != 0)
		return false;
	errno = ENOTDIR;	/* the reason if this returns false */
	return S_ISDIR(st.st_mode);
}

/*
 * Creates what is missing in the store at path.  Only a new store gets a
 * .gitignore: to commit a store, its user removes it.
 */
static bool
complete_store(const char *path, bool is_new)
{
	int store = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	bool ok = store != -1;

	for (size_t i = 0; i < N_SUBDIRECTORIES && ok; i++)
		ok = make_directory(store, init_subdirectories[i],
		    &job.made->init_subdirectories[i]);
	ok = ok && make_file(store, "local.yml", job.settings,
	    &job.made->settings);
	if (is_new)
		ok = ok && make_file(store, ".gitignore", span_str("*\n"),
		    &job.made->gitignore);
	ok = ok && fsync(store) == 0;
	if (store != -1)
		fd_close(store);
	return ok;
}

/* Removes an incomplete store under its temporary name; preserves errno. */
static void
remove_temporary(const char *path)
{
	int error = errno, store = open(path, O_RDONLY | O_DIRECTORY);

	if (store != -1) {
		unlinkat(store, "local.yml", 0);
		unlinkat(store, ".gitignore", 0);
		for (size_t i = 0; i < N_SUBDIRECTORIES; i++)
			unlinkat(store, init_subdirectories[i], AT_REMOVEDIR);
		close(store);
	}
	rmdir(path);
	errno = error;
}

static bool
sync_directory(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool ok = fd != -1 && fsync(fd) == 0;

	if (fd != -1)
		close(fd);
	return ok;
}

/*
 * Creates the complete store under a temporary name, then renames it.  rename()
 * fails if another process has created the store in the meantime;
 * init_make_store() then completes that store.
 */
static bool
create_store(void)
{
	char temporary[sizeof job.paths->store + sizeof ".XXXXXX"];
	mode_t mask;
	bool ok;

	snprintf(temporary, sizeof temporary, "%s.XXXXXX", job.paths->store);
	if (mkdtemp(temporary) == NULL)
		return false;
	/* mkdtemp() gives 0700, not the mode that mkdir() would have given. */
	mask = umask(0);	/* reading the mask requires setting it */
	umask(mask);
	ok = chmod(temporary, 0777 & ~mask) == 0 &&
	    complete_store(temporary, true);
	if (ok) {
		job.making = ".perun";
		ok = rename(temporary, job.paths->store) == 0;
	}
	if (!ok) {
		remove_temporary(temporary);
		*job.made = (struct made){ 0 };
		return false;
	}
	job.made->store = true;
	return sync_directory(job.paths->directory);
}

/* Signals are blocked, so that they do not leave a temporary directory. */
void
init_make_store(const struct paths *paths, bool exists, struct span settings,
    struct made *made)
{
	sigset_t all, before;
	bool ok;

	*made = (struct made){ 0 };
	job.paths = paths;
	job.settings = settings;
	job.made = made;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	job.making = ".perun";
	ok = !exists && create_store();
	if (exists || (!ok && (errno == EEXIST || errno == ENOTEMPTY)))
		ok = complete_store(job.paths->store, false);
	if (!ok)
		die_errno("cannot create '%s' of a store in '%s'", job.making,
		    job.paths->directory);
	sigprocmask(SIG_SETMASK, &before, NULL);
}
