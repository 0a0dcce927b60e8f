/* expect-rows - reports input that has none of the rows that a filter reads */

#include <stdio.h>
#include <string.h>

#include "common/filter/filter-reject.h"
#include "common/filter/filter.h"
#include "common/mal/expect-rows.h"

void
expect_rows_other(struct expect_rows *e, const struct filter *f,
    const struct rec *r)
{
	const struct field *type = rec_get(r, KEY_TYPE);

	if (e->line != 0)
		return;
	e->line = f->current_line;
	e->file = f->input.name;
	if (type != NULL && type->kind == REC_STRING)
		snprintf(e->type, sizeof e->type, "%.*s", SPAN_ARG(type->text));
}

/*
 * The filter that reads records of a type, or objects without one (""); NULL if
 * none is listed.
 */
static const char *
reader_of(const char *type)
{
	static const struct { const char *type, *filter; } readers[] = {
		{ "task", "critpath" }, { "node", "critpath" },
		{ "callgraph", "callgraph-stat" }, { "", "malparse" }
	};

	for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
		if (strcmp(type, readers[i].type) == 0)
			return readers[i].filter;
	return NULL;
}

void
expect_rows_end(const struct expect_rows *e, struct filter *f)
{
	const char *reader = reader_of(e->type);

	/* An empty input has been reported by filter_next(). */
	if (e->row_came || f->rejecting.met_foreign || f->current_line == 0 ||
	    (e->line == 0 && !f->rejected))
		return;
	if (e->line == 0 || reader == NULL)
		filter_fail(f, "no row came: is this the output of malparse?");
	else
		filter_fail(f, "no row came: line %llu of '%s' is %s%s, "
		    "which %s reads", (unsigned long long)e->line, e->file,
		    e->type[0] == '\0' ? "an object without a type" :
		    "a record of type ", e->type, reader);
}
