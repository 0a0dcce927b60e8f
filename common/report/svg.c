/* svg - elements of pictures in SVG */

#include "common/report/svg.h"

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
