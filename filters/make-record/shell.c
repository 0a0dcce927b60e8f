/* shell - runs the real shell for make, and logs each recipe line */

#define _GNU_SOURCE	/* wait4 */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/clock.h"
#include "common/io/run.h"
#include "filters/make-record/shell.h"
#include "filters/make-record/simple.h"

/* The exit status if a program cannot be started, as in make and shells. */
enum { NOT_STARTED = 127 };

extern char **environ;

/* The arguments of a recipe line; the three arrays are parts of one. */
struct recipe_line {
	char *target;
	char **names, **names_end;	/* prerequisites, |, order-only ones */
	char **command;			/* of the real shell */
};

static volatile pid_t shell_pid;

/*
 * In a .ONESHELL recipe make passes the quotes in .SHELLFLAGS as part of the
 * argument.  Removes them.
 */
static char *
unquote(char *s)
{
	size_t n = strlen(s);

	if (n < 2 || s[0] != '\'' || s[n - 1] != '\'')
		return s;
	s[n - 1] = '\0';
	return s + 1;
}

/* The real shell if argv0 is in the private directory, else NULL. */
static char *
find_real_shell(char *argv0, size_t *directory_length)
{
	static const char prefix[] = "/" SHELL_DIRECTORY;
	char *name = argv0 != NULL ? strstr(argv0, prefix) : NULL, *shell;

	if (name == NULL)
		return NULL;
	shell = strchr(name + 1, '/');
	if (shell == NULL)
		return NULL;
	*directory_length = (size_t)(shell - argv0);
	/* A shell without a directory is searched for in PATH. */
	return strchr(shell + 1, '/') != NULL ? shell : shell + 1;
}

/* False if the arguments are not those of a recipe line. */
static bool
parse_arguments(char **argv, struct recipe_line *line)
{
	char **arg = argv + 1;

	if (*arg == NULL)
		return false;
	line->target = unquote(*arg);
	if (strncmp(line->target, "weir:", 5) != 0)
		return false;
	line->target += 5;
	line->names = ++arg;
	for (; *arg != NULL; arg++) {
		*arg = unquote(*arg);
		if (strcmp(*arg, "weir.") == 0)
			break;
	}
	if (*arg == NULL)
		return false;
	line->names_end = arg;
	line->command = arg;	/* argv[0] of the real shell replaces it */
	return true;
}

/* The level of make, or that of the line that has run this one. */
static long
level_of(const char *variable)
{
	const char *text = getenv(variable);

	return text != NULL ? strtol(text, NULL, 10) : 0;
}

/*
 * make forwards SIGTERM to its children; the child of this process is the real
 * shell.  What others send, such as the terminal, they send to all processes of
 * the group, so the shell gets it without this process.
 */
static void
on_signal(int number, siginfo_t *info, void *context)
{
	(void)context;
	if (info->si_code <= 0 && info->si_pid == getppid() && shell_pid > 0)
		kill(shell_pid, number);
}

/*
 * Lets this process live as long as the shell.  exec resets caught signals to
 * their default action, and ignored ones stay ignored, so the shell gets what
 * make has.
 */
static void
catch_signals(sigset_t *mask)
{
	static const int numbers[] = { SIGTERM, SIGINT, SIGHUP, SIGQUIT,
	    SIGUSR1, SIGUSR2, SIGALRM };
	struct sigaction action = { .sa_sigaction = on_signal,
	    .sa_flags = SA_SIGINFO | SA_RESTART }, old;
	const struct sigaction by_default = { .sa_handler = SIG_DFL };
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		sigaddset(&set, numbers[i]);
	sigprocmask(SIG_BLOCK, &set, mask);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (sigaction(numbers[i], NULL, &old) == 0 &&
		    old.sa_handler != SIG_IGN)
			sigaction(numbers[i], &action, NULL);
	/* If SIGCHLD is ignored, the status of a child is lost. */
	sigaction(SIGCHLD, NULL, &old);
	if (old.sa_handler != SIG_DFL)
		sigaction(SIGCHLD, &by_default, NULL);
}

/* Starts the shell or a program; returns errno, or 0. */
static int
start(char **command, const sigset_t *mask)
{
	posix_spawnattr_t attributes;
	pid_t pid;
	int error;

	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setsigmask(&attributes, mask);
	error = posix_spawnp(&pid, command[0], NULL, &attributes, command,
	    environ);
	posix_spawnattr_destroy(&attributes);
	if (error == 0)
		shell_pid = pid;
	return error;
}

/* The words of a line that make would run without the shell, or NULL. */
static char **
words_without_shell(char **command)
{
	if (strcmp(command[0], "/bin/sh") != 0 || command[1] == NULL ||
	    command[2] == NULL || command[3] != NULL ||
	    (strcmp(command[1], "-c") != 0 && strcmp(command[1], "-ec") != 0))
		return NULL;
	return simple_words(command[2]);
}

/* Prints what make prints if it cannot run a command. */
static _Noreturn void
fail(const char *program, int error)
{
	long level = strtol(getenv("MAKELEVEL") != NULL ? getenv("MAKELEVEL") :
	    "1", NULL, 10) - 1;

	if (level > 0)
		fprintf(stderr, "make[%ld]: %s: %s\n", level, program,
		    strerror(error));
	else
		fprintf(stderr, "make: %s: %s\n", program, strerror(error));
	_exit(NOT_STARTED);
}

