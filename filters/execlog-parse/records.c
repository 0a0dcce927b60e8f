/* records - writes the members and records that all formats share */

#include "common/base/num.h"
#include "common/frame/filter.h"
#include "filters/execlog-parse/records.h"

void
extent_add(struct extent *e, int64_t us)
{
	if (!e->known || us < e->start_us)
		e->start_us = us;
	if (!e->known || us > e->end_us)
		e->end_us = us;
	e->known = true;
}

void
put_times(struct buf *b, int64_t start_us, int64_t end_us)
{
	if (start_us != INT_UNKNOWN)
		json_int(b, "start_us", start_us);
	if (end_us != INT_UNKNOWN)
		json_int(b, "end_us", end_us);
	if (start_us != INT_UNKNOWN && end_us != INT_UNKNOWN)
		json_int(b, "elapsed_us", end_us - start_us);
}

static bool
is_failure(struct span status)
{
	static const char *const successes[] = { "", "0", "OK", "ok",
	    "SUCCESS", "success" };

	for (size_t i = 0; i < sizeof successes / sizeof *successes; i++)
		if (span_eq(status, successes[i]))
			return false;
	return true;
}

void
put_outcome(struct buf *b, struct span status, int64_t size_bytes)
{
	if (status.n > 0)
		json_str(b, "status", status);
	if (is_failure(status))
		json_true(b, "failed");
	if (size_bytes != INT_UNKNOWN)
		json_int(b, "size_bytes", size_bytes);
}

void
emit_build(struct filter *f, const char *format, const struct extent *e)
{
	struct buf *b;

	if (!e->known)
		return;
	b = filter_begin_record(f, "build");
	json_cstr(b, "format", format);
	json_int(b, "start_us", e->start_us);
	json_int(b, "end_us", e->end_us);
	json_int(b, "wall_us", e->end_us - e->start_us);
	filter_end_record(f);
}
