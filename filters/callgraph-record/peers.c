/* peers - turns what instrumented processes send into records */

#define _GNU_SOURCE	/* struct ucred, sigabbrev_np */

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/err.h"
#include "common/base/hex.h"
#include "common/base/mem.h"
#include "common/json/json.h"
#include "common/json/recio.h"
#include "common/program/checksum.h"
#include "filters/callgraph-record/checksum.h"
#include "filters/callgraph-record/graph.h"
#include "filters/callgraph-record/memory.h"
#include "filters/callgraph-record/peers.h"

enum {
	MESSAGE_MAX_BYTES = 1 << 20,	/* the instrument sends far less */
	REMEMBERED_MAX = 256	/* processes, besides one per connection */
};

/* A process that executes another program gets a second struct process. */
struct process {
	pid_t pid;
	char *program;		/* its path, perhaps not UTF-8 */
	const char *checksum;	/* "" if unknown */
	bool is_recorded;	/* it has a release, or needs none */
	size_t n_peers;
	uint64_t sequence;	/* of the next callgraph */
	struct modules modules;
	struct peers *peers;
	struct memory *memory;	/* NULL if it shares none, or it was read */
	bool may_lose;		/* it shares none: counts can be lost */
	int end_fd;		/* readable when it has ended; or -1 */

	/* The current emission: */
	bool in_emission;
	struct graph graph;
	struct emission emission;
	uint64_t time_us;
	uint64_t sum_limited;	/* of nodes_limited, in all emissions */
	bool is_final;		/* it is the last emission of the process */
	bool is_dormant;	/* the instrument has stopped counting */

	struct process *next;
};

/* A connection or, after the last one of a process, its end_fd. */
struct peer {
	int fd;			/* -1: closed */
	pid_t pid;
	bool is_end;		/* fd was end_fd of the process */
	int memory_fd;		/* came with its hello; -1: none, or used */
	struct process *process;	/* NULL before its hello */
	struct buf in;		/* what was received but not handled yet */
};

#define MESSAGE_KEYS(K)							\
	K(K_PROGRAM, "program") K(K_PATH, "path") K(K_BASE, "base")	\
	K(K_START, "start") K(K_END, "end") K(K_BUILD_ID, "build_id")	\
	K(K_TIME_US, "time_us") K(K_TIMED, "timed")			\
	K(K_SAMPLED, "sampled") K(K_FOLDED, "folded_recursion")		\
	K(K_OFF_TIME, "off_time") K(K_MISPLACED, "misplaced")		\
	K(K_NODES, "nodes") K(K_LIMITED, "nodes_limited")		\
	K(K_FINAL, "final") K(K_DORMANT, "dormant")			\
	K(K_SIGNAL, "signal") K(K_FRAMES, "frames")			\
	K(K_OMITTED, "frames_omitted") K(K_NAME, "name")		\
	K(K_BITS, "bits") K(K_N, "n") K(K_PROBE, "probe_ps")		\
	K(K_AGAIN, "again") K(K_INODE, "inode")
KEY_LIST(keys, MESSAGE_KEYS);

void
peers_init(struct peers *p, const struct listener *listener,
    const char *release_dir)
{
	*p = (struct peers){ .listener = listener, .release_dir = release_dir,
	    .recio = recio_new(keys) };
}

static void
process_free(struct process *p)
{
	memory_unmap(p->memory);
	if (p->end_fd >= 0)
		close(p->end_fd);
	modules_release(&p->modules);
	free(p->graph.nodes);
	free(p->program);
	free(p);
}

void
peers_release(struct peers *p)
{
	struct process *next;

	for (; p->processes != NULL; p->processes = next) {
		next = p->processes->next;
		process_free(p->processes);
	}
	free(p->list);
	recio_free(p->recio);
}

/* --- values of messages --- */

/*
 * Decodes a string that the instrument has encoded as if it were Latin-1: paths
 * may contain any bytes, and the bytes from 0x80 to 0xff are sent as the
 * characters U+0080 to U+00FF.  "" if it is absent.  The caller frees the
 * result.
 */
static char *
text_of(const struct rec *r, unsigned key)
{
	struct span s;
	char *bytes, *to;
	uint32_t code;
	size_t n;

	if (rec_str(r, key, &s) != REC_OK)
		s = span_of("", 0);
	to = bytes = mem_alloc(s.n + 1);
	for (; s.n > 0; s.p += n, s.n -= n) {
		n = utf8_char(s.p, s.n, &code);
		if (n == 0 || code > 0xff)
			break;
		*to++ = (char)code;
	}
	*to = '\0';
	return bytes;
}

