/* make - creates a store on disk, completely or not at all, and its settings */

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

const char *const init_items[N_ITEMS] = { "cache", "jobs", "logs", "objects",
	"stats", "tmp", "local.yml", ".gitignore" };

/* The last part of a new local.yml, which is the same in every store. */
static const char template[] =
    "# The job matrix: every command runs with every workload under every\n"
    "# collector, and all postprocessors process the result, in order.\n"
    "# pidx-jobs(1) lists the jobs.\n"
    "#cmds:\n"
    "#  - ./build/program\n"
    "#workloads:\n"
    "#  - small.txt\n"
    "#  - large.txt\n"
    "#collectors:\n"
    "#  - name: time\n"
    "#    params:\n"
    "#      repeat: 10\n"
    "#postprocessors:\n"
    "#  - name: regression_analysis\n"
    "#    params:\n"
    "#      method: full\n"
    "\n"
    "# How profiles are listed and named.\n"
    "format:\n"
    "  sort_profiles_by: time\n"
    "#  output_profile_template: \"%collector%-%cmd%-%workload%-%date%\"\n"
    "\n"
    "# Commands to run before profiles are collected.\n"
    "#execute:\n"
    "#  pre_run:\n"
    "#    - make\n"
    "\n"
    "# Whether a profile is registered as soon as it is collected.\n"
    "#profiles:\n"
    "#  register_after_run: true\n"
    "\n"
    "# How degradations are looked for: the first strategy that fits, or all.\n"
    "#degradation:\n"
    "#  apply: all\n"
    "#  strategies:\n"
    "#    - method: average_amount_threshold\n";

/*
 * Appends a YAML string.  Escapes the characters that YAML forbids, such as
 * U+FFFE and (unlike JSON) DEL, and those that it treats as line breaks, such
 * as U+2028.  For simplicity, whole ranges that contain these are escaped.
 */
static void
put_text(struct buf *b, const char *p, size_t n)
{
	size_t step;
	uint32_t c;

	buf_char(b, '"');
	for (; n > 0; p += step, n -= step) {
		step = utf8_char(p, n, &c);	/* the url is valid UTF-8 */
		if (c == '"' || c == '\\')
			buf_char(b, '\\');
		if ((c >= 0x20 && c < 0x7f) || (c >= 0xa0 && c < 0x2000) ||
		    (c >= 0x2100 && c < 0xfe00) || c >= 0x10000)
			buf_add(b, p, step);
		else
			buf_printf(b, "\\U%08x", c);
	}
	buf_char(b, '"');
}

void
init_put_settings(struct buf *b, const char *vcs_type, struct span url,
    const char *index_version)
{
	buf_str(b, "# Settings of a Perun store; pidx-init(1) describes those "
	    "that weir reads.\n\n"
	    "# The repository whose commits the profiles belong to.  A "
	    "relative url is\n# relative to the directory of this file.\n");
	buf_printf(b, "vcs:\n  type: %s\n  url: ", vcs_type);
	put_text(b, url.p, url.n);
	buf_printf(b, "\n\n# The layout of new indexes: 1, 2args, 2 or 2label "
	    "(see pidx-write(1)).\n# Without it they are like the newest "
	    "other index, or as today's Perun writes\n# them; with "
	    "2label, profiles are listed without being read.\n"
	    "weir:\n  index_version: %s\n\n", index_version);
	buf_str(b, template);
}

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
complete_store(struct new_store *s, const char *path, bool is_new)
{
	int store = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	size_t n = is_new ? N_ITEMS : GITIGNORE_FILE;
	bool ok = store != -1;

	for (size_t i = 0; i < n && ok; i++) {
		s->making = init_items[i];
		ok = i < N_DIRECTORIES ?
		    make_directory(store, init_items[i], &s->made[i]) :
		    make_file(store, init_items[i], i == SETTINGS_FILE ?
		    buf_span(&s->settings) : span_str("*\n"), &s->made[i]);
	}
	ok = ok && fsync(store) == 0;
	if (store != -1)
		fd_close(store);
	return ok;
}

/*
 * Creates the complete store under a temporary name, then renames it.  rename()
 * fails if another process has created the store in the meantime;
 * init_make_store() then completes that store.
 */
static bool
create_store(struct new_store *s)
{
	char temporary[sizeof s->path + sizeof ".XXXXXX"];
	char item[sizeof temporary + sizeof "/.gitignore"];
	mode_t mask;
	int error, fd;
	bool ok;

	snprintf(temporary, sizeof temporary, "%s.XXXXXX", s->path);
	if (mkdtemp(temporary) == NULL)
		return false;
	/* mkdtemp() gives 0700, not the mode that mkdir() would have given. */
	mask = umask(0);	/* reading the mask requires setting it */
	umask(mask);
	ok = chmod(temporary, 0777 & ~mask) == 0 &&
	    complete_store(s, temporary, true);
	if (ok) {
		s->making = ".perun";
		ok = rename(temporary, s->path) == 0;
	}
	if (!ok) {
		/* Opens nothing: descriptors may be what is missing. */
		error = errno;
		for (size_t i = 0; i < N_ITEMS; i++) {
			snprintf(item, sizeof item, "%s/%s", temporary,
			    init_items[i]);
			remove(item);
		}
		rmdir(temporary);
		errno = error;
		memset(s->made, 0, sizeof s->made);
		return false;
	}
	s->is_made = true;
	fd = open(s->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ok = fd != -1 && fsync(fd) == 0;
	if (fd != -1)
		close(fd);
	return ok;
}

/* Signals are blocked, so that they do not leave a temporary directory. */
void
init_make_store(struct new_store *s, bool exists)
{
	sigset_t all, before;
	bool ok;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	s->making = ".perun";
	ok = !exists && create_store(s);
	if (exists || (!ok && (errno == EEXIST || errno == ENOTEMPTY)))
		ok = complete_store(s, s->path, false);
	if (!ok)
		die_errno("cannot create '%s' of a store in '%s'", s->making,
		    s->directory);
	sigprocmask(SIG_SETMASK, &before, NULL);
}
