/* checksum - computes the hash that identifies a program by its contents */

#include <errno.h>
#include <nettle/sha2.h>
#include <unistd.h>

#include "common/base/hex.h"
#include "common/program/checksum.h"

bool
checksum_fd(int fd, char hex[CHECKSUM_LEN + 1])
{
	struct sha512_ctx sha;
	uint8_t bytes[65536], digest[CHECKSUM_BYTES];
	off_t offset = 0;
	ssize_t n;

	sha512_224_init(&sha);
	while ((n = pread(fd, bytes, sizeof bytes, offset)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return false;
		sha512_224_update(&sha, (size_t)n, bytes);
		offset += n;
	}
	sha512_224_digest(&sha, sizeof digest, digest);
	hex_encode(hex, digest, sizeof digest);
	return true;
}
