#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * How reports look, which is the same for all reports of a run.  Apart from
 * report.h, so that filters that write no reports do not load its libraries.
 */
struct style {
	size_t width;		/* of a line, in cells of the terminal;
				   SIZE_MAX: not limited */
	bool has_colour;	/* escape sequences may be used */
	bool markdown;		/* Markdown, as GitHub displays it */
};

/* The narrowest lines that a report has; a smaller width counts as this. */
enum { STYLE_WIDTH_MIN = 40 };

extern struct style style;

/*
 * Sets `style`.  to_stdout: the report goes to standard output.  width is that
 * of --width; 0 if it was not given: then it is the width of the terminal, or
 * else that of COLUMNS, or else not limited.
 */
void style_choose(bool to_stdout, uint64_t width, bool markdown);