static _Noreturn void
exec_shell(char *shell, char **command)
{
	command[0] = shell;
	execvp(shell, command);
	fail(shell, errno);
}

static void
add_field(struct buf *b, const char *text)
{
	buf_add(b, text, strlen(text) + 1);
}

static void
add_number(struct buf *b, int64_t number)
{
	buf_i64(b, number);
	buf_char(b, '\0');
}

/*
 * Starts a line as make would.  Returns errno, or 0, and the name of what it
 * could not start.
 */
static int
start_line(char **command, const sigset_t *mask, const char **program)
{
	char **words = words_without_shell(command);
	int error;

	*program = words != NULL ? words[0] : command[0];
	if (words == NULL)
		return start(command, mask);
	error = start(words, mask);
	/* A script without #! is for the shell. */
	if (error == ENOEXEC)
		error = start(command, mask);
	if (error != 0)
		return error;
	free(words[0]);
	free(words);
	return 0;
}

static int64_t
cpu_us(const struct rusage *usage)
{
	return ((int64_t)usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) *
	    1000000 + usage->ru_utime.tv_usec + usage->ru_stime.tv_usec;
}

/*
 * Appends a line to the log with one write(2), so that lines of parallel jobs
 * do not mix.  The log is opened here and not earlier, so that the shell does
 * not inherit it.  Without the log, which is gone if make-record was killed,
 * the build goes on.
 */
static void
append(const char *path, const struct buf *b)
{
	int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);

	if (fd < 0)
		return;
	while (write(fd, b->data, b->len) < 0 && errno == EINTR)
		;
	close(fd);
}

/*
 * The fields of a line of the log, each followed by a NUL; log.c reads them.
 */
static void
log_line(char *directory, const struct recipe_line *line, const char *id,
    const char *parent, int64_t start_us, int64_t elapsed_us, int status,
    const struct rusage *usage)
{
	char *cwd = getcwd(NULL, 0);
	struct buf b = { 0 };

	add_field(&b, id);
	add_field(&b, parent);
	add_number(&b, getppid());
	add_number(&b, start_us);
	add_number(&b, start_us + elapsed_us);
	add_number(&b, cpu_us(usage));
	add_number(&b, status);
	add_field(&b, cwd != NULL ? cwd : "");
	add_field(&b, line->target);
	for (char **name = line->names; name < line->names_end; name++)
		add_field(&b, *name);
	buf_char(&b, '\n');
	append(strcat(directory, "/" SHELL_LOG), &b);
	free(cwd);
	buf_release(&b);
}

/* Runs a recipe line.  directory has room for the path of the log. */
static _Noreturn void
run_line(char *directory, const struct recipe_line *line)
{
	const char *inherited = getenv(SHELL_VARIABLE), *parent, *program;
	char id[48], variable[80], *own_parent;
	int64_t start_us = clock_ns(CLOCK_REALTIME) / 1000, start_ns;
	struct rusage usage = { 0 };
	sigset_t mask;
	int status = NOT_STARTED << 8, error;

	parent = inherited != NULL ? strchr(inherited, ':') : NULL;
	own_parent = strdup(parent != NULL ? parent + 1 : "");
	snprintf(id, sizeof id, "%ld.%lld", (long)getpid(),
	    (long long)start_us);
	snprintf(variable, sizeof variable, "%ld:%s", level_of("MAKELEVEL"),
	    id);
	setenv(SHELL_VARIABLE, variable, 1);
	start_ns = clock_ns(CLOCK_MONOTONIC);
	catch_signals(&mask);
	error = start_line(line->command, &mask, &program);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	while (error == 0 && wait4(shell_pid, &status, 0, &usage) < 0 &&
	    errno == EINTR)
		;
	log_line(directory, line, id, own_parent != NULL ? own_parent : "",
	    start_us, (clock_ns(CLOCK_MONOTONIC) - start_ns) / 1000, status,
	    &usage);
	free(own_parent);
	free(directory);
	if (error != 0)
		fail(program, error);
	run_exit_as(status);
}

void
shell_run_if_called(char **argv)
{
	struct recipe_line line;
	size_t directory_length, ignored;
	char *shell = find_real_shell(argv[0], &directory_length), *directory;
	const char *exported;

	if (shell == NULL)
		return;
	exported = find_real_shell(getenv("SHELL"), &ignored);
	if (exported != NULL)
		setenv("SHELL", exported, 1);
	if (!parse_arguments(argv, &line))
		exec_shell(shell, argv);
	/*
	 * A recipe has run a script with $(SHELL), or make runs $(shell) while
	 * it expands a recipe: the level is that of the line that contains it.
	 */
	if (level_of("MAKELEVEL") == level_of(SHELL_VARIABLE))
		exec_shell(shell, line.command);
	directory = malloc(directory_length + sizeof "/" SHELL_LOG);
	if (directory == NULL)
		exec_shell(shell, line.command);
	memcpy(directory, argv[0], directory_length);
	directory[directory_length] = '\0';
	line.names_end[0] = shell;
	run_line(directory, &line);
}
