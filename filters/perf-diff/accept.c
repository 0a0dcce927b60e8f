/* accept - changes that are accepted */

#include <stdlib.h>

#include "common/base/err.h"
#include "common/io/input.h"
#include "filters/perf-diff/perf-diff.h"

enum { ID_MIN = 7, LINE_MAX_LENGTH = 1 << 20 };

void
accepted_read(struct accepted *a, const char *path)
{
	char *files[] = { mem_strdup(path) };
	struct input in;
	struct line line;
	struct span text, commit, uid;

	input_init(&in, files, 1);
	while (input_next_file(&in))
		while (input_line(&in, LINE_MAX_LENGTH, &line)) {
			text = text_trim(span_of(line.p, line.len));
			if (line.too_long)
				die("%s: a line is too long", path);
			if (text.n == 0 || text.p[0] == '#')
				continue;
			commit = span_of(text.p, 0);
			while (commit.n < text.n &&
			    !text_is_space(text.p[commit.n]))
				commit.n++;
			if (commit.n < ID_MIN)
				die("%s:%llu: '%.*s' is not the id of a "
				    "commit, or less than %d characters of it",
				    in.name, (unsigned long long)in.line,
				    SPAN_ARG(commit), ID_MIN);
			a->list = mem_grow(a->list, &a->cap, a->n + 1,
			    sizeof *a->list);
			uid = text_trim(span_of(text.p + commit.n,
			    text.n - commit.n));
			a->list[a->n++] = (struct accepted_change){
			    mem_strndup(commit.p, commit.n),
			    mem_strndup(uid.p, uid.n) };
		}
	input_release(&in);
	free(files[0]);
}
