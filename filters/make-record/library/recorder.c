/* recorder - the library that make-record loads into make, and into shells */

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/io/command.h"
#include "filters/make-record/follow.h"

/*
 * In a shell, or another program through which a recipe runs make, the library
 * does one thing: if a make is executed, it loads itself into that as well.
 *
 * In make it also logs each recipe line.  Before make starts a line, it expands
 * $(IFS) with the automatic variables of the line's target, to split the line
 * into words.  IFS is a variable that no makefile uses, so here it calls a
 * function of this library: that learns the target and its prerequisites, and
 * returns nothing, as IFS does otherwise.  What make starts next is the line,
 * unless it has opened a pipe for the output, which is that of $(shell).  When
 * make ends, it prints the rules that it has used, as with -p, but to the log.
 * If a makefile does name IFS, the library removes its variable before make
 * looks for it, and records nothing more.
 * Functions and variables come in by the interface that GNU make has for loaded
 * objects (gmk_eval() and so on, since 4.0).
 *
 * The log has these records, which log.c reads.  A field ends with NUL, and a
 * record with a newline.
 *
 *	M MAKE LINE DIRECTORY	a make, and the line that runs it
 *	S MAKE N PID START_US TARGET PREREQUISITES ORDER-ONLY
 *				the start of a line; its id is MAKE.N
 *	F ...			the same of a $(shell) in a line
 *	E MAKE PID END_US CPU_US STATUS
 *				the end of a process; STATUS as in wait(2)
 *	J MAKE JOBSERVER OWN FLAGS FEATURES
 *				with its first line: the inode of its jobserver
 *				or 0, whether it was run with -j, MAKEFLAGS and
 *				.FEATURES
 *	D MAKE RULE...		the lines of the rules; "+" instead of a recipe
 *				that runs make so that it shares the jobserver
 *	I			a make has a variable IFS, or names it
 *	U PROGRAM		a program that may run make and is not followed,
 *				or starts programs in ways that are not seen
 */

/* The exit status if a program cannot be started, as in make and shells. */
enum { NOT_STARTED = 127 };

/* How many lines are remembered that make has not started; see `next`. */
enum { NEXT_MAX = 16 };

#define EXPORT __attribute__((visibility("default")))

/* The function of the C library that one of this library replaces. */
#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

extern char **environ;

static struct {
	bool is_active;		/* this process is followed */
	bool has_started;	/* it has forked, or started a program in ways
				   that are seen here */
	long faults;		/* of children before its main() */
	struct follow follow;
	pid_t pid;		/* of the make, or 0 in other programs */
	char make[48];		/* its id */
	bool has_variable;	/* IFS is that of this library */
	unsigned n_lines;
	bool has_flags;		/* J is in the log */
	bool has_own_jobs;	/* -j is one of its arguments */
	/* What make starts next, the last one first: TARGET, PREREQUISITES,
	   ORDER-ONLY, each ended by NUL.  There are several if a line has a
	   $(shell) in its environment, or if make meanwhile starts the next
	   line of another target.  One that make did not start stays until
	   there are NEXT_MAX after it. */
	struct next { char *text; size_t n; } next[NEXT_MAX];
	size_t n_next;
	bool is_fresh;		/* nothing has started since the last one */
	int output;		/* the end for writing of the last pipe, if it
				   was opened for the last one */
	struct {
		char *text;
		size_t n, cap;
		size_t last;		/* the beginning of the last line */
		size_t paragraph;	/* of what is kept of the paragraph */
		bool is_printing, is_target, has_comments;
	} rules;
} state;

static struct {
	void (*eval)(const char *, const void *);
	char *(*expand)(const char *);
	void (*release)(char *);
	void (*add_function)(const char *, char *(*)(const char *, unsigned,
	    char **), unsigned, unsigned, unsigned);
	void (*print_rules)(int);	/* remake's has an argument */
	const int *not_parallel;
} gnu_make;

static int64_t
now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000 +
	    state.follow.offset_us;
}

/* --- the log --- */

