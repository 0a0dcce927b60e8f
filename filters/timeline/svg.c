/* svg - draws timelines */

#include <stdio.h>
#include <string.h>

#include "common/base/num.h"
#include "common/report/cells.h"
#include "common/report/report-values.h"
#include "common/report/svg-label.h"
#include "common/report/svg.h"
#include "common/report/xml.h"
#include "filters/timeline/timeline.h"

/*
 * Lengths are in tenths of a pixel (svg.h).  A character of the monospaced font
 * of 11 pixels is CHAR_WIDTH wide.
 */
enum { WIDTH = 12000, MARGIN = 100, CHAR_WIDTH = 67, LINE = 160,
    BASELINE = 115, STRIP = 600, GAP = 120, PATH_ROW = 180, LEGEND_ROW = 170 };

/* A name of a host takes at most this much, and the gutter at least that. */
enum { GUTTER_MAX = 2000, GUTTER_MIN = 900 };

enum { TYPE_COLUMNS = 28 };	/* of a name in the legend */

static const char style[] =
    "svg{background:#fff;color:#000;font:11px ui-monospace,monospace;\n"
    "max-width:100%;height:auto}\n"
    "text{fill:currentColor}.bar text{fill:#000;pointer-events:none}\n"
    ".bar rect{stroke:#0009;stroke-width:.5}.bar .thin{stroke:none}\n"
    ".bar:hover rect{stroke:#000;stroke-width:1.5}\n"
    ".light text{fill:#fff}.grid{stroke:#8884;stroke-width:1}\n"
    ".end{stroke:currentColor;stroke-dasharray:4 3}\n"
    ".wait{stroke:currentColor;stroke-dasharray:2 3}\n"
    ".step rect,.step:hover rect{stroke:currentColor;stroke-width:2}\n"
    ".step .thin{stroke:currentColor;stroke-width:.5}\n"
    ".under{fill:#d55e00}.muted{opacity:.7}\n"
    "@media(prefers-color-scheme:dark){svg{background:#121212;color:#e0e0e0}\n"
    ".bar rect{stroke:#fff9}.bar:hover rect{stroke:#fff}}\n"
    "@media print{svg{background:#fff;color:#000}}\n";

struct drawing {
	struct buf *b;
	const struct pictures *all;
	int64_t left, right;	/* of the lanes */
	int64_t unit_us;	/* shorter tasks are merged */
	int64_t lane_height;	/* of runs */
	int64_t y;		/* where the next part begins */
};

/* --- places --------------------------------------------------------------- */

static int64_t
x_of(const struct drawing *d, int64_t us)
{
	return d->left + (int64_t)((double)us / (double)d->all->wall_us *
	    (double)(d->right - d->left));
}

/* Lanes get lower if there are many. */
static int64_t
lane_height(const struct pictures *all)
{
	size_t n = 0;

	for (size_t i = 0; i < all->n; i++)
		n += all->list[i].n_lanes;
	return n <= 60 ? 160 : n <= 200 ? 80 : n <= 2000 ? 30 : 10;
}

static int64_t
gutter(const struct pictures *all)
{
	int64_t width = GUTTER_MIN;

	for (size_t i = 0; i < all->n; i++)
		for (size_t k = 0; k < all->list[i].n_hosts; k++)
			width = time_later(width, 100 + CHAR_WIDTH *
			    (int64_t)cells_width(all->list[i].hosts[k]));
	return width < GUTTER_MAX ? width : GUTTER_MAX;
}

static size_t
columns_in(int64_t width)
{
	return width > 0 ? (size_t)(width / CHAR_WIDTH) : 0;
}

/* --- elements ------------------------------------------------------------- */

static void
put_line(struct buf *b, const char *class, int64_t x1, int64_t y1, int64_t x2,
    int64_t y2)
{
	buf_printf(b, "<line class=\"%s\"", class);
	svg_number(b, "x1", x1);
	svg_number(b, "y1", y1);
	svg_number(b, "x2", x2);
	svg_number(b, "y2", y2);
	buf_str(b, "/>\n");
}

/* --- bars ----------------------------------------------------------------- */

