#ifndef CALLGRAPH_RECORD_CHECKSUM_H
#define CALLGRAPH_RECORD_CHECKSUM_H

/*
 * The SHA-512/224 of an open file as hexadecimal digits; "" if fd is -1 or
 * cannot be read.  It is cached by device, inode, size and modification time,
 * and lives until exit.
 */
const char *checksum_of(int fd);

#endif