/*
 * Appends a record: short fields, and `rest`, which is fields that NUL ends.
 * In the format the short fields are separated by a blank, and values must not
 * have one, except the last.
 *
 * This is one writev(2), so that records of parallel makes do not mix.  The log
 * is open only meanwhile, so nobody inherits it.  Without the log, which is
 * gone if make-record was killed, the build goes on.
 */
static void __attribute__((format(printf, 3, 4)))
append(char *rest, size_t n_rest, const char *format, ...)
{
	char path[FOLLOW_PATH_MAX + sizeof FOLLOW_LOG];
	char fields[4096 + 256], *p = fields;
	struct iovec parts[] = { { fields, 0 }, { rest, n_rest },
	    { (char *)"\n", 1 } };
	va_list values;
	int n, fd, saved = errno;

	va_start(values, format);
	n = vsnprintf(fields, sizeof fields, format, values);
	va_end(values);
	if (n < 0 || (size_t)n >= sizeof fields)
		return;
	for (int i = 0; format[i] != '\0'; i++)
		if (format[i] == ' ') {
			p += strcspn(p, " ");
			*p++ = '\0';
		}
	parts[0].iov_len = (size_t)n + 1;

	snprintf(path, sizeof path, "%s" FOLLOW_LOG, state.follow.directory);
	fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	if (fd >= 0) {
		while (writev(fd, parts, 3) < 0 && errno == EINTR)
			;
		close(fd);
	}
	errno = saved;
}

/* kind is S or F.  The id is that of a line. */
static void
log_start(char kind, const char *id, pid_t pid, int64_t start_us)
{
	const struct next *next = &state.next[state.n_next - 1];

	append(next->text, next->n, "%c %s %s %ld %lld", kind, state.make,
	    id + strlen(state.make) + 1, (long)pid, (long long)start_us);
}

static void
log_end(pid_t pid, int status, const struct rusage *usage)
{
	long long cpu_us = ((long long)usage->ru_utime.tv_sec +
	    usage->ru_stime.tv_sec) * 1000000 + usage->ru_utime.tv_usec +
	    usage->ru_stime.tv_usec;

	append(NULL, 0, "E %s %ld %lld %lld %d", state.make, (long)pid,
	    (long long)now_us(), cpu_us, status);
}

/* --- the rules --- */

static bool
begins_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

/*
 * Whether make passes its jobserver on to what a line of a recipe runs.  The
 * first character is the prefix of recipes.
 */
static bool
shares_jobserver(const char *line)
{
	return line[1 + strspn(line + 1, " \t@-")] == '+' ||
	    strstr(line, "$(MAKE)") != NULL ||
	    strstr(line, "${MAKE}") != NULL;
}

/*
 * Keeps or drops a line of the rules, which is the last of the text.  A rule is
 * a paragraph: "# Not a target:", if it is none; variables of the target and
 * comments on them; the rule itself; comments that begin with two blanks; and
 * its recipe, of which only '+' is kept.  If make had no need to look at the
 * target, all of it is dropped.
 */
static void
end_rule_line(void)
{
	char *line = state.rules.text + state.rules.last;
	size_t n = state.rules.n - state.rules.last;
	bool is_kept = false;

	if (line[0] == '\0') {
		state.rules.is_target = true;
		state.rules.has_comments = false;
		state.rules.paragraph = state.rules.last;
	} else if (begins_with(line, "#  ")) {
		state.rules.has_comments = true;
		is_kept = state.rules.is_target &&
		    begins_with(line, "#  Also makes:");
		if (begins_with(line, "#  File has not been updated")) {
			state.rules.is_target = false;
			state.rules.last = state.rules.paragraph;
		}
	} else if (line[0] == '#') {
		state.rules.is_target &= !begins_with(line, "# Not a target:");
	} else if (state.rules.is_target && !state.rules.has_comments) {
		/* The line before it was a variable. */
		memmove(state.rules.text + state.rules.paragraph, line, n);
		state.rules.last = state.rules.paragraph;
		is_kept = true;
	} else if (state.rules.is_target && shares_jobserver(line)) {
		memcpy(line, "+", 2);
		state.rules.n = state.rules.last + 2;
		state.rules.last += 2;
	}
	if (is_kept)
		state.rules.last += n;
	state.rules.n = state.rules.last;
}

