#ifndef WEIR_ERR_H
#define WEIR_ERR_H

#include <stdint.h>

/*
 * The exit statuses of every filter: everything was read and written; some
 * input was rejected, with a message; the output is not to be used.
 */
enum { EXIT_OK = 0, EXIT_REJECTED = 1, EXIT_FATAL = 2 };

#define PRINTF_LIKE(f, a) __attribute__((format(printf, f, a)))

/* An unlikely path: keeps the callers' hot code compact. */
#define COLD __attribute__((cold))

/* Sets the program's name for all messages; argv0 is borrowed for good. */
void err_init(const char *argv0);
const char *err_program(void);

/*
 * Messages go to standard error as "prog: message", or with a place in the
 * input as "prog: file:line: message".  Control characters are escaped.
 */
void err_warn(const char *fmt, ...) PRINTF_LIKE(1, 2) COLD;
void err_warn_at(const char *file, uint64_t line, const char *fmt, ...)
    PRINTF_LIKE(3, 4) COLD;

/* As err_warn(), then exits with EXIT_FATAL.  die_errno() adds errno's text. */
_Noreturn void die(const char *fmt, ...) PRINTF_LIKE(1, 2);
_Noreturn void die_errno(const char *fmt, ...) PRINTF_LIKE(1, 2);

/* Reports that an invariant of weir itself is broken, and aborts. */
_Noreturn void bug(const char *fmt, ...) PRINTF_LIKE(1, 2);

#endif
