/* progress - the line that --progress shows */

#include <stdio.h>

#include "common/base/clock.h"
#include "common/io/input.h"
#include "common/io/progress.h"

void
progress_show(const struct input *in)
{
	static const double min_pause = 0.2;	/* seconds between redraws */
	static double start, last_draw;
	double now = (double)clock_ns(CLOCK_MONOTONIC) / 1e9, rate;

	if (start == 0)
		start = last_draw = now;
	if (now - last_draw < min_pause)
		return;
	last_draw = now;
	rate = (double)in->bytes_read / (now - start);
	fprintf(stderr, "\r%.1f MB, %.1f MB/s", (double)in->bytes_read / 1e6,
	    rate / 1e6);
	if (in->bytes_total >= in->bytes_read && rate > 0)
		fprintf(stderr, ", %.0f s left ",
		    (double)(in->bytes_total - in->bytes_read) / rate);
}

void
progress_end(const struct input *in)
{
	/* The spaces erase the end of a longer line. */
	fprintf(stderr, "\r%.1f MB read                              \n",
	    (double)in->bytes_read / 1e6);
}
