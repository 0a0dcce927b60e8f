/* make-record - run make and record what each recipe took and waited for */

#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/err.h"
#include "common/filter/filter-reject.h"
#include "common/filter/filter.h"
#include "common/io/command.h"
#include "common/io/run.h"
#include "filters/make-record/follow.h"
#include "filters/make-record/graph.h"
#include "filters/make-record/log.h"
#include "filters/make-record/targets.h"
#include "filters/make-record/workspace.h"

static const struct opt options[] = { { 0 } };

static const struct about about = {
	.operands = "make [argument ...]",
	.purpose = "Runs make and writes a task for each target that it makes "
	    "to standard output.\nmake's own standard output is redirected to "
	    "standard error, unless -o is given.",
	.examples = {
	    "make-record make -j8 all | critpath",
	    "make-record -o tasks make -j8 all",
	},
	.is_command = true,
};

/* Signals that are forwarded to make, and SIGCHLD. */
static const int signals[] = { SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT,
    SIGUSR1, SIGUSR2, SIGALRM };

/*
 * Returns the status of make when it has ended.  Signals are forwarded to it,
 * unless the terminal has sent them to all processes: those have the code
 * SI_KERNEL.  SIGALRM with this code is that of a timer of this process.
 */
static int
wait_for(pid_t make, const sigset_t *set)
{
	siginfo_t info;
	int number, status;

	while (waitpid(make, &status, WNOHANG) != make) {
		number = sigwaitinfo(set, &info);
		if (number > 0 && number != SIGCHLD &&
		    (info.si_code != SI_KERNEL || number == SIGALRM))
			kill(make, number);
	}
	return status;
}

extern char **environ;

/* The time of day, in microseconds, by a clock that nobody sets. */
static int64_t
now_us(const struct follow *follow)
{
	return clock_ns(CLOCK_MONOTONIC) / 1000 + follow->offset_us;
}

static pid_t
start(char **command, const struct follow *follow, struct filter *f,
    const struct inherited *inherited)
{
	char **env = mem_resize(NULL, follow_count(environ), sizeof *env);
	char *text = mem_alloc(follow_size(follow, environ));
	char **own = environ, buffer[4096];
	const char *path = command_find(*command, buffer, sizeof buffer);
	bool can_load = path != NULL && follow_can_load(follow, path);
	pid_t pid;

	follow_extend(follow, follow->id, environ, env, text);
	if (can_load)
		environ = env;
	pid = run_command(command, inherited, f->out.fd == STDOUT_FILENO);
	if (pid < 0)
		die_errno("cannot start a process");
	if (follow->directory[0] != '\0' && !can_load)
		filter_fail(f, "what '%s' runs cannot be followed", *command);
	environ = own;
	free(env);
	free(text);
	return pid;
}

int
main(int argc, char **argv)
{
	struct follow follow = { .id = "0" };
	struct inherited inherited;
	struct graph graph;
	struct filter f;
	sigset_t set;
	char **command, log[FOLLOW_PATH_MAX + sizeof FOLLOW_LOG];
	int64_t start_us;
	int status;

	inherited_save(&inherited);
	filter_begin(&f, &about, options, argc, argv);
	command = argv + optind;
	if (*command == NULL)
		die("no command was given (see --help)");

	if (!workspace_create(&follow))
		filter_fail(&f, "nothing is recorded: no private directory can "
		    "be created in TMPDIR, /tmp, /dev/shm or HOME");
	follow.offset_us = (clock_ns(CLOCK_REALTIME) -
	    clock_ns(CLOCK_MONOTONIC)) / 1000;
	sigemptyset(&set);
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		sigaddset(&set, signals[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);
	start_us = now_us(&follow);
	status = wait_for(start(command, &follow, &f, &inherited), &set);
	graph_init(&graph, follow.id, span_base_name(span_str(*command)),
	    start_us, now_us(&follow), status);

	if (follow.directory[0] != '\0') {
		snprintf(log, sizeof log, "%s" FOLLOW_LOG, follow.directory);
		log_read(&f, log, &graph);
		if (graph.n_makes == 0)
			err_warn("warning: nothing was recorded: no GNU make "
			    "from version 4.0 on was seen");
	}
	graph_link(&graph);
	targets_write(&f, &graph, status);
	workspace_remove();
	filter_end(&f);
	run_exit_as(status);
}
