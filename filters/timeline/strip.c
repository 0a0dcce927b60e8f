/* strip - draws how many tasks ran at each time */

#include <stdlib.h>

#include "common/base/buf.h"
#include "filters/timeline/timeline.h"

/* All pictures together have about COLUMNS_ALL columns. */
enum { COLUMNS_MAX = 540, COLUMNS_MIN = 60, COLUMNS_ALL = 5400 };

/*
 * For each color and column the mean number of tasks that ran, of this color
 * and those before it.  Each row has a column more than n, and the row of zeros
 * before that of color 0 spares a special case.  The caller frees it.
 */
static double *
stack_means(const struct pictures *all, const struct picture *p, size_t n)
{
	size_t size = (N_COLORS + 1) * (n + 1);
	double *means = mem_zero(size, sizeof *means);
	/* Differences, so that a long task costs no more than a short one. */
	double *change = mem_zero(size, sizeof *change);
	double scale = (double)n / (double)p->wall_us, running;

	for (size_t i = 0; i < p->n_bars; i++) {
		const struct bar *bar = &p->bars[i];
		size_t row = (all->type_list[bar->type].color + 1) * (n + 1);
		double from = (double)bar->start_us * scale;
		double to = (double)bar->end_us * scale;
		size_t first = (size_t)from, last = (size_t)to;

		if (first == last) {
			means[row + first] += to - from;
			continue;
		}
		means[row + first] += (double)(first + 1) - from;
		means[row + last] += to - (double)last;
		change[row + first + 1] += 1;
		change[row + last] -= 1;
	}
	for (size_t row = n + 1; row < size; row += n + 1) {
		running = 0;
		for (size_t i = row; i < row + n; i++) {
			running += change[i];
			means[i] = means[i] + running + means[i - (n + 1)];
		}
	}
	free(change);
	return means;
}

static void
put_tenths(struct buf *b, char command, int64_t tenths)
{
	buf_printf(b, "%c%lld", command, (long long)(tenths / 10));
	if (tenths % 10 != 0)
		buf_printf(b, ".%lld", (long long)(tenths % 10));
}

void
strip_put(struct buf *b, const struct pictures *all, const struct picture *p,
    int64_t left, int64_t top, int64_t right, int64_t height)
{
	size_t n = COLUMNS_ALL / all->n, column;
	int64_t bottom = top + height, now, next;
	double *means;

	if (n > COLUMNS_MAX)
		n = COLUMNS_MAX;
	if (n < COLUMNS_MIN)
		n = COLUMNS_MIN;
	means = stack_means(all, p, n);

	/* The last color first: the others are drawn on top of it. */
	for (size_t color = N_COLORS; color-- > 0;) {
		const double *below = means + color * (n + 1);
		const double *row = below + n + 1;

		for (column = 0; column < n && row[column] <= below[column];)
			column++;
		if (column == n)
			continue;
		buf_str(b, "<path d=\"");
		put_tenths(b, 'M', left);
		put_tenths(b, ' ', bottom);
		now = 0;
		for (size_t i = 0; i < n; i++) {
			/* Rounded to tenths of a pixel. */
			next = (int64_t)(row[i] / p->n_running_max *
			    (double)height + 0.5);
			if (next == now)
				continue;
			put_tenths(b, 'H', left + (right - left) *
			    (int64_t)i / (int64_t)n);
			put_tenths(b, 'V', bottom - next);
			now = next;
		}
		put_tenths(b, 'H', right);
		put_tenths(b, 'V', bottom);
		buf_printf(b, "Z\" fill=\"#%06x\"/>\n",
		    picture_colors[color]);
	}
	free(means);
}
