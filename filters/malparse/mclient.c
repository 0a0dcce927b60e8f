/* mclient - reads the tables that mclient prints for TRACE */

#define _GNU_SOURCE	/* memmem() */

#include <string.h>
#include <strings.h>

#include "common/base/num.h"
#include "common/json/json.h"
#include "filters/malparse/malparse.h"

/* The key is NULL for pc, whose text tuple.h explains: it has three members. */
struct mclient_column {
	const char *name, *key;
	bool is_text;
};

static const struct mclient_column known[] = {
	{ "usec", "usec", false }, { "ticks", "usec", false },
	{ "statement", "stmt", true }, { "stmt", "stmt", true },
	{ "event", "event", false }, { "clk", "time", true },
	{ "pc", NULL, true }, { "thread", "thread", false },
	{ "rrsmb", "rss", false }, { "rssmb", "rss", false },
	{ "vmmb", "size", false }, { "reads", "inblock", false },
	{ "writes", "oublock", false }, { "majflt", "majflt", false },
	{ "nvcsw", "nvcsw", false } };

/* The columns of tables that mclient prints without their names. */
static const char *const defaults[MCLIENT_COLUMNS + 1] = {
	[2] = "usec,statement", [3] = "ticks,stmt,event",
	[13] = "event,clk,pc,thread,ticks,rrsmb,vmmb,reads,writes,minflt,"
	    "majflt,nvcsw,stmt" };

void
mclient_reset(struct mclient *l)
{
	l->n = 0;
	l->has_begun = false;
}

static bool
contains(struct span s, const char *word)
{
	return s.n > 0 && memmem(s.p, s.n, word, strlen(word)) != NULL;
}

/* Moves the text before the next c from *rest to the result, and drops c. */
static struct span
next_part(struct span *rest, char c)
{
	const char *found = rest->n == 0 ? NULL : memchr(rest->p, c, rest->n);
	size_t n = found == NULL ? rest->n : (size_t)(found - rest->p);
	struct span part = span_of(rest->p, n);

	n += found != NULL;
	*rest = span_of(rest->p + n, rest->n - n);
	return part;
}

static const struct mclient_column *
find_column(struct span name)
{
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (strlen(known[i].name) == name.n &&
		    strncasecmp(known[i].name, name.p, name.n) == 0)
			return &known[i];
	return NULL;
}

/* How many bytes the first n characters of a text have. */
static size_t
n_bytes(struct span s, size_t n)
{
	size_t i = 0;

	while (i < s.n && (n > 0 || ((unsigned char)s.p[i] & 0xc0) == 0x80)) {
		n -= ((unsigned char)s.p[i] & 0xc0) != 0x80;
		i++;
	}
	return i;
}

/* Whether a line has one of these characters at each border of the box. */
static bool
has_borders(const struct mclient *l, struct span line, const char *chars)
{
	size_t at;

	for (size_t i = 0; i < l->n; i++) {
		at = n_bytes(line, l->borders[i]);
		if (at >= line.n || line.p[at] == '\0' ||
		    strchr(chars, line.p[at]) == NULL)
			return false;
	}
	return true;
}

/* The separator after the digits with which a row of CSV begins, or NUL. */
static char
separator_of(struct span line)
{
	size_t i = 0;

	while (i < line.n && text_is_digit(line.p[i]))
		i++;
	return i > 0 && i < line.n && strchr(",;\t|", line.p[i]) != NULL ?
	    line.p[i] : '\0';
}

/* Whether a line is what mclient prints around and after tables. */
static bool
is_frame(struct span line)
{
	static const char *const starts[] = { "+-", "+=", "|", ":", "sql>",
	    "sql:", "clk:", "note: to disable ", "operation successful" };
	size_t i = 0;

	for (size_t k = 0; k < sizeof starts / sizeof *starts; k++)
		if (span_begins_with(line, starts[k]))
			return true;
	while (i < line.n && text_is_digit(line.p[i]))
		i++;
	return i > 0 && span_begins_with(span_of(line.p + i, line.n - i),
	    " tuple");
}

