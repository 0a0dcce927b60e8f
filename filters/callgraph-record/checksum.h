#ifndef CALLGRAPH_RECORD_CHECKSUM_H
#define CALLGRAPH_RECORD_CHECKSUM_H

/*
 * The SHA-512/224 of an open file, as hexadecimal digits; "" if it cannot be
 * read.  A file that was read before is not read again.  Lives for ever.
 */
const char *checksum_of(int fd);

#endif
