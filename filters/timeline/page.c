/* page - writes timelines as a page of HTML with zoom, search and details */

#include <inttypes.h>
#include <nettle/base64.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/base/num.h"
#include "common/base/sort.h"
#include "common/report/report-values.h"
#include "common/report/xml.h"
#include "filters/timeline/page-data.h"
#include "filters/timeline/page.h"
#include "filters/timeline/picture.h"

/* A larger SVG, as with thousands of failed tasks, is left out of the page. */
enum { SVG_MAX = 800 * 1000 };

/* Rows of the tables. */
enum { STEPS_MAX = 500, LONGEST_MAX = 50 };

static const char script[] =
#include "filters/timeline/page.js.h"
;

static const char style[] =
#include "filters/timeline/page.css.h"
;

/* --- tables --------------------------------------------------------------- */

/* "1,234 tasks". */
static void
put_count(struct buf *b, uint64_t n, const char *noun)
{
	char digits[24];
	int length = snprintf(digits, sizeof digits, "%" PRIu64, n);

	for (int i = 0; i < length; i++) {
		if (i > 0 && (length - i) % 3 == 0)
			buf_char(b, ',');
		buf_char(b, digits[i]);
	}
	buf_printf(b, " %s%s", noun, plural(n, "", "s"));
}

static void
put_time_cell(struct buf *b, int64_t us)
{
	buf_str(b, "<td class=\"n\">");
	if (us != INT_UNKNOWN)
		report_us(b, us);
	buf_str(b, "</td>");
}

/* Begins a row.  The script makes a link of a task that is listed. */
static void
put_task_cells(struct buf *b, const struct page_data *d, size_t number,
    uint32_t i)
{
	const struct bar *bar = &d->p->bars[i];

	buf_printf(b, "<tr><th scope=\"row\" class=\"n\">%zu</th><td", number);
	if (d->place[i] != INDEX_NONE)
		buf_printf(b, " data-task=\"%lu\"",
		    (unsigned long)d->place[i]);
	buf_char(b, '>');
	xml_text(b, page_data_text(d, i)->name);
	buf_str(b, "</td><td>");
	xml_text(b, intern_span(&d->all->types, bar->type));
	buf_str(b, "</td><td>");
	xml_text(b, d->p->hosts[d->p->lanes[bar->lane].host]);
	buf_str(b, "</td>");
	put_time_cell(b, bar->start_us);
	put_time_cell(b, bar_length_us(bar));
}

static void
put_heads(struct buf *b, const char *const *heads, const char *caption)
{
	buf_printf(b, "<div class=\"scroll\"><table>\n<caption>%s</caption>\n"
	    "<thead><tr>", caption);
	for (; *heads != NULL; heads++)
		buf_printf(b, "<th scope=\"col\"%s>%s</th>",
		    **heads == '#' ? " class=\"n\"" : "",
		    *heads + (**heads == '#'));
	buf_str(b, "</tr></thead>\n<tbody>\n");
}

static void
put_table_end(struct buf *b, size_t n, size_t n_rows)
{
	buf_str(b, "</tbody></table></div>\n");
	if (n > n_rows) {
		buf_str(b, "<p>and ");
		put_count(b, n - n_rows, "more task");
		buf_str(b, "</p>\n");
	}
}

static void
put_path_table(struct buf *b, const struct page_data *d)
{
	const char *const heads[] = { "#Step", "Task", "Rule",
	    d->p->has_threads ? "Thread" : "Host", "#Start", "#Time",
	    "#Waited before", "#Could save", NULL };
	const struct picture *p = d->p;
	size_t n = p->n_path < STEPS_MAX ? p->n_path : STEPS_MAX;

	if (n == 0)
		return;
	put_heads(b, heads, "Critical path");
	for (size_t i = 0; i < n; i++) {
		put_task_cells(b, d, p->bars[p->path[i]].step, p->path[i]);
		put_time_cell(b, p->bars[p->path[i]].waiting_us);
		put_time_cell(b, p->bars[p->path[i]].potential_us);
		buf_str(b, "</tr>\n");
	}
	put_table_end(b, p->n_path, n);
}