enum mclient_line
mclient_classify(const struct mclient *l, struct span text)
{
	struct span rest = text, line, name;
	bool is_box, has_more;
	char c;

	if (rest.n > MCLIENT_PREFIX)
		rest.n = MCLIENT_PREFIX;
	line = next_part(&rest, '\n');
	if (span_begins_with(line, "-[ RECORD "))
		return span_begins_with(line, "-[ RECORD 1 ]") ?
		    MCLIENT_FIRST_RECORD : MCLIENT_RECORD;

	/* Of the first name a box may have only the beginning on this line. */
	is_box = span_begins_with(line, "|");
	name = span_of(line.p + is_box, 0);
	while (name.n < line.n - is_box && strchr(",;\t|", name.p[name.n]) ==
	    NULL)
		name.n++;
	has_more = name.n < line.n - is_box;
	name = text_trim(name);
	if (has_more && (find_column(name) != NULL ||
	    (is_box && span_eq(name, "tick"))) &&
	    (contains(line, "statement") || contains(line, "stmt")))
		return MCLIENT_HEADER;

	c = separator_of(line);
	/* Another table without names begins with querylog.define. */
	if (c != '\0' && (l->n == 0 || l->separator != c ?
	    contains(line, " := ") : !l->has_names &&
	    contains(line, " := querylog.define(")))
		return MCLIENT_FIRST_ROW;
	if (l->n > 0 && (l->separator == '\0' ? is_box ||
	    span_begins_with(line, ":") : l->separator == c &&
	    (contains(line, "(") || contains(line, ";"))))
		return MCLIENT_ROW;
	return l->has_begun && is_frame(line) ? MCLIENT_FRAME : MCLIENT_NONE;
}

bool
mclient_continues(enum mclient_line kind, struct span next)
{
	if (kind == MCLIENT_RECORD || kind == MCLIENT_FIRST_RECORD)
		return contains(next, " | ") && *next.p != '|' &&
		    !span_begins_with(next, "-[");
	return span_begins_with(next, ":");
}

/*
 * Adds the cells of a line in a box.  A cell is "| text " with blanks after the
 * text, up to the width of the column; one that mclient has truncated ends with
 * "...", and has a '>' as the border after it.
 */
static void
add_box_line(struct mclient *l, struct span line)
{
	size_t start = n_bytes(line, l->borders[0]), end, n;
	struct span cell;

	for (size_t i = 0; i < l->n; i++) {
		end = i + 1 < l->n ? n_bytes(line, l->borders[i + 1]) :
		    line.n - 1;
		n = end > start + 2 ? end - start - 2 : 0;
		cell = span_of(line.p + start + 2, n - (n > 0));
		start = end;
		if (line.p[end] == '>') {
			cell = text_trim(span_of(cell.p, n));
			cell.n -= cell.n >= 3 ? 3 : 0;
		}
		buf_add(&l->cells[i], cell.p, cell.n);
	}
}

/* Decodes and drops a cell, after its first quote.  False if it has no end. */
static bool
read_quoted(struct buf *cell, struct span *rest)
{
	static const char escapes[] = "ntr\\", values[] = "\n\t\r\\";
	const char *p = rest->p, *end = p + rest->n, *found;

	for (; p < end; p++) {
		if (*p == '"' && (p + 1 == end || p[1] != '"')) {
			*rest = span_of(p + 1, (size_t)(end - p) - 1);
			return true;
		}
		found = *p == '\\' && p + 1 < end && p[1] != '\0' ?
		    strchr(escapes, p[1]) : NULL;
		p += found != NULL || *p == '"';
		buf_char(cell, found != NULL ? values[found - escapes] : *p);
	}
	return false;
}

/*
 * Splits a line of CSV into cells, and returns their number; 0 if the quotes do
 * not match, or if there are too many.
 */