static void
put_tooltip(const struct drawing *d, const struct picture *p,
    const struct bar *bar)
{
	const struct bar_text *text = &p->texts[bar->text];
	struct buf *b = d->b;

	xml_text(b, text->name);
	if (span_compare(text->id, text->name) != 0) {
		buf_char(b, '\n');
		xml_text(b, text->id);
	}
	buf_char(b, '\n');
	xml_text(b, intern_span(&d->all->types, bar->type));
	buf_str(b, ", ");
	report_us(b, bar_length_us(bar));
	buf_str(b, ", at +");
	report_us(b, bar->start_us);
	if (p->hosts[p->lanes[bar->lane].host].n > 0) {
		buf_str(b, ", ");
		xml_text(b, p->hosts[p->lanes[bar->lane].host]);
	}
	if (bar->is_cached)
		buf_str(b, ", from the cache");
	if (bar->has_failed)
		buf_str(b, ", failed");
	if (bar->step == 0)
		return;
	buf_printf(b, "\nstep %u of %zu of the critical path", bar->step,
	    p->n_path);
	if (bar->waiting_us != INT_UNKNOWN && bar->waiting_us > 0) {
		buf_str(b, ", after waiting ");
		report_us(b, bar->waiting_us);
	}
	if (bar->potential_us != INT_UNKNOWN) {
		buf_str(b, "\nwithout it the path would be shorter by ");
		report_us(b, bar->potential_us);
	}
}

static void
put_bar(const struct drawing *d, const struct picture *p,
    const struct bar *bar, int64_t y, int64_t height)
{
	unsigned color = d->all->type_list[bar->type].color;
	bool is_dark = color == N_COLORS - 1 && !bar->has_failed;
	int64_t x = x_of(d, bar->start_us), width = x_of(d, bar->end_us) - x;
	int64_t least = bar_is_marked(d->all, bar, d->unit_us) ? 20 : 5;
	struct span name = p->texts[bar->text].name;
	struct buf *b = d->b;

	buf_printf(b, "<g class=\"bar%s%s\"", bar->step > 0 ? " step" : "",
	    is_dark ? " light" : "");
	if (bar->step > 0)
		buf_printf(b, " data-step=\"%u\"", bar->step);
	buf_str(b, "><title>");
	put_tooltip(d, p, bar);
	buf_str(b, "</title>");

	/* A step or a failure can always be seen. */
	if (width < least)
		width = least;
	svg_rect(b, x, y, width, height);
	if (width < (bar->step > 0 ? 60 : 30))	/* no room for an outline */
		buf_str(b, " class=\"thin\"");
	buf_printf(b, bar->has_failed ? " fill=\"url(#f%06x)\"/>" :
	    " fill=\"#%06x\"/>", picture_colors[color]);
	if (bar->step > 0) {
		svg_rect(b, x, y + height - 20, width, 20);
		buf_str(b, " class=\"under\" style=\"stroke:none\"/>");
	}
	if (height >= 120) {
		if (cells_width(name) > columns_in(width - 40))
			name = span_base_name(name);
		svg_label(b, name, x + 20, y + BASELINE - 10,
		    columns_in(width - 40));
	}
	buf_str(b, "</g>\n");
}

static void
put_cluster(const struct drawing *d, const struct picture *p,
    const struct cluster *c, int64_t y, int64_t height)
{
	int64_t x = x_of(d, c->start_us), width = x_of(d, c->end_us) - x;
	unsigned color = cluster_color(c);
	struct buf *b = d->b;
	int percent = cluster_opacity(c, p->lanes[c->lane].n_slots);

	buf_str(b, "<g class=\"bar\"><title>");
	buf_printf(b, "%llu tasks, ", (unsigned long long)c->n);
	report_us(b, c->busy_us);
	buf_str(b, " in all, from +");
	report_us(b, c->start_us);
	buf_str(b, "</title>");
	svg_rect(b, x, y, width < 5 ? 5 : width, height);
	buf_printf(b, " class=\"thin\" fill=\"#%06x\"", picture_colors[color]);
	if (percent < 100)
		buf_printf(b, " opacity=\".%02d\"", percent);
	buf_str(b, "/></g>\n");
}

