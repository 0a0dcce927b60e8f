/* format - formats an entry as a line, by a format string as in Perun */

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/base/hex.h"
#include "common/report/cells.h"
#include "common/report/report-values.h"
#include "common/report/table.h"
#include "filters/pidx-read/format.h"

/*
 * Limit of a tag's width in columns, more than a line needs.  A tag with a
 * greater width is malformed.
 */
enum { WIDTH_MAX = 1000 };

/* A tag such as "time:20f-": its name, width in columns and padding. */
struct tag {
	struct span name, fill;
	uint64_t width;
};

/* Parses NAME[:WIDTH[fFILL]]; false if the width is not valid. */
static bool
parse_tag(struct span s, struct tag *t)
{
	const char *colon = memchr(s.p, ':', s.n), *letter_f;
	struct span width;

	*t = (struct tag){ .name = s, .fill = span_of(" ", 1) };
	if (colon == NULL)
		return true;
	t->name = span_of(s.p, (size_t)(colon - s.p));
	width = span_of(colon + 1, s.n - t->name.n - 1);
	letter_f = width.n == 0 ? NULL : memchr(width.p, 'f', width.n);
	if (letter_f != NULL && letter_f + 1 < s.p + s.n)
		t->fill = span_of(letter_f + 1,
		    (size_t)(s.p + s.n - letter_f) - 1);
	if (letter_f != NULL)
		width.n = (size_t)(letter_f - width.p);
	return text_u64(width, &t->width) && t->width <= WIDTH_MAX;
}

/*
 * Sets *value to the value of the tag in the entry.  It may refer to storage,
 * in which the object and the time are formatted.  False if the tag is unknown
 * or the time cannot be converted.
 */
static bool
get_value(const struct tag *t, const struct pidx_entry *e, char *storage,
    size_t size, struct span *value)
{
	static const struct { const char *name; enum pidx_string string; }
	    names[] = { { "type", PIDX_TYPE }, { "cmd", PIDX_CMD },
	    { "args", PIDX_ARGS }, { "workload", PIDX_WORKLOAD },
	    { "label", PIDX_LABEL }, { "collector", PIDX_COLLECTOR },
	    { "postprocessors", PIDX_POSTPROCESSORS } };
	time_t time_s = (time_t)e->time;
	struct tm local;

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (span_eq(t->name, names[i].name)) {
			*value = e->strings[names[i].string];
			return true;
		}
	*value = e->path;
	if (span_eq(t->name, "source") || span_eq(t->name, "realpath"))
		return true;
	if (span_eq(t->name, "checksum")) {
		hex_encode(storage, e->object, PIDX_SHA_SIZE);
		*value = span_of(storage, 2 * PIDX_SHA_SIZE);
		if (t->width > 0 && t->width < value->n)
			value->n = t->width;
		return true;
	}
	if (!span_eq(t->name, "time") || localtime_r(&time_s, &local) == NULL)
		return false;
	*value = span_of(storage, strftime(storage, size, "%Y-%m-%d %H:%M:%S",
	    &local));
	return true;
}

void
format_entry(struct buf *b, const char *format, const struct pidx_entry *e)
{
	const char *p = format, *end;
	char storage[64];
	struct span value;
	size_t from, columns;
	struct tag t;

	while (*p != '\0') {
		end = *p == '%' ? strchr(p + 1, '%') : NULL;
		if (end == NULL || !parse_tag(span_of(p + 1,
		    (size_t)(end - p) - 1), &t) ||
		    !get_value(&t, e, storage, sizeof storage, &value)) {
			buf_char(b, *p++);
			continue;
		}
		from = b->len;
		report_text(b, value);
		columns = cells_width(span_of(b->data + from, b->len - from));
		for (; columns < t.width; columns++)
			buf_add(b, t.fill.p, t.fill.n);
		p = end + 1;
	}
	buf_char(b, '\n');
}

void
format_table(struct buf *b, const struct pidx *p, const struct order *order,
    bool pending, const bool *selected)
{
	static const char *const heads[] = { "No.", "Time", "Type", "Collector",
	    "Command", "Workload", "Name" };
	static const char *const tags[] = { "time", "type", "collector", "cmd",
	    "workload", "source" };
	size_t *positions = order_positions(p, order);
	struct table table;
	struct tag tag = { .width = 0 };
	struct span value;
	char storage[64];

	table_init(&table, "RLllLLL", heads);
	for (size_t i = 0; i < p->n; i++) {
		if (!selected[positions[i]])
			continue;
		buf_printf(table_cell(&table), "%zu@%c", i,
		    pending ? 'p' : 'i');
		table_next(&table);
		for (size_t j = 0; j < sizeof tags / sizeof *tags; j++) {
			tag.name = span_str(tags[j]);
			get_value(&tag, &p->entries[positions[i]], storage,
			    sizeof storage, &value);
			table_text(&table, value);
		}
	}
	table_print(&table, b);
	free(positions);
}
