/* svg - draws histories with their changes */

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "common/report/svg.h"
#include "common/report/xml.h"
#include "common/stats/values.h"
#include "filters/perf-diff/perf-diff.h"

/* Points, which are then drawn smaller. */
enum { MANY = 400 };

/* In pixels.  The labels of changes have LABEL_ROWS lines above a plot. */
enum { WIDTH = 830, LEFT = 76, RIGHT = 14, HEAD = 76, TITLE = 24,
    LABEL_ROWS = 3, LABEL_HEIGHT = 15, PLOT = 120, GAP = 26, FOOT = 40,
    PADDING = 8, GRID_MAX = 12, LETTER = 7, TICKS = 5, SUBJECT_MAX = 36,
    PANEL = TITLE + LABEL_ROWS * LABEL_HEIGHT + PLOT + GAP,
    LINE = (WIDTH - 2 * PADDING) / LETTER };	/* bytes of the answer */

#define TEXT	"#222222"
#define FAINT	"#6b6b6b"

/* The colours of a change and of its range, by the verdicts that they have. */
static const char *const colours[] = { [VERDICT_DEGRADED] = "#c0392b",
    [VERDICT_IMPROVED] = "#1e8449", [VERDICT_SUSPECTED] = "#b9770e" };
static const char *const pale_colours[] = { [VERDICT_DEGRADED] = "#f8e4e1",
    [VERDICT_IMPROVED] = "#dff0e5" };

/* Where a series is drawn. */
struct panel {
	const struct results *a;
	const struct result *r;
	double top;			/* of the plot */
	double low, high;		/* the values at its bottom and top */
};

/* Lengths are computed in pixels and written by svg.h, which has tenths. */
static int64_t
tenths(double pixels)
{
	return llround(pixels * 10);
}

/* A point of a path: M begins a line there, L draws one to it. */
static void
put_point(struct buf *b, char command, double x, double y)
{
	buf_char(b, command);
	svg_length(b, tenths(x));
	buf_char(b, ' ');
	svg_length(b, tenths(y));
}

/* A horizontal line. */
static void
draw_line(struct buf *b, double x0, double x1, double y, const char *stroke)
{
	buf_printf(b, "<path stroke=%s d=\"", stroke);
	put_point(b, 'M', x0, y);
	buf_char(b, 'H');
	svg_length(b, tenths(x1));
	buf_str(b, "\"/>\n");
}

/* anchor: "start", "middle" or "end". */
static void
draw_text(struct buf *b, double x, double y, int size, const char *colour,
    const char *anchor, const char *text)
{
	struct buf attributes = { 0 };

	buf_printf(&attributes, " font-family=\"system-ui,sans-serif\" "
	    "font-size=\"%d\" fill=\"%s\" text-anchor=\"%s\"%s", size,
	    colour, anchor, size > 12 ? " font-weight=\"600\"" : "");
	svg_text(b, tenths(x), tenths(y), buf_cstr(&attributes));
	buf_release(&attributes);
	xml_text(b, span_str(text));	/* which may come from an input */
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
	size_t n = p->r->n;
	double *sorted = mem_table(n, sizeof *sorted), pad;

	memcpy(sorted, p->r->values, n * sizeof *sorted);
	values_sort(sorted, n);
	p->low = sorted[n / 100];
	p->high = sorted[n - 1 - n / 100];
	free(sorted);
	for (size_t i = 0; i < p->r->n_levels; i++) {
		p->low = fmin(p->low, p->r->levels[i].value);
		p->high = fmax(p->high, p->r->levels[i].value);
	}
	pad = p->high > p->low ? (p->high - p->low) / PADDING :
	    fmax(p->high / PADDING, 1);
	p->low = fmax(0, p->low - pad);
	p->high += pad;
}

static void
draw_grid(struct buf *b, const struct panel *p)
{
	double range = p->high - p->low, value;
	double step = pow(10, floor(log10(range)));

	/* A step between lines is 1, 2 or 5 times a power of ten. */
	step *= range / step < 2 ? 0.5 : range / step < 5 ? 1 : 2;
	for (int i = 0; i < GRID_MAX; i++) {
		value = (ceil(p->low / step) + i) * step;
		if (!(value <= p->high))
			break;
		draw_line(b, LEFT, WIDTH - RIGHT, y_of(p, value),
		    "\"#e4e4e4\"");
		draw_text(b, LEFT - PADDING, y_of(p, value) + 4, 12, FAINT,
		    "end", say_value(p->a, p->r->key, value));
	}
}

