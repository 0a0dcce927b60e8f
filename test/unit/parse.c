/*
 * parse - reads lines of hexadecimal digits, and for each prints "record" if
 * recio accepts the bytes as a record, else the reason why not.  For
 * oracles/json-texts.py; see unit.bats.
 */

#include "common/base/err.h"
#include "common/base/hex.h"
#include "common/json/recio.h"
#include "test/unit/unit.h"

int
main(void)
{
	static const char *const keys[] = { "type", "a", NULL };
	struct recio *io = recio_new(keys);
	char *line = NULL, *text;
	size_t cap = 0, n;
	const char *why;
	ssize_t len;

	while ((len = getline(&line, &cap, stdin)) > 0) {
		n = (size_t)len / 2;
		text = mem_alloc(n);
		if (!hex_decode(span_of(line, 2 * n), (unsigned char *)text, n))
			die("'%s' is not hexadecimal", line);
		puts(recio_parse(io, span_of(text, n), &why) != NULL ?
		    "record" : why);
		free(text);
	}
	free(line);
	recio_free(io);
	return 0;
}
