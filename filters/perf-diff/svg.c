/* svg - draws histories with their changes */

#include <stdlib.h>

#include "common/report/svg.h"
#include "common/report/xml.h"
#include "common/stats/values.h"
#include "filters/perf-diff/results.h"
#include "filters/perf-diff/svg.h"
#include "filters/perf-diff/phrases.h"

enum { MANY = 400 };	/* points, which are then drawn paler */

/* In pixels.  The labels of changes have LABEL_ROWS lines above a plot. */
enum { WIDTH = 1100, LEFT = 90, RIGHT = 30, HEAD = 64, TITLE = 26,
    LABEL_ROWS = 2, LABEL_HEIGHT = 15, PLOT = 130, GAP = 34, FOOT = 30,
    LABEL_WIDTH = 160, PADDING = 8, GRID_MAX = 12,
    PANEL = TITLE + LABEL_ROWS * LABEL_HEIGHT + PLOT + GAP };

static const char style[] =
    "<style>\n"
    "svg{--page:#fff;--text:#222;--faint:#777;--grid:#e4e4e4;--point:#7a93ad;"
    "--level:#1f4e79;--worse:#c0392b;--better:#1e8449;--unsure:#999}\n"
    "@media(prefers-color-scheme:dark){svg{--page:#181a1b;--text:#e6e6e6;"
    "--faint:#999;--grid:#333;--point:#6f8296;--level:#9cc4ec;"
    "--worse:#ff7b6b;--better:#5fd38d;--unsure:#888}}\n"
    "text{font:12px system-ui,sans-serif;fill:var(--text)}\n"
    ".answer{font-size:17px;font-weight:600}.more{font-size:14px}\n"
    ".key{font-size:14px;font-weight:600}.faint{fill:var(--faint)}\n"
    ".right{text-anchor:end}.middle{text-anchor:middle}\n"
    ".page{fill:var(--page)}.grid{stroke:var(--grid)}\n"
    ".points{stroke:var(--point);stroke-width:5;stroke-linecap:round;"
    "fill:none}.many{stroke-width:3.5;stroke-opacity:.45}\n"
    ".level{stroke:var(--level);stroke-width:2.5;fill:none}\n"
    ".degraded{stroke:var(--worse)}.improved{stroke:var(--better)}"
    ".unverified{stroke:var(--unsure)}\n"
    ".change{stroke-width:1.5}.accepted{stroke-dasharray:5 4}\n"
    "text.degraded{fill:var(--worse);stroke:none}"
    "text.improved{fill:var(--better);stroke:none}"
    "text.unverified{fill:var(--unsure);stroke:none}\n"
    "</style>\n";

/* Where a series is drawn. */
struct panel {
	const struct results *a;
	const struct series *s;
	const struct change *changes;	/* s->n_changes of them */
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

static void
draw_text(struct buf *b, double x, double y, const char *classes,
    struct span text)
{
	struct buf attributes = { 0 };

