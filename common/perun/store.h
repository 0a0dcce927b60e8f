#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "common/base/buf.h"
#include "common/base/text.h"

/*
 * The directory .perun of a Perun store.  Its directory objects/ contains two
 * kinds of files, both named by 20 bytes as "ab/cdef...": objects (profiles),
 * by their own SHA-1, and indexes, by the SHA-1 of a commit.  In a store with
 * the version control svs, the only version is HEAD and its index "HE/AD";
 * store_head, which is no SHA-1 in practice, stands for this name.  No symbolic
 * link is followed, so nothing outside of the store is read or written.
 *
 * Crash safety.  After a crash at any instant, of the process or the machine, a
 * file is complete or absent, and an index refers only to objects that are
 * durable:
 *
 * - An object is written (staged) to a directory of this process,
 *   objects/.new-RANDOM, which no reader looks at.  store_commit() syncs the
 *   file system, renames all staged files to their names, and syncs again.
 * - Indexes are then written to the same directory, synced, renamed over the
 *   old ones, and synced again.  So readers see the old index or the new one,
 *   and never have to wait.
 * - Writers exclude each other by locks on bytes of the file weir.lock, which
 *   the system releases when a process dies.
 * - A process that is killed leaves at most its staging directory and objects
 *   that no index refers to, which pidx-fsck --prune removes.
 *
 * After an fsync() has failed, a second one may succeed although the data is
 * lost, so the first failure ends the program.
 */
enum { STORE_NAME_SIZE = 20 };	/* bytes */
extern const unsigned char store_head[STORE_NAME_SIZE];

/*
 * store_id() writes the text of a name, 40 hexadecimal digits or "HEAD", to id,
 * which has STORE_ID_SIZE bytes.  store_parse_id() is the inverse, which
 * accepts capital digits as well; false for any other text.
 */
enum { STORE_ID_SIZE = 2 * STORE_NAME_SIZE + 1 };
void store_id(char *id, const unsigned char *name);
bool store_parse_id(struct span id, unsigned char *name);

struct store {
	int dir, objects;		/* descriptors of the directories */
	char *path;			/* of .perun, for messages */
	bool was_named;			/* store_open() was given a start */
	bool has_labels;		/* its settings say that indexes have
					   the layout 2label */
	int staging;			/* descriptor of .new-*, or -1 */
	/* The final names of the files 0, 1, 2 ... in .new-*. */
	unsigned char (*staged)[STORE_NAME_SIZE];
	size_t n_staged, staged_cap;
	int lock;			/* descriptor of weir.lock, or -1 */
	int n_locks;			/* that this process holds */
};

/*
 * Opens the .perun in start or the nearest directory above it; a NULL start is
 * the current directory.  False if there is none or it cannot be read: *why is
 * then a message that says so, borrowed until the next call.
 */
bool store_open(struct store *, const char *start, const char **why);

/* Closes the store and removes staged objects that were not committed. */
void store_close(struct store *);

/*
 * store_lock() waits for a lock, and says so if that takes more than a second.
 * STORE_ADD, for adding objects, is shared by any number of processes.
 * STORE_INDEX, for changing indexes, is exclusive.  STORE_ALL, for removing
 * objects, excludes both: an object must not be removed after it was added and
 * before its index entry is added.  A process that needs STORE_ADD and
 * STORE_INDEX takes the second one last.
 *
 * A process that waits for its first lock waits its turn, so that those that
 * come later do not overtake STORE_ALL.  But then they wait, too; so after a
 * minute store_lock(STORE_ALL) dies.
 *
 * Every writer locks the store, so store_lock() also dies if root would write
 * to the store of another user without having named it: root may not know that
 * there is such a store above the current directory.
 */
enum store_lock { STORE_ADD, STORE_INDEX, STORE_ALL };
void store_lock(struct store *, enum store_lock);
void store_unlock(struct store *, enum store_lock);

