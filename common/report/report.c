/* report - headings, sentences and lists of reports */

#include <stdbool.h>

#include "common/report/cells.h"
#include "common/report/report.h"
#include "common/report/style.h"

/* Escape sequences of a terminal: how a line begins. */
#define BOLD "\033[1m"
#define RED "\033[31m"
#define NORMAL "\033[0m"

/* Whether the space at i is between a number and its unit, as in "5 ms". */
static bool
is_before_unit(struct span s, size_t i)
{
	size_t n = 1;

	if (i == 0 || !text_is_digit(s.p[i - 1]))
		return false;
	while (i + n < s.n && strchr(" ,;:.)", s.p[i + n]) == NULL)
		n++;
	return n > 1 && n <= 4;
}

/* The bytes of a text that fill a line: up to a space, if possible. */
static size_t
line_length(struct span s, size_t width)
{
	size_t n = cells_head(s, width);

	if (n == s.n)
		return n;
	for (size_t i = n; i > 0; i--)
		if (s.p[i] == ' ' && !is_before_unit(s, i))
			return i;
	return n;
}

/*
 * Replaces what follows `from` by lines, which are indented by `indent`, and by
 * `more` in addition from the second line on.
 */
static void
wrap(struct buf *b, size_t from, size_t indent, size_t more,
    const char *escape)
{
	struct buf text = { 0 };
	struct span s;
	size_t n;

	buf_add(&text, b->data + from, b->len - from);
	b->len = from;
	for (s = buf_span(&text); s.n > 0; s = span_of(s.p + n, s.n - n)) {
		for (size_t i = 0; i < indent; i++)
			buf_char(b, ' ');
		n = line_length(s, style.width - indent);
		if (style.has_colour)
			buf_str(b, escape);
		buf_add(b, s.p, n);
		if (style.has_colour && *escape != '\0')
			buf_str(b, NORMAL);
		buf_char(b, '\n');
		while (n < s.n && s.p[n] == ' ')
			n++;
		indent += more;
		more = 0;
	}
	buf_release(&text);
}

/* Puts two texts around what follows `from`. */
static void
enclose(struct buf *b, size_t from, const char *before, const char *after)
{
	size_t n = strlen(before);

	buf_need(b, n);
	memmove(b->data + from + n, b->data + from, b->len - from);
	memcpy(b->data + from, before, n);
	b->len += n;
	buf_str(b, after);
}

void
report_blank(struct buf *b)
{
	/* Elements of Markdown end with an empty line where they need one. */
	if (!style.markdown || b->len < 2 || b->data[b->len - 1] != '\n' ||
	    b->data[b->len - 2] != '\n')
		buf_char(b, '\n');
}

void
report_heading(struct buf *b, const char *fmt, ...)
{
	size_t from;
	va_list ap;

	if (*fmt == '\n') {
		report_blank(b);
		fmt++;
	}
	from = b->len;
	va_start(ap, fmt);
	buf_vprintf(b, fmt, ap);
	va_end(ap);
	if (style.markdown)
		enclose(b, from, "### ", "\n\n");
	else
		wrap(b, from, 0, 2, BOLD);
}

void
report_sentence(struct buf *b, size_t from)
{
	if (style.markdown)
		buf_str(b, "\n\n");
	else
		wrap(b, from, 0, 0, "");
}

void
report_failed_sentence(struct buf *b, size_t from)
{
	if (style.markdown)
		enclose(b, from, "**", "**\n\n");
	else
		wrap(b, from, 0, 0, RED);
}

void
report_item(struct buf *b, size_t from, size_t depth)
{
	if (style.markdown)
		enclose(b, from, depth == 1 ? "- " : "  - ", "\n");
	else
		wrap(b, from, 2 * depth, 2, "");
}

void
report_failed_item(struct buf *b, size_t from)
{
	if (style.markdown)
		enclose(b, from, "- **", "**\n");
	else
		wrap(b, from, 2, 2, RED);
}

void
report_more(struct buf *b, uint64_t n, const char *rest)
{
	size_t from = b->len;

	if (n == 0)
		return;
	buf_printf(b, "... and %llu more%s", (unsigned long long)n, rest);
	report_item(b, from, 1);
}

void
report_note(struct buf *b, const char *text)
{
	size_t from;

	report_blank(b);
	from = b->len;
	buf_str(b, text);
	report_sentence(b, from);
}