/* Gets what make prints of its rules, in parts of any length. */
static ssize_t
keep_rules(void *cookie, const char *text, size_t n)
{
	char *grown;

	(void)cookie;
	if (state.rules.cap - state.rules.n < n) {
		state.rules.cap = 2 * state.rules.cap + n;
		grown = realloc(state.rules.text, state.rules.cap);
		if (grown == NULL)
			return -1;
		state.rules.text = grown;
	}
	for (size_t i = 0; i < n; i++) {
		state.rules.text[state.rules.n++] = text[i] == '\n' ? '\0' :
		    text[i];
		if (text[i] == '\n')
			end_rule_line();
	}
	return (ssize_t)n;
}

/* make prints to stdout, a variable of the C library, which is replaced. */
static void
log_rules(void)
{
	FILE *old = stdout, *rules;

	if (gnu_make.print_rules == NULL)
		return;
	rules = fopencookie(NULL, "w",
	    (cookie_io_functions_t){ .write = keep_rules });
	if (rules == NULL)
		return;
	state.rules.n = state.rules.last = state.rules.paragraph = 0;
	state.rules.is_printing = true;
	stdout = rules;
	/* Before 4.4 it may have prerequisites, which mean nothing. */
	if (gnu_make.not_parallel != NULL && *gnu_make.not_parallel)
		fputs("\n.NOTPARALLEL:\n", rules);
	gnu_make.print_rules(0);
	stdout = old;
	state.rules.is_printing = false;
	if (fclose(rules) == 0)
		append(state.rules.text, state.rules.last, "D %s", state.make);
}

/* While it prints rules, make says what it says in English. */
EXPORT char *dcgettext(const char *, const char *, int);

EXPORT char *
dcgettext(const char *domain, const char *id, int category)
{
	if (state.rules.is_printing)
		return (char *)id;
	return REAL(dcgettext)(domain, id, category);
}

/* --- make --- */

/* The inode of the jobserver that MAKEFLAGS names, which is a pipe, or 0. */
static unsigned long long
find_jobserver(const char *flags)
{
	const char *server = strstr(flags, "--jobserver-");
	char path[4096];
	struct stat st;
	int fd;

	if (server != NULL &&
	    (sscanf(server, "%*[^=]=%d,", &fd) == 1 ? fstat(fd, &st) == 0 :
	    sscanf(server, "%*[^=]=fifo:%4095s", path) == 1 &&
	    stat(path, &st) == 0))
		return st.st_ino;
	return 0;
}

/*
 * Logs how many jobs make runs, and which jobserver it shares.  MAKEFLAGS is
 * complete when it has read all makefiles.
 */
static void
log_flags(void)
{
	char *flags = gnu_make.expand("$(MAKEFLAGS)");
	char *features = gnu_make.expand("$(.FEATURES)");
	size_t n = strlen(flags) + 1, m = strlen(features) + 1;
	char *both = malloc(n + m);

	state.has_flags = true;
	if (both != NULL) {
		memcpy(both, flags, n);
		memcpy(both + n, features, m);
		append(both, n + m, "J %s %llu %d", state.make,
		    find_jobserver(flags), state.has_own_jobs);
	}
	free(both);
	gnu_make.release(flags);
	gnu_make.release(features);
}

/* make calls this when it expands $(IFS) for a line. */
static char *
on_line(const char *name, unsigned argc, char **argv)
{
	struct next *next, oldest;
	size_t n = 0;
	char *grown;

	(void)name;
	if (!state.has_flags)
		log_flags();
	if (state.n_next == NEXT_MAX) {
		oldest = state.next[0];
		memmove(state.next, state.next + 1,
		    (NEXT_MAX - 1) * sizeof *state.next);
		state.next[--state.n_next] = oldest;
	}
	next = &state.next[state.n_next];
	next->n = 0;
	state.output = -1;
	for (unsigned i = 0; i < argc; i++)
		n += strlen(argv[i]) + 1;
	grown = realloc(next->text, n);
	if (grown == NULL)
		return NULL;
	next->text = grown;
	for (unsigned i = 0; i < argc; i++)
		next->n += (size_t)sprintf(next->text + next->n, "%s",
		    argv[i]) + 1;
	state.n_next++;
	state.is_fresh = true;
	return NULL;
}

