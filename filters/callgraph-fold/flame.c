/* flame - writes stacks as a flame graph: one SVG file with zoom and search */

#include <stdlib.h>

#include "common/base/num.h"
#include "common/report/cells.h"
#include "common/report/report-values.h"
#include "common/report/svg-label.h"
#include "common/report/svg.h"
#include "common/report/xml.h"
#include "filters/callgraph-fold/callgraph-fold.h"

/*
 * Sizes are in tenths of a pixel, which is how they are written, so that the
 * bytes do not depend on how the processor rounds.  CHAR_WIDTH is that of a
 * monospaced font of 12 pixels.
 */
enum { WIDTH = 12000, MARGIN = 100, ROW = 180, BOX = ROW - 10, TOP = 500,
    CHAR_WIDTH = 73, PADDING = 40, BASELINE = 130, LEGEND = 250 };

/*
 * Narrower boxes are not drawn, nor are deeper levels.  If there are more than
 * BOXES_MAX boxes, the least width is doubled until there are not.  A longer
 * name is truncated in tooltips.
 */
enum { LEAST_WIDTH = 5, DEPTH_MAX = 200, BOXES_MAX = 12000,
    NAME_MAX_BYTES = 300 };

/*
 * Of svg.h, those with enough contrast to black text.  The modules with the
 * greatest sums have the first ones, all others the last.
 */
static const unsigned colors[] = { SVG_ORANGE, SVG_SKY, SVG_GREEN, SVG_YELLOW,
    SVG_PURPLE, SVG_GRAY };
enum { N_COLORS = sizeof colors / sizeof *colors };

static const char script[] =
#include "filters/callgraph-fold/flame.js.h"
;

static const char style[] =
    "svg{background:#fff;color:#000;font:12px ui-monospace,monospace;\n"
    "max-width:100%;height:auto}\n"
    "text{fill:currentColor}.box text{fill:#000;pointer-events:none}\n"
    ".box rect{stroke:#fff;stroke-width:.5}\n"
    ".box,#controls text{cursor:pointer}\n"
    ".box:hover rect,.box:focus rect{stroke:#000;stroke-width:1.5}\n"
    ".searched .box{opacity:.3}.searched .hit{opacity:1}\n"
    ".searched .hit rect{stroke:#000;stroke-width:1.5}\n"
    "@media(prefers-color-scheme:dark){svg{background:#121212;color:#e0e0e0}\n"
    ".box rect{stroke:#121212}.box:hover rect,.box:focus rect,\n"
    ".searched .hit rect{stroke:#fff}}\n";

/* A level of the walk: the callees of one stack. */
struct level {
	int64_t next;		/* where the next callee begins, as a value */
	int64_t smaller;	/* the sum of those that are too narrow */
	uint64_t n_smaller;
};

struct flame {
	const struct stacks *s;
	unsigned measure;
	int64_t *sums;		/* by stack, with its callees */
	int64_t total;
	sym ranked[N_COLORS - 1];	/* modules, the greatest sum first */
	int64_t ranked_sums[N_COLORS - 1];
	size_t n_ranked;

	int64_t least_width;
	struct level levels[DEPTH_MAX + 1];
	size_t depth, depth_max, n_boxes;	/* of what is drawn */
	bool is_cut;		/* a stack is deeper than DEPTH_MAX */
};

/* --- elements ------------------------------------------------------------- */

static void
put_value(struct buf *b, const struct flame *fl, int64_t value)
{
	if (measure_is_time(fl->measure))
		report_ns(b, value);
	else
		buf_printf(b, "%lld %s%s", (long long)value,
		    fl->measure == SAMPLES ? "sample" : "call",
		    plural(value, "", "s"));
}

static void
put_share(struct buf *b, const struct flame *fl, int64_t value)
{
	if (fl->total == 0)
		return;
	buf_str(b, ", ");
	report_percent(b, (double)value / (double)fl->total);
}