static int
compare_lengths(const void *a, const void *b, void *context)
{
	const struct picture *p = context;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	int order = cmp_i64(bar_length_us(&p->bars[k]),
	    bar_length_us(&p->bars[i]));

	return order != 0 ? order : cmp_u64(i, k);
}

static void
put_longest_table(struct buf *b, struct page_data *d)
{
	const char *const heads[] = { "#", "Task", "Rule",
	    d->p->has_threads ? "Thread" : "Host", "#Start", "#Time", NULL };
	size_t n = d->n_ranked < LONGEST_MAX ? d->n_ranked : LONGEST_MAX;

	if (n == 0)
		return;
	sort_with(d->ranked, d->n_ranked, sizeof *d->ranked, compare_lengths,
	    d->p);
	buf_str(b, "<details><summary>Longest tasks</summary>\n");
	put_heads(b, heads, "The longest first");
	for (size_t i = 0; i < n; i++) {
		put_task_cells(b, d, i + 1, d->ranked[i]);
		buf_str(b, "</tr>\n");
	}
	put_table_end(b, d->p->n_bars, n);
	buf_str(b, "</details>\n");
}

/* --- the page ------------------------------------------------------------- */

static void
put_section(struct buf *b, const struct pictures *all, const struct picture *p)
{
	struct page_data d;

	page_data_init(&d, all, p);
	buf_str(b, "<section>\n");
	if (p->run != NULL) {
		buf_str(b, "<h2>");
		xml_text(b, span_str(p->run));
		buf_str(b, "</h2>\n");
	}

	/* "1,234 tasks on 5 hosts, 15.20 s; critical path: 7 steps, 13.14 s" */
	buf_str(b, "<p>");
	put_count(b, p->n_bars, "task");
	if (p->n_hosts > 1) {
		buf_str(b, " on ");
		put_count(b, p->n_hosts, picture_place(p));
	}
	buf_str(b, ", ");
	report_us(b, p->wall_us);
	if (p->n_path > 0) {
		buf_str(b, "; critical path: ");
		put_count(b, p->n_path, "step");
		buf_str(b, ", ");
		report_us(b, p->path_us);
	}
	if (p->n_left_out > 0) {
		buf_str(b, "; without a start or an end, and not shown: ");
		put_count(b, p->n_left_out, "task");
	}
	buf_str(b, "</p>\n");

	page_data_put(b, &d);
	put_path_table(b, &d);
	put_longest_table(b, &d);
	buf_str(b, "</section>\n");
	page_data_release(&d);
}

void
page_put(struct buf *b, const struct pictures *all, struct span svg)
{
	char base64[BASE64_ENCODE_RAW_LENGTH(SHA256_DIGEST_SIZE)];
	uint8_t digest[SHA256_DIGEST_SIZE];
	struct sha256_ctx ctx;

	/* The policy allows the one script whose hash it has. */
	sha256_init(&ctx);
	sha256_update(&ctx, sizeof script - 1, (const uint8_t *)script);
	sha256_digest(&ctx, sizeof digest, digest);
	base64_encode_raw(base64, sizeof digest, digest);
	buf_printf(b, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
	    "<meta charset=\"utf-8\">\n"
	    "<meta http-equiv=\"Content-Security-Policy\" "
	    "content=\"default-src 'none'; style-src 'unsafe-inline'; "
	    "script-src 'sha256-%.*s'; img-src data:; base-uri 'none'; "
	    "form-action 'none'\">\n", (int)sizeof base64, base64);

	buf_printf(b, "<meta name=\"viewport\" content=\"width=device-width, "
	    "initial-scale=1\">\n<title>Timeline</title>\n"
	    "<style>\n%s</style>\n</head>\n<body>\n"
	    "<h1>Timeline</h1>\n<figure>\n", style);
	if (svg.n <= SVG_MAX)
		buf_add(b, svg.p, svg.n);
	else
		buf_str(b, "<p>This page needs scripts: its picture would be "
		    "too large without them.</p>\n");
	buf_str(b, "</figure>\n");
	for (size_t i = 0; i < all->n; i++)
		put_section(b, all, &all->list[i]);
	buf_printf(b, "<script>%s</script>\n</body>\n</html>\n", script);
}
