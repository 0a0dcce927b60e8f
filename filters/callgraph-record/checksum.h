#ifndef CALLGRAPH_RECORD_CHECKSUM_H
#define CALLGRAPH_RECORD_CHECKSUM_H

/*
 * The SHA-512/224 of an open file as hexadecimal digits; "" if it cannot be
 * read.  Cached by device, inode, size and time of modification.  It lives
 * until exit.
 */
const char *checksum_of(int fd);

#endif