/* Where a level begins and ends, on the axis of the commits. */
static double
begin_of(const struct panel *p, size_t level)
{
	return x_of(p, (double)p->r->positions[p->r->levels[level].at]);
}

static double
end_of(const struct panel *p, size_t level)
{
	size_t end = level + 1 < p->r->n_levels ? p->r->levels[level + 1].at :
	    p->r->n;

	return x_of(p, (double)p->r->positions[end - 1]);
}

/* Is it one of the two levels of a segment that grows?  A mark shows those. */
static bool
is_growing(const struct result *r, size_t level)
{
	return r->levels[level].grows || (level + 1 < r->n_levels &&
	    r->levels[level + 1].grows);
}

/* The noise around the levels, and the ranges of the changes. */
static void
draw_bands(struct buf *b, const struct panel *p)
{
	const struct change *c = p->r->changes;
	const struct level *v;

	for (size_t i = 0; i < p->r->n_levels; i++) {
		v = &p->r->levels[i];
		if (!is_growing(p->r, i))
			draw_band(b, begin_of(p, i), end_of(p, i),
			    y_of(p, v->value + 2 * v->sigma),
			    y_of(p, v->value - 2 * v->sigma), "#e8edf1");
	}
	for (; c < p->r->changes + p->r->n_changes; c++)
		if (c->verdict != VERDICT_GONE)
			draw_band(b, x_of(p, (double)c->first - 0.5),
			    x_of(p, (double)c->last), p->top,
			    p->top + PLOT, pale_colours[c->verdict]);
}

/* The levels between splits, as steps, and the points. */
static void
draw_series(struct buf *b, const struct panel *p)
{
	const struct result *r = p->r;

	for (size_t i = 0; i < r->n_levels; i++)
		if (!is_growing(r, i))
			draw_line(b, begin_of(p, i), end_of(p, i),
			    y_of(p, r->levels[i].value),
			    "\"#1f4e79\" stroke-width=\"2.5\"");
	buf_printf(b, "<path fill=\"none\" stroke=\"#54708c\" "
	    "stroke-linecap=\"round\" stroke-width=\"%s\" d=\"",
	    r->n > MANY ? "3" : "4.5");
	for (size_t i = 0; i < r->n; i++) {
		put_point(b, 'M', x_of(p, (double)r->positions[i]),
		    y_of(p, r->values[i]));
		buf_str(b, "h0.1");
	}
	buf_str(b, "\"/>\n");
}

/* "+5.1 % 775bc5c30e 2026-10-05 Use a map" */
static const char *
label_of(const struct results *a, const struct change *c)
{
	const char *subject = say_subject(a, c->at);
	struct span head = text_prefix(span_str(subject), SUBJECT_MAX);

	if (c->grows)
		return say("%s, growing%s", say_effect(c),
		    c->accepted ? ", accepted" : "");
	return say("%s %s%s %s %.*s%s%s", say_effect(c),
	    c->n_steps > 1 ? "up to " : "", say_commit(a, c->at),
	    say_date(a, c->at), SPAN_ARG(head),
	    subject[head.n] != '\0' ? "..." : "",
	    c->accepted ? " accepted" : "");
}

/*
 * A line before the first point of a change or, if no commit made it alone, the
 * way that the level went; with a label in the first row in which there is
 * room.  ends: those of the labels.
 */
static void
draw_change(struct buf *b, const struct panel *p, const struct change *c,
    double *ends)
{
	double x = x_of(p, (double)c->at - 0.5), from, width;
	const char *label = label_of(p->a, c);
	bool is_last;
	int row;

	buf_printf(b, "<path stroke=\"%s\" stroke-width=\"1.5\"%s d=\"",
	    colours[c->verdict], c->verdict == VERDICT_SUSPECTED ?
	    " stroke-dasharray=\"1.5 3\"" :
	    c->accepted ? " stroke-dasharray=\"5 4\"" : "");
	if (c->n_steps > 1 || c->grows) {
		put_point(b, 'M', x_of(p, (double)c->first),
		    y_of(p, c->before));
		put_point(b, 'L', x_of(p, (double)(c->grows ? c->last :
		    c->at)), y_of(p, c->after));
	} else {
		put_point(b, 'M', x, p->top);
		buf_printf(b, "v%d", PLOT);
	}
	buf_str(b, "\"><title>");
	xml_text(b, results_version(p->a, c->at));
	buf_str(b, "</title></path>\n");

	width = LETTER * (double)strlen(label);
	is_last = x + width > WIDTH - RIGHT;
	from = is_last ? WIDTH - RIGHT - width : x;
	for (row = 0; row < LABEL_ROWS && ends[row] > from; row++)
		;
	if (row == LABEL_ROWS)
		return;
	ends[row] = from + width + PADDING;
	draw_text(b, is_last ? WIDTH - RIGHT : x, p->top - 5 -
	    LABEL_HEIGHT * row, 12, colours[c->verdict], is_last ? "end" :
	    "start", label);
}