static size_t
split_csv(struct mclient *l, struct span rest, char separator)
{
	struct span cell;
	size_t i;

	for (i = 0; i < MCLIENT_COLUMNS; i++) {
		l->cells[i].len = 0;
		if (span_begins_with(rest, "\"")) {
			rest = span_of(rest.p + 1, rest.n - 1);
			if (!read_quoted(&l->cells[i], &rest))
				return 0;
			if (rest.n == 0)
				return i + 1;
			if (*rest.p != separator)
				return 0;
			rest = span_of(rest.p + 1, rest.n - 1);
			continue;
		}
		cell = next_part(&rest, separator);
		buf_add(&l->cells[i], cell.p, cell.n);
		if (cell.p + cell.n == rest.p + rest.n)
			return i + 1;
	}
	return 0;
}

/* Reads "NAME | VALUE" lines, after the first line of a record. */
static void
read_record(struct mclient *l, struct span rest)
{
	struct span line = next_part(&rest, '\n'), name;

	for (l->n = 0; rest.n > 0;) {
		line = next_part(&rest, '\n');
		name = text_trim(next_part(&line, '|'));
		if (name.n == 0 && l->n > 0) {	/* the text has a newline */
			buf_char(&l->cells[l->n - 1], '\n');
		} else if (l->n < MCLIENT_COLUMNS) {
			l->columns[l->n] = find_column(name);
			l->cells[l->n++].len = 0;
		}
		if (line.n > 1 && l->n > 0)
			buf_add(&l->cells[l->n - 1], line.p + 1, line.n - 1);
	}
}

/* Opens the table whose names are the cells, or those in the text of CSV. */
static void
open_table(struct mclient *l, size_t n, char separator, const char *names)
{
	struct span rest = span_str(names != NULL ? names : "");

	l->n = n;
	l->is_other = false;
	l->separator = separator;
	l->has_begun = true;
	l->has_names = names == NULL;
	l->has_pcs = false;
	l->n_rows = 0;
	for (size_t i = 0; i < n; i++)
		l->columns[i] = find_column(names != NULL ?
		    next_part(&rest, ',') : text_trim(buf_span(&l->cells[i])));
}

static void
read_header(struct mclient *l, struct span lines)
{
	struct span rest = lines, line = text_trim(next_part(&rest, '\n'));
	size_t i = 0;

	if (*line.p != '|') {
		while (i < line.n && strchr(",;\t|", line.p[i]) == NULL)
			i++;
		l->n = 0;
		open_table(l, split_csv(l, line, line.p[i]), line.p[i], NULL);
		return;
	}
	/* The border after the last column is |> if others are not shown. */
	line.n -= line.p[line.n - 1] == '>';
	l->width = line.n;
	/* Names have neither borders nor characters that are not ASCII. */
	for (l->n = 0; i + 1 < line.n && l->n < MCLIENT_COLUMNS; i++)
		if (line.p[i] == '|' && line.p[i + 1] == ' ') {
			l->borders[l->n] = i;
			l->cells[l->n++].len = 0;
		}
	while (line.n > 0) {
		add_box_line(l, line);
		line = text_trim(next_part(&rest, '\n'));
		if (!has_borders(l, line, ":"))
			break;
	}
	open_table(l, l->n, '\0', NULL);
}

/* Reads a row into the cells.  Returns the reason to reject it, or NULL. */
static const char *
read_row(struct mclient *l, enum mclient_line kind, struct span lines)
{
	struct span rest = lines, line = next_part(&rest, '\n');
	char separator = l->separator;
	size_t n;

	if (kind == MCLIENT_FIRST_ROW) {
		separator = separator_of(line);
		l->n = 0;
	}
	if (separator != '\0') {
		n = split_csv(l, lines, separator);
		if (n == 0)
			return "the quotes of a column do not match";
		if (kind == MCLIENT_FIRST_ROW && defaults[n] == NULL)
			return "a table without names has 2, 3 or 13 columns";
		if (kind == MCLIENT_FIRST_ROW)
			open_table(l, n, separator, defaults[n]);
		return n == l->n ? NULL : "it has not the columns of its table";
	}

	for (size_t i = 0; i < l->n; i++)
		l->cells[i].len = 0;
	for (const char *borders = "|"; line.n > 0; borders = ":>") {
		line = text_trim(line);
		if (line.n <= l->borders[l->n - 1] + 2 ||
		    !has_borders(l, line, borders) ||
		    strchr("|:>", line.p[line.n - 1]) == NULL)
			return "it has not the columns of its table";
		add_box_line(l, line);
		line = next_part(&rest, '\n');
	}
	return NULL;
}

