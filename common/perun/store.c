/* store - reads and durably writes the files of a Perun store */

#define _GNU_SOURCE		/* syncfs(), renameat2() */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "common/base/err.h"
#include "common/base/hex.h"
#include "common/base/mem.h"
#include "common/base/sort.h"
#include "common/io/cleanup.h"
#include "common/io/fd.h"
#include "common/io/listing.h"
#include "common/perun/store.h"

/* The one store that this process writes to, for clean_up(). */
static struct {
	volatile sig_atomic_t objects, staging;	/* descriptors, or -1 */
	volatile sig_atomic_t n_staged;
	char name[32];			/* of the staging directory */
} cleanup_state = { .objects = -1, .staging = -1 };

enum { OPEN_DIR = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
    OPEN_FILE = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC };

/* A staging directory's name is STAGING and random hexadecimal digits. */
#define STAGING ".new-"
enum { STAGING_HEX_DIGITS = 16 };

/*
 * The name in the staging directory of a file that is moved to its place at
 * once; those of store_commit() have numbers.
 */
#define SINGLE "single"

/* Sets name, which has NUMBER_SIZE bytes, to a number.  Signal-safe. */
enum { NUMBER_SIZE = 2 * sizeof(size_t) + 1 };
static void
name_staged(char *name, size_t number)
{
	hex_encode(name, (const unsigned char *)&number, sizeof number);
}

/* Removes the staging directory and its files.  Signal-safe. */
static void
clean_up(void)
{
	char name[NUMBER_SIZE];

	if (cleanup_state.objects == -1)
		return;
	for (int i = 0; i < cleanup_state.n_staged; i++) {
		name_staged(name, (size_t)i);
		unlinkat(cleanup_state.staging, name, 0);
	}
	unlinkat(cleanup_state.staging, SINGLE, 0);
	unlinkat(cleanup_state.objects, cleanup_state.name, AT_REMOVEDIR);
}

static _Noreturn void
die_in_store(const struct store *s, const char *what)
{
	die_errno("cannot %s in '%s'", what, s->path);
}

/*
 * Sets *why to a message and returns false.  Dies if the machine has failed: it
 * is not known whether there is a store.  One without a permission is none.
 */
static PRINTF_LIKE(2, 3) bool
fail_to_open(const char **why, const char *fmt, ...)
{
	static char message[PATH_MAX + 256];
	bool is_known = !err_is_failure(errno) || errno == EACCES;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(message, sizeof message, fmt, ap);
	va_end(ap);
	if (!is_known)
		die("%s", message);
	*why = message;
	return false;
}

bool
store_open(struct store *s, const char *start, const char **why)
{
	char directory[PATH_MAX], above[PATH_MAX], path[PATH_MAX + 8];
	struct stat st;

	*s = (struct store){ .dir = -1, .objects = -1, .staging = -1,
	    .lock = -1, .was_named = start != NULL };
	if (start == NULL)
		start = ".";
	if (realpath(start, directory) == NULL)
		return fail_to_open(why, "cannot open '%s': %s", start,
		    strerror(errno));

	strcpy(above, directory[1] == '\0' ? "" : directory);
	for (;;) {
		snprintf(path, sizeof path, "%s/.perun", above);
		s->dir = open(path, OPEN_DIR);
		/* ENOTDIR may mean that `above` is a file. */
		if (s->dir != -1 || (errno != ENOENT && errno != ENOTDIR) ||
		    lstat(path, &st) == 0 || err_is_failure(errno) ||
		    above[0] == '\0')
			break;
		*strrchr(above, '/') = '\0';
	}

	if (s->dir == -1 && errno == ENOENT)
		return fail_to_open(why, "there is no .perun in '%s' or above: "
		    "pidx-init creates one", directory);
	if (s->dir == -1)
		return fail_to_open(why, "cannot open '%s': %s", path,
		    errno != ENOTDIR ? strerror(errno) : "it is not a "
		    "directory (a symbolic link is not followed)");
	s->objects = openat(s->dir, "objects", OPEN_DIR);
	if (s->objects == -1) {
		fail_to_open(why, "cannot open '%s/objects': %s", path,
		    errno != ENOENT ? strerror(errno) :
		    "it is missing, and pidx-init creates it");
		close(s->dir);
		return false;
	}
	s->path = mem_strdup(path);
	return true;
}

