#ifndef WEIR_STORE_H
#define WEIR_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/buf.h"
#include "common/base/text.h"

/*
 * The directory .perun of a Perun store: files named by SHA-1, which are
 * objects and indexes alike.  Nothing is followed out of it: no name has a
 * slash, and no symbolic link is taken.
 *
 * What is added is durable, or it is not there.  Objects are staged in a
 * directory of this process; store_commit() makes them durable, then gives
 * them their names, and makes those durable.  An index is replaced by rename
 * in the same way.  A process that dies leaves at most its staging directory,
 * which nobody reads.  Once a sync has failed there is no second try.
 */
enum { STORE_NAME = 20 };

struct store {
	int dir, objects;		/* descriptors */
	char *path;			/* of .perun, for messages */
	int staging;			/* or -1 */
	char staging_name[32];
	struct staged {
		unsigned char name[STORE_NAME];
	} *staged;			/* files "0", "1", ... */
	size_t n_staged, staged_cap;
	int lock;			/* or -1 */
};

/*
 * Opens the .perun in start or the nearest directory above.  False if there
 * is none, or none that can be read: *why then says so, for ever.
 */
bool store_open(struct store *, const char *start, const char **why);

/* Takes away what was staged and not committed. */
void store_close(struct store *);

/*
 * Writers wait for each other.  STORE_ADD: objects are added, together with
 * others; STORE_INDEX: an index is changed, alone; STORE_PRUNE: objects are
 * removed, while nobody adds any.  The system takes a lock from a process that
 * has died.
 */
enum store_lock { STORE_ADD, STORE_INDEX, STORE_PRUNE };
void store_lock(struct store *, enum store_lock);
void store_unlock(struct store *, enum store_lock);

/*
 * The bytes of a file of objects/, appended to b.  STORE_ABSENT if there is
 * none; STORE_BAD if it cannot be read: errno tells.
 */
enum store_found { STORE_GOOD, STORE_ABSENT, STORE_BAD };
enum store_found store_read(const struct store *, const unsigned char *name,
    struct buf *b);

/* Appends all of an open file, which must be a regular one; else errno. */
bool store_read_all(int fd, struct buf *b);

/* Does this errno of STORE_BAD say that it is a directory, a link, ...? */
bool store_is_no_file(int error);

/* Stages an object. */
void store_stage(struct store *, const unsigned char *name, struct span packed);

/*
 * Makes what is staged durable, under its names, and what was there before: who
 * wrote it may have died before its sync.  Dies if it cannot.
 */
void store_commit(struct store *);

/* The same where nothing is staged. */
void store_sync(struct store *);

/* Replaces an index, durably, or creates it; the same for dying. */
void store_replace(struct store *, const unsigned char *name, struct span);

/*
 * Calls for everything in objects/: with the name of a file that is called by
 * one, in the order of names, and with NULL for what has none there, be it a
 * file or a directory.  path is relative to objects/.
 */
void store_each(const struct store *, void (*call)(void *to,
    const unsigned char *name, const char *path), void *to);

/*
 * Keeps what is damaged in lost/, beside objects/, under its name and the first
 * number that is free: nothing there is ever overwritten.  store_keep() writes
 * a copy of its bytes, store_set_aside() moves the file, whatever it is; both
 * are durable on return, or die.  lost, which has room for STORE_LOST, becomes
 * its path in .perun.
 */
enum { STORE_LOST = 64 };
void store_keep(struct store *, const unsigned char *name, struct span,
    char *lost);
void store_set_aside(struct store *, const unsigned char *name, char *lost);

/* Calls for every file of lost/ with its bytes; dies if it cannot be read. */
void store_each_lost(const struct store *, void (*call)(void *to,
    struct span bytes), void *to);

/* The path of a file in .perun, "objects/ab/cdef...", with its NUL. */
enum { STORE_PATH = sizeof "objects/" + 2 * STORE_NAME + 1 };
void store_path(char *path, const unsigned char *name);

/* When a file of objects/ was written, in seconds; false if it is not there. */
bool store_age(const struct store *, const unsigned char *name,
    int64_t *written);

/*
 * Is this, of objects/, the staging directory of some process?  Whoever holds
 * STORE_PRUNE and STORE_INDEX knows that it is not that of a live one.
 */
bool store_is_leftover(const struct store *, const char *path);

/*
 * Removes a file of objects/, or such a directory with its files; false with
 * errno.  store_sync() makes it durable.
 */
bool store_remove(const struct store *, const unsigned char *name);
bool store_remove_leftover(const struct store *, const char *path);

#endif
