/* fd - closes file descriptors */

#include <errno.h>
#include <unistd.h>

#include "common/io/fd.h"

void
fd_close(int fd)
{
	int saved_errno = errno;

	close(fd);
	errno = saved_errno;
}