void
store_close(struct store *s)
{
	if (s->staging != -1) {
		clean_up();
		cleanup_state.objects = cleanup_state.staging = -1;
		cleanup_state.n_staged = 0;
		close(s->staging);
	}
	close(s->objects);
	close(s->dir);
	if (s->lock != -1)
		close(s->lock);
	free(s->path);
	free(s->staged);
}

/*
 * The bytes of the lock file.  A process that holds no lock yet waits for its
 * first one with the turn, one process at a time: so one that needs all bytes
 * gets them although others never stop writing.
 */
enum { LOCK_TURN = STORE_ALL + 1 };
static const struct { off_t first, n; } lock_bytes[] = { [STORE_ADD] = { 0, 1 },
    [STORE_INDEX] = { 1, 1 }, [STORE_ALL] = { 0, 2 }, [LOCK_TURN] = { 2, 1 } };

/* How long store_lock(STORE_ALL) keeps others from writing, in seconds. */
enum { WAIT_MAX_S = 60 };

/* A signal handler, which makes fcntl() return. */
static void
interrupt(int number)
{
	(void)number;
}

/*
 * Sets or, if type is F_UNLCK, releases a lock: a store_lock or LOCK_TURN.  If
 * it waits for more than a second, says for which process.
 */
static void
set_lock(struct store *s, short type, int what)
{
	struct flock lock = { .l_type = type, .l_whence = SEEK_SET,
	    .l_start = lock_bytes[what].first, .l_len = lock_bytes[what].n };
	struct flock holder;
	struct itimerval tick = { { 1, 0 }, { 1, 0 } };
	struct itimerval stop = { { 0, 0 }, { 0, 0 } };
	struct sigaction old, wake = { .sa_handler = interrupt };

	if (fcntl(s->lock, F_SETLK, &lock) == 0)
		return;
	if (errno != EACCES && errno != EAGAIN)
		die_in_store(s, "lock the store");

	sigaction(SIGALRM, &wake, &old);
	setitimer(ITIMER_REAL, &tick, NULL);
	for (int seconds = 1; fcntl(s->lock, F_SETLKW, &lock) == -1;
	    seconds++) {
		if (errno != EINTR)
			die_in_store(s, "lock the store");
		holder = lock;
		if (fcntl(s->lock, F_GETLK, &holder) == -1 ||
		    holder.l_type == F_UNLCK)
			continue;
		if (what == STORE_ALL && seconds > WAIT_MAX_S)
			die("process %ld has been writing to '%s' for a "
			    "minute; others wait: try again when it has ended",
			    (long)holder.l_pid, s->path);
		if (seconds == 1)
			err_warn("waiting for process %ld, which writes to "
			    "'%s'", (long)holder.l_pid, s->path);
	}
	setitimer(ITIMER_REAL, &stop, NULL);
	sigaction(SIGALRM, &old, NULL);
}

