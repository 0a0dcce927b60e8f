/* style - chooses the width of reports, colours, and Markdown */

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common/base/text.h"
#include "common/report/style.h"

struct style style = { .width = SIZE_MAX };

/* The width of the terminal on standard output; 0 if it is not known. */
static uint64_t
terminal_width(void)
{
	struct winsize size;

	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

/* The value of COLUMNS; 0 if it is not set, or is not a number. */
static uint64_t
environment_width(void)
{
	const char *columns = getenv("COLUMNS");
	uint64_t width = 0;

	if (columns == NULL || !text_u64(span_str(columns), &width))
		return 0;
	return width;
}

/* See no-color.org; a terminal without a name may understand nothing. */
static bool
is_colour_allowed(void)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	return (no_color == NULL || *no_color == '\0') && term != NULL &&
	    *term != '\0' && strcmp(term, "dumb") != 0;
}

void
style_choose(bool to_stdout, uint64_t width, bool markdown)
{
	bool to_terminal = to_stdout && isatty(STDOUT_FILENO);

	style.markdown = markdown;
	if (markdown)
		return;
	style.has_colour = to_terminal && is_colour_allowed();
	if (width == 0 && to_terminal)
		width = terminal_width();
	if (width == 0)
		width = environment_width();
	if (width == 0)
		return;
	style.width = width < STYLE_WIDTH_MIN ? STYLE_WIDTH_MIN :
	    (size_t)width;
}
