#pragma once

#include <stdint.h>

/*
 * The SHA-512/224 of a file as hexadecimal digits; "" if it cannot be read.  It
 * is cached by device, inode, size and modification time, and lives until exit.
 */
const char *checksum_of(const char *path);

/*
 * Remembers the checksum of a program, which has this path and inode as its
 * processes report them, for processes that end before theirs can be read.
 */
void checksum_remember(const char *program, uint64_t inode,
    const char *checksum);

/* What was remembered last of such a program, or "". */
const char *checksum_remembered(const char *program, uint64_t inode);
