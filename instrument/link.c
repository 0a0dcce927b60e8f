/*
 * link - the connection to the wrapper
 *
 * The wrapper, callgraph-record(1), listens on a Unix stream socket whose name
 * is in the environment.  Each process connects to it and sends lines of JSON,
 * which weir-instrument(3) lists: first hello, then modules, nodes, marks and
 * so on.  The report of a crash uses another connection.  The wrapper sends
 * only bytes that request emissions; it closes the socket when it exits.
 *
 * Lines wait in a buffer of fixed size until the socket accepts them, so the
 * first part of a line may be sent while the rest is still in the buffer.
 *
 * Programs such as daemons close all descriptors, perhaps to open their own
 * under the same numbers.  Therefore each use first compares device and inode
 * of the descriptor with those of the socket.  If they differ, the link
 * connects again, says hello, and repeats the line that was sent in part; the
 * wrapper ignores an incomplete line at the end of a connection.
 */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <time.h>

#include "instrument/bytes.h"
#include "instrument/instrument.h"
#include "instrument/link.h"
#include "instrument/modules.h"
#include "instrument/put.h"
#include "instrument/shared.h"
#include "instrument/state.h"
#include "instrument/sys.h"

enum {
	CONNECTIONS_MAX = 100,		/* the program may keep closing them */
	CONNECT_TRIES_MAX = 100,	/* which take about 0.1 s */
	FD_PREFERRED = 700		/* below the usual limit, 1024 */
};

struct out link_out = { .fd = -1 };

static uint64_t socket_dev, socket_ino;	/* identify link_out.fd */
static int n_connections;
static bool has_said_hello;
static int is_locked;
static uint64_t n_sends;		/* link_lock() sees progress by it */

bool
link_lock(int64_t stall_timeout_ns, uint64_t *mask)
{
	int64_t start, now, stalled_since;
	uint64_t seen = 0, n;

	if (is_confined)
		return false;
	start = stalled_since = sys_clock_ns(CLOCK_MONOTONIC);
	*mask = sys_block_signals();
	while (__atomic_exchange_n(&is_locked, 1, __ATOMIC_ACQUIRE) != 0) {
		now = sys_clock_ns(CLOCK_MONOTONIC);
		n = __atomic_load_n(&n_sends, __ATOMIC_RELAXED);
		if (n != seen) {
			seen = n;
			stalled_since = now;
		}
		if (now - stalled_since >= stall_timeout_ns ||
		    now - start >= TOTAL_TIMEOUT_FACTOR * stall_timeout_ns) {
			sys_restore_signals(*mask);
			return false;
		}
		sys_sleep_ms(1);
	}
	return true;
}

void
link_unlock(uint64_t mask)
{
	__atomic_store_n(&is_locked, 0, __ATOMIC_RELEASE);
	sys_restore_signals(mask);
}

/* Returns false if the program has closed or replaced the descriptor. */
static bool
is_fd_ours(void)
{
	struct stat st;

	return link_out.fd >= 0 && SYS(fstat, link_out.fd, &st) == 0 &&
	    st.st_dev == socket_dev && st.st_ino == socket_ino;
}

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

int
link_connect(void)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	long error, size;
	int tries = 0, fd;

	if (!bytes_copy_string(to.sun_path, settings.socket_name,
	    sizeof to.sun_path))
		return -1;
	size = (long)(offsetof(struct sockaddr_un, sun_path) +
	    bytes_length(to.sun_path));
	to.sun_path[0] = '\0';
	fd = (int)SYS(socket, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC |
	    SOCK_NONBLOCK, 0);
	if (fd < 0)
		return fd;
	/* -EAGAIN: the wrapper's queue of connections is full. */
	while ((error = SYS(connect, fd, &to, size)) == -EAGAIN &&
	    tries++ < CONNECT_TRIES_MAX)
		sys_sleep_ms(tries < 10 ? 0 : 1);
	if (error == 0 && is_wrapper(fd))
		return fd;
	SYS(close, fd);
	return -1;
}

/*
 * Moves the descriptor to a high number: FD_PREFERRED or, if the limit is not
 * well above that, half of the limit.  A program may expect the lowest numbers
 * for the files that it opens.  Returns the new number, or fd if that fails.
 */
static int
move_fd_up(int fd)
{
	struct rlimit files = { 1024, 0 };
	int moved;

	SYS(prlimit64, 0, RLIMIT_NOFILE, NULL, &files);
	moved = (int)SYS(fcntl, fd, F_DUPFD_CLOEXEC, files.rlim_cur >
	    FD_PREFERRED + 64 ? FD_PREFERRED : (int)(files.rlim_cur / 2));
	if (moved < 0)
		return fd;
	SYS(close, fd);
	return moved;
}