	buf_printf(&attributes, " class=\"%s\"", classes);
	svg_text(b, tenths(x), tenths(y), buf_cstr(&attributes));
	buf_release(&attributes);
	xml_text(b, text);	/* which may come from an input */
	buf_str(b, "</text>\n");
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

/* The median of the i-th segment between changes. */
static double
level_of(const struct panel *p, size_t i)
{
	double *room, level;

	if (i > 0)
		return p->changes[i - 1].after;
	if (p->s->n_changes > 0)
		return p->changes[0].before;
	room = mem_table(p->s->n, sizeof *room);
	level = values_median(p->s->values, p->s->n, room);
	free(room);
	return level;
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
	for (size_t i = 0; i <= p->s->n_changes; i++) {
		p->low = fmin(p->low, level_of(p, i));
		p->high = fmax(p->high, level_of(p, i));
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
		buf_str(b, "<path class=\"grid\" d=\"");
		move_to(b, LEFT, y);
		line_to(b, WIDTH - RIGHT);
		buf_str(b, "\"/>");
		text.len = 0;
		phrases_value(&text, p->a, p->s->key, value);
		draw_text(b, LEFT - PADDING, y + 4, "faint right",
		    buf_span(&text));
	}
	buf_release(&text);
}

/* The medians of the segments, as steps. */
static void
draw_levels(struct buf *b, const struct panel *p)
{
	const struct series *s = p->s;
	double from = s->positions[0], to;

	buf_str(b, "<path class=\"level\" d=\"");
	for (size_t i = 0; i <= s->n_changes; i++) {
		to = i < s->n_changes ? (double)p->changes[i].last_good :
		    s->positions[s->n - 1];
		move_to(b, x_of(p, from), y_of(p, level_of(p, i)));
		line_to(b, x_of(p, to));
		if (i < s->n_changes)
			from = (double)p->changes[i].at;
	}
	buf_str(b, "\"/>\n");
}

/*
 * A line between the last point before a change and the first after it, with
 * "+5.1 % 775bc5c30e" in the first row in which there is room.
 */
static void
draw_changes(struct buf *b, const struct panel *p)
{
	struct buf text = { 0 }, classes = { 0 };
	double ends[LABEL_ROWS] = { 0 }, x;
	const struct change *c;
	int row;

	for (size_t i = 0; i < p->s->n_changes; i++) {
		c = &p->changes[i];
		x = x_of(p, ((double)c->at + (double)c->last_good) / 2);
		buf_printf(b, "<path class=\"change %s%s\" d=\"",
		    verdict_names[c->verdict], c->accepted ? " accepted" : "");
		move_to(b, x, p->top);
		buf_printf(b, "v%d\"><title>", PLOT);
		phrases_date(b, p->a, c->at);
		buf_char(b, ' ');
		xml_text(b, results_version(p->a, c->at));
		buf_str(b, "</title></path>\n");

		for (row = 0; row < LABEL_ROWS &&
		    ends[row] > x - LABEL_WIDTH / 2; row++)
			;
		if (row == LABEL_ROWS)
			continue;
		ends[row] = x + LABEL_WIDTH / 2;
		classes.len = text.len = 0;
		buf_printf(&classes, "middle %s", verdict_names[c->verdict]);
		phrases_effect(&text, c);
		buf_char(&text, ' ');
		phrases_id(&text, results_version(p->a, c->at));
		buf_str(&text, c->accepted ? " accepted" : "");
		draw_text(b, fmin(fmax(x, LABEL_WIDTH / 2),
		    WIDTH - LABEL_WIDTH / 2), p->top - 5 - LABEL_HEIGHT * row,
		    buf_cstr(&classes), buf_span(&text));
	}
	buf_release(&classes);
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
	draw_text(b, LEFT, p->top - LABEL_ROWS * LABEL_HEIGHT - PADDING,
	    "key", buf_span(&key));
	buf_release(&key);
	draw_grid(b, p);

	buf_printf(b, "<path class=\"points%s\" d=\"",
	    p->s->n > MANY ? " many" : "");
	for (size_t i = 0; i < p->s->n; i++) {
		move_to(b, x_of(p, p->s->positions[i]),
		    y_of(p, p->s->values[i]));
		buf_str(b, "h0");
	}
	buf_str(b, "\"/>\n");

	draw_levels(b, p);
	draw_changes(b, p);
}

/* A commit and its date, below the last panel. */
static void
draw_end(struct buf *b, const struct results *a, size_t position,
    const char *classes, int x, double y)
{
	struct buf text = { 0 };

	phrases_id(&text, results_version(a, position));
	buf_char(&text, ' ');
	phrases_date(&text, a, position);
	draw_text(b, x, y, classes, buf_span(&text));
	buf_release(&text);
}

/* The answer: what is before its colon, and below it the rest. */
static void
draw_answer(struct buf *b, const struct results *a)
{
	struct buf text = { 0 };
	struct span head, rest = span_of("", 0);
	char *colon;

	phrases_sentence(a, &text);
	colon = strstr(buf_cstr(&text), ": ");
	head = buf_span(&text);
	if (colon != NULL) {
		head.n = (size_t)(colon - text.data);
		rest = span_str(colon + 2);
	}
	draw_text(b, LEFT, 28, "answer", head);
	draw_text(b, LEFT, 50, "more", rest);
	buf_release(&text);
}

void
svg_draw(const struct results *a, struct filter *f)
{
	uint64_t n = a->n_series < a->options->top ? a->n_series :
	    a->options->top, drawn = 0;
	double height = (double)(HEAD + FOOT + n * PANEL);
	struct panel p = { .a = a, .changes = a->changes };
	struct buf *b = filter_out(f);

	buf_printf(b, "<svg xmlns=\"http://www.w3.org/2000/svg\" "
	    "viewBox=\"0 0 %d %.0f\" width=\"%d\" height=\"%.0f\">\n", WIDTH,
	    height, WIDTH, height);
	buf_str(b, style);
	buf_str(b, "<rect class=\"page\" width=\"100%\" height=\"100%\"/>\n");
	draw_answer(b, a);

	/* First the series with changes, in the order of the answer. */
	for (; drawn < n && p.changes < a->changes + a->n;
	    p.changes += p.s->n_changes) {
		p.s = results_series(a, p.changes->key);
		draw_panel(b, &p, drawn++);
	}
	for (p.s = a->series; drawn < n && p.s < a->series + a->n_series; p.s++)
		if (p.s->n_changes == 0)
			draw_panel(b, &p, drawn++);

	if (n > 0) {
		draw_end(b, a, 0, "faint", LEFT, height - FOOT / 2);
		draw_end(b, a, a->n_order - 1, "faint right", WIDTH - RIGHT,
		    height - FOOT / 2);
	}
	buf_str(b, "</svg>\n");
	filter_emit(f);
}