/* Writes a cell as a member.  False if it is not a number as it should be. */
static bool
put_cell(struct buf *to, const struct mclient_column *c, struct span cell)
{
	int64_t value;

	if (c->key == NULL)
		return tuple_put_instruction(to, "program", cell);
	if (c->is_text)
		json_str(to, c->key, cell);
	else if (cell.n > 0 && !text_i64(cell, &value))
		return false;
	else if (cell.n > 0)
		json_int(to, c->key, value);
	return true;
}

/*
 * Writes the cells as an object, which has the members of the event if a column
 * is one.  Returns the reason to reject them, or NULL.
 */
static const char *
put_object(struct mclient *l, struct buf *to)
{
	struct span cell, event = span_of("", 0);
	bool has_statement = false;
	const struct mclient_column *c;
	struct mal_text m;

	for (size_t i = 0; i < l->n; i++)
		if (l->columns[i] != NULL && !l->columns[i]->is_text &&
		    l->cells[i].len > 1 && l->cells[i].data[0] == '{')
			event = text_trim(buf_span(&l->cells[i]));
	buf_char(to, '{');
	json_uint(to, "row", l->n_rows + 1);
	for (size_t i = 0; i < l->n; i++) {
		c = l->columns[i];
		cell = text_trim(buf_span(&l->cells[i]));
		/* The event states numbers itself. */
		if (c == NULL || (event.n > 0 && !c->is_text))
			continue;
		if (!put_cell(to, c, cell))
			return "a column does not have what its name says";
		if (c->key == NULL || strcmp(c->key, "stmt") != 0)
			continue;
		has_statement = true;
		mal_read(&m, cell, NULL);
		l->is_truncated = !m.is_whole;
		if (!m.is_whole && (l->has_pcs || m.operation.n == 0))
			return "its statement is not whole";
		l->has_pcs = l->has_pcs || m.pc != INT_UNKNOWN;
	}
	if (!has_statement) {	/* a record of another result */
		to->len = 0;
		return NULL;
	}
	if (event.n > 1) {
		buf_char(to, ',');
		buf_add(to, event.p + 1, event.n - 2);
	}
	buf_char(to, '}');
	return NULL;
}

const char *
mclient_read(struct mclient *l, enum mclient_line kind, struct span lines,
    struct buf *to)
{
	const char *why = NULL;
	bool is_record;

	to->len = 0;
	while (lines.n > 0 && text_is_space(lines.p[lines.n - 1]))
		lines.n--;
	if (kind == MCLIENT_FRAME && *lines.p == '+')
		l->is_other = lines.n != l->width ||
		    !has_borders(l, lines, "+");
	else if (kind == MCLIENT_HEADER)
		read_header(l, lines);
	if (kind == MCLIENT_FRAME || kind == MCLIENT_HEADER)
		return NULL;
	is_record = kind == MCLIENT_RECORD || kind == MCLIENT_FIRST_RECORD;
	if (is_record)
		read_record(l, lines);
	else
		why = read_row(l, kind, lines);
	if (kind == MCLIENT_FIRST_RECORD)
		l->n_rows = 0;
	if (why == NULL)
		why = put_object(l, to);
	if (is_record)	/* states its names, as the next one does */
		l->n = 0;
	if (why == NULL) {
		l->n_rows++;
		l->is_other = false;
	} else if (l->is_other) {
		why = NULL;
		to->len = 0;
	}
	return why;
}
