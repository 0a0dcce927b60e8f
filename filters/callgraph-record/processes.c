/* processes - turns what instrumented processes count into records */

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
#include "common/base/mem.h"
#include "common/json/json.h"
#include "common/program/checksum.h"
#include "filters/callgraph-record/callgraph-record.h"

/*
 * A connection becomes a process when its greeting has come.  A process that
 * executes another program connects again, and becomes another one here.
 */
struct process {
	int fd;			/* the connection or, of a process, a pidfd:
				   readable when it has ended; -1: none */
	pid_t pid;
	bool is_connection;
	bool is_over;		/* to be removed from the list */
	char *program;		/* its path, perhaps not UTF-8 */
	const char *checksum;	/* "" if unknown */
	bool is_recorded;	/* it has a release, or needs none */
	uint64_t sequence;	/* of the next callgraph */
	struct memory memory;
	struct modules modules;
};

#define FOR_EACH_PROCESS(p, all) \
	for (struct process *p = (all)->list; p < (all)->list + (all)->n; p++) \
		if (!p->is_connection)

void
processes_init(struct processes *p, const struct listener *listener,
    const char *release_dir)
{
	*p = (struct processes){ .listener = listener,
	    .release_dir = release_dir };
	memory_init();
}

static void
process_release(struct process *p)
{
	if (p->fd >= 0)
		close(p->fd);
	memory_unmap(&p->memory);
	modules_release(&p->modules);
	free(p->program);
	p->program = NULL;
	p->fd = -1;
	p->is_over = true;
}

void
processes_close(struct processes *p)
{
	for (size_t i = 0; i < p->n; i++)
		process_release(&p->list[i]);
	p->n = 0;
}

void
processes_release(struct processes *p)
{
	processes_close(p);
	free(p->list);
	free(p->main_program);
}

/* --- records --- */

static void
begin_record(struct buf *b, const char *type, const struct process *p)
{
	json_begin(b, type);
	json_text(b, "checksum", span_str(p->checksum));
	json_cstr(b, "program", p->program);
	json_int(b, "pid", p->pid);
}

/* Writes what a process has counted since its last callgraph, if anything. */
static void
put_callgraph(struct processes *all, struct process *p, bool has_ended,
    struct buf *b)
{
	const struct shared *s = p->memory.shared;
	struct graph graph = { 0 };
	struct snapshot snap = memory_snapshot(&p->memory, &graph);
	bool is_final = has_ended && s->is_finished;

	all->has_counted |= graph.n > 0 || snap.nodes_limited > 0 ||
	    s->has_given_up;
	memory_read_modules(&p->memory, &p->modules);
	if (p->is_recorded && (graph.n > 0 || is_final ||
	    snap.nodes_limited > 0)) {
		begin_record(b, "callgraph", p);
		json_uint(b, "sequence", p->sequence++);
		json_int(b, "time_us", clock_ns(CLOCK_REALTIME) / 1000);
		json_flag(b, "folded_recursion", snap.folded);
		json_count(b, "nodes_limited", snap.nodes_limited);
		json_flag(b, "gave_up", s->has_given_up);
		json_flag(b, "final", is_final);
		modules_mark_graph(&p->modules, &graph);
		modules_put(&p->modules, b);
		graph_put(&graph, &snap, b);
		json_end(b);
		all->n_records++;
	}
	free(graph.nodes);
}

static void
put_crash(struct processes *all, struct process *p,
    const struct shared_crash *crash, struct buf *b)
{
	const char *name = sigabbrev_np(crash->signal);
	uint64_t function, call_site;

	memory_read_modules(&p->memory, &p->modules);
	begin_record(b, "crash", p);
	json_int(b, "time_us", crash->time_us);
	json_int(b, "signal", crash->signal);
	if (name != NULL) {
		json_key(b, "signal_name");
		buf_printf(b, "\"SIG%s\"", name);
	}
	json_open(b, "frames", '[');
	for (size_t i = 0; i < crash->n_frames && i < CRASH_FRAMES_MAX; i++) {
		function = crash->frames[i].function;
		call_site = crash->frames[i].call_site;
		modules_mark_call(&p->modules, function, call_site);
		buf_str(b, i > 0 ? ",{" : "{");
		json_address(b, "function", function);
		json_address(b, "call_site", call_site);
		buf_char(b, '}');
	}
	json_close(b, ']');
	json_count(b, "frames_omitted", crash->n_omitted);
	modules_put(&p->modules, b);
	json_end(b);
	all->n_records++;
}