/* The offset in the buffer of the first line that is not completely sent. */
static size_t
find_line_start(void)
{
	size_t i = link_out.sent;

	while (i > 0 && link_out.data[i - 1] != '\n')
		i--;
	return i;
}

void
link_put_hello(struct out *o)
{
	const struct shared_module *program = modules_program();

	put_begin_record(o, "hello");
	put_number(o, "protocol", 3);
	put_number(o, "pid", (uint64_t)own_pid);
	put_text(o, "program", program != NULL ? shared->paths + program->path :
	    (const char *)getauxval(AT_EXECFN));
	put_number(o, "inode", program != NULL ? program->inode : 0);
	if (has_said_hello)
		put_true(o, "again");
	put_end_record(o);
}

/*
 * Sends hello ahead of the lines that wait in the buffer.  The first hello
 * comes with the descriptor of the shared memory, if there is one.  Returns
 * false if the socket does not accept all of hello at once.
 */
static bool
send_hello(void)
{
	static struct out hello;
	struct iovec line;
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = { .header = { CMSG_LEN(sizeof(int)), SOL_SOCKET,
	    SCM_RIGHTS } };
	struct msghdr message = { .msg_iov = &line, .msg_iovlen = 1 };
	bool ok;

	if (shared_fd >= 0) {
		message.msg_control = &control;
		message.msg_controllen = CMSG_LEN(sizeof(int));
		*(int *)(void *)CMSG_DATA(&control.header) = shared_fd;
	}

	hello.len = 0;
	link_put_hello(&hello);
	line = (struct iovec){ hello.data, hello.len };
	ok = SYS(sendmsg, link_out.fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT) ==
	    (long)hello.len;
	shared_close_fd();
	has_said_hello |= ok;
	return ok;
}

bool
link_open(void)
{
	struct stat st;

	link_out.fd = -1;
	if (n_connections++ < CONNECTIONS_MAX)
		link_out.fd = link_connect();
	if (link_out.fd < 0) {
		state_give_up();
		return false;
	}
	link_out.fd = move_fd_up(link_out.fd);
	SYS(fstat, link_out.fd, &st);
	socket_dev = st.st_dev;
	socket_ino = st.st_ino;
	link_out.sent = find_line_start();
	return send_hello();
}

bool
link_ensure_open(void)
{
	if (is_fd_ours())
		return true;
	return !dormant && link_open();
}

void
link_fork(void)
{
	if (is_fd_ours())
		SYS(close, link_out.fd);
	link_out.fd = -1;
	link_out.len = link_out.sent = 0;
	n_connections = 0;
	has_said_hello = false;
	is_locked = 0;
}

/* Does this result of sendto() mean that no further attempt can succeed? */
static bool
is_fatal(long error)
{
	return error != -EAGAIN && error != -EINTR && error != -ENOBUFS;
}

bool
link_flush(struct out *o, int64_t stall_timeout_ns)
{
	int64_t now, left, stalled_since = 0;	/* 0: not known yet */
	struct pollfd p;
	long n;

	while (o->sent < o->len) {
		if (o == &link_out && !link_ensure_open())
			return false;
		n = SYS(sendto, o->fd, o->data + o->sent, o->len - o->sent,
		    MSG_NOSIGNAL | MSG_DONTWAIT, NULL, 0);
		now = sys_clock_ns(CLOCK_MONOTONIC);
		if (n > 0) {
			o->sent += (size_t)n;
			__atomic_add_fetch(&n_sends, 1, __ATOMIC_RELAXED);
			stalled_since = now;
			continue;
		}
		if (is_fatal(n)) {
			state_give_up();
			return false;
		}

		if (stalled_since == 0)
			stalled_since = now;
		left = stall_timeout_ns - (now - stalled_since);
		if (left <= 0)
			return false;
		/* After at most 10 ms the descriptor is checked again. */
		p = (struct pollfd){ .fd = o->fd, .events = POLLOUT };
		SYS(poll, &p, 1, left < 10000000 ?
		    (int)(left / 1000000) + 1 : 10);
	}
	o->len = o->sent = 0;
	return true;
}

bool
link_make_room(void)
{
	size_t start;

	if (out_has_room(&link_out))
		return true;
	start = find_line_start();
	link_out.len -= start;
	link_out.sent -= start;
	bytes_move_down(link_out.data, link_out.data + start, link_out.len);
	return out_has_room(&link_out);
}