/* 0 if the number is absent, negative or malformed. */
static uint64_t
number_of(const struct rec *r, unsigned key)
{
	int64_t value;

	return rec_int(r, key, &value) == REC_OK && value > 0 ?
	    (uint64_t)value : 0;
}

/* Reads a number and, if one follows, a space.  False if it is malformed. */
static bool
read_number(struct span *s, unsigned radix, uint64_t *value)
{
	int digit;
	size_t i = 0;

	for (*value = 0; i < s->n && s->p[i] != ' '; i++) {
		digit = hex_digit(s->p[i]);
		if (digit < 0 || digit >= (int)radix ||
		    *value > (UINT64_MAX - (unsigned)digit) / radix)
			return false;
		*value = *value * radix + (unsigned)digit;
	}
	if (i == 0)
		return false;
	i += i < s->n;
	*s = span_of(s->p + i, s->n - i);
	return true;
}

/* 0 if the address is absent or malformed. */
static uint64_t
address_of(const struct rec *r, unsigned key)
{
	struct span s;
	uint64_t value;

	return rec_str(r, key, &s) == REC_OK && hex_address(s, &value) ?
	    value : 0;
}

/* --- records --- */

static void
begin_record(struct buf *b, const char *type, const struct process *p)
{
	json_begin(b, type);
	if (p->checksum[0] != '\0')
		json_cstr(b, "checksum", p->checksum);
	json_cstr(b, "program", p->program);
	json_int(b, "pid", p->pid);
}

static void
end_record(struct buf *b, const struct process *p)
{
	json_end(b);
	p->peers->n_records++;
}

/* Writes the emission, even if its end was lost: what has arrived is valid. */
static void
end_emission(struct process *p, struct buf *b)
{
	struct emission *e = &p->emission;

	p->in_emission = false;
	if (p->is_recorded && (p->graph.n > 0 || p->is_final ||
	    e->nodes_limited > 0)) {
		begin_record(b, "callgraph", p);
		json_uint(b, "sequence", p->sequence++);
		json_uint(b, "time_us", p->time_us);
		if (e->folded)
			json_true(b, "folded_recursion");
		if (e->nodes_limited > 0)
			json_uint(b, "nodes_limited", e->nodes_limited);
		if (p->is_dormant)
			json_true(b, "gave_up");
		if (p->is_final)
			json_true(b, "final");
		modules_mark_graph(&p->modules, &p->graph);
		modules_put(&p->modules, b);
		graph_put(&p->graph, e, b);
		end_record(b, p);
	}
	p->graph.n = 0;
	e->nodes_limited = 0;
}

/*
 * For a process that has ended or executed another program, or that will not be
 * read any more: finishes its emission, and writes the counts that it has not
 * sent, unless it has sent its final emission.
 */
static void
end_process(struct process *p, struct buf *b)
{
	uint64_t *limited = &p->emission.nodes_limited;

	if (p->in_emission)
		end_emission(p, b);
	if (p->may_lose && !p->is_final)
		err_warn("warning: process %ld could not share its memory and "
		    "did not end normally: counts may be lost", (long)p->pid);
	p->may_lose = false;
	if (p->memory != NULL)
		p->peers->n_lost += memory_lost_processes(p->memory);
	if (!p->is_final && p->memory != NULL) {
		p->emission = memory_read(p->memory, &p->graph, &p->modules);
		*limited = *limited > p->sum_limited ?
		    *limited - p->sum_limited : 0;
		p->time_us = (uint64_t)clock_ns(CLOCK_REALTIME) / 1000;
		end_emission(p, b);
	}
	memory_unmap(p->memory);
	p->memory = NULL;
}

static bool
read_frame(struct span s, uint64_t *function, uint64_t *call_site)
{
	return read_number(&s, 16, function) && read_number(&s, 16, call_site);
}

