/* callgraph-record - run an instrumented program and record its call graphs */

#define _GNU_SOURCE	/* wait4, accept4 */

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/err.h"
#include "common/base/mem.h"
#include "common/filter/filter.h"
#include "common/io/cleanup.h"
#include "common/io/command.h"
#include "common/io/run.h"
#include "filters/callgraph-record/callgraph-record.h"

/*
 * A single thread supervises the program with poll(): signals arrive through a
 * signalfd, connections of instrumented processes through a listening socket,
 * and the output is written only when that does not block.  So a slow reader of
 * the output does not delay signals: records wait in the output buffer.
 */
enum {
	/*
	 * When the program has ended, processes that it has started are
	 * recorded until none of them starts or ends for QUIET_MS, but no
	 * longer than LINGER_MS.  Time in which nothing is read does not count.
	 */
	QUIET_MS = 50,
	LINGER_MS = 5000,
	/* How often to look for marks and crashes. */
	LOOK_MS = 50,
	/* With more output than this in the buffer, nothing is read. */
	PENDING_MAX_BYTES = 64 << 20
};

static struct {
	const char *release_dir;
	uint64_t interval_ms, sample_hz, max_nodes;
	bool time, fold, no_helper, wait;
} opt;

static const struct opt options[] = {
	{ 't', "time", OPT_FLAG, &opt.time, NULL,
	    "measure time, which costs more", 0, 0 },
	{ 's', "sample", OPT_NUM, &opt.sample_hz, "HZ",
	    "take HZ samples per second of CPU time", 1, 10000 },
	{ 'i', "interval", OPT_NUM, &opt.interval_ms, "MS",
	    "write a callgraph every MS milliseconds", 1, UINT32_MAX },
	{ 'f', "fold-recursion", OPT_FLAG, &opt.fold, NULL,
	    "count a recursive call at its first node", 0, 0 },
	{ 'n', "max-nodes", OPT_NUM, &opt.max_nodes, "N",
	    "at most N nodes in a process (400000)", 1, INT32_MAX },
	{ 'r', "release-dir", OPT_STR, &opt.release_dir, "DIR",
	    "record only programs with a release in DIR", 0, 0 },
	{ 0, "no-helper", OPT_FLAG, &opt.no_helper, NULL,
	    "accepted, without effect", 0, 0 },
	{ 'w', "wait", OPT_FLAG, &opt.wait, NULL,
	    "wait for all processes that the program leaves", 0, 0 },
	{ 0 }
};

static const struct about about = {
	.operands = "program [argument ...]",
	.purpose = "Runs a program that is linked with the instrument and "
	    "writes its callgraphs to\nstandard output.  The program's own "
	    "standard output is redirected to standard\nerror, unless -o is "
	    "given.",
	.examples = {
	    "callgraph-record --time -o calls ./app",
	    "callgraph-record ./app | callgraph-symbolize | callgraph-stat",
	},
	.is_command = true,
};

static struct {
	struct inherited inherited;
	struct listener listener;
	struct processes processes;
	char **command;
	bool output_to_error;		/* of the program */
	pid_t pid;			/* the program's; 0: not started yet */
	sigset_t signals;		/* which are blocked, and read */
	int signal_fd;
	int64_t start_us, end_us;	/* of the program; monotonic clock */
	bool has_ended;			/* the program has been reaped; then
					   the next two members are set */
	int wait_status;
	struct rusage usage;
	bool has_children;		/* so far, with --wait */
	size_t n_written;		/* of the output buffer: its first
					   bytes, not removed yet */
	int output_error;		/* errno, or 0 */
	bool may_block;			/* the output is not a regular file */
	bool is_requested;		/* a snapshot, by SIGUSR1 */
} state = { .listener.fd = -1 };

static int64_t
now_us(void)
{
	return clock_ns(CLOCK_MONOTONIC) / 1000;
}

/* --- preparation --- */

/* Sets a variable of the program's environment, unless the value is 0. */
static void
set_variable(const char *name, uint64_t value)
{
	char text[24];

	if (value == 0)
		return;
	snprintf(text, sizeof text, "%llu", (unsigned long long)value);
	setenv(name, text, 1);
}

/*
 * If there can be no further process, the program replaces this one, which then
 * cannot report its end.
 */
static void
start_program(void)
{
	state.start_us = now_us();
	state.pid = run_command(state.command, &state.inherited,
	    state.output_to_error);
	if (state.pid >= 0)
		return;
	err_warn("cannot start a process: %s; the program runs without being "
	    "recorded", strerror(errno));
	unsetenv("WEIR_SOCKET");
	cleanup_run();
	run_in_place(state.command, &state.inherited, state.output_to_error);
}

/* --- signals --- */

