/* make-record - run make and record what each recipe took and waited for */

#define _GNU_SOURCE	/* wait4 */

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/err.h"
#include "common/filter/filter.h"
#include "common/io/run.h"
#include "filters/make-record/log.h"
#include "filters/make-record/shell.h"
#include "filters/make-record/workspace.h"

static const struct opt options[] = { { 0 } };

static const struct about about = {
	.operands = "make [argument ...]",
	.purpose = "Runs make and writes a task for each target that it makes "
	    "to standard output.\nmake's own standard output is redirected to "
	    "standard error, unless -o is given.",
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

int
main(int argc, char **argv)
{
	int64_t began_us;
	struct workspace workspace;
	struct inherited inherited;
	struct filter f;
	sigset_t set;
	char **command;
	int status;

	shell_run_if_called(argv);
	inherited_save(&inherited);
	filter_begin(&f, &about, options, argc, argv);
	command = argv + optind;
	if (*command == NULL)
		die("no command was given (see --help)");

	workspace_open(&workspace);
	workspace_set_environment(&workspace);
	sigemptyset(&set);
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		sigaddset(&set, signals[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);
	began_us = clock_ns(CLOCK_REALTIME) / 1000;
	status = wait_for(run_command(command, &inherited,
	    f.out.fd == STDOUT_FILENO), &set);
	log_write_tasks(&f, workspace.log, status, began_us);
	workspace_close();
	filter_end(&f);
	run_exit_as(status);
}
