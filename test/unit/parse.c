/*
 * parse FILE... - prints "NAME: record" for each file that recio accepts as a
 * record, else "NAME: REASON".  A record is an object; a file that does not
 * begin with '{' is read as {"a":FILE}.  For JSONTestSuite, see unit.bats.
 */

#include "common/base/err.h"
#include "common/json/json.h"
#include "common/json/recio.h"
#include "test/unit/unit.h"

static bool
is_object(const struct buf *b)
{
	size_t i = 0;

	while (i < b->len && json_is_space(b->data[i]))
		i++;
	return i < b->len && b->data[i] == '{';
}

int
main(int argc, char **argv)
{
	static const char *const keys[] = { "type", "a", NULL };
	struct recio *io = recio_new(keys);
	struct buf file = { 0 }, text = { 0 };
	const char *why;
	struct rec *rec;

	for (int i = 1; i < argc; i++) {
		file.len = text.len = 0;
		if (!unit_read(argv[i], &file))
			die_errno("cannot open '%s'", argv[i]);
		if (is_object(&file)) {
			buf_add(&text, file.data, file.len);
		} else {
			buf_str(&text, "{\"a\":");
			buf_add(&text, file.data, file.len);
			buf_char(&text, '}');
		}
		rec = recio_parse(io, buf_span(&text), &why);
		printf("%s: %s\n", argv[i], rec != NULL ? "record" : why);
	}
	buf_release(&file);
	buf_release(&text);
	recio_free(io);
	return 0;
}