static void
put_lanes(struct drawing *d, const struct picture *p)
{
	const struct lane *lane = p->lanes;
	const struct bar *bar;
	struct cluster c;
	int64_t free_y = d->y, height, y;
	uint32_t host = INDEX_NONE;

	for (; lane < p->lanes + p->n_lanes; lane++) {
		struct clusters walk = { d->all, p, lane, d->unit_us, 0 };

		/* Those of copies and prepares are half as high. */
		height = lane->class == LANE_RUN || d->lane_height <= 30 ?
		    d->lane_height : d->lane_height / 2;
		/* There may be no room below the name of the host above. */
		if (lane->host != host && d->y >= free_y) {
			if (height >= 80)
				put_line(d->b, "grid", MARGIN, d->y, d->right,
				    d->y);
			svg_label(d->b, p->hosts[lane->host], MARGIN,
			    d->y + BASELINE,
			    columns_in(d->left - MARGIN - CHAR_WIDTH));
			buf_char(d->b, '\n');
			free_y = d->y + LINE - 40;
		}
		host = lane->host;

		y = d->y + 10;
		d->y += height;
		height -= height > 30 ? 20 : height > 10 ? 5 : 0;
		while (clusters_next(&walk, &c))
			if (c.single != NULL)
				put_bar(d, p, c.single, y, height);
			else
				put_cluster(d, p, &c, y, height);
		/* Steps and failures are on top. */
		for (bar = p->bars + lane->first;
		    bar < p->bars + lane->first + lane->n; bar++)
			if (bar_is_marked(d->all, bar, d->unit_us))
				put_bar(d, p, bar, y, height);
	}
}

/* --- the critical path ---------------------------------------------------- */

static void
put_path(struct drawing *d, const struct picture *p)
{
	int64_t end_us = 0, y = d->y;
	struct buf *b = d->b;

	if (!p->has_path)
		return;
	svg_label(b, span_str("critical path"), MARGIN, y + BASELINE,
	    columns_in(d->left - MARGIN));
	buf_str(b, "<g class=\"path\">\n");
	for (size_t i = 0; i < p->n_path; i++) {
		const struct bar *bar = &p->bars[p->path[i]];
		bool is_marked = bar_is_marked(d->all, bar, d->unit_us);

		if (is_marked && bar->start_us > end_us) {
			buf_str(b, "<g><title>waiting ");
			report_us(b, bar->start_us - end_us);
			buf_str(b, "</title>");
			put_line(b, "wait", x_of(d, end_us), y + 80,
			    x_of(d, bar->start_us), y + 80);
			buf_str(b, "</g>\n");
		}
		if (is_marked)
			put_bar(d, p, bar, y, PATH_ROW - 20);
		end_us = time_later(end_us, bar->end_us);
	}
	buf_str(b, "</g>\n");
	d->y += PATH_ROW + 40;
}

/* --- a picture ------------------------------------------------------------ */

static void
put_facts(struct buf *b, const struct picture *p)
{
	report_us(b, p->wall_us);
	buf_printf(b, ", %zu task%s", p->n_bars, plural(p->n_bars, "", "s"));
	if (p->n_hosts > 0 && p->hosts[p->n_hosts - 1].n > 0)
		buf_printf(b, " on %zu %s%s", p->n_hosts, picture_place(p),
		    plural(p->n_hosts, "", "s"));
	buf_printf(b, ", at most %u at once, %.1f on average",
	    p->n_running_max, (double)p->busy_us / (double)p->wall_us);
	if (p->has_path) {
		buf_str(b, "; critical path ");
		report_us(b, p->path_us);
		buf_printf(b, " in %zu step%s", p->n_path,
		    plural(p->n_path, "", "s"));
	}
	if (p->n_left_out > 0)
		buf_printf(b, "; %llu without times are left out",
		    (unsigned long long)p->n_left_out);
}

/*
 * The end of the build, and ticks at round times, which have labels as far as
 * there is room beside that of the end.
 */
