/* tuple - converts tuples, which old profilers wrote, to JSON objects */

#include "common/json/json.h"
#include "filters/malparse/malparse.h"

/* The keys of the columns; NULL: tuple_put_instruction() splits it. */
static const char *const keys[] = { "event", "time", NULL, "thread",
    "state", "usec", "rss", "size", "inblock", "oublock", "majflt", "nswap",
    "nvcsw", "stmt" };
enum { N_COLUMNS = sizeof keys / sizeof *keys };

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
	*column = text_trim(span_of(rest->p, i));
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

bool
tuple_put_instruction(struct buf *to, const char *key, struct span s)
{
	size_t close = find_last(s, ']', s.n), open = find_last(s, '[', close);

	if (close == s.n || open == close)
		return false;
	json_key(to, key);
	buf_printf(to, "\"%.*s\",\"pc\":%.*s,\"tag\":%.*s", (int)open, s.p,
	    (int)(close - open - 1), s.p + open + 1, (int)(s.n - close - 1),
	    s.p + close + 1);
	return true;
}

bool
tuple_to_object(struct span line, struct buf *to)
{
	struct span rest = text_trim(line), column;

	if (rest.n < 2 || rest.p[0] != '[' || rest.p[rest.n - 1] != ']')
		return false;
	rest = span_of(rest.p + 1, rest.n - 2);
	to->len = 0;
	for (size_t i = 0; i < N_COLUMNS; i++) {
		if (!next_column(&rest, &column))
			return false;
		if (i == 0)
			buf_char(to, '{');
		if (keys[i] != NULL) {
			json_key(to, keys[i]);
			buf_add(to, column.p, column.n);
		} else if (column.n < 2 || column.p[0] != '"' ||
		    column.p[column.n - 1] != '"' ||
		    !tuple_put_instruction(to, "function",
		    span_of(column.p + 1, column.n - 2))) {
			return false;
		}
	}
	buf_char(to, '}');
	return text_trim(rest).n == 0;
}
