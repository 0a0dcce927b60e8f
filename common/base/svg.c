/* svg - elements of pictures in SVG */

#include "common/base/svg.h"
#include "common/base/xml.h"

enum { LABEL_MIN = 6 };		/* columns of a label that is truncated */

void
svg_length(struct buf *b, int64_t tenths)
{
	buf_printf(b, "%lld", (long long)(tenths / 10));
	if (tenths % 10 != 0)
		buf_printf(b, ".%lld", (long long)(tenths % 10));
}

void
svg_number(struct buf *b, const char *name, int64_t tenths)
{
	buf_printf(b, " %s=\"", name);
	svg_length(b, tenths);
	buf_char(b, '"');
}

void
svg_rect(struct buf *b, int64_t x, int64_t y, int64_t width, int64_t height)
{
	buf_str(b, "<rect");
	svg_number(b, "x", x);
	svg_number(b, "y", y);
	svg_number(b, "width", width);
	svg_number(b, "height", height);
}

void
svg_text(struct buf *b, int64_t x, int64_t y, const char *attributes)
{
	buf_str(b, "<text");
	svg_number(b, "x", x);
	svg_number(b, "y", y);
	buf_printf(b, "%s>", attributes);
}

void
svg_label(struct buf *b, struct span text, int64_t x, int64_t y, size_t room)
{
	bool is_whole = text_columns(text.p, text.n) <= room;
	size_t n = 0, n_characters = 0;

	if (text.n == 0 || (!is_whole && room < LABEL_MIN))
		return;
	for (; !is_whole && n < text.n && n_characters < room; n++)
		n_characters += ((unsigned char)text.p[n] & 0xc0) != 0x80;
	svg_text(b, x, y, "");
	xml_text(b, is_whole ? text : text_prefix(text, n - 1));
	buf_str(b, is_whole ? "</text>" : "\xe2\x80\xa6</text>");
}
