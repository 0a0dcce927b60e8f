/* svg-label - writes as much of a text as there is room for in a picture */

#include "common/report/cells.h"
#include "common/report/svg-label.h"
#include "common/report/svg.h"
#include "common/report/xml.h"

enum { LABEL_MIN = 6 };		/* cells of a label that is truncated */

void
svg_label(struct buf *b, struct span text, int64_t x, int64_t y, size_t room)
{
	bool is_whole = cells_width(text) <= room;

	if (text.n == 0 || (!is_whole && room < LABEL_MIN))
		return;
	svg_text(b, x, y, "");
	xml_text(b, is_whole ? text :
	    span_of(text.p, cells_head(text, room - 1)));
	buf_str(b, is_whole ? "</text>" : "\xe2\x80\xa6</text>");
}
