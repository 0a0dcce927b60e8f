#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The exit statuses of every filter. */
enum {
	EXIT_OK = 0,		/* everything was read and written */
	EXIT_REJECTED = 1,	/* some input was rejected, and reported */
	EXIT_FATAL = 2		/* the output must not be used */
};

#define PRINTF_LIKE(f, a) __attribute__((format(printf, f, a)))

/* For functions that are rarely called: keeps hot code compact. */
#define COLD __attribute__((cold))

/*
 * Sets the program's name for messages: the last component of argv0, escaped as
 * messages are.  argv0 may be NULL: execve() does not demand arguments.
 */
void err_init(const char *argv0);
const char *err_program(void);

/*
 * Messages go to standard error as "prog: message", or with a position in
 * the input as "prog: file:line: message".  Control characters are escaped.
 */
void err_warn(const char *fmt, ...) PRINTF_LIKE(1, 2) COLD;
void err_warn_at(const char *file, uint64_t line, const char *fmt, ...)
    PRINTF_LIKE(3, 4) COLD;

/* As err_warn(), then exits with EXIT_FATAL.  die_errno() adds errno's text. */
_Noreturn void die(const char *fmt, ...) PRINTF_LIKE(1, 2);
_Noreturn void die_errno(const char *fmt, ...) PRINTF_LIKE(1, 2);

/* What die() does after the message: exits with EXIT_FATAL. */
_Noreturn void err_fail(void);

/*
 * Sets a function that die() and die_errno() call after the message, perhaps
 * without memory left: for a program that has more to do than to exit.
 */
void err_on_failure(void (*handler)(void));

/*
 * Does an errno mean that the machine has failed, or that a permission is
 * missing?  Then what was to be read is not known, which must never be taken
 * for damage: the filter ends.  The other ones say what a file is: missing, not
 * a directory, not a regular file and so on.
 */
bool err_is_failure(int error) COLD;

/* Reports that an invariant of weir itself is broken, and aborts. */
_Noreturn void bug(const char *fmt, ...) PRINTF_LIKE(1, 2);
