/* lists - execl() and its kin, by the functions that recorder.c replaces */

#include <alloca.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

extern char **environ;

/* Copies the list to argv, unless that is NULL; returns its length. */
static size_t
copy_list(char **argv, const char *first, va_list *rest)
{
	size_t n = 0;

	for (const char *p = first; p != NULL; p = va_arg(*rest, char *)) {
		if (argv != NULL)
			argv[n] = (char *)p;
		n++;
	}
	return n;
}

/* Allocates nothing, because a child of vfork(2) may call it. */
static int
run_list(int (*run)(const char *, char *const[], char *const[]),
    const char *program, bool has_environment, const char *first, va_list rest)
{
	char **argv, *const *envp = environ;
	va_list copy;
	size_t n;

	va_copy(copy, rest);
	n = copy_list(NULL, first, &copy);
	va_end(copy);

	argv = alloca((n + 1) * sizeof *argv);
	va_copy(copy, rest);
	copy_list(argv, first, &copy);
	argv[n] = NULL;
	if (has_environment)
		envp = va_arg(copy, char *const *);
	va_end(copy);
	return run(program, argv, envp);
}

EXPORT int
execl(const char *path, const char *first, ...)
{
	va_list rest;
	int status;

	va_start(rest, first);
	status = run_list(execve, path, false, first, rest);
	va_end(rest);
	return status;
}

EXPORT int
execle(const char *path, const char *first, ...)
{
	va_list rest;
	int status;

	va_start(rest, first);
	status = run_list(execve, path, true, first, rest);
	va_end(rest);
	return status;
}

EXPORT int
execlp(const char *program, const char *first, ...)
{
	va_list rest;
	int status;

	va_start(rest, first);
	status = run_list(execvpe, program, false, first, rest);
	va_end(rest);
	return status;
}
