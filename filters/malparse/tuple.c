/* tuple - converts tuples, which old profilers wrote, to JSON objects */

#include "common/json/json.h"
#include "filters/malparse/tuple.h"

/* The keys of the columns; NULL: put_instruction() splits function[pc]tag. */
static const char *const keys[] = { "event", "time", NULL, "thread",
    "state", "usec", "rss", "size", "inblock", "oublock", "majflt", "nswap",
    "nvcsw", "stmt" };
enum { N_COLUMNS = sizeof keys / sizeof *keys };

static struct span
trim(struct span s)
{
	while (s.n > 0 && json_is_space(s.p[0]))
		s = span_of(s.p + 1, s.n - 1);
	while (s.n > 0 && json_is_space(s.p[s.n - 1]))
		s.n--;
	return s;
}

/*
 * Moves the text before the next comma that is not in a string from *rest to
 * *column, without white space around it, and drops the comma.  False if the
 * text is empty, or ends within an escape.
 */
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
	if (i > rest->n)	/* the line ends within an escape */
		return false;
	*column = trim(span_of(rest->p, i));
	i += i < rest->n;	/* the comma */
	*rest = span_of(rest->p + i, rest->n - i);
	return column->n > 0;
}

/* The index of the last c before end, or end if there is none. */
static size_t
find_last(struct span s, char c, size_t end)
{
	for (size_t i = end; i-- > 0;)
		if (s.p[i] == c)
			return i;
	return end;
}

/*
 * Writes "user.s1_1[3]12", which includes the quotes, as the three members
 * "function":"user.s1_1","pc":3,"tag":12.
 */
static bool
put_instruction(struct span s, struct buf *to)
{
	size_t close = find_last(s, ']', s.n), open = find_last(s, '[', close);

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
	struct span rest = trim(line), column;

	if (rest.n < 2 || rest.p[0] != '[' || rest.p[rest.n - 1] != ']')
		return false;
	rest = span_of(rest.p + 1, rest.n - 2);
	to->len = 0;
	for (size_t i = 0; i < N_COLUMNS; i++) {
		if (!next_column(&rest, &column))
			return false;
		buf_char(to, i == 0 ? '{' : ',');
		if (keys[i] == NULL) {
			if (!put_instruction(column, to))
				return false;
			continue;
		}
		buf_printf(to, "\"%s\":", keys[i]);
		buf_add(to, column.p, column.n);
	}
	buf_char(to, '}');
	return trim(rest).n == 0;
}