/* Writes a name without its arguments if they do not fit into the width. */
static void
put_label(struct buf *b, struct span name, int64_t x, int64_t y, int64_t width)
{
	size_t room = width > 2 * PADDING ?
	    (size_t)(width - 2 * PADDING) / CHAR_WIDTH : 0;
	const char *arguments = memchr(name.p, '(', name.n);

	if (cells_width(name) > room && arguments != NULL &&
	    arguments > name.p)
		name.n = (size_t)(arguments - name.p);
	svg_label(b, name, x + PADDING, y + BASELINE, room);
}

/* --- colors --------------------------------------------------------------- */

/* Finds the modules in which the most was measured. */
static void
rank_modules(struct flame *fl)
{
	const struct stacks *s = fl->s;
	const struct intern *texts = &s->functions.texts;
	int64_t *sums = mem_zero(texts->n + 1, sizeof *sums), *sum;
	sym best;

	for (size_t i = 0; i < s->n; i++) {
		sym module = s->frames[s->list[i].frame].module;

		if (module == SYM_NONE)
			continue;
		sum = &sums[module];
		*sum = saturating_add(*sum, s->list[i].measures[fl->measure]);
	}
	for (size_t rank = 0; rank < N_COLORS - 1; rank++) {
		best = SYM_NONE;
		for (sym i = 0; i < texts->n; i++)
			if (sums[i] > 0 && (best == SYM_NONE ||
			    sums[i] > sums[best] || (sums[i] == sums[best] &&
			    intern_cmp(texts, i, best) < 0)))
				best = i;
		if (best == SYM_NONE)
			break;
		fl->ranked[fl->n_ranked] = best;
		fl->ranked_sums[fl->n_ranked++] = sums[best];
		sums[best] = 0;
	}
	free(sums);
}

static unsigned
color_of_module(const struct flame *fl, sym module)
{
	for (size_t i = 0; i < fl->n_ranked; i++)
		if (fl->ranked[i] == module)
			return colors[i];
	return colors[N_COLORS - 1];
}

/* Mixes a color with white, by 0 to 36 %, depending on the name. */
static unsigned
vary(unsigned color, struct span name)
{
	uint32_t hash = 2166136261u;	/* FNV-1a */
	unsigned white, mixed = 0;

	for (size_t i = 0; i < name.n; i++)
		hash = (hash ^ (unsigned char)name.p[i]) * 16777619u;
	white = hash % 5 * 9;
	for (unsigned shift = 0; shift < 24; shift += 8) {
		unsigned part = color >> shift & 0xff;

		mixed |= (part + (0xff - part) * white / 100) << shift;
	}
	return mixed;
}

/* --- boxes ---------------------------------------------------------------- */

/* Where a value is in the picture. */
static int64_t
place_of(const struct flame *fl, int64_t value)
{
	return fl->total == 0 ? MARGIN : MARGIN + (int64_t)((double)value /
	    (double)fl->total * (WIDTH - 2 * MARGIN));
}

static void
put_tooltip(struct buf *b, const struct flame *fl, uint32_t stack)
{
	const struct frame *frame = &fl->s->frames[fl->s->list[stack].frame];
	const int64_t *measures = fl->s->list[stack].measures;

	xml_text(b, text_prefix(frame->name, NAME_MAX_BYTES));
	if (frame->file.n > 0) {
		buf_char(b, '\n');
		xml_text(b, text_prefix(frame->file, NAME_MAX_BYTES));
		if (frame->line > 0)
			buf_printf(b, ":%lld", (long long)frame->line);
	}
	buf_str(b, "\nwith what it calls: ");
	put_value(b, fl, fl->sums[stack]);
	put_share(b, fl, fl->sums[stack]);
	buf_str(b, "\nby itself: ");
	put_value(b, fl, measures[fl->measure]);
	put_share(b, fl, measures[fl->measure]);
	if (fl->measure != CALLS && fl->s->is_measured[CALLS])
		buf_printf(b, "\n%lld call%s", (long long)measures[CALLS],
		    plural(measures[CALLS], "", "s"));
}