/* False, and writes nothing, if the message is malformed. */
static bool
put_crash(struct process *p, const struct rec *r, struct buf *b)
{
	int number = (int)number_of(r, K_SIGNAL);
	const char *name = sigabbrev_np(number);
	const struct span *items;
	uint64_t function, call_site;
	size_t n = 0;

	if (rec_strings(r, K_FRAMES, &items, &n) == REC_BAD)
		return false;
	for (size_t i = 0; i < n; i++)
		if (!read_frame(items[i], &function, &call_site))
			return false;

	begin_record(b, "crash", p);
	json_uint(b, "time_us", number_of(r, K_TIME_US));
	json_int(b, "signal", number);
	if (name != NULL) {
		json_key(b, "signal_name");
		buf_printf(b, "\"SIG%s\"", name);
	}

	json_open(b, "frames", '[');
	for (size_t i = 0; i < n; i++) {
		read_frame(items[i], &function, &call_site);
		modules_mark_call(&p->modules, function, call_site);
		buf_str(b, i > 0 ? ",{" : "{");
		json_address(b, "function", function);
		json_address(b, "call_site", call_site);
		buf_char(b, '}');
	}
	json_close(b, ']');

	if (number_of(r, K_OMITTED) > 0)
		json_uint(b, "frames_omitted", number_of(r, K_OMITTED));
	modules_put(&p->modules, b);
	end_record(b, p);
	return true;
}

/* The message has the bits of a double, written like an address ("0x..."). */
static void
put_mark(struct process *p, const struct rec *r, struct buf *b)
{
	uint64_t bits = address_of(r, K_BITS);
	char *name = text_of(r, K_NAME), text[40];
	double value;

	memcpy(&value, &bits, sizeof value);
	/* The shortest text that reads back as the same double. */
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof text, "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}

	begin_record(b, "mark", p);
	json_uint(b, "time_us", number_of(r, K_TIME_US));
	json_cstr(b, "name", name);
	if (value - value == 0) {	/* JSON has no infinities and NaNs */
		json_key(b, "value");
		buf_str(b, text);
	}
	end_record(b, p);
	free(name);
}

/* --- processes --- */

/*
 * If many processes are remembered, forgets those that have ended.  A process
 * without a connection may still run, and reconnect.
 */
static void
forget_processes(struct peers *p, struct buf *b)
{
	struct process **at = &p->processes, *i;

	if (p->n_processes < p->n + REMEMBERED_MAX)
		return;
	while ((i = *at) != NULL) {
		if (i->n_peers > 0 || (kill(i->pid, 0) == 0 ||
		    errno != ESRCH)) {
			at = &i->next;
			continue;
		}
		*at = i->next;
		end_process(i, b);
		process_free(i);
		p->n_processes--;
	}
}

/*
 * The checksum of /proc/PID/exe, because the file at the program's path may
 * have been replaced.  If that is another file, it is the dynamic linker or an
 * emulator, which runs the program; if it cannot be read, perhaps because the
 * process has ended, there is only the path.
 */
static const char *
checksum_of_process(pid_t pid, const char *program, uint64_t inode)
{
	static const char suffix[] = " (deleted)";
	char exe[64], path[4200];
	const char *checksum = "";
	struct stat st;
	ssize_t n, i;

	snprintf(exe, sizeof exe, "/proc/%ld/exe", (long)pid);
	n = readlink(exe, path, sizeof path - 1);
	path[n > 0 ? n : 0] = '\0';
	i = n - (ssize_t)strlen(suffix);
	if (i > 0 && strcmp(path + i, suffix) == 0)
		path[i] = '\0';
	if (*program != '/' || strcmp(path, program) == 0 ||
	    (stat(exe, &st) == 0 && st.st_ino == inode)) {
		checksum = checksum_of(exe);
	} else if (n > 0) {
		snprintf(path, sizeof path, "/proc/%ld/root%s", (long)pid,
		    program);
		checksum = checksum_of(path);
	}
	if (checksum[0] == '\0')
		checksum = checksum_of(program);
	if (checksum[0] == '\0')
		err_warn("warning: cannot read '%s', the program of process "
		    "%ld", program, (long)pid);
	return checksum;
}

/*
 * Whether a program is to be recorded.  If not, warns, but only once for
 * successive processes of one program.
 */
static bool
has_release(const struct peers *p, const struct process *proc)
{
	static char last_warned[CHECKSUM_LEN + 1];
	struct buf path = { 0 };
	bool exists;

	if (p->release_dir == NULL)
		return true;
	buf_printf(&path, "%s/%s.release", p->release_dir, proc->checksum);
	exists = proc->checksum[0] != '\0' &&
	    access(buf_cstr(&path), R_OK) == 0;
	if (!exists && strcmp(last_warned, proc->checksum) != 0) {
		err_warn("warning: '%s' is not recorded: there is no '%s'",
		    proc->program, buf_cstr(&path));
		strcpy(last_warned, proc->checksum);
	}
	buf_release(&path);
	return exists;
}

