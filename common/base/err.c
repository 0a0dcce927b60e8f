/* err - messages on standard error, and the ways a program ends */

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/err.h"
#include "common/base/text.h"

enum { MESSAGE_MAX = 4096 };

static const char *program = "weir";

void
err_init(const char *argv0)
{
	const char *slash = strrchr(argv0, '/');

	program = slash != NULL ? slash + 1 : argv0;
}

const char *
err_program(void)
{
	return program;
}

/*
 * One write a message, so that the messages of a pipeline's programs do not
 * mix within a line.  No memory is allocated: one caller is out of it.
 */
static void
say(const char *file, uint64_t line, const char *reason, const char *fmt,
    va_list ap)
{
	char plain[MESSAGE_MAX], shown[MESSAGE_MAX];
	size_t len = 0;

	if (file != NULL)
		len = (size_t)snprintf(plain, sizeof plain, "%s:%llu: ", file,
		    (unsigned long long)line);
	if (len < sizeof plain)
		len += (size_t)vsnprintf(plain + len, sizeof plain - len, fmt,
		    ap);
	if (reason != NULL && len < sizeof plain)
		len += (size_t)snprintf(plain + len, sizeof plain - len,
		    ": %s", reason);
	if (len >= sizeof plain)
		len = sizeof plain - 1;
	text_escape(shown, sizeof shown, plain, len);
	fprintf(stderr, "%s: %s\n", program, shown);
}

void
err_warn(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(NULL, 0, NULL, fmt, ap);
	va_end(ap);
}

void
err_warn_at(const char *file, uint64_t line, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(file, line, NULL, fmt, ap);
	va_end(ap);
}

void
die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(NULL, 0, NULL, fmt, ap);
	va_end(ap);
	exit(EXIT_FATAL);
}

void
die_errno(const char *fmt, ...)
{
	const char *reason = strerror(errno);
	va_list ap;

	va_start(ap, fmt);
	say(NULL, 0, reason, fmt, ap);
	va_end(ap);
	exit(EXIT_FATAL);
}

void
bug(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(NULL, 0, "this is a bug in weir", fmt, ap);
	va_end(ap);
	abort();
}
