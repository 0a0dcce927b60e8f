/* svg - draws histories with their changes */

#include <stdlib.h>

#include "common/report/svg.h"
#include "common/report/xml.h"
#include "common/stats/values.h"
#include "filters/perf-diff/results.h"
#include "filters/perf-diff/svg.h"
#include "filters/perf-diff/phrases.h"

enum { MANY = 400 };	/* points, which are then drawn smaller */
enum { LINE = 118 };	/* bytes of the answer */

/* In pixels.  The labels of changes have LABEL_ROWS lines above a plot. */
enum { WIDTH = 830, LEFT = 76, RIGHT = 14, HEAD = 76, TITLE = 24,
    LABEL_ROWS = 3, LABEL_HEIGHT = 15, PLOT = 120, GAP = 26, FOOT = 40,
    PADDING = 8, GRID_MAX = 12, LETTER = 7, TICKS = 5, SUBJECT_MAX = 36,
    PANEL = TITLE + LABEL_ROWS * LABEL_HEIGHT + PLOT + GAP };

#define FONT	"font-family=\"system-ui,sans-serif\" font-size=\"%d\""
#define TEXT	"#222222"
#define FAINT	"#6b6b6b"

/* The colours of a change and of its range, by its verdict. */
static const char *const colours[N_VERDICTS] = { "#6b6b6b", "#c0392b",
    "#1e8449", "#8a8a8a", "#b9770e", "#6b6b6b", "#6b6b6b" };
static const char *const pale_colours[N_VERDICTS] = { "#eeeeee", "#f8e4e1",
    "#dff0e5", "#eeeeee", "#f9ecd8", "#eeeeee", "#eeeeee" };

/* Where a series is drawn. */
struct panel {
	const struct results *a;
	const struct series *s;
	const struct change *changes;	/* n_changes of them */
	size_t n_changes;
	double top;			/* of the plot */
	double low, high;		/* the values at its bottom and top */
};

/* Lengths are computed in pixels and written by svg.h, which has tenths. */
static int64_t
tenths(double pixels)
{
	return llround(pixels * 10);
}

/* Begins a line of a path. */
static void
move_to(struct buf *b, double x, double y)
{
	buf_char(b, 'M');
	svg_length(b, tenths(x));
	buf_char(b, ' ');
	svg_length(b, tenths(y));
}

/* Adds a horizontal line to a path. */
static void
line_to(struct buf *b, double x)
{
	buf_char(b, 'H');
	svg_length(b, tenths(x));
}

/* anchor: "start", "middle" or "end". */
static void
draw_text(struct buf *b, double x, double y, int size, const char *colour,
    const char *anchor, struct span text)
{
	struct buf attributes = { 0 };

	buf_printf(&attributes, " " FONT " fill=\"%s\" text-anchor=\"%s\"%s",
	    size, colour, anchor, size > 12 ? " font-weight=\"600\"" : "");
	svg_text(b, tenths(x), tenths(y), buf_cstr(&attributes));
	buf_release(&attributes);
	xml_text(b, text);	/* which may come from an input */
	buf_str(b, "</text>\n");
}

static void
draw_band(struct buf *b, double x0, double x1, double y0, double y1,
    const char *colour)
{
	svg_rect(b, tenths(x0), tenths(y0), tenths(fmax(x1 - x0, 0)),
	    tenths(fmax(y1 - y0, 0)));
	buf_printf(b, " fill=\"%s\"/>", colour);
}

static double
x_of(const struct panel *p, double position)
{
	size_t last = p->a->n_order > 1 ? p->a->n_order - 1 : 1;

	return LEFT + (WIDTH - LEFT - RIGHT) * position / (double)last;
}

/* Values beyond the plot are drawn at its edge. */
static double
y_of(const struct panel *p, double value)
{
	double share = (value - p->low) / (p->high - p->low);

	return p->top + PLOT * (1 - fmax(0, fmin(1, share)));
}

/* From the 1st to the 99th percentile, so that outliers do not flatten it. */
static void
choose_scale(struct panel *p)
{
	size_t n = p->s->n;
	double *sorted = mem_table(n, sizeof *sorted), pad;

	memcpy(sorted, p->s->values, n * sizeof *sorted);
	values_sort(sorted, n);
	p->low = sorted[n / 100];
	p->high = sorted[n - 1 - n / 100];
	free(sorted);
	for (size_t i = 0; i < p->s->n_levels; i++) {
		p->low = fmin(p->low, p->s->levels[i]);
		p->high = fmax(p->high, p->s->levels[i]);
	}
	pad = p->high > p->low ? (p->high - p->low) / PADDING :
	    fmax(p->high / PADDING, 1);
	p->low = fmax(0, p->low - pad);
	p->high += pad;
}

/* A step between lines of the grid: 1, 2 or 5 times a power of ten. */
static double
choose_step(double range)
{
	double step = pow(10, floor(log10(range)));

	return range / step < 2 ? step / 2 : range / step < 5 ? step :
	    2 * step;
}