/*
 * A known process sends hello again when it reconnects and when it crashes.
 * Any other hello is that of a new process, even if its pid is known: a process
 * that executes another program gets a struct process for each.
 */
static void
on_hello(struct peers *p, struct peer *peer, const struct rec *r,
    struct buf *b)
{
	char *program = text_of(r, K_PROGRAM);
	struct process *proc;

	p->any_hello = true;
	forget_processes(p, b);
	proc = p->processes;
	while (proc != NULL && proc->pid != peer->pid)
		proc = proc->next;
	if (proc != NULL && !rec_true(r, K_AGAIN)) {
		end_process(proc, b);
		proc = NULL;
	}

	if (proc != NULL) {
		free(program);
	} else {
		proc = mem_zero(1, sizeof *proc);
		proc->pid = peer->pid;
		proc->program = program;
		proc->checksum = checksum_of_process(peer->pid, program,
		    number_of(r, K_INODE));
		proc->is_recorded = has_release(p, proc);
		proc->peers = p;
		proc->may_lose = peer->memory_fd < 0;
		proc->end_fd = (int)syscall(SYS_pidfd_open, peer->pid, 0);
		proc->next = p->processes;
		p->processes = proc;
		p->n_processes++;
	}

	if (peer->memory_fd >= 0 && proc->memory == NULL) {
		proc->memory = memory_map(peer->memory_fd);
		peer->memory_fd = -1;
	}
	peer->process = proc;
	proc->n_peers++;
}

static void
on_module(struct process *p, const struct rec *r)
{
	struct module m = { .base = address_of(r, K_BASE),
	    .start = address_of(r, K_START), .end = address_of(r, K_END) };

	m.path = text_of(r, K_PATH);
	m.build_id = text_of(r, K_BUILD_ID);
	modules_add(&p->modules, &m);
}

static void
on_begin(struct process *p, const struct rec *r, struct buf *b)
{
	if (p->in_emission)
		end_emission(p, b);
	p->in_emission = true;
	p->time_us = number_of(r, K_TIME_US);
	p->emission = (struct emission){ .timed = rec_true(r, K_TIMED),
	    .sampled = rec_true(r, K_SAMPLED),
	    .folded = rec_true(r, K_FOLDED),
	    .has_off_time = rec_true(r, K_OFF_TIME),
	    .probe_ps = number_of(r, K_PROBE) };
}

static bool
on_nodes(struct process *p, const struct rec *r)
{
	const struct span *items;
	struct span s;
	struct sent_node node;
	uint64_t parent, offset;
	size_t n;

	if (!p->in_emission || rec_strings(r, K_NODES, &items, &n) != REC_OK)
		return false;
	for (size_t i = 0; i < n; i++) {
		s = items[i];
		node = (struct sent_node){ 0 };
		if (!read_number(&s, 10, &parent) ||
		    !read_number(&s, 16, &node.function) ||
		    !read_number(&s, 16, &node.call_site) ||
		    !read_number(&s, 10, &node.calls) ||
		    !read_number(&s, 10, &node.self_ns) ||
		    !read_number(&s, 10, &node.off_ns) ||
		    !read_number(&s, 10, &node.samples) ||
		    !read_number(&s, 16, &offset) || s.n > 0 ||
		    parent > p->graph.n)
			return false;
		node.parent = (uint32_t)parent;
		if (!graph_add(&p->graph, &node))
			return false;
		if (p->memory != NULL)
			memory_note(p->memory, offset, &node);
	}
	return true;
}

static void
on_end(struct process *p, const struct rec *r, struct buf *b)
{
	p->emission.nodes_limited = number_of(r, K_LIMITED);
	p->sum_limited += p->emission.nodes_limited;
	p->is_final = rec_true(r, K_FINAL);
	p->is_dormant = rec_true(r, K_DORMANT);
	if (p->is_recorded && rec_true(r, K_MISPLACED))
		err_warn("warning: process %ld left functions in a way that "
		    "the instrument does not see: calls after that may be "
		    "below the wrong callers, see CAVEATS in "
		    "weir-instrument(3)", (long)p->pid);
	end_emission(p, b);
}

