/* fd - opens and closes file descriptors */

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/io/fd.h"

int
fd_open_regular(const char *path, uint64_t *size, const char **why)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0) {
		*why = strerror(errno);
		return -1;
	}
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
		*size = (uint64_t)st.st_size;
		return fd;
	}
	*why = "it is not a regular file";
	fd_close(fd);
	return -1;
}

void
fd_close(int fd)
{
	int saved_errno = errno;

	close(fd);
	errno = saved_errno;
}
