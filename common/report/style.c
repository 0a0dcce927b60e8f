/* style - chooses the width of reports, colours, and Markdown */

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common/base/text.h"
#include "common/report/style.h"

struct style style = { .width = SIZE_MAX };

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
	const char *columns = getenv("COLUMNS");
	struct winsize size;

	style.markdown = markdown;
	if (markdown)
		return;
	style.has_colour = to_terminal && is_colour_allowed();
	if (width == 0 && to_terminal &&
	    ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
		width = size.ws_col;
	if (width == 0 && columns != NULL &&
	    !text_u64(span_str(columns), &width))
		width = 0;
	if (width == 0)
		return;
	style.width = width < STYLE_WIDTH_MIN ? STYLE_WIDTH_MIN :
	    (size_t)width;
}
