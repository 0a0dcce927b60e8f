/* fd - opens and closes file descriptors */

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/err.h"
#include "common/io/fd.h"

int
fd_open_regular(const char *path, uint64_t *size, const char **why)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0 && err_is_failure(errno) && errno != EACCES)
		die_errno("cannot open '%s'", path);
	if (fd < 0) {
		*why = strerror(errno);
		return -1;
	}
	if (fstat(fd, &st) != 0)
		die_errno("cannot examine '%s'", path);
	if (S_ISREG(st.st_mode)) {
		*size = (uint64_t)st.st_size;
		return fd;
	}
	*why = "it is not a regular file";
	fd_close(fd);
	return -1;
}

bool
fd_exists(const char *path)
{
	if (access(path, F_OK) == 0)
		return true;
	if (err_is_failure(errno))
		die_errno("cannot examine '%s'", path);
	return false;
}

void
fd_close(int fd)
{
	int saved_errno = errno;

	close(fd);
	errno = saved_errno;
}