void
store_lock(struct store *s, enum store_lock what)
{
	bool is_first = s->n_locks++ == 0;
	const char *sudo = getenv("SUDO_UID");
	uint64_t caller;
	struct stat st;

	/*
	 * Only root is restricted: users may share a store that both can write
	 * to.  The store of the user who called sudo counts as root's own.
	 */
	if (s->lock == -1 && geteuid() == 0 && !s->was_named) {
		if (fstat(s->dir, &st) == -1)
			die_in_store(s, "stat the directory");
		if (st.st_uid != 0 && (sudo == NULL ||
		    !text_u64(span_str(sudo), &caller) || caller != st.st_uid))
			die("'%s' belongs to another user: to write to it as "
			    "root, name it by --directory", s->path);
	}
	if (s->lock == -1)
		s->lock = openat(s->dir, "weir.lock",
		    O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (s->lock == -1)
		die_in_store(s, "open the lock file");
	if (is_first)
		set_lock(s, F_WRLCK, LOCK_TURN);
	set_lock(s, what == STORE_ADD ? F_RDLCK : F_WRLCK, (int)what);
	if (is_first)
		set_lock(s, F_UNLCK, LOCK_TURN);
}

void
store_unlock(struct store *s, enum store_lock what)
{
	s->n_locks--;
	set_lock(s, F_UNLCK, (int)what);
}

/* The size of a path relative to objects/, "ab/cdef...", with its NUL. */
enum { PATH_SIZE = 2 * STORE_NAME_SIZE + 2 };

const unsigned char store_head[STORE_NAME_SIZE] = "HEAD";

void
store_id(char *id, const unsigned char *name)
{
	if (memcmp(name, store_head, STORE_NAME_SIZE) == 0)
		strcpy(id, "HEAD");
	else
		hex_encode(id, name, STORE_NAME_SIZE);
}

bool
store_parse_id(struct span id, unsigned char *name)
{
	if (!span_eq(id, "HEAD"))
		return hex_decode(id, name, STORE_NAME_SIZE);
	memcpy(name, store_head, STORE_NAME_SIZE);
	return true;
}

static void
put_path(char *path, const unsigned char *name)
{
	char id[STORE_ID_SIZE];

	store_id(id, name);
	sprintf(path, "%.2s/%s", id, id + 2);
}

void
store_path(char *path, const unsigned char *name)
{
	put_path(stpcpy(path, "objects/"), name);
}

/*
 * Sets path to that of a file in objects/, "ab/cdef...", and opens its
 * directory "ab"; it must not be a link.
 */
static int
open_directory(const struct store *s, const unsigned char *name, char *path)
{
	char folder[3] = { 0 };

	put_path(path, name);
	memcpy(folder, path, 2);
	return openat(s->objects, folder, OPEN_DIR);
}

/* Opens a file in objects/.  Neither it nor its directory may be a link. */
static int
open_file(const struct store *s, const unsigned char *name)
{
	char path[PATH_SIZE];
	int dir = open_directory(s, name, path), fd;

	if (dir == -1)
		return -1;
	fd = openat(dir, path + 3, OPEN_FILE);
	fd_close(dir);
	return fd;
}

bool
store_read_all(int fd, struct buf *b, size_t max)
{
	struct stat st;
	bool is_known = fd != -1 && fstat(fd, &st) == 0;
	ssize_t n = -1;

	if (is_known && !S_ISREG(st.st_mode)) {
		errno = EINVAL;
	} else if (is_known) {
		buf_need(b, (size_t)st.st_size < max ?
		    (size_t)st.st_size + 1 : max);
		do {
			buf_need(b, 1);
			n = read(fd, b->data + b->len, b->cap - b->len);
			if (n > 0)
				b->len += (size_t)n;
		} while (n == -1 ? errno == EINTR : n > 0 && b->len < max);
	}
	if (fd != -1)
		fd_close(fd);
	return n != -1;
}

/* Dies if errno is a failure to read an object or index. */
static void
check_failure(const struct store *s, const unsigned char *name)
{
	char path[STORE_PATH_SIZE];

	store_path(path, name);
	if (err_is_failure(errno))
		die_errno("cannot read '%s/%s'", s->path, path);
}

enum store_found
store_read(const struct store *s, const unsigned char *name, struct buf *b)
{
	if (store_read_all(open_file(s, name), b, SIZE_MAX))
		return STORE_FOUND;
	check_failure(s, name);
	return errno == ENOENT ? STORE_ABSENT : STORE_FAILED;
}

/* Creates the staging directory, which clean_up() removes at the end. */
static void
create_staging(struct store *s)
{
	uint64_t random;
	int made;

	cleanup_add(clean_up);
	cleanup_block_signals();
	do {
		if (getrandom(&random, sizeof random, 0) != sizeof random)
			die_in_store(s, "draw random bytes");
		snprintf(cleanup_state.name, sizeof cleanup_state.name,
		    STAGING "%0*llx", STAGING_HEX_DIGITS,
		    (unsigned long long)random);
		made = mkdirat(s->objects, cleanup_state.name, 0777);
	} while (made == -1 && errno == EEXIST);
	if (made == -1)
		die_in_store(s, "create a directory");

	cleanup_state.objects = s->objects;
	s->staging = openat(s->objects, cleanup_state.name, OPEN_DIR);
	if (s->staging == -1)
		die_in_store(s, "open a directory");
	cleanup_state.staging = s->staging;
	cleanup_unblock_signals();
}

/* Writes a new file in the staging directory; syncs it if sync is true. */
static void
write_staged(struct store *s, const char *file, struct span bytes, mode_t mode,
    bool sync)
{
	ssize_t n;
	int fd;

	if (s->staging == -1)
		create_staging(s);
	fd = openat(s->staging, file, O_WRONLY | O_CREAT | O_EXCL |
	    O_NOFOLLOW | O_CLOEXEC, mode);
	if (fd == -1)
		die_in_store(s, "write");
	for (; bytes.n > 0; bytes = span_of(bytes.p + n, bytes.n - (size_t)n))
		while ((n = write(fd, bytes.p, bytes.n)) == -1)
			if (errno != EINTR)
				die_in_store(s, "write");
	if ((sync && fsync(fd) == -1) || close(fd) == -1)
		die_in_store(s, "write");
}

void
store_stage(struct store *s, const unsigned char *name, struct span bytes,
    enum store_mode mode)
{
	char file[NUMBER_SIZE];

	name_staged(file, s->n_staged);
	s->staged = mem_grow(s->staged, &s->staged_cap, s->n_staged + 1,
	    sizeof *s->staged);
	memcpy(s->staged[s->n_staged++], name, STORE_NAME_SIZE);
	cleanup_state.n_staged = (sig_atomic_t)s->n_staged;
	write_staged(s, file, bytes, mode, false);
}

void
store_sync(struct store *s)
{
	if (syncfs(s->objects) == -1)
		die_in_store(s, "sync");
}

static void
sync_directory(struct store *s, int dir)
{
	if (fsync(dir) == -1)
		die_in_store(s, "sync a directory");
}

/* Opens the directory of a name in objects/, and creates it if it is absent. */
static int
make_directory(struct store *s, const unsigned char *name, bool *is_new)
{
	char path[PATH_SIZE], folder[3] = { 0 };
	int dir = open_directory(s, name, path);

	*is_new = dir == -1 && errno == ENOENT;
	if (*is_new) {
		memcpy(folder, path, 2);
		if (mkdirat(s->objects, folder, 0777) == -1 && errno != EEXIST)
			die_in_store(s, "create a directory");
		dir = open_directory(s, name, path);
	}
	if (dir == -1)
		die_in_store(s, "open a directory");
	return dir;
}

/* Moves a staged file to its name in dir, and replaces an existing file. */
static void
move_staged(struct store *s, const char *file, int dir,
    const unsigned char *name)
{
	char path[PATH_SIZE];

	put_path(path, name);
	if (renameat(s->staging, file, dir, path + 3) == -1)
		die_in_store(s, "rename a file");
}

/*
 * Syncs the whole file system twice, once for all contents and once for all
 * names, which takes only as long as fsync() of two files.
 */
void
store_commit(struct store *s)
{
	uint64_t *order;
	const unsigned char *name, *last = NULL;
	char file[NUMBER_SIZE];
	uint32_t number;
	bool is_new;
	int dir = -1;

	store_sync(s);
	if (s->n_staged == 0)
		return;

	/* Files of one directory are moved together. */
	order = mem_table(s->n_staged, sizeof *order);
	for (size_t i = 0; i < s->n_staged; i++)
		order[i] = (uint64_t)s->staged[i][0] << 32 | i;
	sort_u64(order, s->n_staged);
	for (size_t i = 0; i < s->n_staged; i++) {
		number = (uint32_t)order[i];
		name = s->staged[number];
		if (last == NULL || last[0] != name[0]) {
			if (last != NULL)
				close(dir);
			dir = make_directory(s, name, &is_new);
		}
		last = name;
		name_staged(file, number);
		move_staged(s, file, dir, name);
	}
	close(dir);
	free(order);

	store_sync(s);
	s->n_staged = 0;
	cleanup_state.n_staged = 0;
}

void
store_replace(struct store *s, const unsigned char *name, struct span bytes)
{
	bool is_new;
	int dir;

	write_staged(s, SINGLE, bytes, STORE_WRITABLE, true);
	dir = make_directory(s, name, &is_new);
	move_staged(s, SINGLE, dir, name);
	sync_directory(s, dir);
	if (is_new)
		sync_directory(s, s->objects);
	close(dir);
}

bool
store_add_pending(struct store *s, const char *name, struct span bytes)
{
	int jobs = openat(s->dir, "jobs", OPEN_DIR);
	struct stat st;
	bool is_new;

	if (jobs == -1)
		die_errno("cannot open '%s/jobs'", s->path);
	is_new = fstatat(jobs, name, &st, AT_SYMLINK_NOFOLLOW) == -1;
	if (is_new && errno != ENOENT)
		die_in_store(s, "look for a pending profile");
	if (is_new) {
		write_staged(s, SINGLE, bytes, STORE_WRITABLE, true);
		if (renameat(s->staging, SINGLE, jobs, name) == -1)
			die_in_store(s, "rename a file");
		sync_directory(s, jobs);
	}
	close(jobs);
	return is_new;
}

/* Parses "ab/cdef...", with lower-case digits, or "HE/AD". */
static bool
parse_path(const char *path, unsigned char *name)
{
	size_t n = strlen(path);
	char id[STORE_ID_SIZE], canonical[PATH_SIZE];

	if (n < 3 || n > PATH_SIZE - 1 || path[2] != '/')
		return false;
	memcpy(id, path, 2);
	memcpy(id + 2, path + 3, n - 2);
	if (!store_parse_id(span_str(id), name))
		return false;
	put_path(canonical, name);
	return strcmp(canonical, path) == 0;
}

/* False unless the directory is one of "00" to "ff", or "HE". */
static bool
read_object_directory(const struct store *s, const char *dir,
    struct listing *files)
{
	if (strcmp(dir, "HE") != 0 && (strlen(dir) != 2 ||
	    strspn(dir, "0123456789abcdef") != 2))
		return false;
	if (listing_read(files, s->objects, dir))
		return true;
	if (errno != ENOTDIR && errno != ELOOP)
		die_errno("cannot read '%s/objects/%s'", s->path, dir);
	return false;
}

void
store_for_each(const struct store *s, void (*visit)(void *context,
    const unsigned char *name, const char *path), void *context)
{
	char path[2 * NAME_MAX + 2];
	unsigned char name[STORE_NAME_SIZE];
	struct listing all, files;

	if (!listing_read(&all, s->objects, "."))
		die_errno("cannot read '%s/objects'", s->path);
	for (size_t i = 0; i < all.n; i++) {
		if (!read_object_directory(s, all.names[i], &files)) {
			visit(context, NULL, all.names[i]);
			continue;
		}
		for (size_t k = 0; k < files.n; k++) {
			snprintf(path, sizeof path, "%s/%s", all.names[i],
			    files.names[k]);
			visit(context, parse_path(path, name) ? name : NULL,
			    path);
		}
		listing_release(&files);
	}
	listing_release(&all);
}

/*
 * Moves a file of the directory `from` to lost/, under the text of the name and
 * the first free number; path becomes its path relative to .perun.
 */
static void
move_to_lost(struct store *s, int from, const char *file,
    const unsigned char *name, char *path)
{
	char id[STORE_ID_SIZE];
	bool is_new = mkdirat(s->dir, "lost", 0777) == 0;
	int lost, status;

	if (!is_new && errno != EEXIST)
		die_in_store(s, "create the directory 'lost'");
	lost = openat(s->dir, "lost", OPEN_DIR);
	if (lost == -1)
		die_in_store(s, "open the directory 'lost'");
	if (is_new)
		sync_directory(s, s->dir);
	store_id(id, name);
	for (unsigned n = 1;; n++) {
		snprintf(path, STORE_LOST_SIZE, "lost/%s.%u", id, n);
		status = renameat2(from, file, s->dir, path, RENAME_NOREPLACE);
		if (status == 0)
			break;
		if (errno != EEXIST)
			die_in_store(s, "move a file to 'lost'");
	}
	sync_directory(s, lost);
	close(lost);
}

void
store_copy_to_lost(struct store *s, const unsigned char *name,
    struct span bytes, char *lost)
{
	write_staged(s, SINGLE, bytes, STORE_WRITABLE, true);
	move_to_lost(s, s->staging, SINGLE, name, lost);
}

void
store_move_to_lost(struct store *s, const unsigned char *name, char *lost)
{
	char path[PATH_SIZE];
	int dir, fd = open_file(s, name);

	/*
	 * A link or a socket cannot be opened, and needs no sync.  For a FIFO
	 * fsync() fails with EINVAL.
	 */
	if (fd != -1) {
		if (fsync(fd) == -1 && errno != EINVAL)
			die_in_store(s, "sync a file");
		close(fd);
	}
	dir = open_directory(s, name, path);
	if (dir == -1)
		die_in_store(s, "open a directory");
	move_to_lost(s, dir, path + 3, name, lost);
	sync_directory(s, dir);
	close(dir);
}

void
store_for_each_lost(const struct store *s, void (*visit)(void *context,
    struct span bytes), void *context)
{
	struct listing files;
	struct buf b = { 0 };
	int lost = openat(s->dir, "lost", OPEN_DIR);

	if (lost == -1 && errno == ENOENT)
		return;
	if (lost == -1 || !listing_read(&files, lost, "."))
		die_errno("cannot read '%s/lost'", s->path);
	for (size_t i = 0; i < files.n; i++) {
		b.len = 0;
		if (store_read_all(openat(lost, files.names[i], OPEN_FILE),
		    &b, SIZE_MAX))
			visit(context, buf_span(&b));
		else if (err_is_failure(errno))
			die_errno("cannot read '%s/lost/%s'", s->path,
			    files.names[i]);
	}
	close(lost);
	listing_release(&files);
	buf_release(&b);
}

bool
store_mtime(const struct store *s, const unsigned char *name,
    int64_t *modified_s)
{
	char path[PATH_SIZE];
	struct stat st;
	int dir = open_directory(s, name, path);
	bool ok = dir != -1 &&
	    fstatat(dir, path + 3, &st, AT_SYMLINK_NOFOLLOW) == 0;

	if (!ok)
		check_failure(s, name);
	else if (modified_s != NULL)
		*modified_s = st.st_mtime;
	if (dir != -1)
		close(dir);
	return ok;
}

bool
store_remove(const struct store *s, const unsigned char *name)
{
	char path[PATH_SIZE];
	int dir = open_directory(s, name, path), status;

	if (dir == -1)
		return false;
	status = unlinkat(dir, path + 3, 0);
	fd_close(dir);
	return status == 0;
}

bool
store_is_staging(const struct store *s, const char *path)
{
	struct stat st;
	size_t n = sizeof STAGING - 1;

	/* If its process has just removed the directory, it still counts. */
	return strncmp(path, STAGING, n) == 0 &&
	    strlen(path) == n + STAGING_HEX_DIGITS &&
	    strspn(path + n, "0123456789abcdef") == STAGING_HEX_DIGITS &&
	    (fstatat(s->objects, path, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
	    S_ISDIR(st.st_mode));
}

bool
store_remove_staging(const struct store *s, const char *path)
{
	int dir = openat(s->objects, path, OPEN_DIR);
	struct listing files;
	bool ok;

	if (dir == -1)
		return false;
	ok = listing_read(&files, dir, ".");
	for (size_t i = 0; ok && i < files.n; i++)
		unlinkat(dir, files.names[i], 0);
	fd_close(dir);
	listing_release(&files);
	return ok && unlinkat(s->objects, path, AT_REMOVEDIR) == 0;
}
