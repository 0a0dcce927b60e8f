/* callgraph-record - run an instrumented program and write down what it does */

#define _GNU_SOURCE	/* wait4, accept4 */

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
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

enum {
	ANSWER_MS = 200,	/* a program that is to be ended has to emit */
	QUIET_MS = 50,		/* after the end, to those left behind */
	LINGER_MS = 5000,	/* in all */
	WAITING_MOST = 64 << 20	/* bytes of records not written yet */
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
	    "sample so often a second of CPU time", 1, 10000 },
	{ 'i', "interval", OPT_NUM, &opt.interval_ms, "MS",
	    "a callgraph every MS milliseconds", 1, UINT32_MAX },
	{ 'f', "fold-recursion", OPT_FLAG, &opt.fold, NULL,
	    "a recursive call returns to its node", 0, 0 },
	{ 'n', "max-nodes", OPT_NUM, &opt.max_nodes, "N",
	    "nodes of a process (400000)", 1, INT32_MAX },
	{ 'r', "release-dir", OPT_STR, &opt.release_dir, "DIR",
	    "keep what has a release in DIR", 0, 0 },
	{ 0, "no-helper", OPT_FLAG, &opt.no_helper, NULL,
	    "no thread in the program, only the end", 0, 0 },
	{ 0 }
};

static const struct about about = {
	.operands = "program [argument ...]",
	.purpose = "Runs a program that is linked with the instrument and "
	    "writes its callgraphs.\nStandard output carries these; what the "
	    "program prints there goes to standard\nerror, unless -o is "
	    "given.",
	.is_command = true,
};

static struct {
	struct inherited inherited;
	struct meeting meeting;
	struct peers peers;
	pid_t pid;
	int signals;			/* a signalfd */
	struct sigaction on_pipe;	/* SIGPIPE, until it was ignored */
	int64_t start_us, end_us;
	int last_signal;		/* to be passed on at that time */
	int64_t pass_on_us;
	bool has_ended;
	int wait_status;
	struct rusage usage;
	size_t written;			/* of the output's buffer */
	int output_error;		/* errno */
	bool in_pieces;			/* the output may make us wait */
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

/* --- before --- */

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
	setenv("WEIR_SOCKET", state.meeting.path, 1);
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
	sigaction(SIGPIPE, &ignore, &state.on_pipe);
	state.signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (state.signals < 0)
		die_errno("cannot wait for signals");
}

/*
 * The program must not get our files, and a reader of a pipe or a terminal
 * that is slow must not keep us from passing on a signal.
 */
static void
prepare_output(const struct filter *f)
{
	struct stat st;

	if (f->out.fd > STDERR_FILENO)
		fcntl(f->out.fd, F_SETFD, FD_CLOEXEC);
	if (f->keeps_rejects)
		fcntl(f->rejects.fd, F_SETFD, FD_CLOEXEC);
	state.in_pieces = fstat(f->out.fd, &st) == 0 && !S_ISREG(st.st_mode);
}

/* --- signals --- */

static void
pass_on(void)
{
	if (state.last_signal != 0 && !state.has_ended)
		kill(state.pid, state.last_signal);
	state.last_signal = 0;
}

static void
reap(void)
{
	int status;

	if (wait4(state.pid, &status, WNOHANG, &state.usage) != state.pid)
		return;
	state.has_ended = true;
	state.wait_status = status;
	state.end_us = now_us();
}

/*
 * What ends a program without its doing anything should not cost us what it
 * has counted: it is asked for that first.
 */
static void
on_signal(const struct signalfd_siginfo *info)
{
	int number = (int)info->ssi_signo;

	if (number == SIGCHLD) {
		reap();
	} else if (number == SIGUSR1) {
		peers_ask(&state.peers, 0);
	} else if (info->ssi_code == SI_KERNEL) {
		return;		/* the terminal sent it to the program, too */
	} else if (number == SIGINT || number == SIGTERM || number == SIGHUP ||
	    number == SIGQUIT) {
		pass_on();
		state.last_signal = number;
		state.pass_on_us = now_us() + ANSWER_MS * 1000;
		peers_ask(&state.peers, state.pid);
	} else {
		kill(state.pid, number);
	}
}

static void
read_signals(void)
{
	struct signalfd_siginfo info;

	while (read(state.signals, &info, sizeof info) == sizeof info)
		on_signal(&info);
}

/* --- output --- */