static void
put_mark(struct processes *all, const struct process *p,
    const struct shared_mark *mark, struct buf *b)
{
	char text[40];

	/* The shortest text that reads back as the same double. */
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof text, "%.*g", digits, mark->value);
		if (strtod(text, NULL) == mark->value)
			break;
	}
	begin_record(b, "mark", p);
	json_int(b, "time_us", mark->time_us);
	json_cstr(b, "name", mark->name);
	/* JSON has no infinities and NaNs. */
	if (mark->value - mark->value == 0) {
		json_key(b, "value");
		buf_str(b, text);
	}
	json_end(b);
	all->n_records++;
}

/* Writes the marks and crashes of a process since the last time. */
static void
look(struct processes *all, struct process *p, bool has_ended, struct buf *b)
{
	struct shared_mark mark;
	const struct shared_crash *crash;
	uint64_t dropped;

	for (int i = 0; i < MARKS_MAX && memory_next_mark(&p->memory,
	    has_ended, &mark); i++)
		if (p->is_recorded)
			put_mark(all, p, &mark, b);
	dropped = memory_dropped_marks(&p->memory);
	if (p->is_recorded && dropped > 0)
		err_warn("warning: %llu marks of process %ld were dropped: "
		    "they came too fast", (unsigned long long)dropped,
		    (long)p->pid);
	while ((crash = memory_next_crash(&p->memory)) != NULL)
		if (p->is_recorded)
			put_crash(all, p, crash, b);
}

/* For a process that has ended normally: says which calls are wrong or lost. */
static void
warn_of_calls(const struct process *p)
{
	const struct shared *s = p->memory.shared;

	if (s->is_misplaced)
		err_warn("warning: process %ld left functions in a way that "
		    "the instrument does not see: calls after that may be "
		    "below the wrong callers, see CAVEATS in "
		    "weir-instrument(3)", (long)p->pid);
	for (int i = 0; i < s->n_modules && i < MODULES_MAX; i++) {
		const struct shared_module *m = &s->modules[i];
		char *path;

		if (!m->is_replaced && !m->is_uncounted)
			continue;
		path = memory_path(&p->memory, m->path);
		if (m->is_replaced)
			err_warn("warning: another library was loaded where "
			    "'%s' had been: its calls were counted as calls of "
			    "'%s'", path, path);
		else
			err_warn("warning: calls in '%s' were not counted: it "
			    "was loaded by dlmopen() or with RTLD_DEEPBIND, or "
			    "'%s' was linked with --exclude-libs", path,
			    p->program);
		free(path);
	}
}

/*
 * For a process that has ended or executed another program, or that will not be
 * read any more: writes what is left.
 */
static void
end_process(struct processes *all, struct process *p, struct buf *b)
{
	look(all, p, true, b);
	put_callgraph(all, p, true, b);
	if (p->is_recorded && p->memory.shared->is_finished)
		warn_of_calls(p);
	all->n_lost += p->memory.shared->n_lost_processes;
	process_release(p);
}

/* --- greetings --- */

/*
 * The checksum of /proc/PID/exe, because the file at the program's path may
 * have been replaced.  If that is another file, it is the dynamic linker or an
 * emulator, which runs the program.  If it cannot be read, perhaps because the
 * process has ended, it is that of an earlier process of the program, as of the
 * one that forked it, or else there is only the path.
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
	if (checksum[0] != '\0') {
		checksum_remember(program, inode, checksum);
		return checksum;
	}
	checksum = checksum_remembered(program, inode);
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
has_release(const struct processes *all, const struct process *p)
{
	static char last_warned[CHECKSUM_LEN + 1];
	struct buf path = { 0 };
	bool exists;

	if (all->release_dir == NULL)
		return true;
	buf_printf(&path, "%s/%s.release", all->release_dir, p->checksum);
	exists = p->checksum[0] != '\0' && access(buf_cstr(&path), R_OK) == 0;
	if (!exists && strcmp(last_warned, p->checksum) != 0) {
		err_warn("warning: '%s' is not recorded: there is no '%s'",
		    p->program, buf_cstr(&path));
		strcpy(last_warned, p->checksum);
	}
	buf_release(&path);
	return exists;
}

/* What came from a connection: whether its greeting was right, and memory. */
struct greeting {
	bool is_valid;
	int memory_fd;		/* or -1 */
};