/* Collects the status of the program if it has ended. */
static void
reap(void)
{
	struct rusage usage;
	pid_t pid;
	int status;

	while ((pid = wait4(-1, &status, WNOHANG, &usage)) > 0) {
		if (pid != state.pid)
			continue;
		state.has_ended = true;
		state.wait_status = status;
		state.usage = usage;
		state.end_us = now_us();
	}
	state.has_children = pid == 0;
}

/*
 * Signals are forwarded, unless the terminal has sent them to the program too:
 * those have the code SI_KERNEL.  SIGALRM with this code is that of a timer
 * that was set before callgraph-record was executed: only this process gets it.
 * SIGUSR1 requests callgraphs.  SIGPIPE and SIGXFSZ are about the output, whose
 * errors write() returns.  When the program has ended, a signal ends the wait
 * for the other processes.
 */
static void
on_signal(int number, int code)
{
	switch (number) {
	case SIGCHLD:
		reap();
		return;
	case SIGUSR1:
		state.is_requested = true;
		return;
	case SIGPIPE:
	case SIGXFSZ:
		return;
	case SIGHUP:
	case SIGINT:
	case SIGQUIT:
	case SIGTERM:
		if (state.has_ended)
			opt.wait = false;
	}
	if (!state.has_ended && (code != SI_KERNEL || number == SIGALRM))
		kill(state.pid, number);
}

/* Handles the signals that have come, or waits for one if timeout is NULL. */
static void
read_signals(const struct timespec *timeout)
{
	siginfo_t info;

	while (sigtimedwait(&state.signals, &info, timeout) > 0) {
		on_signal(info.si_signo, info.si_code);
		if (timeout == NULL)
			return;
	}
}

/* --- the end --- */

/* Ends as the program ended or, if it ended with 0, by the status given. */
static _Noreturn void
exit_as_program(int own_wait_status)
{
	cleanup_run();
	run_exit_as(state.wait_status != 0 ? state.wait_status :
	    own_wait_status);
}

/*
 * For die(): whatever has failed, the program runs as it does without this
 * process, and its status is passed on.  This needs neither memory nor
 * descriptors.
 */
static void
run_unrecorded(void)
{
	listener_close(&state.listener);
	processes_close(&state.processes);
	if (!state.has_ended)
		err_warn("warning: the program runs without being recorded");
	if (state.pid == 0) {
		unsetenv("WEIR_SOCKET");
		start_program();
	}
	while (!state.has_ended)
		read_signals(NULL);
	exit_as_program(W_EXITCODE(EXIT_FATAL, 0));
}

/* Writes as much of the buffer as is possible without blocking. */
static void
write_pending(struct filter *f)
{
	struct buf *b = filter_out(f);
	size_t pending = b->len - state.n_written;
	ssize_t n;

	/* A pipe that is ready has room for at least PIPE_BUF bytes. */
	if (state.may_block && pending > PIPE_BUF)
		pending = PIPE_BUF;
	n = write(f->out.fd, b->data + state.n_written, pending);
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n < 0) {
		state.output_error = errno;
		if (errno != EPIPE)
			err_warn("cannot write '%s': %s", f->out.name,
			    strerror(errno));
	} else {
		state.n_written += (size_t)n;
	}
	if (state.output_error != 0 || state.n_written == b->len)
		b->len = state.n_written = 0;
}

/* --- the loop --- */

static void
accept_processes(void)
{
	int fd;

	while ((fd = accept4(state.listener.fd, NULL, NULL, SOCK_CLOEXEC |
	    SOCK_NONBLOCK)) >= 0)
		processes_add(&state.processes, fd);
	if (errno == EAGAIN || errno == ECONNABORTED || errno == EBADF)
		return;
	/* Those that wait to be accepted learn that they are not recorded. */
	err_warn("warning: processes that start from now on are not recorded: "
	    "%s", strerror(errno));
	listener_close(&state.listener);
}

static bool
is_full(struct filter *f)
{
	return filter_out(f)->len - state.n_written > PENDING_MAX_BYTES;
}

/* What is done at intervals, besides the handling of events. */
enum { LOOK, SNAPSHOT, SAMPLE, N_INTERVALS };
static struct {
	int64_t period_us;	/* 0: never */
	int64_t due_us;
} intervals[N_INTERVALS];

/*
 * Does what is due, and returns the time at which something is due again.
 * Times that were missed are not made up for.
 */