/*
 * Adds the function to make.  make must have initialised its tables and have
 * its variables, but must not have read a makefile: it is so when it prepares
 * for the first ends of children.
 */
static void
record_make(void)
{
	char directory[4096], *origin;

	state.pid = getpid();
	snprintf(state.make, sizeof state.make, "%ld.%lld", (long)state.pid,
	    (long long)now_us());
	append(NULL, 0, "M %s %s %s", state.make, state.follow.id,
	    getcwd(directory, sizeof directory) != NULL ? directory : "");
	origin = gnu_make.expand("$(origin IFS)");
	if (strcmp(origin, "undefined") == 0) {
		gnu_make.add_function("weir-line", on_line, 3, 3, 0);
		gnu_make.eval("IFS = $(weir-line $@$(if $%,($%)),$^,$|)\n"
		    "unexport IFS\n", NULL);
		state.has_variable = true;
	} else {
		append(NULL, 0, "I");
	}
	gnu_make.release(origin);
}

/*
 * make expands the name of a variable before it defines or tests it, or calls
 * a function with it, and to expand a text make first copies it.
 */
EXPORT char *
strdup(const char *text)
{
	size_t size = strlen(text) + 1;
	char *copy;

	if (state.has_variable && strcmp(text, "IFS") == 0) {
		state.has_variable = false;
		state.n_next = 0;
		append(NULL, 0, "I");
		gnu_make.eval("undefine IFS\n", NULL);
	}
	copy = malloc(size);
	return copy != NULL ? memcpy(copy, text, size) : NULL;
}

static void
on_handler(int number, const void *handler)
{
	if (state.is_active && state.pid == 0 && gnu_make.eval != NULL &&
	    number == SIGCHLD && handler != (const void *)SIG_DFL &&
	    handler != (const void *)SIG_IGN)
		record_make();
}

EXPORT int
sigaction(int number, const struct sigaction *new, struct sigaction *old)
{
	if (new != NULL)
		on_handler(number, (const void *)new->sa_handler);
	return REAL(sigaction)(number, new, old);
}

EXPORT sighandler_t
signal(int number, sighandler_t handler)
{
	on_handler(number, (const void *)handler);
	return REAL(signal)(number, handler);
}

EXPORT int
pipe(int fds[2])
{
	int status = REAL(pipe)(fds);

	state.output = status == 0 ? fds[1] : -1;
	return status;
}

/*
 * Whether make starts the command of $(shell) next: a pipe for its output is
 * open.  One that is a standard input without data has been closed at the end
 * for writing.
 */
static bool
is_function(void)
{
	return state.output >= 0 && fcntl(state.output, F_GETFD) >= 0;
}

/* S if make starts a line next, F if it is a $(shell) for a line, else 0. */
static char
kind_of_next(void)
{
	if (state.n_next == 0)
		return 0;
	if (!is_function())
		return 'S';
	return state.next[state.n_next - 1].text[0] != '\0' ? 'F' : 0;
}

/* make has started the last one. */
static void
forget_next(void)
{
	if (state.n_next > 0)
		state.n_next--;
	state.is_fresh = false;
	state.output = -1;
}

/* --- programs start --- */

/* How a process is to start a program. */
struct plan {
	char kind;		/* see kind_of_next() */
	bool is_followed;
	char id[FOLLOW_ID_MAX];
	int64_t start_us;
};