static void
draw_grid(struct buf *b, const struct panel *p)
{
	double step = choose_step(p->high - p->low), y, value;
	struct buf text = { 0 };

	for (int i = 0; i < GRID_MAX; i++) {
		value = (ceil(p->low / step) + i) * step;
		if (!(value <= p->high))
			break;
		y = y_of(p, value);
		buf_str(b, "<path stroke=\"#e4e4e4\" d=\"");
		move_to(b, LEFT, y);
		line_to(b, WIDTH - RIGHT);
		buf_str(b, "\"/>");
		text.len = 0;
		phrases_value(&text, p->a, p->s->key, value);
		draw_text(b, LEFT - PADDING, y + 4, 12, FAINT, "end",
		    buf_span(&text));
	}
	buf_release(&text);
}

/* Where the level of the i-th segment begins and ends. */
static void
find_ends(const struct panel *p, size_t i, double *x0, double *x1)
{
	const struct series *s = p->s;
	size_t end = i + 1 < s->n_levels ? s->starts[i + 1] : s->n;

	*x0 = x_of(p, s->positions[s->starts[i]]);
	*x1 = x_of(p, s->positions[end - 1]);
}

/* The noise around the levels, and the ranges of the changes. */
static void
draw_bands(struct buf *b, const struct panel *p)
{
	const struct series *s = p->s;
	const struct change *c;
	double x0, x1;

	for (size_t i = 0; i < s->n_levels; i++) {
		find_ends(p, i, &x0, &x1);
		draw_band(b, x0, x1, y_of(p, s->levels[i] + 2 * s->noise[i]),
		    y_of(p, s->levels[i] - 2 * s->noise[i]), "#e8edf1");
	}
	for (c = p->changes; c < p->changes + p->n_changes; c++)
		if (c->verdict != VERDICT_GONE)
			draw_band(b, x_of(p, (double)c->first - 0.5),
			    x_of(p, (double)c->last), p->top, p->top + PLOT,
			    pale_colours[c->verdict]);
}

/* The levels between splits, as steps. */
static void
draw_levels(struct buf *b, const struct panel *p)
{
	double x0, x1;

	for (size_t i = 0; i < p->s->n_levels; i++) {
		find_ends(p, i, &x0, &x1);
		buf_str(b, "<path stroke=\"#1f4e79\" stroke-width=\"2.5\" "
		    "d=\"");
		move_to(b, x0, y_of(p, p->s->levels[i]));
		line_to(b, x1);
		buf_str(b, "\"/>\n");
	}
}

/* "+5.1 % 775bc5c30e 2026-10-05 Use a map" */
static void
put_label(struct buf *b, const struct results *a, const struct change *c)
{
	struct buf subject = { 0 };

	phrases_effect(b, c);
	buf_char(b, ' ');
	phrases_id(b, results_version(a, c->at));
	buf_char(b, ' ');
	phrases_date(b, a, c->at);
	buf_char(b, ' ');
	phrases_subject(&subject, a, c->at);
	buf_add(b, subject.data, text_prefix(buf_span(&subject),
	    SUBJECT_MAX).n);
	buf_str(b, subject.len > SUBJECT_MAX ? "..." : "");
	buf_str(b, c->accepted ? " accepted" : "");
	buf_release(&subject);
}

/*
 * A line before the first point of a change, with a label in the first row in
 * which there is room.
 */
static void
draw_changes(struct buf *b, const struct panel *p)
{
	double ends[LABEL_ROWS] = { 0 }, x, from, width;
	struct buf text = { 0 };
	const struct change *c;
	bool is_last;
	int row;

	for (c = p->changes; c < p->changes + p->n_changes; c++) {
		if (c->verdict == VERDICT_GONE)
			continue;
		x = x_of(p, (double)c->at - 0.5);
		buf_printf(b, "<path stroke=\"%s\" stroke-width=\"1.5\"%s d=\"",
		    colours[c->verdict],
		    c->verdict == VERDICT_SUSPECTED ?
		    " stroke-dasharray=\"1.5 3\"" :
		    c->accepted ? " stroke-dasharray=\"5 4\"" : "");
		move_to(b, x, p->top);
		text.len = 0;
		put_label(&text, p->a, c);
		buf_printf(b, "v%d\"><title>", PLOT);
		xml_text(b, results_version(p->a, c->at));
		buf_str(b, "</title></path>\n");

		width = LETTER * (double)text.len;
		is_last = x + width > WIDTH - RIGHT;
		from = is_last ? WIDTH - RIGHT - width : x;
		for (row = 0; row < LABEL_ROWS && ends[row] > from; row++)
			;
		if (row == LABEL_ROWS)
			continue;
		ends[row] = from + width + PADDING;
		draw_text(b, is_last ? WIDTH - RIGHT : x,
		    p->top - 5 - LABEL_HEIGHT * row, 12, colours[c->verdict],
		    is_last ? "end" : "start", buf_span(&text));
	}
	buf_release(&text);
}

