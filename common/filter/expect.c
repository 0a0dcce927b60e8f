/* expect - reports input that has nothing of what a filter reads */

#include <stdio.h>
#include <string.h>

#include "common/filter/expect.h"
#include "common/filter/filter-reject.h"
#include "common/filter/filter.h"

void
expect_other(struct expect *e, const struct filter *f, const struct rec *r)
{
	const struct field *type = rec_get(r, KEY_TYPE);

	if (e->line != 0)
		return;
	e->line = f->current_line;
	e->file = f->input.name;
	if (type != NULL && type->kind == REC_STRING)
		snprintf(e->type, sizeof e->type, "%.*s", SPAN_ARG(type->text));
}

/* The filter that reads records of a type; NULL if none is listed. */
static const char *
reader_of(const char *type)
{
	static const struct { const char *type, *filter; } readers[] = {
		{ "task", "critpath" }, { "node", "critpath" },
		{ "callgraph", "callgraph-stat" }, { "trace", "malstat" },
		{ "sample", "perf-diff" }, { "profile", "perf-diff" }
	};

	for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
		if (strcmp(type, readers[i].type) == 0)
			return readers[i].filter;
	return NULL;
}

void
expect_end(struct expect *e, struct filter *f, const char *what,
    const char *wanted)
{
	const char *reader = reader_of(e->type);

	/* An empty input has been reported by filter_next(). */
	if (e->came || f->rejecting.met_foreign || f->current_line == 0 ||
	    (e->line == 0 && !f->rejected))
		return;
	e->came = true;		/* reports it once */
	if (e->line == 0)
		filter_fail(f, "no %s came: is this %s?", what, wanted);
	else if (e->type[0] == '\0')
		filter_fail(f, "no %s came: line %llu of '%s' is an object "
		    "without a type; is this %s?", what,
		    (unsigned long long)e->line, e->file, wanted);
	else
		filter_fail(f, "no %s came: line %llu of '%s' is a record of "
		    "type %s, which %s%s", what, (unsigned long long)e->line,
		    e->file, e->type, reader != NULL ? reader :
		    "this filter does not", reader != NULL ? " reads" :
		    " read");
}
