/* tuple - lines of the profiler before JSON */

#include "common/json/json.h"
#include "filters/malparse/tuple.h"

/* The columns of a line; the third is function[pc]tag. */
static const char *const columns[] = { "event", "time", NULL, "thread",
    "state", "usec", "rss", "size", "inblock", "oublock", "majflt", "nswap",
    "nvcsw", "stmt" };
enum { N_COLUMNS = sizeof columns / sizeof *columns };

static struct span
trimmed(struct span s)
{
	while (s.n > 0 && json_is_space(s.p[0]))
		s = span_of(s.p + 1, s.n - 1);
	while (s.n > 0 && json_is_space(s.p[s.n - 1]))
		s.n--;
	return s;
}

/* What stands before the next comma outside strings, which is consumed. */
static bool
next_column(struct span *rest, struct span *column)
{
	bool in_string = false;
	size_t i;

	for (i = 0; i < rest->n && (in_string || rest->p[i] != ','); i++) {
		if (rest->p[i] == '\\' && in_string)
			i++;
		else if (rest->p[i] == '"')
			in_string = !in_string;
	}
	if (i > rest->n)
		return false;
	*column = trimmed(span_of(rest->p, i));
	i += i < rest->n;
	*rest = span_of(rest->p + i, rest->n - i);
	return column->n > 0;
}

/* The place of the last c before end, or end. */
static size_t
last(struct span s, char c, size_t end)
{
	for (size_t i = end; i-- > 0;)
		if (s.p[i] == c)
			return i;
	return end;
}

/* "user.s1_1[3]12" */
static bool
put_place(struct span s, struct buf *to)
{
	size_t close = last(s, ']', s.n), open = last(s, '[', close);

	if (s.n < 2 || s.p[0] != '"' || s.p[s.n - 1] != '"' ||
	    close >= s.n - 1 || open == close)
		return false;
	buf_printf(to, "\"function\":%.*s\",\"pc\":%.*s,\"tag\":%.*s",
	    (int)open, s.p, (int)(close - open - 1), s.p + open + 1,
	    (int)(s.n - close - 2), s.p + close + 1);
	return true;
}

bool
tuple_to_object(struct span line, struct buf *to)
{
	struct span rest = trimmed(line), column;

	if (rest.n < 2 || rest.p[0] != '[' || rest.p[rest.n - 1] != ']')
		return false;
	rest = span_of(rest.p + 1, rest.n - 2);
	to->len = 0;
	for (size_t i = 0; i < N_COLUMNS; i++) {
		if (!next_column(&rest, &column))
			return false;
		buf_char(to, i == 0 ? '{' : ',');
		if (columns[i] == NULL) {
			if (!put_place(column, to))
				return false;
			continue;
		}
		buf_printf(to, "\"%s\":", columns[i]);
		buf_add(to, column.p, column.n);
	}
	buf_char(to, '}');
	return trimmed(rest).n == 0;
}