static void
put_axis(struct drawing *d, const struct picture *p, int64_t top)
{
	int64_t end = x_of(d, p->wall_us), step = axis_step(d->all->wall_us);
	int64_t right, x, half;
	struct buf label = { 0 };

	report_us(&label, p->wall_us);
	put_line(d->b, "end", end, top, end, d->y);
	svg_text(d->b, end, d->y + BASELINE, " text-anchor=\"end\" "
	    "font-weight=\"bold\"");
	buf_add(d->b, label.data, label.len);
	buf_str(d->b, "</text>\n");
	right = end - (int64_t)(label.len + 1) * CHAR_WIDTH;

	for (int64_t us = 0; us <= p->wall_us; us += step) {
		x = x_of(d, us);
		put_line(d->b, "grid", x, top, x, d->y);
		label.len = 0;
		axis_label(&label, us, d->all->wall_us);
		half = (int64_t)label.len * CHAR_WIDTH / 2;
		if (x + (us == 0 ? 2 * half : half) > right)
			continue;
		svg_text(d->b, x, d->y + BASELINE, us == 0 ? "" :
		    " text-anchor=\"middle\"");
		buf_add(d->b, label.data, label.len);
		buf_str(d->b, "</text>\n");
	}
	buf_release(&label);
	d->y += LINE + GAP;
}

static void
put_picture(struct drawing *d, const struct picture *p)
{
	int64_t top;

	svg_text(d->b, MARGIN, d->y + BASELINE, " font-weight=\"bold\"");
	if (p->run != NULL) {
		xml_text(d->b, text_prefix(span_str(p->run), 60));
		buf_str(d->b, ": ");
	}
	put_facts(d->b, p);
	buf_str(d->b, "</text>\n");
	d->y += LINE + 60;

	top = d->y;
	if (p->n_bars > 0) {
		strip_put(d->b, d->all, p, x_of(d, 0), d->y,
		    x_of(d, p->wall_us), STRIP);
		svg_text(d->b, MARGIN, d->y + BASELINE, "");
		buf_printf(d->b, "%u at once</text>\n", p->n_running_max);
		d->y += STRIP;
		put_line(d->b, "grid", MARGIN, d->y, d->right, d->y);
		d->y += GAP;
		put_path(d, p);
		put_lanes(d, p);
	}
	put_axis(d, p, top);
}

/* --- the whole ------------------------------------------------------------ */

/* Writes an entry of the legend at *x, or on a new line. */
static void
put_key(struct drawing *d, int64_t *x, struct span name, const char *fill)
{
	size_t columns = cells_width(name);
	int64_t width = 140 + (int64_t)((columns > TYPE_COLUMNS ?
	    TYPE_COLUMNS : columns) + 2) * CHAR_WIDTH;

	if (*x + width > d->right) {
		*x = d->left;
		d->y += LEGEND_ROW;
	}
	svg_rect(d->b, *x, d->y + 20, 100, 100);
	buf_printf(d->b, " fill=\"%s\"/>", fill);
	svg_label(d->b, name, *x + 140, d->y + BASELINE, TYPE_COLUMNS);
	buf_char(d->b, '\n');
	*x += width;
}

static void
put_legend(struct drawing *d)
{
	const struct pictures *all = d->all;
	int64_t x = d->left;
	bool has_rest = false, has_failed = false;
	char fill[16];

	for (unsigned color = 0; color < N_COLORS; color++)
		for (sym i = 0; i < all->types.n && !has_rest; i++) {
			if (all->type_list[i].color != color)
				continue;
			has_rest = color == N_COLORS - 1;
			snprintf(fill, sizeof fill, "#%06x",
			    picture_colors[color]);
			put_key(d, &x, has_rest ? span_str("all others") :
			    intern_span(&all->types, i), fill);
		}

	for (size_t i = 0; i < all->n; i++)
		for (size_t k = 0; k < all->list[i].n_bars && !has_failed; k++)
			has_failed = all->list[i].bars[k].has_failed;
	if (has_failed) {
		snprintf(fill, sizeof fill, "url(#f%06x)",
		    picture_colors[N_COLORS - 1]);
		put_key(d, &x, span_str("failed"), fill);
	}
	d->y += LEGEND_ROW;
}

