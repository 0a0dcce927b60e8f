#pragma once

#include <stdbool.h>

enum { CHECKSUM_BYTES = 28, CHECKSUM_LEN = 2 * CHECKSUM_BYTES };

/*
 * Writes the SHA-512/224 of a whole file as hexadecimal digits and a NUL.
 * Returns false and sets errno if the file cannot be read.
 */
bool checksum_fd(int fd, char hex[CHECKSUM_LEN + 1]);
