/* quote - names of files as arguments for sh */

#include <string.h>

#include "filters/weir/weir.h"

static bool
is_control(char c)
{
	return (unsigned char)c < 0x20 || c == 0x7f;
}

/* In octal what printf(1) or a terminal would not take as it is. */
static void
put_printf(struct buf *b, const char *name)
{
	buf_str(b, "\"$(printf '");
	for (; *name != '\0'; name++)
		if (is_control(*name) || *name == '\'' || *name == '\\')
			buf_printf(b, "\\%03o", (unsigned char)*name);
		else if (*name == '%')
			buf_str(b, "%%");
		else
			buf_char(b, *name);
	buf_str(b, "')\"");
}

void
quote_for_shell(struct buf *b, const char *name)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@";
	const char *c = name;

	if (*name == '-')
		buf_str(b, "./");
	while (*c != '\0' && !is_control(*c))
		c++;
	if (*c != '\0') {
		put_printf(b, name);
	} else if (name[strspn(name, plain)] == '\0' && *name != '\0') {
		buf_str(b, name);
	} else {
		buf_char(b, '\'');
		for (; *name != '\0'; name++)
			if (*name == '\'')
				buf_str(b, "'\\''");
			else
				buf_char(b, *name);
		buf_char(b, '\'');
	}
}
