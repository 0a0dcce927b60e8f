/* cells - the width of text on a terminal */

#include <utf8proc.h>

#include "common/report/cells.h"

/* The width of the character at p, and its length in bytes in *step. */
static size_t
char_width(const char *p, size_t n, size_t *step)
{
	uint32_t code;

	*step = 1;
	if ((unsigned char)*p < 0x80 || (*step = utf8_char(p, n, &code)) == 0)
		return *step > 0 ? 1 : (*step = 1);
	/* Terminals give a cell to a spacing mark, utf8proc does not. */
	if (utf8proc_category((utf8proc_int32_t)code) == UTF8PROC_CATEGORY_MC)
		return 1;
	return (size_t)utf8proc_charwidth((utf8proc_int32_t)code);
}

size_t
cells_width(struct span s)
{
	size_t width = 0, step;

	for (size_t i = 0; i < s.n; i += step)
		width += char_width(s.p + i, s.n - i, &step);
	return width;
}

size_t
cells_head(struct span s, size_t n)
{
	size_t step, width, i = 0;

	for (; i < s.n; i += step) {
		width = char_width(s.p + i, s.n - i, &step);
		if (width > n)
			break;
		n -= width;
	}
	return i;
}

size_t
cells_tail(struct span s, size_t n)
{
	size_t rest = cells_width(s), step, i = 0;

	/* Marks that follow a character left out are left out, too. */
	for (size_t width; i < s.n; i += step) {
		width = char_width(s.p + i, s.n - i, &step);
		if (rest <= n && (width > 0 || i == 0))
			break;
		rest -= width;
	}
	return s.n - i;
}

/* Of a text that is wider than n cells, dots replace what follows its head. */
static void
put_clipped(struct buf *to, struct span s, size_t n, size_t head,
    const char *dots)
{
	size_t n_dots = strlen(dots), tail;

	if (cells_width(s) <= n) {
		buf_add(to, s.p, s.n);
	} else if (n < n_dots) {
		buf_add(to, dots, n);
	} else {
		tail = cells_tail(s, n - n_dots - head);
		buf_add(to, s.p, cells_head(s, head));
		buf_str(to, dots);
		buf_add(to, s.p + s.n - tail, tail);
	}
}

void
cells_put(struct buf *to, struct span s, size_t n)
{
	put_clipped(to, s, n, n < 2 ? 0 : (n - 2) / 2, "..");
}

void
cells_put_end(struct buf *to, struct span s, size_t n)
{
	put_clipped(to, s, n, 0, "...");
}
