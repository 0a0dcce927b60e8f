/*
 * link - the connection to the wrapper
 *
 * Lines wait in a buffer of fixed size until the socket takes them.  The
 * descriptor is looked at before each use, for programs close all they have;
 * a connection that was lost so is opened anew, and the line that was cut is
 * sent again.
 */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>

#include "instrument/instrument.h"
#include "instrument/sys.h"

enum {
	CONNECTIONS_MAX = 100,		/* then the program does not want it */
	FD_PREFERRED = 700			/* out of the way of the program's */
};

struct out link_out = { .fd = -1 };

static uint64_t wrapper_dev, wrapper_ino;	/* of its socket */
static int n_connections;
static int is_locked;
static uint64_t n_sends;			/* pieces, to see that there is progress */

bool
link_lock(int64_t stall_timeout_ns, uint64_t *mask)
{
	int64_t start = sys_clock_ns(CLOCK_MONOTONIC), now, last = start;
	uint64_t seen = 0, n;

	*mask = sys_block_signals();
	while (__atomic_exchange_n(&is_locked, 1, __ATOMIC_ACQUIRE) != 0) {
		now = sys_clock_ns(CLOCK_MONOTONIC);
		n = __atomic_load_n(&n_sends, __ATOMIC_RELAXED);
		if (n != seen) {
			seen = n;
			last = now;
		}
		if (now - last >= stall_timeout_ns ||
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

static bool
is_ours(void)
{
	struct stat st;

	return link_out.fd >= 0 && SYS(fstat, link_out.fd, &st) == 0 &&
	    st.st_dev == wrapper_dev && st.st_ino == wrapper_ino;
}

int
link_connect(void)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int fd;

	if (!bytes_copy_string(to.sun_path, settings.socket_path,
	    sizeof to.sun_path))
		return -1;
	fd = (int)SYS(socket, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC |
	    SOCK_NONBLOCK, 0);
	if (fd < 0)
		return fd;
	for (int tries = 0; SYS(connect, fd, &to, sizeof to) < 0; tries++) {
		if (tries == 100) {
			SYS(close, fd);
			return -1;
		}
		sys_sleep_ms(tries < 10 ? 0 : 1);	/* it is busy */
	}
	return fd;
}

/* The lowest descriptors are those that a program expects for itself. */
static int
move_up(int fd)
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

/* Where the line begins that is being sent. */
static size_t
line_start(void)
{
	size_t i = link_out.sent;

	while (i > 0 && link_out.data[i - 1] != '\n')
		i--;
	return i;
}

void
put_hello(struct out *o)
{
	char path[4096];
	long n = SYS(readlink, "/proc/self/exe", path, sizeof path - 1);

	put_begin_record(o, "hello");
	put_number(o, "protocol", 1);
	put_number(o, "pid", (uint64_t)own_pid);
	path[n > 0 ? n : 0] = '\0';
	if (n > 0)
		put_text(o, "program", path);
	put_end_record(o);
}

/* What is to be sent first goes before what waits. */
static bool
send_hello(void)
{
	static char waiting[OUT_SIZE];
	size_t n = link_out.len - link_out.sent;
	bool well;

	bytes_move_down(waiting, link_out.data + link_out.sent, n);
	link_out.len = link_out.sent = 0;
	put_hello(&link_out);
	well = SYS(sendto, link_out.fd, link_out.data, link_out.len,
	    MSG_NOSIGNAL | MSG_DONTWAIT, NULL, 0) == (long)link_out.len;
	bytes_move_down(link_out.data, waiting, n);
	link_out.len = n;
	return well;
}

bool
link_open(void)
{
	struct stat st;

	link_out.fd = -1;
	if (n_connections++ < CONNECTIONS_MAX)
		link_out.fd = link_connect();
	if (link_out.fd < 0) {
		dormant = true;
		return false;
	}
	link_out.fd = move_up(link_out.fd);
	SYS(fstat, link_out.fd, &st);
	wrapper_dev = st.st_dev;
	wrapper_ino = st.st_ino;
	link_out.sent = line_start();
	return send_hello();
}

bool
link_ensure_open(void)
{
	if (is_ours())
		return true;
	return !dormant && link_open();
}

void
link_fork(void)
{
	if (is_ours())
		SYS(close, link_out.fd);
	link_out.fd = -1;
	link_out.len = link_out.sent = 0;
	n_connections = 0;
	is_locked = 0;
}

static bool
is_fatal(long error)
{
	return error != -EAGAIN && error != -EINTR && error != -ENOBUFS;
}

static void
wait_for_room(int fd, int64_t ns)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };

	SYS(poll, &p, 1, ns < 10000000 ? (int)(ns / 1000000) + 1 : 10);
}

bool
link_flush(struct out *o, int64_t stall_timeout_ns)
{
	int64_t last = 0, now;
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
			last = now;
			continue;
		}
		if (is_fatal(n)) {
			dormant = true;
			return false;
		}
		if (last == 0)
			last = now;
		if (now - last >= stall_timeout_ns)
			return false;
		wait_for_room(o->fd, stall_timeout_ns - (now - last));
	}
	o->len = o->sent = 0;
	return true;
}

bool
link_make_room(void)
{
	size_t begin;

	if (out_has_room(&link_out))
		return true;
	/* What was sent makes room; the line that is being sent stays. */
	begin = line_start();
	link_out.len -= begin;
	link_out.sent -= begin;
	bytes_move_down(link_out.data, link_out.data + begin, link_out.len);
	return out_has_room(&link_out);
}