static void
put_header(struct buf *b, const struct pictures *all, int64_t height)
{
	buf_str(b, "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" "
	    "aria-labelledby=\"t d\"");
	svg_number(b, "width", WIDTH);
	svg_number(b, "height", height);
	buf_printf(b, " viewBox=\"0 0 %d %lld\">\n<title id=\"t\">Timeline",
	    WIDTH / 10, (long long)(height + 9) / 10);
	if (all->n == 1 && all->list[0].run != NULL) {
		buf_str(b, " of ");
		xml_text(b, text_prefix(span_str(all->list[0].run), 60));
	}
	buf_str(b, "</title>\n<desc id=\"d\">");
	for (size_t i = 0; i < all->n && i < 10; i++) {
		put_facts(b, &all->list[i]);
		buf_str(b, ". ");
	}
	/* Failed tasks are crosses in the color of their type. */
	buf_printf(b, "</desc>\n<style>\n%s</style>\n<defs>", style);
	for (size_t i = 0; i < N_COLORS; i++)
		buf_printf(b, "<pattern id=\"f%06x\" width=\"8\" height=\"8\" "
		    "patternUnits=\"userSpaceOnUse\"><rect width=\"8\" "
		    "height=\"8\" fill=\"#fff\"/><path d=\"M0 0L8 8M0 8L8 0\" "
		    "stroke=\"#%06x\" stroke-opacity=\".6\"/></pattern>\n",
		    picture_colors[i], picture_colors[i]);
	buf_str(b, "</defs>\n");
}

/*
 * The shortest length of bars that need not be merged: at least half a pixel,
 * and so long that at most bars_max bars are left.  An eighth more than needed
 * does not matter.
 */
static int64_t
find_unit(const struct drawing *d, size_t bars_max)
{
	int64_t enough = d->all->wall_us * 5 / (d->right - d->left) + 1;
	int64_t too_little = enough, middle;
	uint64_t n_merged;

	while (clusters_count(d->all, enough, &n_merged) > bars_max &&
	    enough < d->all->wall_us) {
		too_little = enough;
		enough *= 2;
	}
	while (enough - too_little > enough / 8) {
		middle = too_little + (enough - too_little) / 2;
		if (clusters_count(d->all, middle, &n_merged) > bars_max)
			too_little = middle;
		else
			enough = middle;
	}
	return enough;
}

void
svg_put(struct buf *b, const struct pictures *all, size_t bars_max)
{
	struct buf header = { 0 };
	struct drawing d = { .b = b, .all = all, .y = MARGIN,
	    .left = MARGIN + gutter(all), .right = WIDTH - MARGIN,
	    .lane_height = lane_height(all) };
	size_t from = b->len;
	bool has_path = false;
	uint64_t n_merged;

	d.unit_us = find_unit(&d, bars_max);
	clusters_count(all, d.unit_us, &n_merged);
	for (size_t i = 0; i < all->n; i++) {
		put_picture(&d, &all->list[i]);
		has_path |= all->list[i].has_path;
	}
	put_legend(&d);

	if (has_path) {
		svg_text(b, d.left, d.y + BASELINE, " class=\"muted\"");
		buf_str(b, "The critical path has an outline and a line "
		    "below it; dashes are its waiting.</text>\n");
		d.y += LINE;
	}
	if (n_merged > 0) {
		svg_text(b, d.left, d.y + BASELINE, " class=\"muted\"");
		buf_printf(b, "%llu task%s shorter than ",
		    (unsigned long long)n_merged, plural(n_merged, "", "s"));
		report_us(b, d.unit_us);
		buf_printf(b, " %s merged with %s neighbors; paler is less "
		    "busy.</text>\n", plural(n_merged, "is", "are"),
		    plural(n_merged, "its", "their"));
		d.y += LINE;
	}

	buf_str(b, "</svg>\n");

	/* The header has the height, which is known now. */
	put_header(&header, all, d.y + MARGIN);
	buf_need(b, header.len);
	memmove(b->data + from + header.len, b->data + from, b->len - from);
	memcpy(b->data + from, header.data, header.len);
	b->len += header.len;
	buf_release(&header);
}
