#ifndef WEIR_FD_H
#define WEIR_FD_H

#include <stdint.h>

/*
 * Opens a regular file for reading, and sets *size to its size in bytes.  On
 * failure returns -1 and sets *why, which is borrowed until the next call.  The
 * path may come from a record, so it may name a device or a FIFO: that is
 * opened without blocking, but refused, because reading it may block or have
 * effects.
 */
int fd_open_regular(const char *path, uint64_t *size, const char **why);

/* Closes a descriptor, ignores errors, and preserves errno. */
void fd_close(int fd);

#endif