/* False if nothing has come yet. */
static bool
receive(int fd, struct greeting *g)
{
	char text[sizeof GREETING];
	struct iovec bytes = { text, sizeof text };
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	/* Without the padding there is no room for a second descriptor. */
	struct msghdr message = { .msg_iov = &bytes, .msg_iovlen = 1,
	    .msg_control = &control,
	    .msg_controllen = CMSG_LEN(sizeof(int)) };
	ssize_t n = recvmsg(fd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	const struct cmsghdr *c = n < 0 ? NULL : CMSG_FIRSTHDR(&message);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	*g = (struct greeting){ n == sizeof GREETING - 1 &&
	    memcmp(text, GREETING, sizeof GREETING - 1) == 0, -1 };
	if (c != NULL && c->cmsg_type == SCM_RIGHTS &&
	    c->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(&g->memory_fd, CMSG_DATA(c), sizeof g->memory_fd);
	return true;
}

/* Makes a process of a connection, which is over otherwise. */
static void
on_greeting(struct processes *all, struct process *p, struct buf *b)
{
	struct greeting g;

	if (!receive(p->fd, &g))
		return;
	close(p->fd);
	p->fd = -1;
	p->is_over = true;
	all->any = true;
	/* If the process is known, it has executed another program. */
	FOR_EACH_PROCESS(old, all)
		if (!old->is_over && old->pid == p->pid)
			end_process(all, old, b);
	if (!memory_map(&p->memory, g.memory_fd) || !g.is_valid) {
		err_warn("warning: process %ld is not recorded: %s",
		    (long)p->pid, g.is_valid ? "it has no memory to share, see "
		    "CAVEATS in callgraph-record(1)" :
		    "it has another version of the instrument");
		memory_unmap(&p->memory);
		return;
	}

	p->is_connection = p->is_over = false;
	p->program = memory_path(&p->memory, p->memory.shared->program);
	p->checksum = checksum_of_process(p->pid, p->program,
	    p->memory.shared->program_inode);
	p->is_recorded = has_release(all, p);
	if (p->pid == all->main_pid && all->main_program == NULL) {
		all->main_program = mem_strdup(p->program);
		all->main_checksum = p->checksum;
	}
	p->fd = (int)syscall(SYS_pidfd_open, p->pid, 0);
	if (p->fd < 0 && errno == ESRCH)
		end_process(all, p, b);
}

/* --- the list --- */

void
processes_add(struct processes *all, int fd)
{
	struct ucred cred;
	socklen_t n = sizeof cred;

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &n) != 0 ||
	    (cred.uid != geteuid() &&
	    !listener_is_descendant(all->listener, cred.pid))) {
		if (!all->has_refused)
			err_warn("warning: a process of another user, which is "
			    "not known to belong to the program, is not "
			    "recorded");
		all->has_refused = true;
		close(fd);
		return;
	}
	all->list = mem_grow(all->list, &all->cap, all->n + 1,
	    sizeof *all->list);
	all->list[all->n++] = (struct process){ .fd = fd, .pid = cred.pid,
	    .is_connection = true };
}

void
processes_fill_pollfds(const struct processes *all, bool reads_ends,
    struct pollfd *fds)
{
	const struct process *p = all->list;

	for (size_t i = 0; i < all->n; i++, p++)
		fds[i] = (struct pollfd){ .events = POLLIN,
		    .fd = p->is_connection || reads_ends ? p->fd : -1 };
}

void
processes_read(struct processes *all, const struct pollfd *fds, size_t n_fds,
    struct buf *b)
{
	size_t n = 0;

	for (size_t i = 0; i < n_fds; i++)
		if (fds[i].revents != 0 && all->list[i].is_connection)
			on_greeting(all, &all->list[i], b);
		else if (fds[i].revents != 0 && !all->list[i].is_over)
			end_process(all, &all->list[i], b);
	for (size_t i = 0; i < all->n; i++)
		if (!all->list[i].is_over)
			all->list[n++] = all->list[i];
	all->n = n;
}

void
processes_look(struct processes *all, struct buf *b)
{
	FOR_EACH_PROCESS(p, all)
		look(all, p, false, b);
}

void
processes_snapshot(struct processes *all, struct buf *b)
{
	FOR_EACH_PROCESS(p, all)
		put_callgraph(all, p, false, b);
}

void
processes_sample(struct processes *all, uint64_t period_ns)
{
	FOR_EACH_PROCESS(p, all)
		memory_sample(&p->memory, p->pid, period_ns);
}

size_t
processes_running(const struct processes *all)
{
	size_t n = 0;

	FOR_EACH_PROCESS(p, all)
		n += !p->memory.shared->is_finished;
	return n;
}

void
processes_finish(struct processes *all, struct buf *b)
{
	size_t n_running = processes_running(all);

	FOR_EACH_PROCESS(p, all)
		end_process(all, p, b);
	if (all->n_lost > 0)
		err_warn("warning: forked processes that could not connect "
		    "were not recorded: %llu", (unsigned long long)all->n_lost);
	if (n_running > 0)
		err_warn("warning: processes of the program that run on "
		    "without being recorded (see --wait): %zu", n_running);
	processes_close(all);
}