/* Calls in a library were not counted, or perhaps at functions of another. */
static void
warn_of_module(const struct process *p, const struct rec *r)
{
	char *path = text_of(r, K_PATH);

	if (rec_is(r, "uncounted"))
		err_warn("warning: calls in '%s' were not counted: it was "
		    "loaded by dlmopen() or with RTLD_DEEPBIND, or '%s' was "
		    "linked with --exclude-libs", path, p->program);
	else
		err_warn("warning: another library was loaded where '%s' had "
		    "been: its calls were counted as calls of '%s'", path,
		    path);
	free(path);
}

/* False if the message is malformed. */
static bool
handle_message(struct peers *p, struct peer *peer, const struct rec *r,
    struct buf *b)
{
	struct process *proc = peer->process;

	if (rec_is(r, "hello") != (proc == NULL))
		return false;
	if (proc == NULL)
		on_hello(p, peer, r, b);
	else if (rec_is(r, "module"))
		on_module(proc, r);
	else if (rec_is(r, "begin"))
		on_begin(proc, r, b);
	else if (rec_is(r, "nodes"))
		return on_nodes(proc, r);
	else if (rec_is(r, "end"))
		on_end(proc, r, b);
	else if (rec_is(r, "crash"))
		return !proc->is_recorded || put_crash(proc, r, b);
	else if (rec_is(r, "mark") && proc->is_recorded)
		put_mark(proc, r, b);
	else if (rec_is(r, "uncounted") || rec_is(r, "replaced"))
		warn_of_module(proc, r);
	else if (rec_is(r, "marks_dropped"))
		err_warn("warning: %llu marks of process %ld were dropped: "
		    "they came too fast", (unsigned long long)number_of(r, K_N),
		    (long)proc->pid);
	return true;
}

/* --- connections --- */

void
peers_add(struct peers *p, int fd)
{
	struct ucred cred;
	socklen_t n = sizeof cred;

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &n) != 0 ||
	    (cred.uid != geteuid() &&
	    !listener_is_descendant(p->listener, cred.pid))) {
		if (!p->has_refused)
			err_warn("warning: a process of another user, which is "
			    "not known to belong to the program, is not "
			    "recorded");
		p->has_refused = true;
		close(fd);
		return;
	}
	p->list = mem_grow(p->list, &p->cap, p->n + 1, sizeof *p->list);
	p->list[p->n++] = (struct peer){ .fd = fd, .pid = cred.pid,
	    .memory_fd = -1 };
}

void
peers_fill_pollfds(const struct peers *p, struct pollfd *fds)
{
	for (size_t i = 0; i < p->n; i++)
		fds[i] = (struct pollfd){ .fd = p->list[i].fd,
		    .events = POLLIN };
}

static void
close_peer(struct peer *peer)
{
	close(peer->fd);
	peer->fd = -1;
	if (peer->memory_fd >= 0)
		close(peer->memory_fd);
	peer->memory_fd = -1;
	buf_release(&peer->in);
	if (peer->process != NULL)
		peer->process->n_peers--;
}

/* Whether another connection of the peer's process is open. */
static bool
has_other_connection(const struct peers *p, const struct peer *peer)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->list[i].pid == peer->pid && &p->list[i] != peer &&
		    p->list[i].fd >= 0)
			return true;
	return false;
}

/*
 * A process has closed a connection.  If it was the last one, and the process
 * has not sent its final emission, the process may have ended or may connect
 * again.  So the peer then waits for its end with end_fd.
 */
static void
on_disconnect(struct peers *p, struct peer *peer, struct buf *b)
{
	struct process *proc = peer->process;

	close_peer(peer);
	if (proc == NULL || proc->n_peers > 0 || proc->is_final ||
	    proc->memory == NULL)
		return;
	if (proc->end_fd < 0) {
		/* There is no pidfd, perhaps because the process had ended
		   before its hello was read. */
		if (kill(proc->pid, 0) != 0 && errno == ESRCH &&
		    !has_other_connection(p, peer))
			end_process(proc, b);
		return;
	}
	peer->fd = proc->end_fd;
	peer->is_end = true;
	proc->end_fd = -1;
	proc->n_peers++;
}

/*
 * Receives n bytes at most, and sets peer->memory_fd if the descriptor of the
 * shared memory comes with them.
 */