/* Writes what can be written without waiting. */
static void
write_some(struct filter *f)
{
	struct buf *b = filter_out(f);
	size_t left = b->len - state.written;
	ssize_t n;

	/* A pipe that can be written to takes so much at once. */
	if (state.in_pieces && left > 4096)
		left = 4096;
	n = write(f->out.fd, b->data + state.written, left);
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n < 0) {
		state.output_error = errno;
		if (errno != EPIPE)
			err_warn("cannot write '%s': %s", f->out.name,
			    strerror(errno));
	} else {
		state.written += (size_t)n;
	}
	if (state.output_error != 0 || state.written == b->len)
		b->len = state.written = 0;
}

/* --- the loop --- */

static void
accept_peers(void)
{
	int fd;

	while ((fd = accept4(state.meeting.fd, NULL, NULL, SOCK_CLOEXEC |
	    SOCK_NONBLOCK)) >= 0)
		peers_add(&state.peers, fd);
}

static int
timeout_ms(void)
{
	int64_t left;

	if (state.has_ended)
		return state.peers.n > 0 ? QUIET_MS : 0;
	if (state.last_signal == 0)
		return -1;
	left = (state.pass_on_us - now_us()) / 1000;
	return left > 0 ? (int)left : 0;
}

/* One turn; false if there was nothing to do in the time there is. */
static bool
turn(struct filter *f)
{
	enum { SIGNALS, MEETING, OUTPUT, PEERS };
	struct buf *b = filter_out(f);
	size_t n = state.peers.n, waiting = b->len - state.written;
	bool is_full = waiting > WAITING_MOST, any;
	struct pollfd *fds = mem_zero(PEERS + n, sizeof *fds);

	fds[SIGNALS] = (struct pollfd){ .fd = state.signals,
	    .events = POLLIN };
	fds[MEETING] = (struct pollfd){ .fd = state.meeting.fd,
	    .events = POLLIN };
	fds[OUTPUT] = (struct pollfd){ .fd = waiting > 0 ? f->out.fd : -1,
	    .events = POLLOUT };
	if (!is_full)
		peers_poll(&state.peers, fds + PEERS);
	any = poll(fds, PEERS + (is_full ? 0 : n), timeout_ms()) > 0;
	if (fds[SIGNALS].revents != 0)
		read_signals();
	if (fds[OUTPUT].revents != 0)
		write_some(f);
	if (any && !is_full)
		peers_read(&state.peers, fds + PEERS, b);
	if (fds[MEETING].revents != 0)
		accept_peers();
	if (state.output_error != 0)
		b->len = state.written = 0;
	free(fds);
	if (state.last_signal != 0 && (peers_answered(&state.peers,
	    state.pid) || now_us() >= state.pass_on_us))
		pass_on();
	return any;
}

/* To the end of the program, and of what its processes have sent by then. */
static void
watch(struct filter *f)
{
	int64_t most;

	reap();
	while (!state.has_ended)
		turn(f);
	most = state.end_us + LINGER_MS * 1000;
	while (turn(f) && now_us() < most)
		;
	accept_peers();
	peers_finish(&state.peers, filter_out(f));
}

/* --- after --- */

static int64_t
time_us(struct timeval t)
{
	return (int64_t)t.tv_sec * 1000000 + t.tv_usec;
}

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
	json_int(b, "max_rss_bytes", state.usage.ru_maxrss * INT64_C(1024));
	json_end(b);
}

/* The program's end is ours, unless what it did could not be written. */
static _Noreturn void
end(struct filter *f)
{
	struct buf *b = filter_out(f);

	sigaction(SIGPIPE, &state.on_pipe, NULL);
	if (state.output_error == EPIPE)
		raise(SIGPIPE);
	if (state.output_error != 0)
		exit(EXIT_FATAL);
	memmove(b->data, b->data + state.written, b->len - state.written);
	b->len -= state.written;
	filter_end(f);
	run_end_as(state.wait_status);
}

int
main(int argc, char **argv)
{
	struct filter f;
	char **command, *file;

	inherited_note(&state.inherited);
	filter_begin(&f, &about, options, argc, argv);
	command = argv + optind;
	if (*command == NULL)
		die("no program is named (see --help)");
	prepare_output(&f);
	meeting_open(&state.meeting);
	peers_init(&state.peers, opt.release_dir);
	set_environment();
	catch_signals();
	file = run_find(*command);
	state.start_us = now_us();
	state.pid = run_command(command, &state.inherited,
	    f.out.fd == STDOUT_FILENO);
	watch(&f);
	meeting_close(&state.meeting);
	if (!state.peers.heard)
		err_warn("warning: nothing was recorded: '%s' is not linked with "
		    "the instrument (weir-instrument(3))", *command);
	put_exit(filter_out(&f), *command, file);
	free(file);
	peers_release(&state.peers);
	end(&f);
}