/*
 * Appends the bytes of a file in objects/.  STORE_FAILED if something other
 * than a regular file is in its place: a link, a directory, a socket or a
 * device.  Dies if it cannot be read for another reason.
 */
enum store_found { STORE_FOUND, STORE_ABSENT, STORE_FAILED };
enum store_found store_read(const struct store *, const unsigned char *name,
    struct buf *b);

/*
 * Appends the bytes of a regular file, not many more than max if it is longer,
 * and closes it; false on an error, with errno.  fd is -1 if the file could not
 * be opened.
 */
bool store_read_all(int fd, struct buf *b, size_t max);

/*
 * Stages an object, which is read-only, or an index.  bytes are to be the
 * contents of its file.  For an index, the caller holds STORE_INDEX until it
 * has called store_commit(), and has committed the objects before.
 */
enum store_mode { STORE_READ_ONLY = 0444, STORE_WRITABLE = 0666 };
void store_stage(struct store *, const unsigned char *name, struct span bytes,
    enum store_mode);

/*
 * Gives the staged files their names and makes them durable, or dies.  Even if
 * nothing is staged, also makes durable the files that other processes have
 * added and may not have synced.
 */
void store_commit(struct store *);

/* Makes everything in the file system of the store durable, or dies. */
void store_sync(struct store *);

/* Replaces or creates an index with these bytes, durably, or dies. */
void store_replace(struct store *, const unsigned char *name, struct span);

/*
 * Writes a pending profile, a new file in the directory jobs, or dies.  False
 * if there is a file of this name.  Syncs the contents but not the name.  The
 * caller holds STORE_INDEX.
 */
bool store_add_pending(struct store *, const char *name, struct span bytes);

/*
 * Calls a function for every object, index and other file or directory in
 * objects/, sorted by path.  path is relative to objects/; name is NULL if the
 * path is neither of the form "ab/cdef..." nor "HE/AD".
 */
void store_for_each(const struct store *, void (*visit)(void *context,
    const unsigned char *name, const char *path), void *context);

/*
 * Preserves a damaged file in the directory lost/ of the store, as NAME.NUMBER
 * with the first free number: nothing there is ever overwritten.
 * store_copy_to_lost() writes the bytes; store_move_to_lost() moves the file,
 * which need not be a regular one.  The result is durable, or they die.  They
 * write its path, relative to .perun, to lost, which has STORE_LOST_SIZE bytes.
 */
enum { STORE_LOST_SIZE = 64 };
void store_copy_to_lost(struct store *, const unsigned char *name, struct span,
    char *lost);
void store_move_to_lost(struct store *, const unsigned char *name, char *lost);

/* Calls a function for each regular file in lost/.  Dies on a read error. */
void store_for_each_lost(const struct store *, void (*visit)(void *context,
    struct span bytes), void *context);

/*
 * Sets path, which has STORE_PATH_SIZE bytes, to the path of an object or index
 * relative to .perun: "objects/ab/cdef...".
 */
enum { STORE_PATH_SIZE = sizeof "objects/" + 2 * STORE_NAME_SIZE + 1 };
void store_path(char *path, const unsigned char *name);

/*
 * When an object or index was modified, in seconds since 1970, unless
 * modified_s is NULL; false if it is absent.  Dies if its status cannot be
 * read.
 */
bool store_mtime(const struct store *, const unsigned char *name,
    int64_t *modified_s);

/*
 * Is a path relative to objects/ a staging directory?  If the caller holds
 * STORE_ALL, the process that created the directory is dead, or has finished
 * and is about to remove it.
 */
bool store_is_staging(const struct store *, const char *path);

/*
 * store_remove() removes an object or index, store_remove_staging() a staging
 * directory with its files; false on an error, with errno.  The removal is
 * durable only after store_sync().
 */
bool store_remove(const struct store *, const unsigned char *name);
bool store_remove_staging(const struct store *, const char *path);
