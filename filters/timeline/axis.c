/* axis - round times and their labels */

#include "common/base/buf.h"
#include "filters/timeline/timeline.h"

#define SECOND INT64_C(1000000)
enum { TICKS_MAX = 10 };

int64_t
axis_step(int64_t wall_us)
{
	static const int64_t minutes[] = { 1, 2, 5, 10, 15, 30, 60, 120, 300,
	    600 };
	int64_t step = 1, digits[] = { 1, 2, 5 };

	for (; step < SECOND * 60; step *= 10)
		for (int i = 0; i < 3; i++)
			if (digits[i] * step <= SECOND * 20 &&
			    wall_us / (digits[i] * step) <= TICKS_MAX)
				return digits[i] * step;
	for (int i = 0; i < 10; i++)
		if (wall_us / (minutes[i] * 60 * SECOND) <= TICKS_MAX)
			return minutes[i] * 60 * SECOND;
	for (step = 1200 * 60 * SECOND; wall_us / step > TICKS_MAX; step *= 2)
		;
	return step;
}

/* Writes us in a unit, with as many decimals as the step of the axis needs. */
static void
put_in_unit(struct buf *b, int64_t us, int64_t unit, int64_t step,
    const char *name)
{
	int64_t tenth = unit / 10;

	buf_i64(b, us / unit);
	if (step % unit != 0) {
		buf_char(b, '.');
		for (us %= unit; tenth > 0 && step % (tenth * 10) != 0;
		    us %= tenth, tenth /= 10)
			buf_i64(b, us / tenth);
	}
	buf_printf(b, " %s", name);
}

void
axis_label(struct buf *b, int64_t us, int64_t wall_us)
{
	int64_t step = axis_step(wall_us);

	if (step % (1800 * SECOND) == 0)
		put_in_unit(b, us, 3600 * SECOND, step, "h");
	else if (step % (60 * SECOND) == 0)
		put_in_unit(b, us, 60 * SECOND, step, "min");
	else if (wall_us >= SECOND)
		put_in_unit(b, us, SECOND, step, "s");
	else if (wall_us >= 1000)
		put_in_unit(b, us, 1000, step, "ms");
	else
		put_in_unit(b, us, 1, step, "us");
}
