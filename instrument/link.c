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
	OPENS_MOST = 100,		/* then the program does not want it */
	FD_WANTED = 700			/* out of the way of the program's */
};

struct out wrapper = { .fd = -1 };

static uint64_t wrapper_dev, wrapper_ino;	/* of its socket */
static int n_opened;
static int is_taken;
static uint64_t n_sent;			/* pieces, to see that there is progress */

bool
link_take(int64_t patience_ns, uint64_t *mask)
{
	int64_t start = sys_clock_ns(CLOCK_MONOTONIC), now, last = start;
	uint64_t seen = 0, n;

	*mask = sys_block();
	while (__atomic_exchange_n(&is_taken, 1, __ATOMIC_ACQUIRE) != 0) {
		now = sys_clock_ns(CLOCK_MONOTONIC);
		n = __atomic_load_n(&n_sent, __ATOMIC_RELAXED);
		if (n != seen) {
			seen = n;
			last = now;
		}
		if (now - last >= patience_ns ||
		    now - start >= PATIENCE_TIMES * patience_ns) {
			sys_unblock(*mask);
			return false;
		}
		sys_sleep_ms(1);
	}
	return true;
}

void
link_drop(uint64_t mask)
{
	__atomic_store_n(&is_taken, 0, __ATOMIC_RELEASE);
	sys_unblock(mask);
}

static bool
is_ours(void)
{
	struct stat st;

	return wrapper.fd >= 0 && SYS(fstat, wrapper.fd, &st) == 0 &&
	    st.st_dev == wrapper_dev && st.st_ino == wrapper_ino;
}

int
link_connect(void)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int fd;

	if (!bytes_copy_string(to.sun_path, settings.socket,
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
out_of_the_way(int fd)
{
	struct rlimit files = { 1024, 0 };
	int moved;

	SYS(prlimit64, 0, RLIMIT_NOFILE, NULL, &files);
	moved = (int)SYS(fcntl, fd, F_DUPFD_CLOEXEC, files.rlim_cur >
	    FD_WANTED + 64 ? FD_WANTED : (int)(files.rlim_cur / 2));
	if (moved < 0)
		return fd;
	SYS(close, fd);
	return moved;
}

/* Where the line begins that is being sent. */
static size_t
line_start(void)
{
	size_t i = wrapper.sent;

	while (i > 0 && wrapper.data[i - 1] != '\n')
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
	put_number(o, "pid", (uint64_t)process);
	path[n > 0 ? n : 0] = '\0';
	if (n > 0)
		put_text(o, "program", path);
	put_end_record(o);
}

/* What is to be sent first goes before what waits. */
static bool
say_hello(void)
{
	static char waiting[OUT_SIZE];
	size_t n = wrapper.len - wrapper.sent;
	bool well;

	bytes_move_down(waiting, wrapper.data + wrapper.sent, n);
	wrapper.len = wrapper.sent = 0;
	put_hello(&wrapper);
	well = SYS(sendto, wrapper.fd, wrapper.data, wrapper.len, MSG_NOSIGNAL |
	    MSG_DONTWAIT, NULL, 0) == (long)wrapper.len;
	bytes_move_down(wrapper.data, waiting, n);
	wrapper.len = n;
	return well;
}

bool
link_open(void)
{
	struct stat st;

	wrapper.fd = -1;
	if (n_opened++ < OPENS_MOST)
		wrapper.fd = link_connect();
	if (wrapper.fd < 0) {
		dormant = true;
		return false;
	}
	wrapper.fd = out_of_the_way(wrapper.fd);
	SYS(fstat, wrapper.fd, &st);
	wrapper_dev = st.st_dev;
	wrapper_ino = st.st_ino;
	wrapper.sent = line_start();
	return say_hello();
}

bool
link_usable(void)
{
	if (is_ours())
		return true;
	return !dormant && link_open();
}

void
link_fork(void)
{
	if (is_ours())
		SYS(close, wrapper.fd);
	wrapper.fd = -1;
	wrapper.len = wrapper.sent = 0;
	n_opened = 0;
	is_taken = 0;
}

static bool
is_over(long error)
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
link_flush(struct out *o, int64_t patience_ns)
{
	int64_t last = 0, now;
	long n;

	while (o->sent < o->len) {
		if (o == &wrapper && !link_usable())
			return false;
		n = SYS(sendto, o->fd, o->data + o->sent, o->len - o->sent,
		    MSG_NOSIGNAL | MSG_DONTWAIT, NULL, 0);
		now = sys_clock_ns(CLOCK_MONOTONIC);
		if (n > 0) {
			o->sent += (size_t)n;
			__atomic_add_fetch(&n_sent, 1, __ATOMIC_RELAXED);
			last = now;
			continue;
		}
		if (is_over(n)) {
			dormant = true;
			return false;
		}
		if (last == 0)
			last = now;
		if (now - last >= patience_ns)
			return false;
		wait_for_room(o->fd, patience_ns - (now - last));
	}
	o->len = o->sent = 0;
	return true;
}

bool
link_has_room(void)
{
	size_t begin;

	if (out_has_room(&wrapper))
		return true;
	/* What was sent makes room; the line that is being sent stays. */
	begin = line_start();
	wrapper.len -= begin;
	wrapper.sent -= begin;
	bytes_move_down(wrapper.data, wrapper.data + begin, wrapper.len);
	return out_has_room(&wrapper);
}