/* Draws the sum of the callees that are too narrow to be drawn. */
static void
draw_smaller(struct flame *fl, struct buf *b)
{
	const struct level *l = &fl->levels[fl->depth];
	int64_t x = place_of(fl, l->next);
	int64_t width = place_of(fl, saturating_add(l->next, l->smaller)) - x;
	int64_t y = TOP + (int64_t)(fl->depth + 1) * ROW;

	if (width < 10)
		return;
	fl->n_boxes++;
	if (b == NULL)
		return;
	buf_printf(b, "<g class=\"box\"><title>%llu smaller\n",
	    (unsigned long long)l->n_smaller);
	put_value(b, fl, l->smaller);
	put_share(b, fl, l->smaller);
	buf_str(b, "</title>");
	svg_rect(b, x, y, width, BOX);
	buf_str(b, " fill=\"url(#smaller)\"/></g>\n");
}

/*
 * Enters a stack, and draws its box or, if b is NULL, only counts it; false if
 * neither it nor what it calls is drawn.
 */
static bool
enter(struct flame *fl, struct buf *b, uint32_t stack)
{
	const struct frame *frame = &fl->s->frames[fl->s->list[stack].frame];
	struct level *l = &fl->levels[fl->depth];
	int64_t at = l->next, end = saturating_add(at, fl->sums[stack]);
	int64_t x = place_of(fl, at), y = TOP + (int64_t)(fl->depth + 1) * ROW;
	int64_t width = place_of(fl, end) - x;

	if (fl->depth == DEPTH_MAX) {
		fl->is_cut = true;
		return false;
	}
	if (width < fl->least_width) {
		l->smaller = saturating_add(l->smaller, fl->sums[stack]);
		l->n_smaller++;
		return false;
	}
	fl->n_boxes++;
	if (b != NULL) {
		buf_str(b, "<g class=\"box\" tabindex=\"0\"><title>");
		put_tooltip(b, fl, stack);
		buf_str(b, "</title>");
		svg_rect(b, x, y, width, BOX);
		buf_printf(b, " fill=\"#%06x\"/>", vary(color_of_module(fl,
		    frame->module), frame->name));
		put_label(b, frame->name, x, y, width);
		buf_str(b, "</g>\n");
	}
	l->next = end;
	fl->levels[++fl->depth] = (struct level){ .next = at };
	if (fl->depth > fl->depth_max)
		fl->depth_max = fl->depth;
	return true;
}

/* Draws all boxes; b is NULL to count them only. */
static void
draw(struct flame *fl, struct buf *b)
{
	size_t hidden = 0;	/* levels of the walk that are not drawn */
	struct tree t;

	fl->n_boxes = fl->depth = 0;
	fl->levels[0] = (struct level){ 0 };
	stacks_tree(fl->s, &t);
	while (tree_next(&t)) {
		if (hidden > 0) {
			hidden += t.enters ? 1 : (size_t)-1;
		} else if (!t.enters) {
			draw_smaller(fl, b);
			fl->depth--;
		} else if (!enter(fl, b, t.node)) {
			hidden = 1;
		}
	}
	draw_smaller(fl, b);
	tree_release(&t);
}

/* --- the picture ---------------------------------------------------------- */

/* Writes what is measured, such as "app: 8.1 ms". */
static void
put_title(struct buf *b, const struct flame *fl)
{
	struct span program = stacks_program(fl->s);

	if (program.n > 0) {
		xml_text(b, text_prefix(program, 80));
		buf_str(b, ": ");
	}
	put_value(b, fl, fl->total);
}

