/* strip - draws how many tasks ran at each time */

#include <stdlib.h>

#include "common/base/buf.h"
#include "common/base/mem.h"
#include "filters/timeline/picture.h"
#include "filters/timeline/strip.h"

/* All pictures together have about COLUMNS_ALL columns. */
enum { COLUMNS_MAX = 540, COLUMNS_MIN = 60, COLUMNS_ALL = 5400 };

/*
 * For each color and column the mean number of tasks that ran.  `partial` has
 * the parts of columns at the ends of tasks; `change` has differences, so that
 * a long task costs no more than a short one.
 */
struct strip {
	size_t n;			/* columns */
	double *partial, *change;	/* by color and column */
};

static void
add_bar(struct strip *s, unsigned color, double from, double to)
{
	double *partial = s->partial + color * (s->n + 1);
	double *change = s->change + color * (s->n + 1);
	size_t first = (size_t)from, last = (size_t)to;

	if (first == last) {
		partial[first] += to - from;
		return;
	}
	partial[first] += (double)(first + 1) - from;
	partial[last] += to - (double)last;
	change[first + 1] += 1;
	change[last] -= 1;
}

static void
fill(struct strip *s, const struct pictures *all, const struct picture *p)
{
	double scale = (double)s->n / (double)p->wall_us;

	s->partial = mem_zero(N_COLORS * (s->n + 1), sizeof *s->partial);
	s->change = mem_zero(N_COLORS * (s->n + 1), sizeof *s->change);
	for (size_t i = 0; i < p->n_bars; i++)
		add_bar(s, all->type_list[p->bars[i].type].color,
		    (double)p->bars[i].start_us * scale,
		    (double)p->bars[i].end_us * scale);
	/* From now on, partial has the sums of both, up to each color. */
	for (size_t color = 0; color < N_COLORS; color++) {
		double running = 0, *row = s->partial + color * (s->n + 1);

		for (size_t i = 0; i < s->n; i++) {
			running += s->change[color * (s->n + 1) + i];
			row[i] += running;
			if (color > 0)
				row[i] += row[(ptrdiff_t)i -
				    (ptrdiff_t)(s->n + 1)];
		}
	}
}

static void
put_tenths(struct buf *b, char command, int64_t tenths)
{
	buf_printf(b, "%c%lld", command, (long long)(tenths / 10));
	if (tenths % 10 != 0)
		buf_printf(b, ".%lld", (long long)(tenths % 10));
}

/* Draws one color and all below it; the colors below are drawn on top later. */
static void
put_color(struct buf *b, const struct strip *s, size_t color, uint32_t n_max,
    int64_t left, int64_t bottom, int64_t right, int64_t height)
{
	const double *row = s->partial + color * (s->n + 1);
	int64_t now = 0, next;

	buf_char(b, '<');
	buf_str(b, "path d=\"");
	put_tenths(b, 'M', left);
	put_tenths(b, ' ', bottom);
	for (size_t i = 0; i < s->n; i++) {
		/* Rounded to tenths of a pixel. */
		next = (int64_t)(row[i] / n_max * (double)height + 0.5);
		if (next == now)
			continue;
		put_tenths(b, 'H', left + (right - left) * (int64_t)i /
		    (int64_t)s->n);
		put_tenths(b, 'V', bottom - next);
		now = next;
	}
	put_tenths(b, 'H', right);
	put_tenths(b, 'V', bottom);
	buf_printf(b, "Z\" fill=\"#%06x\"/>\n", picture_colors[color]);
}

void
strip_put(struct buf *b, const struct pictures *all, const struct picture *p,
    int64_t left, int64_t top, int64_t right, int64_t height)
{
	struct strip s = { .n = COLUMNS_ALL / all->n };
	double *last;

	if (s.n > COLUMNS_MAX)
		s.n = COLUMNS_MAX;
	if (s.n < COLUMNS_MIN)
		s.n = COLUMNS_MIN;
	fill(&s, all, p);
	for (size_t color = N_COLORS; color-- > 0;) {
		last = s.partial + color * (s.n + 1);
		for (size_t i = 0; i < s.n; i++)
			if (last[i] > (color > 0 ? last[(ptrdiff_t)i -
			    (ptrdiff_t)(s.n + 1)] : 0)) {
				put_color(b, &s, color, p->n_running_max,
				    left, top + height, right, height);
				break;
			}
	}
	free(s.partial);
	free(s.change);
}
