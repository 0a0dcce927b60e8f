#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * Opens a regular file for reading, and sets *size to its size in bytes.  If it
 * is missing, not a regular one or not permitted to be read, returns -1 and
 * sets *why, which is borrowed until the next call; dies if the machine fails.
 * The path may come from a record, so it may name a device or a FIFO: that is
 * opened without blocking, but refused, because reading it may block or have
 * effects.  It may also name a program that its user may only execute.
 */
int fd_open_regular(const char *path, uint64_t *size, const char **why);

/* Is there a file or directory at a path?  Dies if that cannot be found out. */
bool fd_exists(const char *path);

/* Closes a descriptor, ignores errors, and preserves errno. */
void fd_close(int fd);