static void
put_header(struct buf *b, const struct flame *fl, int64_t height)
{
	buf_str(b, "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" "
	    "aria-labelledby=\"t d\"");
	svg_number(b, "width", WIDTH);
	svg_number(b, "height", height);
	buf_printf(b, " viewBox=\"0 0 %d %lld\">\n<title id=\"t\">", WIDTH / 10,
	    (long long)(height + 9) / 10);
	put_title(b, fl);
	buf_printf(b, "</title>\n<desc id=\"d\">A flame graph: the width of a "
	    "box is what was measured in a function and in what it calls, "
	    "which is below it.</desc>\n<style>\n%s</style>\n", style);
	buf_str(b, "<defs><pattern id=\"smaller\" width=\"6\" height=\"6\" "
	    "patternUnits=\"userSpaceOnUse\"><rect width=\"6\" height=\"6\" "
	    "fill=\"#ccc\"/><path d=\"M0 6L6 0\" stroke=\"#666\"/></pattern>"
	    "</defs>\n");
	svg_text(b, MARGIN, 200, " font-weight=\"bold\"");
	put_title(b, fl);
	buf_str(b, "</text>\n");
	svg_text(b, MARGIN, 380, "");
	buf_str(b, "Each box is a function; what it calls is below it, in "
	    "order of names. Its width is its share.");
	if (fl->is_cut)
		buf_printf(b, " Deeper than %d calls is not shown.", DEPTH_MAX);
	buf_str(b, "</text>\n<g id=\"controls\" style=\"display:none\">");
	svg_text(b, WIDTH - MARGIN, 200, " id=\"search\" text-anchor=\"end\" "
	    "text-decoration=\"underline\"");
	buf_str(b, "search (/)</text>");
	svg_text(b, WIDTH - MARGIN - 1000, 200, " id=\"reset\" "
	    "text-anchor=\"end\" text-decoration=\"underline\"");
	buf_str(b, "show all (Esc)</text>");
	svg_text(b, WIDTH - MARGIN, 380, " id=\"status\" text-anchor=\"end\"");
	buf_str(b, "</text></g>\n");
}

static void
put_legend(struct buf *b, const struct flame *fl, int64_t y)
{
	enum { COLUMN = (WIDTH - 2 * MARGIN) / N_COLORS };
	struct buf label = { 0 };

	for (size_t i = 0; i < fl->n_ranked; i++) {
		int64_t x = MARGIN + (int64_t)i * COLUMN;
		struct span name = intern_span(&fl->s->functions.texts,
		    fl->ranked[i]);

		buf_str(b, "<rect");
		svg_number(b, "x", x);
		svg_number(b, "y", y);
		buf_printf(b, " width=\"12\" height=\"12\" fill=\"#%06x\"/>",
		    colors[i]);
		label.len = 0;
		report_percent(&label, fl->total == 0 ? 0 :
		    (double)fl->ranked_sums[i] / (double)fl->total);
		buf_char(&label, ' ');
		buf_add(&label, name.p, name.n);
		put_label(b, buf_span(&label), x + 150, y - 20, COLUMN - 150);
		buf_char(b, '\n');
	}
	buf_release(&label);
}

void
put_svg(struct filter *f, const struct stacks *s, unsigned measure)
{
	struct buf *b = filter_out(f);
	struct flame fl = { .s = s, .measure = measure,
	    .sums = stacks_inclusive(s, measure), .least_width = LEAST_WIDTH };
	int64_t bottom;

	for (size_t i = 0; i < s->n; i++)
		if (s->list[i].parent == INDEX_NONE)
			fl.total = saturating_add(fl.total, fl.sums[i]);
	rank_modules(&fl);
	for (; draw(&fl, NULL), fl.n_boxes > BOXES_MAX; fl.least_width *= 2)
		;
	bottom = TOP + (int64_t)(fl.depth_max + 2) * ROW + MARGIN;

	put_header(b, &fl, bottom + LEGEND);
	/* The box above all stacks, to which the picture is reset. */
	buf_str(b, "<g class=\"box\" tabindex=\"0\"><title>all\n");
	put_value(b, &fl, fl.total);
	buf_str(b, "</title>");
	svg_rect(b, MARGIN, TOP, WIDTH - 2 * MARGIN, BOX);
	buf_str(b, " fill=\"#ccc\"/>");
	put_label(b, span_str("all"), MARGIN, TOP, WIDTH);
	buf_str(b, "</g>\n");
	draw(&fl, b);
	put_legend(b, &fl, bottom);
	buf_printf(b, "<script>\n%s</script>\n</svg>\n", script);
	filter_emit(f);
	free(fl.sums);
}
