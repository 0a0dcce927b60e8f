/* unfinished - lists the tasks that did not end */

#include <stdlib.h>

#include "common/base/num.h"
#include "common/base/sort.h"
#include "common/build/build-names.h"
#include "common/build/unfinished.h"
#include "common/filter/filter.h"
#include "common/report/report-values.h"
#include "common/report/report.h"

enum { NAMED_MAX = 3 };

static int
compare_starts(const void *x, const void *y, void *context)
{
	const struct task *const *a = x, *const *b = y;
	int order = cmp_i64((*a)->start_us, (*b)->start_us);

	return order != 0 ? order : build_compare_tasks(context, *a, *b);
}

/* Returns an array of n tasks, which the caller frees. */
static const struct task **
find(const struct build *b, size_t *n)
{
	const struct task **list = NULL, *t;
	size_t cap = 0;

	*n = 0;
	for (t = b->tasks; t < b->tasks + b->n_tasks; t++) {
		if (!task_is_unfinished(t))
			continue;
		list = mem_grow(list, &cap, *n + 1, sizeof *list);
		list[(*n)++] = t;
	}
	sort_with(list, *n, sizeof *list, compare_starts, b);
	return list;
}

void
unfinished_emit(const struct build *b, struct filter *f)
{
	size_t n;
	const struct task **list = find(b, &n);
	struct buf *out;

	for (size_t i = 0; i < n; i++) {
		out = filter_begin_record(f, "unfinished");
		if (b->run_name != NULL)
			json_cstr(out, "run", b->run_name);
		build_emit_id(b, list[i], out);
		build_emit_name(b, list[i], out);
		json_str(out, "kind", intern_span(&b->names, list[i]->kind));
		if (list[i]->host != SYM_NONE)
			json_str(out, "host", intern_span(&b->names,
			    list[i]->host));
		json_int(out, "start_us", list[i]->start_us);
		json_int(out, "so_far_us", b->end_us - list[i]->start_us);
		filter_end_record(f);
	}
	free(list);
}

void
unfinished_report(const struct build *b, struct buf *out)
{
	size_t n, from = out->len;
	const struct task **list = find(b, &n);

	if (n == 0)
		return;
	report_count(out, n, "task", "tasks");
	buf_str(out, " did not end: ");
	for (size_t i = 0; i < n && i < NAMED_MAX; i++) {
		buf_str(out, i > 0 ? "; " : "");
		build_put_name(b, list[i], out);
		buf_str(out, ", ");
		report_us(out, b->end_us - list[i]->start_us);
		buf_str(out, i > 0 ? "" : " until the end of the log");
	}
	if (n > NAMED_MAX)
		buf_printf(out, "; and %zu more", n - NAMED_MAX);
	buf_char(out, '.');
	report_sentence(out, from);
	report_blank(out);
	free(list);
}
