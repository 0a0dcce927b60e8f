/* callgraph-record - run an instrumented program and record its call graphs */

#define _GNU_SOURCE	/* wait4, accept4 */

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/base/err.h"
#include "common/base/mem.h"
#include "common/frame/filter.h"
#include "filters/callgraph-record/checksum.h"
#include "filters/callgraph-record/peers.h"
#include "filters/callgraph-record/run.h"

/*
 * A single thread supervises the program with poll(): signals arrive through a
 * signalfd, connections of instrumented processes through a listening socket,
 * and the output is written only when that does not block.  So a slow reader of
 * the output delays neither signals nor the program: records wait in the output
 * buffer.
 */
enum {
	/* How long a signal waits for the program to send its counts. */
	ANSWER_MS = 200,
	/*
	 * When the program has ended, its other processes are recorded until
	 * they send nothing for QUIET_MS, but no longer than LINGER_MS.
	 */
	QUIET_MS = 50,
	LINGER_MS = 5000,
	/* With more output than this in the buffer, peers are not read. */
	PENDING_MAX_BYTES = 64 << 20
};

static struct {
	const char *release_dir;
	uint64_t interval_ms, sample_hz, max_nodes;
	bool time, fold, no_helper;
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
	    "start no thread in the program", 0, 0 },
	{ 0 }
};

static const struct about about = {
	.operands = "program [argument ...]",
	.purpose = "Runs a program that is linked with the instrument and "
	    "writes its callgraphs to\nstandard output.  The program's own "
	    "standard output is redirected to standard\nerror, unless -o is "
	    "given.",
	.is_command = true,
};

static struct {
	struct inherited inherited;
	struct listener listener;
	struct peers peers;
	pid_t pid;			/* the program's */
	int signal_fd;
	struct sigaction sigpipe_action;	/* before it was ignored */
	int64_t start_us, end_us;	/* of the program */
	int pending_signal;		/* to be forwarded, or 0 */
	int64_t forward_at_us;		/* when it is forwarded at the latest */
	bool has_ended;			/* the program */
	int wait_status;
	struct rusage usage;
	size_t n_written;		/* bytes of the output buffer */
	int output_error;		/* errno, or 0 */
	bool may_block;			/* the output is not a regular file */
} state;

