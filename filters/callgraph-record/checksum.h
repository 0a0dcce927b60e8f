#ifndef CALLGRAPH_RECORD_CHECKSUM_H
#define CALLGRAPH_RECORD_CHECKSUM_H

/*
 * The SHA-512/224 of a file as hexadecimal digits; "" if it cannot be read.  It
 * is cached by device, inode, size and modification time, and lives until exit.
 */
const char *checksum_of(const char *path);

#endif
