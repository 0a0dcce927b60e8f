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
#include "filters/timeline/timeline.h"

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

/*
 * Writes n_rows of n_all bars as a table; of steps also for how long each
 * waited, and what the build could save.
 */
static void
put_table(struct buf *b, const struct page_data *d, const char *caption,
    const uint32_t *bars, size_t n_rows, size_t n_all, bool are_steps)
{
	const char *const heads[] = { are_steps ? "#Step" : "#", "Task",
	    "Rule", d->p->has_threads ? "Thread" : "Host", "#Start", "#Time",
	    are_steps ? "#Waited before" : NULL, "#Could save", NULL };
	const struct bar *bar;

	buf_printf(b, "<div class=\"scroll\"><table>\n<caption>%s</caption>\n"
	    "<thead><tr>", caption);
	for (size_t i = 0; heads[i] != NULL; i++)
		buf_printf(b, "<th scope=\"col\"%s>%s</th>",
		    *heads[i] == '#' ? " class=\"n\"" : "",
		    heads[i] + (*heads[i] == '#'));
	buf_str(b, "</tr></thead>\n<tbody>\n");

	for (size_t i = 0; i < n_rows; i++) {
		bar = &d->p->bars[bars[i]];
		put_task_cells(b, d, are_steps ? bar->step : i + 1, bars[i]);
		if (are_steps) {
			put_time_cell(b, bar->waiting_us);
			put_time_cell(b, bar->potential_us);
		}
		buf_str(b, "</tr>\n");
	}
	buf_str(b, "</tbody></table></div>\n");
	if (n_all > n_rows) {
		buf_str(b, "<p>and ");
		put_count(b, n_all - n_rows, "more task");
		buf_str(b, "</p>\n");
	}
}

static int
compare_lengths(const void *a, const void *b, void *context)
{
	const struct picture *p = context;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	return cmp_i64(bar_length_us(&p->bars[k]), bar_length_us(&p->bars[i]))
	    ?: cmp_u64(i, k);
}

static void
put_tables(struct buf *b, struct page_data *d)
{
	size_t n_steps = d->p->n_path < STEPS_MAX ? d->p->n_path : STEPS_MAX;
	size_t n = d->n_ranked < LONGEST_MAX ? d->n_ranked : LONGEST_MAX;

	if (n_steps > 0)
		put_table(b, d, "Critical path", d->p->path, n_steps,
		    d->p->n_path, true);
	if (n == 0)
		return;
	sort_with(d->ranked, d->n_ranked, sizeof *d->ranked, compare_lengths,
	    d->p);
	buf_str(b, "<details><summary>Longest tasks</summary>\n");
	put_table(b, d, "The longest first", d->ranked, n, d->p->n_bars, false);
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
	put_tables(b, &d);
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
