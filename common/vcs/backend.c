/* backend - what all back ends share */

#include <stdarg.h>
#include <stdio.h>

#include "common/vcs/backend.h"

bool
vcs_fail(struct vcs *v, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(v->why, sizeof v->why, fmt, ap);
	va_end(ap);
	return false;
}