static struct plan
plan_for(const char *path, char *const argv[])
{
	struct plan plan = { .kind = kind_of_next() };

	if (!state.is_active)
		return plan;
	if (plan.kind != 0)
		snprintf(plan.id, sizeof plan.id, "%s.%u", state.make,
		    ++state.n_lines);
	else if (state.pid == 0 || getpid() == state.pid)
		/* A shell; or a make that starts again. */
		snprintf(plan.id, sizeof plan.id, "%s", state.follow.id);
	plan.start_us = now_us();
	if (path == NULL || plan.id[0] == '\0' || plan.kind == 'F' ||
	    !follow_leads_to_make(path, argv))
		return plan;
	plan.is_followed = follow_can_load(&state.follow, path);
	/* Shells try to execute each path of PATH. */
	if (plan.is_followed || access(path, X_OK) != 0)
		return plan;
	for (size_t i = 0; argv[i] != NULL; i++)
		if (strstr(argv[i], "make") != NULL) {
			append(NULL, 0, "U %s", path);
			break;
		}
	return plan;
}

/* What NULL for an environment means to Linux, as after clearenv(3). */
static char *const no_variables[] = { NULL };

typedef int exec_function(const char *, char *const[], char *const[]);

/* In a child of make after vfork(2), or in any program that replaces itself. */
static int
run_exec(exec_function *real, const char *program, const char *path,
    char *const argv[], char *const envp[])
{
	char *const *given = envp != NULL ? envp : no_variables;
	char *env[follow_count(given)], text[follow_size(&state.follow, given)];
	struct plan plan;

	state.has_started = true;
	/* A make that starts again. */
	if (state.pid != 0 && getpid() == state.pid) {
		log_rules();
		state.n_next = 0;
	}
	plan = plan_for(path, argv);
	if (plan.kind != 0)
		log_start(plan.kind, plan.id, getpid(), plan.start_us);
	forget_next();
	if (plan.is_followed)
		follow_extend(&state.follow, plan.id, given, env, text);
	return real(program, argv, plan.is_followed ? env : envp);
}

EXPORT int
execve(const char *path, char *const argv[], char *const envp[])
{
	return run_exec(REAL(execve), path, path, argv, envp);
}

EXPORT int
execv(const char *path, char *const argv[])
{
	return run_exec(REAL(execve), path, path, argv, environ);
}

EXPORT int
execvpe(const char *program, char *const argv[], char *const envp[])
{
	char path[4096];

	return run_exec(REAL(execvpe), program, command_find(program, path,
	    sizeof path), argv, envp);
}

EXPORT int
execvp(const char *program, char *const argv[])
{
	return execvpe(program, argv, environ);
}

typedef int spawn_function(pid_t *, const char *,
    const posix_spawn_file_actions_t *, const posix_spawnattr_t *,
    char *const[], char *const[]);

static int
run_spawn(spawn_function *real, pid_t *pid, const char *program,
    const char *path, const posix_spawn_file_actions_t *actions,
    const posix_spawnattr_t *attributes, char *const argv[],
    char *const envp[])
{
	char *const *given = envp != NULL ? envp : no_variables;
	char *env[follow_count(given)], text[follow_size(&state.follow, given)];
	struct plan plan = { 0 };
	pid_t child = 0;
	int error;

	/* What a make spawns otherwise is a $(shell) of makefiles. */
	if (state.pid == 0 || kind_of_next() != 0)
		plan = plan_for(path, argv);
	if (plan.is_followed)
		follow_extend(&state.follow, plan.id, given, env, text);
	error = real(&child, program, actions, attributes, argv,
	    plan.is_followed ? env : envp);
	/* If the line is a script without #!, make starts a shell for it. */
	if (error != 0)
		return error;
	state.has_started = true;
	if (pid != NULL)
		*pid = child;
	if (plan.kind != 0)
		log_start(plan.kind, plan.id, child, plan.start_us);
	forget_next();
	return 0;
}

EXPORT int
posix_spawn(pid_t *pid, const char *path,
    const posix_spawn_file_actions_t *actions,
    const posix_spawnattr_t *attributes, char *const argv[],
    char *const envp[])
{
	return run_spawn(REAL(posix_spawn), pid, path, path, actions,
	    attributes, argv, envp);
}