static int64_t
act_in_time(struct buf *b)
{
	int64_t now = now_us(), next = INT64_MAX, period_us, *due_us;

	for (int i = 0; i < N_INTERVALS; i++) {
		period_us = intervals[i].period_us;
		due_us = &intervals[i].due_us;
		if (period_us == 0)
			continue;
		if (now >= *due_us) {
			if (i == LOOK)
				processes_look(&state.processes, b);
			else if (i == SNAPSHOT)
				processes_snapshot(&state.processes, b);
			else
				processes_sample(&state.processes,
				    1000000000 / opt.sample_hz);
			*due_us += period_us *
			    ((now - *due_us) / period_us + 1);
		}
		if (*due_us < next)
			next = *due_us;
	}
	return next;
}

enum { SIGNALS, LISTENER, OUTPUT, PROCESSES };	/* what poll() waits for */

/* Waits for events until a time at the latest, and handles them. */
static bool
poll_once(struct filter *f, int64_t until_us, bool is_reading)
{
	struct buf *b = filter_out(f);
	size_t n = state.processes.n;
	struct pollfd *fds = mem_zero(PROCESSES + n, sizeof *fds);
	int64_t wait_us;
	struct timespec timeout = { 0 };
	int n_ready;

	/* An fd of -1 is ignored. */
	fds[SIGNALS] = (struct pollfd){ .fd = state.signal_fd,
	    .events = POLLIN };
	fds[LISTENER] = (struct pollfd){ .fd = state.listener.fd,
	    .events = POLLIN };
	fds[OUTPUT] = (struct pollfd){ .events = POLLOUT,
	    .fd = b->len > state.n_written ? f->out.fd : -1 };
	processes_fill_pollfds(&state.processes, is_reading, fds + PROCESSES);

	wait_us = until_us - now_us();
	if (wait_us > 0)
		timeout = (struct timespec){ wait_us / 1000000,
		    wait_us % 1000000 * 1000 };
	n_ready = ppoll(fds, PROCESSES + n, until_us == INT64_MAX ? NULL :
	    &timeout, NULL);
	if (n_ready < 0 && errno != EINTR)
		die_errno("cannot wait for the program");

	if (n_ready > 0 && fds[SIGNALS].revents != 0)
		read_signals(&(struct timespec){ 0, 0 });
	if (n_ready > 0 && fds[OUTPUT].revents != 0)
		write_pending(f);
	if (n_ready > 0) {
		accept_processes();
		processes_read(&state.processes, fds + PROCESSES, n, b);
	}
	if (state.is_requested)
		processes_snapshot(&state.processes, b);
	state.is_requested = false;
	/* After an output error, records are discarded. */
	if (state.output_error != 0)
		b->len = state.n_written = 0;
	free(fds);
	return n_ready > 0;
}

/* Does what there is to do until an event comes; false if none has come. */
static bool
wait_for_event(struct filter *f, int64_t until_us)
{
	int64_t next;
	bool is_reading, is_any;

	do {
		next = INT64_MAX;
		is_reading = !is_full(f);
		if (is_reading && state.processes.n > 0)
			next = act_in_time(filter_out(f));
		is_any = poll_once(f, next < until_us ? next : until_us,
		    is_reading);
	} while (!is_any && now_us() < until_us);
	return is_any;
}

/*
 * Returns when the program has ended, with --wait all its processes, and the
 * rest is silent (QUIET_MS), or the time for it is up (LINGER_MS).
 */
static void
supervise(struct filter *f)
{
	int64_t quiet_us, deadline_us;

	intervals[LOOK].period_us = LOOK_MS * 1000;
	intervals[SNAPSHOT].period_us = (int64_t)opt.interval_ms * 1000;
	intervals[SAMPLE].period_us = opt.sample_hz == 0 ? 0 :
	    1000000 / (int64_t)opt.sample_hz;
	for (int i = 0; i < N_INTERVALS; i++)
		intervals[i].due_us = now_us() + intervals[i].period_us;

	reap();
	while (!state.has_ended || (opt.wait && state.has_children))
		wait_for_event(f, INT64_MAX);
	deadline_us = now_us() + LINGER_MS * 1000;
	do {
		quiet_us = now_us() + (state.processes.n > 0 ? QUIET_MS * 1000 :
		    0);
		if (is_full(f)) {
			quiet_us = INT64_MAX;
			deadline_us = now_us() + LINGER_MS * 1000;
		}
	} while (wait_for_event(f, quiet_us) && now_us() < deadline_us);
	processes_finish(&state.processes, filter_out(f));
}

static int64_t
time_us(struct timeval t)
{
	return (int64_t)t.tv_sec * 1000000 + t.tv_usec;
}

