/* execlog-parse - execution logs of builds to task records */

#include <string.h>

#include "common/base/err.h"
#include "common/base/num.h"
#include "common/frame/filter.h"
#include "common/json/scan.h"
#include "filters/execlog-parse/formats.h"

static struct {
	const char *format;
	bool all_outputs;
} opt;

static const struct opt options[] = {
	{ 'f', "format", OPT_STR, &opt.format, "FORMAT",
	    "distbuild, local or ninja (guessed)", 0, 0 },
	{ 'a', "all-outputs", OPT_FLAG, &opt.all_outputs, NULL,
	    "ninja: the last record of every output", 0, 0 },
	{ 0 }
};

static const struct about about = {
	.operands = "[file ...]",
	.purpose = "Reads the execution log of a build - distbuild's, ya's "
	    "local or ninja's -\nand writes a task record for all that ran.",
	.keys = local_keys,
};

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
	static const char *const good[] = { "", "0", "OK", "ok", "SUCCESS",
	    "success" };

	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		if (span_eq(status, good[i]))
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
	struct buf *b = filter_out(f);

	if (!e->known)
		return;
	json_begin(b, "build");
	json_cstr(b, "format", format);
	json_int(b, "start_us", e->start_us);
	json_int(b, "end_us", e->end_us);
	json_int(b, "wall_us", e->end_us - e->start_us);
	json_end(b);
	filter_emit(f);
}

/* By its first bytes, of which a pipe may bring one at a time. */
static const char *
guess(struct input *in)
{
	static const char header[] = "# ninja log";
	size_t n = sizeof header - 1;

	if (scan_peek(in) == '{')
		return "local";
	while ((size_t)(in->end - in->at) < n && input_more(in))
		;
	return (size_t)(in->end - in->at) >= n &&
	    memcmp(in->at, header, n) == 0 ? "ninja" : "distbuild";
}

static void
read_log(struct filter *f, const char *format)
{
	if (strcmp(format, "distbuild") == 0)
		distbuild_read(f);
	else if (strcmp(format, "ninja") == 0)
		ninja_read(f, opt.all_outputs);
	else if (strcmp(format, "local") == 0)
		local_read(f);
	else
		die("--format is distbuild, local or ninja, not '%s'", format);
}

int
main(int argc, char **argv)
{
	struct filter f;

	filter_begin(&f, &about, options, argc, argv);
	if (filter_next_file(&f))
		read_log(&f, opt.format != NULL ? opt.format :
		    guess(&f.input));
	return filter_end(&f);
}