EXPORT int
posix_spawnp(pid_t *pid, const char *program,
    const posix_spawn_file_actions_t *actions,
    const posix_spawnattr_t *attributes, char *const argv[],
    char *const envp[])
{
	char path[4096];

	return run_spawn(REAL(posix_spawnp), pid, program, command_find(program,
	    path, sizeof path), actions, attributes, argv, envp);
}

/* make calls this to say why it could not start a line. */
EXPORT char *
strerror(int error)
{
	const struct rusage none = { 0 };
	struct plan plan;

	if (state.is_fresh && kind_of_next() == 'S') {
		plan = plan_for(NULL, NULL);
		log_start(plan.kind, plan.id, 0, plan.start_us);
		log_end(0, NOT_STARTED << 8, &none);
		forget_next();
	}
	return REAL(strerror)(error);
}

/* --- programs end --- */

EXPORT pid_t
wait4(pid_t pid, int *status, int options, struct rusage *usage)
{
	struct rusage own_usage;
	int own_status;

	if (state.pid == 0)
		return REAL(wait4)(pid, status, options, usage);
	if (status == NULL)
		status = &own_status;
	if (usage == NULL)
		usage = &own_usage;
	pid = REAL(wait4)(pid, status, options, usage);
	state.is_fresh = false;
	if (pid > 0 && getpid() == state.pid)
		log_end(pid, *status, usage);
	return pid;
}

EXPORT pid_t
waitpid(pid_t pid, int *status, int options)
{
	return wait4(pid, status, options, NULL);
}

EXPORT pid_t
wait3(int *status, int options, struct rusage *usage)
{
	return wait4(-1, status, options, usage);
}

EXPORT pid_t
wait(int *status)
{
	return wait4(-1, status, 0, NULL);
}

/* --- the beginning and the end of a process --- */

/* Whether -j, maybe after other letters, is an argument of make. */
static bool
gives_jobs(char **argv)
{
	for (; *argv != NULL; argv++) {
		if (begins_with(*argv, "--jobs"))
			return true;
		if (begins_with(*argv, "-") && !begins_with(*argv, "--") &&
		    (*argv)[strcspn(*argv, "CEIWfloj")] == 'j')
			return true;
	}
	return false;
}

static void
on_fork(void)
{
	state.has_started = true;
}

/* The page faults of children: more than before, if one has ended. */
static long
count_faults(void)
{
	struct rusage usage;

	getrusage(RUSAGE_CHILDREN, &usage);
	return usage.ru_minflt;
}

static __attribute__((constructor)) void
start(int argc, char **argv, char **envp)
{
	const char *value = getenv(FOLLOW_VARIABLE);

	(void)argc;
	if (value == NULL || !follow_parse(&state.follow, value))
		return;
	state.is_active = true;
	state.has_own_jobs = gives_jobs(argv);
	state.faults = count_faults();
	pthread_atfork(NULL, on_fork, NULL);
	follow_remove(&state.follow, envp);
	if (environ != envp)
		follow_remove(&state.follow, environ);
	*(void **)&gnu_make.eval = dlsym(RTLD_DEFAULT, "gmk_eval");
	*(void **)&gnu_make.expand = dlsym(RTLD_DEFAULT, "gmk_expand");
	*(void **)&gnu_make.release = dlsym(RTLD_DEFAULT, "gmk_free");
	*(void **)&gnu_make.add_function = dlsym(RTLD_DEFAULT,
	    "gmk_add_function");
	*(void **)&gnu_make.print_rules = dlsym(RTLD_DEFAULT,
	    "print_file_data_base");
	gnu_make.not_parallel = dlsym(RTLD_DEFAULT, "not_parallel");
}

static __attribute__((destructor)) void
finish(void)
{
	if (state.pid != 0 && getpid() == state.pid)
		log_rules();
	/* As by system(3), in which the C library does not call functions that
	   are replaced here. */
	if (state.is_active && !state.has_started &&
	    count_faults() > state.faults)
		append(NULL, 0, "U %s", program_invocation_name);
}