static void
put_exit(struct buf *b, const char *program, const char *file)
{
	const struct processes *p = &state.processes;
	const char *checksum = "";

	if (p->main_program != NULL) {
		program = p->main_program;
		checksum = p->main_checksum;
	} else if (file != NULL) {
		program = file;
		checksum = checksum_of(file);
	}

	json_begin(b, "exit");
	json_text(b, "checksum", span_str(checksum));
	json_cstr(b, "program", program);
	json_int(b, "pid", state.pid);
	json_int(b, "time_us", clock_ns(CLOCK_REALTIME) / 1000);
	if (WIFSIGNALED(state.wait_status))
		json_int(b, "signal", WTERMSIG(state.wait_status));
	else
		json_int(b, "status", WEXITSTATUS(state.wait_status));
	json_int(b, "elapsed_us", state.end_us - state.start_us);
	json_int(b, "user_us", time_us(state.usage.ru_utime));
	json_int(b, "system_us", time_us(state.usage.ru_stime));
	/* Linux reports ru_maxrss in KiB. */
	json_int(b, "max_rss_bytes", state.usage.ru_maxrss * INT64_C(1024));
	json_end(b);
}

static _Noreturn void
finish(struct filter *f)
{
	struct buf *b = filter_out(f);
	sigset_t pipe;

	if (state.output_error == EPIPE)
		exit_as_program(SIGPIPE);
	if (state.output_error != 0)
		exit_as_program(W_EXITCODE(EXIT_FATAL, 0));
	memmove(b->data, b->data + state.n_written, b->len - state.n_written);
	b->len -= state.n_written;
	f->n_records = state.processes.n_records + 1;	/* the exit record */
	/* That the reader has gone is reported by the signal alone. */
	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	if (state.wait_status == 0)
		sigprocmask(SIG_UNBLOCK, &pipe, NULL);
	filter_end(f);
	exit_as_program(0);
}

/* Opens what is needed to record, and puts the options into the environment. */
static void
prepare(struct filter *f)
{
	const uint64_t flags = (opt.time ? SOCKET_TIMED : 0) |
	    (opt.fold ? SOCKET_FOLDS : 0) |
	    (opt.sample_hz > 0 ? SOCKET_SAMPLED : 0);
	struct rlimit files = state.inherited.files;
	struct stat st;

	state.may_block = fstat(f->out.fd, &st) == 0 && !S_ISREG(st.st_mode);
	/* Each process takes two descriptors. */
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
	state.signal_fd = signalfd(-1, &state.signals, SFD_CLOEXEC);
	if (state.signal_fd < 0)
		die_errno("cannot create a signalfd");
	processes_init(&state.processes, &state.listener, opt.release_dir);
	listener_open(&state.listener, flags);
	if (opt.wait && prctl(PR_SET_CHILD_SUBREAPER, 1L, 0L, 0L, 0L) != 0)
		die_errno("cannot wait for the processes of the program");

	if (setenv("WEIR_SOCKET", state.listener.name, 1) != 0)
		die_errno("cannot set 'WEIR_SOCKET'");
	set_variable("WEIR_TIME", opt.time);
	set_variable("WEIR_SAMPLE_HZ", opt.sample_hz);
	set_variable("WEIR_FOLD_RECURSION", opt.fold);
	set_variable("WEIR_MAX_NODES", opt.max_nodes);
}

int
main(int argc, char **argv)
{
	static const int others[] = { SIGTSTP, SIGTTIN, SIGTTOU, SIGSEGV,
	    SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS };
	struct processes *all = &state.processes;
	struct filter f;
	const char *found;
	char *file, path[PATH_MAX];

	inherited_save(&state.inherited);
	filter_read_options(&about, options, argc, argv);
	state.command = argv + optind;
	if (*state.command == NULL)
		die("no program was given (see --help)");
	/* From now on only those that stop this process, and those of its own
	   faults, may end it while the program runs. */
	sigfillset(&state.signals);
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		sigdelset(&state.signals, others[i]);
	sigprocmask(SIG_BLOCK, &state.signals, NULL);
	err_on_failure(run_unrecorded);
	filter_open(&f, &about, argc, argv);
	state.output_to_error = f.out.fd == STDOUT_FILENO;

	prepare(&f);
	found = command_find(*state.command, path, sizeof path);
	file = found != NULL ? realpath(found, NULL) : NULL;
	start_program();
	all->main_pid = state.pid;
	output_publish(&f.out);
	supervise(&f);
	if (all->n_records > 0 && !all->has_counted)
		err_warn("warning: no call was counted: nothing of '%s' is "
		    "compiled with -finstrument-functions", *state.command);
	if (!all->any && !all->has_refused && state.listener.fd >= 0)
		err_warn("warning: nothing was recorded: '%s' is not compiled "
		    "with -finstrument-functions and linked with the "
		    "instrument, or it is a setuid program; if a library that "
		    "it loads is instrumented, set LD_PRELOAD "
		    "(weir-instrument(3))", *state.command);

	listener_close(&state.listener);
	put_exit(filter_out(&f), *state.command, file);
	free(file);
	processes_release(all);
	finish(&f);
}