static void
draw_panel(struct buf *b, struct panel *p, uint64_t index)
{
	struct buf key = { 0 };

	p->top = (double)(HEAD + index * PANEL + TITLE +
	    LABEL_ROWS * LABEL_HEIGHT);
	choose_scale(p);
	phrases_key(&key, p->a, p->s->key);
	draw_text(b, LEFT, p->top - LABEL_ROWS * LABEL_HEIGHT - PADDING, 14,
	    TEXT, "start", buf_span(&key));
	buf_release(&key);
	draw_bands(b, p);
	draw_grid(b, p);
	draw_levels(b, p);

	buf_printf(b, "<path fill=\"none\" stroke=\"#54708c\" "
	    "stroke-linecap=\"round\" stroke-width=\"%s\" d=\"",
	    p->s->n > MANY ? "3" : "4.5");
	for (size_t i = 0; i < p->s->n; i++) {
		move_to(b, x_of(p, p->s->positions[i]),
		    y_of(p, p->s->values[i]));
		buf_str(b, "h0.1");
	}
	buf_str(b, "\"/>\n");
	draw_changes(b, p);
}

/* Commits and their dates along the axis, below the last panel. */
static void
draw_axis(struct buf *b, const struct panel *p, double y)
{
	size_t last = p->a->n_order - 1, n = last < TICKS ? last : TICKS - 1;
	struct buf text = { 0 };
	size_t position;

	for (size_t i = 0; i <= n; i++) {
		position = n > 0 ? last * i / n : 0;
		for (int row = 0; row < 2; row++) {
			text.len = 0;
			if (row == 0)
				phrases_id(&text, results_version(p->a,
				    position));
			else
				phrases_date(&text, p->a, position);
			draw_text(b, x_of(p, (double)position),
			    y + LABEL_HEIGHT * row, 12, FAINT, i == 0 ?
			    "start" : i == n ? "end" : "middle",
			    buf_span(&text));
		}
	}
	buf_release(&text);
}

/* The answer: what is before its colon, and below it the rest. */
static void
draw_answer(struct buf *b, const struct results *a)
{
	struct buf text = { 0 };
	struct span head, rest = span_of("", 0), line;
	char *colon;

	phrases_sentence(a, &text);
	buf_str(b, "<title>");
	xml_text(b, buf_span(&text));
	buf_str(b, "</title><desc>The points of each key, the levels between "
	    "changes with their noise, and the changes with the commits that "
	    "may have caused them.</desc>\n"
	    "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n");
	colon = strstr(buf_cstr(&text), ": ");
	head = buf_span(&text);
	if (colon != NULL) {
		head.n = (size_t)(colon - text.data);
		rest = span_str(colon + 2);
	}
	draw_text(b, PADDING, 24, 16, TEXT, "start", head);
	for (int y = 44; rest.n > 0 && y < HEAD; y += LABEL_HEIGHT) {
		line = rest;
		if (line.n > LINE)
			for (line.n = LINE; line.n > 1 &&
			    line.p[line.n - 1] != ' '; line.n--)
				;
		draw_text(b, PADDING, y, 12, TEXT, "start", line);
		rest = span_of(rest.p + line.n, rest.n - line.n);
	}
	buf_release(&text);
}

void
svg_draw(const struct results *a, struct filter *f)
{
	uint64_t n = a->n_series < a->options->top ? a->n_series :
	    a->options->top, drawn = 0;
	double height = (double)(HEAD + FOOT + n * PANEL);
	const struct change *c = a->changes, *end = c + a->n;
	struct panel p = { .a = a };
	struct buf *b = filter_out(f);
	bool *has_changes = mem_zero(a->n_series, sizeof *has_changes);

	buf_printf(b, "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" "
	    "stroke=\"none\" viewBox=\"0 0 %d %.0f\" width=\"%d\" "
	    "height=\"%.0f\">\n", WIDTH, height, WIDTH, height);
	draw_answer(b, a);

	/* First the series with changes, in the order of the answer. */
	while (drawn < n && c < end) {
		p.changes = c;
		p.s = &a->series[c->series];
		while (c < end && &a->series[c->series] == p.s)
			c++;
		p.n_changes = (size_t)(c - p.changes);
		has_changes[p.s - a->series] = true;
		draw_panel(b, &p, drawn++);
	}
	p.n_changes = 0;
	for (p.s = a->series; drawn < n && p.s < a->series + a->n_series; p.s++)
		if (!has_changes[p.s - a->series])
			draw_panel(b, &p, drawn++);
	if (n > 0)
		draw_axis(b, &p, height - FOOT + PADDING);
	buf_str(b, "</svg>\n");
	free(has_changes);
	filter_emit(f);
}
