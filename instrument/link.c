/* link - hands the shared memory over to the wrapper */

#include <errno.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>

#include "instrument/bytes.h"
#include "instrument/instrument.h"
#include "instrument/link.h"
#include "instrument/shared.h"
#include "instrument/state.h"
#include "instrument/sys.h"

enum { CONNECT_TRIES_MAX = 100 };	/* which take about 0.1 s */

/*
 * Anyone may use the name of a wrapper that has ended, and this process is
 * about to share memory: only root and the process's own user are trusted.
 */
static bool
is_wrapper(int fd)
{
	struct ucred listener;
	socklen_t size = sizeof listener;

	return SYS(getsockopt, fd, SOL_SOCKET, SO_PEERCRED, &listener,
	    &size) == 0 && (listener.uid == 0 ||
	    listener.uid == (uid_t)SYS(geteuid, 0));
}

static bool
connect_to_wrapper(int fd)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	long error, size;
	int tries = 0;

	if (!bytes_copy_string(to.sun_path, settings.socket_name,
	    sizeof to.sun_path))
		return false;
	size = (long)(offsetof(struct sockaddr_un, sun_path) +
	    bytes_length(to.sun_path));
	to.sun_path[0] = '\0';
	/* -EAGAIN: the wrapper's queue of connections is full. */
	while ((error = SYS(connect, fd, &to, size)) == -EAGAIN &&
	    tries++ < CONNECT_TRIES_MAX)
		sys_sleep_ms(tries < 10 ? 0 : 1);
	return error == 0 && is_wrapper(fd);
}

static bool
send_greeting(int fd)
{
	static char greeting[] = GREETING;
	struct iovec line = { greeting, sizeof greeting - 1 };
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = { .header = { CMSG_LEN(sizeof(int)), SOL_SOCKET,
	    SCM_RIGHTS } };
	struct msghdr message = { .msg_iov = &line, .msg_iovlen = 1 };

	if (shared_fd >= 0) {
		message.msg_control = &control;
		message.msg_controllen = CMSG_LEN(sizeof(int));
		*(int *)(void *)CMSG_DATA(&control.header) = shared_fd;
	}
	return SYS(sendmsg, fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT) ==
	    (long)line.iov_len;
}

bool
link_share_memory(void)
{
	int fd = (int)SYS(socket, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC |
	    SOCK_NONBLOCK, 0);
	bool ok = fd >= 0 && connect_to_wrapper(fd) && send_greeting(fd) &&
	    shared != NULL;

	if (fd >= 0)
		SYS(close, fd);
	shared_close_fd();
	return ok;
}