static ssize_t
receive(struct peer *peer, char *to, size_t n)
{
	struct iovec bytes = { to, n };
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	/* Without the padding there is no room for a second descriptor. */
	struct msghdr message = { .msg_iov = &bytes, .msg_iovlen = 1,
	    .msg_control = &control,
	    .msg_controllen = CMSG_LEN(sizeof(int)) };
	const struct cmsghdr *c;
	ssize_t got = recvmsg(peer->fd, &message, MSG_DONTWAIT |
	    MSG_CMSG_CLOEXEC);

	c = got < 0 ? NULL : CMSG_FIRSTHDR(&message);
	if (c == NULL || c->cmsg_type != SCM_RIGHTS ||
	    c->cmsg_len != CMSG_LEN(sizeof(int)))
		return got;
	if (peer->memory_fd >= 0)
		close(peer->memory_fd);
	memcpy(&peer->memory_fd, CMSG_DATA(c), sizeof peer->memory_fd);
	return got;
}

/*
 * Receives from a connection and handles the complete lines; the rest stays in
 * the buffer.
 */
static void
read_peer(struct peers *p, struct peer *peer, struct buf *b)
{
	enum { READ_BYTES = 256 * 1024 };
	struct buf *in = &peer->in;
	const char *why, *end;
	struct rec *r;
	size_t start = 0;
	bool is_valid = true;
	ssize_t n;

	buf_need(in, READ_BYTES);
	n = receive(peer, in->data + in->len, READ_BYTES);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		on_disconnect(p, peer, b);
		return;
	}
	in->len += (size_t)n;

	while (is_valid && (end = memchr(in->data + start, '\n',
	    in->len - start)) != NULL) {
		r = recio_parse(p->recio, span_of(in->data + start,
		    (size_t)(end - in->data) - start), &why);
		is_valid = r != NULL && handle_message(p, peer, r, b);
		start = (size_t)(end - in->data) + 1;
	}
	memmove(in->data, in->data + start, in->len - start);
	in->len -= start;
	if (is_valid && in->len <= MESSAGE_MAX_BYTES)
		return;
	err_warn("warning: process %ld sent a malformed message",
	    (long)peer->pid);
	close_peer(peer);
}

void
peers_read(struct peers *p, const struct pollfd *fds, size_t n_fds,
    struct buf *b)
{
	size_t n = 0;

	for (size_t i = 0; i < n_fds; i++)
		if (fds[i].revents != 0 && !p->list[i].is_end)
			read_peer(p, &p->list[i], b);

	/*
	 * A process has ended if its end_fd is readable; as long as it has
	 * other connections, poll() reports end_fd again.  Peers that got
	 * end_fd just now were not polled for it: their fd differs.
	 */
	for (size_t i = 0; i < n_fds; i++) {
		struct peer *peer = &p->list[i];

		if (fds[i].revents != 0 && peer->fd == fds[i].fd &&
		    peer->is_end && !has_other_connection(p, peer)) {
			end_process(peer->process, b);
			close_peer(peer);
		}
	}

	/* Remove the peers that were closed. */
	for (size_t i = 0; i < p->n; i++)
		if (p->list[i].fd >= 0)
			p->list[n++] = p->list[i];
	p->n = n;
}

/* The instrument takes "!" as a request for an emission. */
void
peers_request_emissions(struct peers *p)
{
	for (size_t i = 0; i < p->n; i++)
		send(p->list[i].fd, "!", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

void
peers_close(struct peers *p)
{
	for (size_t i = 0; i < p->n; i++)
		close_peer(&p->list[i]);
	p->n = 0;
}

void
peers_finish(struct peers *p, struct buf *b)
{
	size_t n_running = 0;

	for (size_t i = 0; i < p->n; i++)
		if (!p->list[i].is_end && p->list[i].process != NULL &&
		    !p->list[i].process->is_final)
			n_running++;
	peers_close(p);
	for (struct process *i = p->processes; i != NULL; i = i->next)
		end_process(i, b);
	if (p->n_lost > 0)
		err_warn("warning: forked processes that could not connect "
		    "were not recorded: %llu", (unsigned long long)p->n_lost);
	if (n_running > 0)
		err_warn("warning: processes of the program that run on "
		    "without being recorded (see --wait): %zu", n_running);
}

bool
peers_find(const struct peers *p, pid_t pid, const char **program,
    const char **checksum)
{
	bool is_found = false;

	/* The list has the newest first. */
	for (const struct process *i = p->processes; i != NULL; i = i->next)
		if (i->pid == pid) {
			*program = i->program;
			*checksum = i->checksum;
			is_found = true;
		}
	return is_found;
}