/* The changes, and the state today if it is none of them. */
static void
draw_changes(struct buf *b, const struct panel *p)
{
	const struct change *c = p->r->changes, *today = &p->r->today;
	double ends[LABEL_ROWS] = { 0 };
	bool is_one = false;

	for (; c < p->r->changes + p->r->n_changes; c++)
		if (c->verdict != VERDICT_GONE) {
			draw_change(b, p, c, ends);
			is_one |= c->is_today;
		}
	if (today->n_steps > 0 && !is_one)
		draw_change(b, p, today, ends);
}

/* Commits and their dates along the axis, below the last panel. */
static void
draw_axis(struct buf *b, const struct panel *p, double y)
{
	size_t last = p->a->n_order - 1, n = last < TICKS ? last : TICKS - 1;
	const char *anchor;
	size_t position;
	double x;

	for (size_t i = 0; i <= n; i++) {
		position = n > 0 ? last * i / n : 0;
		x = x_of(p, (double)position);
		anchor = i == 0 ? "start" : i == n ? "end" : "middle";
		draw_text(b, x, y, 12, FAINT, anchor, say_commit(p->a,
		    position));
		draw_text(b, x, y + LABEL_HEIGHT, 12, FAINT, anchor,
		    say_date(p->a, position));
	}
}

/*
 * The answer: its first clause, and below it the rest.  Its lines end at blanks
 * but within a name that is longer than a line.
 */
static void
draw_answer(struct buf *b, const struct results *a)
{
	const char *text = say_sentence(a, SENTENCE_ANSWER), *end = text;
	bool is_last;
	size_t n, blank;

	while (*end != '\0' && (strchr(":;.,", *end) == NULL || end[1] != ' '))
		end++;
	n = (size_t)(end - text);

	buf_str(b, "<title>");
	xml_text(b, span_str(text));
	buf_str(b, "</title><desc>The points of each key, the levels between "
	    "changes with their noise, and the changes with the commits that "
	    "may have caused them.</desc>\n"
	    "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n");
	/* It begins with a number or with a small letter. */
	draw_text(b, PADDING, 24, 16, TEXT, "start", say("%c%.*s",
	    toupper((unsigned char)*text), (int)n - 1, text + 1));
	text = *end != '\0' ? end + 2 : end;
	for (int y = 44; *text != '\0' && y < HEAD; y += LABEL_HEIGHT) {
		is_last = y + LABEL_HEIGHT >= HEAD;
		n = strlen(text);
		if (n > LINE) {
			n = text_prefix(span_str(text), is_last ?
			    LINE - strlen("...") : LINE).n;
			for (blank = n; blank > 0 && text[blank - 1] != ' ';
			    blank--)
				;
			if (blank > 0)
				n = blank;
		}
		draw_text(b, PADDING, y, 12, TEXT, "start", say("%.*s%s",
		    (int)n, text, is_last && text[n] != '\0' ? "..." : ""));
		text += n;
	}
}

void
svg_draw(const struct results *a, struct filter *f)
{
	size_t n = a->n < a->options->top ? a->n : a->options->top;
	double height = (double)(HEAD + FOOT + n * PANEL);
	struct panel p = { .a = a };
	struct buf *b = filter_out(f);

	buf_printf(b, "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" "
	    "stroke=\"none\" viewBox=\"0 0 %d %.0f\" width=\"%d\" "
	    "height=\"%.0f\">\n", WIDTH, height, WIDTH, height);
	draw_answer(b, a);
	for (size_t i = 0; i < n; i++) {
		p.r = &a->list[i];
		p.top = (double)(HEAD + i * PANEL + TITLE +
		    LABEL_ROWS * LABEL_HEIGHT);
		choose_scale(&p);
		draw_text(b, LEFT, p.top - LABEL_ROWS * LABEL_HEIGHT - PADDING,
		    14, TEXT, "start", say_key(a, p.r->key));
		draw_bands(b, &p);
		draw_grid(b, &p);
		draw_series(b, &p);
		draw_changes(b, &p);
	}
	if (n > 0)
		draw_axis(b, &p, height - FOOT + PADDING);
	buf_str(b, "</svg>\n");
	filter_emit(f);
}
