/* make - a store on the disk, whole or not at all */

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
#include "filters/pidx-init/init.h"

const char *const folders[N_FOLDERS] = { "cache", "jobs", "logs", "objects",
	"stats", "tmp" };

static struct {
	const struct place *place;
	struct span settings;
	struct made *made;
	const char *making;		/* what failed, should it fail */
} job;

/* Up to make_store(): false says that it failed, with errno. */
static bool
make_settings(int store)
{
	static const char temporary[] = "local.yml.new";
	struct stat st;
	bool good;
	int fd;

	job.making = "local.yml";
	job.made->settings = false;	/* it may have been, elsewhere */
	if (fstatat(store, "local.yml", &st, AT_SYMLINK_NOFOLLOW) == 0)
		return true;
	fd = openat(store, temporary, O_WRONLY | O_CREAT | O_TRUNC |
	    O_NOFOLLOW | O_CLOEXEC, 0666);
	if (fd == -1)
		return false;
	errno = ENOSPC;		/* for a short write */
	good = write(fd, job.settings.p, job.settings.n) ==
	    (ssize_t)job.settings.n && fsync(fd) == 0;
	good = close(fd) == 0 && good &&
	    renameat(store, temporary, store, "local.yml") == 0;
	if (!good)
		unlinkat(store, temporary, 0);
	job.made->settings = good;
	return good;
}

static bool
make_folder(int store, const char *name, bool *made)
{
	struct stat st;

	job.making = name;
	*made = mkdirat(store, name, 0777) == 0;
	if (*made)
		return true;
	if (errno != EEXIST || fstatat(store, name, &st, 0) != 0)
		return false;
	errno = ENOTDIR;
	return S_ISDIR(st.st_mode);
}

/* Makes in the directory what a store is to have and it has not. */
static bool
complete(const char *path)
{
	int store = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	bool good = store != -1;

	for (size_t i = 0; i < N_FOLDERS && good; i++)
		good = make_folder(store, folders[i], &job.made->folders[i]);
	good = good && make_settings(store) && fsync(store) == 0;
	if (store != -1)
		fd_close(store);
	return good;
}

static void
remove_temporary(const char *path)
{
	int error = errno, store = open(path, O_RDONLY | O_DIRECTORY);

	if (store != -1) {
		unlinkat(store, "local.yml", 0);
		for (size_t i = 0; i < N_FOLDERS; i++)
			unlinkat(store, folders[i], AT_REMOVEDIR);
		close(store);
	}
	rmdir(path);
	errno = error;
}

static bool
set_usual_mode(const char *path)
{
	mode_t mask = umask(0);

	umask(mask);
	return chmod(path, 0777 & ~mask) == 0;
}

static bool
sync_directory(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool good = fd != -1 && fsync(fd) == 0;

	if (fd != -1)
		close(fd);
	return good;
}

/*
 * The whole store under another name, and then under its own.  Should somebody
 * else have made it by then, rename() fails: it is theirs, and what they lack
 * is added like to any other.
 */
static bool
create(void)
{
	char temporary[sizeof job.place->store + sizeof ".XXXXXX"];
	bool good;

	snprintf(temporary, sizeof temporary, "%s.XXXXXX", job.place->store);
	if (mkdtemp(temporary) == NULL)
		return false;
	good = set_usual_mode(temporary) && complete(temporary);
	if (good) {
		job.making = ".perun";
		good = rename(temporary, job.place->store) == 0;
	}
	if (!good) {
		remove_temporary(temporary);
		return false;
	}
	job.made->created = true;
	return sync_directory(job.place->directory);
}

/* Signals wait: it takes no time, and nothing half made is left behind. */
void
make_store(const struct place *place, bool is_there, struct span settings,
    struct made *made)
{
	sigset_t all, before;
	bool good;

	*made = (struct made){ 0 };
	job.place = place;
	job.settings = settings;
	job.made = made;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	job.making = ".perun";
	good = !is_there && create();
	if (is_there || (!good && (errno == EEXIST || errno == ENOTEMPTY)))
		good = complete(job.place->store);
	if (!good)
		die_errno("cannot make '%s' of a store in '%s'", job.making,
		    job.place->directory);
	sigprocmask(SIG_SETMASK, &before, NULL);
}
