/* caption - writes the texts of a picture */

#include <stdlib.h>

#include "common/base/num.h"
#include "common/build/build-names.h"
#include "common/report/cells.h"
#include "common/report/report-values.h"
#include "filters/graph-export/graph-export.h"

enum { NAME_CELLS = 40 };	/* of a name are shown */

/* The heat of a node is the number of these shares that it reaches. */
static const double shares[HEAT_MAX] = { 0.01, 0.05, 0.15, 0.3 };

/* All have enough contrast to black text. */
const char *const heat_fills[HEAT_MAX + 1] = { "#ffffff", "#fdf2dc", "#fadfa6",
    "#f2c258", "#e69f00" };

/*
 * Writes a name.  Of a long one the beginning is kept or, if it is a path, the
 * end, because paths differ there.
 */
static void
put_name(struct buf *b, struct span name, bool is_path)
{
	/* text_escape() writes at most four bytes for each byte. */
	size_t size = name.n * 4 + 1;
	char *safe = mem_alloc(size);
	struct span text = span_of(safe, text_escape(safe, size, name.p,
	    name.n));

	if (is_path) {
		cells_put_end(b, text, NAME_CELLS);
	} else if (cells_width(text) <= NAME_CELLS) {
		buf_add(b, text.p, text.n);
	} else {
		buf_add(b, text.p, cells_head(text, NAME_CELLS - 3));
		buf_str(b, "...");
	}
	free(safe);
}

static void
put_share(struct buf *b, const struct chart *p, int64_t us)
{
	if (p->fold->total_us == 0)
		return;
	buf_str(b, ", ");
	report_percent(b, (double)us / (double)p->fold->total_us);
}

/* The name of a task without its rule, with which the names of go begin. */
static struct span
name_without_rule(const struct build *b, const struct task *t, struct span rule)
{
	struct span name = build_name(b, t);

	if (name.n < rule.n || rule.n == 0 ||
	    memcmp(name.p, rule.p, rule.n) != 0)
		return name;
	if (name.n == rule.n)
		return span_of(name.p, 0);
	return name.p[rule.n] != ' ' ? name :
	    span_of(name.p + rule.n + 1, name.n - rule.n - 1);
}

/*
 * Writes a line with the name of the example, unless the first line has it or
 * it says nothing, as the number of an instruction.
 */
static void
put_example(struct buf *b, const struct chart *p, const struct folded *n)
{
	const struct build *build = p->fold->net->build;
	const struct task *t = network_task(p->fold->net, n->example);
	struct span text, name;
	enum label_kind kind = fold_label(p->fold, n, &text);

	if (kind != LABEL_RULE && kind != LABEL_COPY && kind != LABEL_PREPARE)
		return;
	name = name_without_rule(build, t, text);
	if (name.n == 0)
		return;
	buf_str(b, n->n_critical > 1 ? "\nwith " : "\n");
	put_name(b, name, true);
	if (kind == LABEL_COPY && t->host != SYM_NONE) {
		buf_str(b, " to ");
		put_name(b, intern_span(&build->names, t->host), false);
	}
}

void
caption_node(struct buf *b, const struct chart *p, const struct folded *n)
{
	struct span text;
	enum label_kind kind = fold_label(p->fold, n, &text);

	if (kind == LABEL_COPY)
		buf_str(b, text.n > 0 ? "copy of " : "copy");
	else if (kind == LABEL_PREPARE)
		buf_str(b, text.n > 0 ? "prepare " : "prepare");
	put_name(b, text, kind == LABEL_NAME || kind == LABEL_PLACEHOLDER);
	if (n->n_tasks > 1)
		buf_printf(b, " x %llu", (unsigned long long)n->n_tasks);
	else if (n->n_tasks == 1)
		put_example(b, p, n);
	buf_char(b, '\n');
	report_us(b, n->sum_us);
	if (kind == LABEL_CALL)
		buf_str(b, " with what it calls");
	else
		put_share(b, p, n->sum_us);

	if (n->n_tasks > 1 && n->sum_us > 0) {
		buf_str(b, "\nlongest ");
		report_us(b, n->max_us);
		buf_printf(b, ", skew %.1f", (double)n->max_us *
		    (double)n->n_tasks / (double)n->sum_us);
	}
	if (n->size_bytes != INT_UNKNOWN) {
		buf_char(b, '\n');
		report_bytes(b, n->size_bytes);
	}

	if (n->n_tasks > 1 && n->n_critical > 0) {
		buf_str(b, "\non the path: ");
		if (n->n_critical > 1)
			buf_printf(b, "%llu, ",
			    (unsigned long long)n->n_critical);
		report_us(b, n->critical_us);
		put_example(b, p, n);
	}
}

void
caption_title(struct buf *b, const struct chart *p)
{
	const struct build *build = p->fold->net->build;

	if (build->run_name != NULL) {
		buf_str(b, "Run ");
		put_name(b, span_str(build->run_name), true);
		buf_char(b, '\n');
	}
	buf_printf(b, "%zu task%s, ", p->fold->net->n_tasks,
	    plural(p->fold->net->n_tasks, "", "s"));
	report_us(b, p->fold->total_us);
	buf_str(b, " in all");
	if (p->n_path == 0)
		return;
	buf_str(b, "\nThick outline: the critical path, ");
	report_us(b, p->path_us);
	buf_printf(b, " in %zu step%s", p->n_path, plural(p->n_path, "", "s"));
}

void
caption_more(struct buf *b, const struct chart *p)
{
	buf_printf(b, "... %llu more", (unsigned long long)p->n_more);
	put_share(b, p, p->more_us);
}

unsigned
caption_heat(const struct chart *p, const struct folded *n)
{
	struct span text;
	unsigned heat = 0;

	if (fold_label(p->fold, n, &text) == LABEL_CALL)
		return 0;
	while (heat < HEAT_MAX && p->fold->total_us > 0 &&
	    (double)n->sum_us >= shares[heat] * (double)p->fold->total_us)
		heat++;
	return heat;
}

uint32_t
caption_char(struct span text, size_t *at)
{
	uint32_t c;
	size_t n = utf8_char(text.p + *at, text.n - *at, &c);

	*at += n > 0 ? n : 1;
	return n == 0 || (c & 0xfffe) == 0xfffe ? 0xfffd : c;
}