static int64_t
clock_us(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static int64_t
now_us(void)
{
	return clock_us(CLOCK_MONOTONIC);
}

/* --- preparation --- */

static void
set_number(const char *name, uint64_t value)
{
	char text[24];

	if (value == 0)
		return;
	snprintf(text, sizeof text, "%llu", (unsigned long long)value);
	setenv(name, text, 1);
}

static void
set_environment(void)
{
	setenv("WEIR_SOCKET", state.listener.path, 1);
	set_number("WEIR_TIME", opt.time);
	set_number("WEIR_SAMPLE_HZ", opt.sample_hz);
	set_number("WEIR_INTERVAL_MS", opt.interval_ms);
	set_number("WEIR_FOLD_RECURSION", opt.fold);
	set_number("WEIR_MAX_NODES", opt.max_nodes);
	if (opt.no_helper)
		setenv("WEIR_HELPER", "0", 1);
}

static void
catch_signals(void)
{
	static const int numbers[] = { SIGCHLD, SIGINT, SIGTERM, SIGHUP,
	    SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGCONT, SIGWINCH };
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		sigaddset(&set, numbers[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);
	sigaction(SIGPIPE, &ignore, &state.sigpipe_action);
	state.signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (state.signal_fd < 0)
		die_errno("cannot create a signalfd");
}

/* Keeps the program from inheriting the output files, and sets may_block. */
static void
prepare_output(const struct filter *f)
{
	struct stat st;

	if (f->out.fd > STDERR_FILENO)
		fcntl(f->out.fd, F_SETFD, FD_CLOEXEC);
	if (f->keeps_rejects)
		fcntl(f->rejects.fd, F_SETFD, FD_CLOEXEC);
	state.may_block = fstat(f->out.fd, &st) == 0 && !S_ISREG(st.st_mode);
}

/* --- signals --- */

static void
forward_signal(void)
{
	if (state.pending_signal != 0 && !state.has_ended)
		kill(state.pid, state.pending_signal);
	state.pending_signal = 0;
}

/* Collects the status of the program if it has ended. */
static void
reap_program(void)
{
	int status;

	if (wait4(state.pid, &status, WNOHANG, &state.usage) != state.pid)
		return;
	state.has_ended = true;
	state.wait_status = status;
	state.end_us = now_us();
}

/*
 * A signal that ends a program by default is forwarded when the program has
 * sent its counts, or after ANSWER_MS.  Other signals are forwarded at once.
 * SIGUSR1 is not forwarded: it requests callgraphs.
 */
static void
on_signal(const struct signalfd_siginfo *info)
{
	int number = (int)info->ssi_signo;

	if (number == SIGCHLD) {
		reap_program();
	} else if (number == SIGUSR1) {
		peers_request(&state.peers, 0);
	} else if (info->ssi_code == SI_KERNEL) {
		return;		/* the terminal sent it to the program too */
	} else if (number == SIGINT || number == SIGTERM || number == SIGHUP ||
	    number == SIGQUIT) {
		forward_signal();
		state.pending_signal = number;
		state.forward_at_us = now_us() + ANSWER_MS * 1000;
		peers_request(&state.peers, state.pid);
	} else {
		kill(state.pid, number);
	}
}

static void
read_signals(void)
{
	struct signalfd_siginfo info;

	while (read(state.signal_fd, &info, sizeof info) == sizeof info)
		on_signal(&info);
}

/* --- output --- */

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
accept_peers(void)
{
	int fd;

	while ((fd = accept4(state.listener.fd, NULL, NULL, SOCK_CLOEXEC |
	    SOCK_NONBLOCK)) >= 0)
		peers_add(&state.peers, fd);
}

/* How long to wait for events; -1 waits until there is one. */
static int
timeout_ms(void)
{
	int64_t remaining_ms;

	if (state.has_ended)
		return state.peers.n > 0 ? QUIET_MS : 0;
	if (state.pending_signal == 0)
		return -1;
	remaining_ms = (state.forward_at_us - now_us()) / 1000;
	return remaining_ms > 0 ? (int)remaining_ms : 0;
}

/* Waits for events and handles them.  False if the wait timed out. */
static bool
poll_once(struct filter *f)
{
	enum { SIGNALS, LISTENER, OUTPUT, PEERS };
	struct buf *b = filter_out(f);
	size_t n = state.peers.n, pending = b->len - state.n_written;
	bool is_full = pending > PENDING_MAX_BYTES, any;
	struct pollfd *fds = mem_zero(PEERS + n, sizeof *fds);

	/* poll() ignores an entry whose fd is -1. */
	fds[SIGNALS] = (struct pollfd){ .fd = state.signal_fd,
	    .events = POLLIN };
	fds[LISTENER] = (struct pollfd){ .fd = state.listener.fd,
	    .events = POLLIN };
	fds[OUTPUT] = (struct pollfd){ .fd = pending > 0 ? f->out.fd : -1,
	    .events = POLLOUT };
	if (!is_full)
		peers_fill_pollfds(&state.peers, fds + PEERS);
	any = poll(fds, PEERS + (is_full ? 0 : n), timeout_ms()) > 0;
	if (fds[SIGNALS].revents != 0)
		read_signals();
	if (fds[OUTPUT].revents != 0)
		write_pending(f);
	if (any && !is_full)
		peers_read(&state.peers, fds + PEERS, b);
	/* After peers_read(): a new peer has no entry in fds. */
	if (fds[LISTENER].revents != 0)
		accept_peers();
	if (state.output_error != 0)
		b->len = state.n_written = 0;
	free(fds);
	if (state.pending_signal != 0 && (peers_has_answered(&state.peers,
	    state.pid) || now_us() >= state.forward_at_us))
		forward_signal();
	return any;
}

/*
 * Returns when the program has ended and its other processes are silent
 * (QUIET_MS), or the time for them is up (LINGER_MS).
 */
static void
supervise(struct filter *f)
{
	int64_t deadline_us;

	reap_program();
	while (!state.has_ended)
		poll_once(f);
	deadline_us = state.end_us + LINGER_MS * 1000;
	while (poll_once(f) && now_us() < deadline_us)
		;
	accept_peers();
	peers_finish(&state.peers, filter_out(f));
}

/* --- the end --- */

static int64_t
time_us(struct timeval t)
{
	return (int64_t)t.tv_sec * 1000000 + t.tv_usec;
}

/* That of the program's process if it sent hello, else of the file; or "". */
static const char *
checksum_of_program(const char *file)
{
	const char *checksum = peers_checksum(&state.peers, state.pid);
	int fd;

	if (checksum != NULL || file == NULL)
		return checksum != NULL ? checksum : "";
	fd = open(file, O_RDONLY | O_CLOEXEC);
	checksum = checksum_of(fd);
	if (fd >= 0)
		close(fd);
	return checksum;
}

static void
put_exit(struct buf *b, const char *program, const char *file)
{
	const char *checksum = checksum_of_program(file);

	json_begin(b, "exit");
	if (checksum[0] != '\0')
		json_cstr(b, "checksum", checksum);
	json_cstr(b, "program", file != NULL ? file : program);
	json_int(b, "pid", state.pid);
	json_int(b, "time_us", clock_us(CLOCK_REALTIME));
	if (WIFSIGNALED(state.wait_status))
		json_int(b, "signal", WTERMSIG(state.wait_status));
	else
		json_int(b, "status", WEXITSTATUS(state.wait_status));
	json_int(b, "elapsed_us", state.end_us - state.start_us);
	json_int(b, "user_us", time_us(state.usage.ru_utime));
	json_int(b, "system_us", time_us(state.usage.ru_stime));
	/* Linux reports it in KiB. */
	json_int(b, "max_rss_bytes", state.usage.ru_maxrss * INT64_C(1024));
	json_end(b);
}

/* Ends as the program ended, unless records could not be written. */
static _Noreturn void
finish(struct filter *f)
{
	struct buf *b = filter_out(f);

	sigaction(SIGPIPE, &state.sigpipe_action, NULL);
	if (state.output_error == EPIPE)
		raise(SIGPIPE);
	if (state.output_error != 0)
		exit(EXIT_FATAL);
	memmove(b->data, b->data + state.n_written, b->len - state.n_written);
	b->len -= state.n_written;
	filter_end(f);
	run_exit_as(state.wait_status);
}

int
main(int argc, char **argv)
{
	struct filter f;
	char **command, *file;

	inherited_save(&state.inherited);
	filter_begin(&f, &about, options, argc, argv);
	command = argv + optind;
	if (*command == NULL)
		die("no program was given (see --help)");
	prepare_output(&f);
	listener_open(&state.listener);
	peers_init(&state.peers, opt.release_dir);
	set_environment();
	catch_signals();
	file = run_find_program(*command);
	state.start_us = now_us();
	state.pid = run_command(command, &state.inherited,
	    f.out.fd == STDOUT_FILENO);
	supervise(&f);
	listener_close(&state.listener);
	if (!state.peers.any_hello)
		err_warn("warning: nothing was recorded: '%s' is not linked "
		    "with the instrument (weir-instrument(3))", *command);
	put_exit(filter_out(&f), *command, file);
	free(file);
	peers_release(&state.peers);
	finish(&f);
}
