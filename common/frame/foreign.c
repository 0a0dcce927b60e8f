/* foreign - recognizes logs and graphs that came instead of records */

#include <stdbool.h>
#include <string.h>

#include "common/frame/foreign.h"

static bool
begins_with(struct span line, const char *start)
{
	size_t n = strlen(start);

	return line.n >= n && memcmp(line.p, start, n) == 0;
}

/* Whether the line is "TIME EVENT ...", with a number and a lower-case word. */
static bool
is_event(struct span line)
{
	size_t i = 0, word;

	while (i < line.n && text_is_digit(line.p[i]))
		i++;
	if (i == 0 || i == line.n || line.p[i] != ' ')
		return false;
	word = ++i;
	while (i < line.n && ((line.p[i] >= 'a' && line.p[i] <= 'z') ||
	    line.p[i] == '_'))
		i++;
	return i > word && i < line.n && line.p[i] == ' ';
}

const struct foreign *
foreign_find(struct span line)
{
	static const struct foreign ninja_log = { "a log of ninja",
	    "execlog-parse" };
	static const struct foreign ninja_graph = { "a graph of ninja",
	    "buildgraph-parse" };
	static const struct foreign event_log = { "a log of distbuild",
	    "execlog-parse" };

	if (begins_with(line, "# ninja log"))
		return &ninja_log;
	if (begins_with(line, "digraph "))
		return &ninja_graph;
	return is_event(line) ? &event_log : NULL;
}
