/* err - messages on standard error, and fatal errors */

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/err.h"
#include "common/base/text.h"

enum { MESSAGE_MAX = 4096 };

static char program[256] = "weir";	/* escaped */
static void (*failure_handler)(void);

void
err_init(const char *argv0)
{
	const char *slash = argv0 != NULL ? strrchr(argv0, '/') : NULL;
	const char *name = slash != NULL ? slash + 1 : argv0;

	if (name != NULL && *name != '\0')
		text_escape(program, sizeof program, name, strlen(name));
}

const char *
err_program(void)
{
	return program;
}

/*
 * Prints a message.  A NULL file leaves out the position, a NULL reason the
 * text after the message.
 *
 * Uses one fprintf(), which glibc turns into one write although standard error
 * is unbuffered: the messages of a pipeline's programs do not interleave.
 * Allocates nothing, because it is also called when memory has run out.
 */
static void
print_message(const char *file, uint64_t line, const char *reason,
    const char *fmt, va_list ap)
{
	char text[MESSAGE_MAX], escaped[MESSAGE_MAX];
	size_t len = 0;

	if (file != NULL)
		len = (size_t)snprintf(text, sizeof text, "%s:%llu: ", file,
		    (unsigned long long)line);
	if (len < sizeof text)
		len += (size_t)vsnprintf(text + len, sizeof text - len, fmt,
		    ap);
	if (reason != NULL && len < sizeof text)
		len += (size_t)snprintf(text + len, sizeof text - len,
		    ": %s", reason);
	if (len >= sizeof text)
		len = sizeof text - 1;
	text_escape(escaped, sizeof escaped, text, len);
	fprintf(stderr, "%s: %s\n", program, escaped);
}

void
err_warn(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	print_message(NULL, 0, NULL, fmt, ap);
	va_end(ap);
}

void
err_warn_at(const char *file, uint64_t line, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	print_message(file, line, NULL, fmt, ap);
	va_end(ap);
}

void
err_on_failure(void (*handler)(void))
{
	failure_handler = handler;
}

void
err_fail(void)
{
	if (failure_handler != NULL)
		failure_handler();
	exit(EXIT_FATAL);
}

void
die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	print_message(NULL, 0, NULL, fmt, ap);
	va_end(ap);
	err_fail();
}

void
die_errno(const char *fmt, ...)
{
	const char *reason = strerror(errno);
	va_list ap;

	va_start(ap, fmt);
	print_message(NULL, 0, reason, fmt, ap);
	va_end(ap);
	err_fail();
}

bool
err_is_failure(int error)
{
	switch (error) {
	case 0:
	case EBADF:		/* libgit2 closes -1 */
	case EEXIST:
	case EILSEQ:
	case EINVAL:
	case EISDIR:
	case ELOOP:
	case ENAMETOOLONG:
	case ENODEV:
	case ENOENT:
	case ENOTDIR:
	case ENOTTY:
	case ESRCH:
	case ENXIO:
		return false;
	default:
		return true;
	}
}

void
bug(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	print_message(NULL, 0, "this is a bug in weir", fmt, ap);
	va_end(ap);
	abort();
}
