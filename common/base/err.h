#ifndef WEIR_ERR_H
#define WEIR_ERR_H

#include <stdint.h>

/*
 * The three exit statuses of every filter: all was read and written; all but
 * what was warned of; do not use the output.
 */
enum { EXIT_OK = 0, EXIT_REJECTED = 1, EXIT_FATAL = 2 };

#define PRINTF_LIKE(f, a) __attribute__((format(printf, f, a)))
/* What leads to a call of it is laid out apart from what is done always. */
#define COLD __attribute__((cold))

/* Names the program in every later message; argv0 is borrowed for ever. */
void err_init(const char *argv0);
const char *err_program(void);

/*
 * Messages go to standard error as "prog: message", or with a place as
 * "prog: file:line: message".  What a terminal would obey is escaped.
 */
void err_warn(const char *fmt, ...) PRINTF_LIKE(1, 2) COLD;
void err_warn_at(const char *file, uint64_t line, const char *fmt, ...)
    PRINTF_LIKE(3, 4) COLD;

/* As err_warn(), then exit with EXIT_FATAL.  die_errno adds errno's text. */
_Noreturn void die(const char *fmt, ...) PRINTF_LIKE(1, 2);
_Noreturn void die_errno(const char *fmt, ...) PRINTF_LIKE(1, 2);

/* An invariant of weir's own does not hold: says so and aborts. */
_Noreturn void bug(const char *fmt, ...) PRINTF_LIKE(1, 2);

#endif
