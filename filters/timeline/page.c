/* page - writes timelines as a page of HTML with zoom, search and details */

#include <inttypes.h>
#include <nettle/base64.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/base/num.h"
#include "common/base/sort.h"
#include "common/base/xml.h"
#include "common/frame/report.h"
#include "common/json/json.h"
#include "filters/timeline/page.h"
#include "filters/timeline/picture.h"

/*
 * DATA_MAX bytes are divided between the pictures of a page; the intervals of
 * merged tasks come in addition, with 10 to 25 bytes each.  Tasks are merged if
 * they are less than a MERGED_COLUMNS-th of the wall time apart, or more if
 * needed; the times of merged tasks are rounded to a MERGED_UNITS-th of it.
 */
enum { DATA_MAX = 700 * 1000, MERGED_MAX = 24000, MERGED_COLUMNS = 2000,
    MERGED_UNITS = 100000 };

/* A larger SVG, as with thousands of failed tasks, is left out of the page. */
enum { SVG_MAX = 800 * 1000 };

/* Rows of the tables. */
enum { STEPS_MAX = 500, LONGEST_MAX = 50 };

/* Flags of a task in the data; page.js has the same. */
enum { FLAG_CACHED = 1, FLAG_FAILED = 2 };

static const char script[] =
#include "filters/timeline/page.js.h"
;

static const char style[] =
#include "filters/timeline/page.css.h"
;

/* Neighbors in a lane that are not listed. */
struct merged {
	int64_t start_us, end_us, busy_us;
	int64_t by_color[N_COLORS];
	uint32_t lane, n;
};

/* The data of a section. */
struct data {
	const struct pictures *all;
	const struct picture *p;
	uint32_t *ranked;	/* the bars that have texts, the most important
				   first */
	size_t n_ranked;
	uint32_t *place;	/* by bar: its number among those that are
				   listed, or INDEX_NONE */
	size_t n_listed;
	struct intern strings;	/* what the script shows */
	uint32_t *order;	/* by symbol of strings: its rank */
	uint32_t *type_place;	/* by type: its number, or INDEX_NONE */
	sym *types;		/* those of the tasks that are listed */
	size_t n_types;
	int64_t unit_us;	/* all times are multiples of it */
	struct merged *merged;
	size_t n_merged, merged_cap;
};

/* --- which tasks are listed ----------------------------------------------- */

static int64_t
length_of(const struct bar *bar)
{
	return bar->end_us - bar->start_us;
}

static int
compare_importance(const void *a, const void *b, void *context)
{
	const struct picture *p = context;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	const struct bar *x = &p->bars[i], *y = &p->bars[k];
	int order;

	if ((order = (y->step != 0) - (x->step != 0)) != 0 ||
	    (order = y->has_failed - x->has_failed) != 0 ||
	    (order = cmp_i64(length_of(y), length_of(x))) != 0)
		return order;
	return cmp_u64(i, k);
}

static void
rank_bars(struct data *d)
{
	const struct picture *p = d->p;

	d->ranked = mem_alloc((p->n_bars + 1) * sizeof *d->ranked);
	for (size_t i = 0; i < p->n_bars; i++)
		if (p->bars[i].text != INDEX_NONE)
			d->ranked[d->n_ranked++] = (uint32_t)i;
	sort_with(d->ranked, d->n_ranked, sizeof *d->ranked,
	    compare_importance, p);
}

static void
list_bars(struct data *d, size_t n)
{
	uint32_t place = 0;

	memset(d->place, 0xff, d->p->n_bars * sizeof *d->place);
	for (size_t i = 0; i < n; i++)
		d->place[d->ranked[i]] = 0;
	for (size_t i = 0; i < d->p->n_bars; i++)
		if (d->place[i] != INDEX_NONE)
			d->place[i] = place++;
	d->n_listed = n;
}

static int64_t
gcd(int64_t a, int64_t b)
{
	int64_t rest;

	for (; b != 0; b = rest) {
		rest = a % b;
		a = b;
	}
	return a;
}

static int64_t
find_unit(const struct picture *p)
{
	int64_t unit = 0;

	for (size_t i = 0; i < p->n_bars && unit != 1; i++) {
		unit = gcd(p->bars[i].start_us, unit);
		unit = gcd(p->bars[i].end_us, unit);
	}
	return unit > 0 ? unit : 1;
}

/* --- merged tasks --------------------------------------------------------- */

static void
add_to_merged(const struct data *d, struct merged *m, const struct bar *bar)
{
	int64_t *busy =
	    &m->by_color[d->all->type_list[bar->type].color];

	m->n++;
	m->busy_us = saturating_add(m->busy_us, length_of(bar));
	if (bar->end_us > m->end_us)
		m->end_us = bar->end_us;
	*busy = saturating_add(*busy, length_of(bar));
}

/*
 * Merges those that are not listed if they are in one lane, at most gap_us
 * apart, and none that is listed is between them.
 */
static void
merge_bars(struct data *d, int64_t gap_us)
{
	struct merged *m = NULL;
	const struct bar *bar;

	d->n_merged = 0;
	for (size_t i = 0; i < d->p->n_bars; i++) {
		bar = &d->p->bars[i];
		if (d->place[i] != INDEX_NONE) {
			m = NULL;
			continue;
		}
		if (m == NULL || m->lane != bar->lane ||
		    bar->start_us - m->end_us > gap_us) {
			d->merged = mem_grow(d->merged, &d->merged_cap,
			    d->n_merged + 1, sizeof *d->merged);
			m = &d->merged[d->n_merged++];
			*m = (struct merged){ .start_us = bar->start_us,
			    .end_us = bar->start_us, .lane = bar->lane };
		}
		add_to_merged(d, m, bar);
	}
}

/* Twice as much is merged until there are few intervals, or all is merged. */
static void
merge_rest(struct data *d)
{
	int64_t gap_us = d->p->wall_us / MERGED_COLUMNS;

	merge_bars(d, gap_us);
	while (d->n_merged > MERGED_MAX / d->all->n && gap_us < d->p->wall_us) {
		gap_us = gap_us * 2 + 1;
		merge_bars(d, gap_us);
	}
}

static unsigned
color_of_merged(const struct merged *m)
{
	unsigned color = 0;

	for (unsigned i = 1; i < N_COLORS; i++)
		if (m->by_color[i] > m->by_color[color])
			color = i;
	return color;
}

/* --- strings -------------------------------------------------------------- */

static const struct bar_text *
text_of(const struct data *d, size_t bar)
{
	return &d->p->texts[d->p->bars[bar].text];
}

static void
collect_strings(struct data *d)
{
	const struct picture *p = d->p;
	sym type;

	intern_release(&d->strings);
	intern_init(&d->strings);
	memset(d->type_place, 0xff, d->all->types.n * sizeof *d->type_place);
	d->n_types = 0;
	for (size_t i = 0; i < p->n_hosts; i++)
		intern_add(&d->strings, p->hosts[i].name);
	for (size_t i = 0; i < p->n_bars; i++) {
		if (d->place[i] == INDEX_NONE)
			continue;
		intern_add(&d->strings, text_of(d, i)->id);
		intern_add(&d->strings, text_of(d, i)->name);
		intern_add(&d->strings, text_of(d, i)->target);
		type = p->bars[i].type;
		if (d->type_place[type] != INDEX_NONE)
			continue;
		intern_add(&d->strings, intern_span(&d->all->types, type));
		d->type_place[type] = (uint32_t)d->n_types;
		d->types[d->n_types++] = type;
	}
}

static int
compare_strings(const void *a, const void *b, void *context)
{
	return intern_cmp(context, *(const sym *)a, *(const sym *)b);
}

/* The length in bytes of what both begin with, in whole characters. */
static size_t
common_prefix(struct span a, struct span b)
{
	size_t n = 0;

	while (n < a.n && n < b.n && a.p[n] == b.p[n])
		n++;
	while (n > 0 && n < b.n && ((unsigned char)b.p[n] & 0xc0) == 0x80)
		n--;
	return n;
}

/* The length of UTF-8 text in UTF-16, as JavaScript counts. */
static size_t
utf16_length(struct span text)
{
	size_t n = 0;

	for (size_t i = 0; i < text.n; i++)
		n += ((unsigned char)text.p[i] & 0xc0) != 0x80 ?
		    1 + ((unsigned char)text.p[i] >= 0xf0) : 0;
	return n;
}

/* An element of an array. */
static void
put_number(struct buf *b, int64_t value)
{
	if (b->data[b->len - 1] != '[')
		buf_char(b, ',');
	buf_i64(b, value);
}

/*
 * Writes the strings in order, of each the number of characters that it has in
 * common with the previous one, and the rest.
 */
static void
put_strings(struct buf *b, struct data *d)
{
	sym *sorted = mem_alloc((d->strings.n + 1) * sizeof *sorted);
	struct span last = { "", 0 }, text;
	size_t n;

	for (sym s = 0; s < d->strings.n; s++)
		sorted[s] = s;
	sort_with(sorted, d->strings.n, sizeof *sorted, compare_strings,
	    &d->strings);
	d->order = mem_resize(d->order, d->strings.n + 1, sizeof *d->order);
	json_open(b, "strings", '[');
	for (size_t i = 0; i < d->strings.n; i++) {
		d->order[sorted[i]] = (uint32_t)i;
		text = intern_span(&d->strings, sorted[i]);
		n = common_prefix(last, text);
		put_number(b, (int64_t)utf16_length(span_of(text.p, n)));
		json_item(b, span_of(text.p + n, text.n - n));
		last = text;
	}
	json_close(b, ']');
	free(sorted);
}

static void
put_string_number(struct buf *b, struct data *d, struct span text)
{
	put_number(b, d->order[intern_add(&d->strings, text)]);
}

/* --- arrays of numbers ---------------------------------------------------- */

/* Where an interval is, in the units of the data. */
struct place {
	int64_t start, length;
	uint32_t lane;
};

/*
 * Writes three arrays: by how much the lane of each is higher than that of the
 * previous one; how long after the end of the previous one of its lane it
 * starts, or after the start of the build; and its length.
 */
static void
put_places(struct buf *b, const struct place *places, size_t n)
{
	uint32_t lane = 0;
	int64_t at = 0;

	json_open(b, "lane", '[');
	for (size_t i = 0; i < n; i++) {
		put_number(b, places[i].lane - lane);
		lane = places[i].lane;
	}
	buf_str(b, "],\"gap\":[");
	for (size_t i = 0; i < n; i++) {
		if (i == 0 || places[i].lane != places[i - 1].lane)
			at = 0;
		put_number(b, places[i].start - at);
		at = places[i].start + places[i].length;
	}
	buf_str(b, "],\"length\":[");
	for (size_t i = 0; i < n; i++)
		put_number(b, places[i].length);
	json_close(b, ']');
}

static int64_t
type_number(struct data *d, size_t bar)
{
	return d->type_place[d->p->bars[bar].type];
}

static int64_t
flags_of(struct data *d, size_t bar)
{
	return (d->p->bars[bar].is_cached ? FLAG_CACHED : 0) |
	    (d->p->bars[bar].has_failed ? FLAG_FAILED : 0);
}

static int64_t
name_number(struct data *d, size_t bar)
{
	return d->order[intern_add(&d->strings, text_of(d, bar)->name)];
}

/* After how many strings that of the id follows: often 0. */
static int64_t
id_difference(struct data *d, size_t bar)
{
	return d->order[intern_add(&d->strings, text_of(d, bar)->id)] -
	    name_number(d, bar);
}

static int64_t
target_number(struct data *d, size_t bar)
{
	return d->order[intern_add(&d->strings, text_of(d, bar)->target)];
}

/* Writes an array with a number for each task that is listed. */
static void
put_column(struct buf *b, struct data *d, const char *key,
    int64_t (*number)(struct data *, size_t bar))
{
	json_open(b, key, '[');
	for (size_t i = 0; i < d->p->n_bars; i++)
		if (d->place[i] != INDEX_NONE)
			put_number(b, number(d, i));
	json_close(b, ']');
}

static void
put_tasks(struct buf *b, struct data *d)
{
	struct place *places = mem_alloc((d->n_listed + 1) * sizeof *places);
	const struct bar *bar;

	for (size_t i = 0; i < d->p->n_bars; i++) {
		bar = &d->p->bars[i];
		if (d->place[i] != INDEX_NONE)
			places[d->place[i]] = (struct place){
			    bar->start_us / d->unit_us,
			    length_of(bar) / d->unit_us, bar->lane };
	}
	json_open(b, "tasks", '{');
	put_places(b, places, d->n_listed);
	put_column(b, d, "type", type_number);
	put_column(b, d, "flags", flags_of);
	put_column(b, d, "name", name_number);
	put_column(b, d, "id", id_difference);
	put_column(b, d, "target", target_number);
	json_close(b, '}');
	free(places);
}

static void
put_merged(struct buf *b, const struct data *d)
{
	struct place *places = mem_alloc((d->n_merged + 1) * sizeof *places);
	int64_t unit_us = 1 + d->p->wall_us / MERGED_UNITS;
	const struct merged *m = d->merged;

	for (size_t i = 0; i < d->n_merged; i++) {
		places[i].lane = m[i].lane;
		places[i].start = m[i].start_us / unit_us;
		places[i].length = m[i].end_us / unit_us - places[i].start;
	}
	json_open(b, "merged", '{');
	json_int(b, "unit_us", unit_us);
	put_places(b, places, d->n_merged);
	json_open(b, "n", '[');
	for (size_t i = 0; i < d->n_merged; i++)
		put_number(b, m[i].n);
	buf_str(b, "],\"busy\":[");
	for (size_t i = 0; i < d->n_merged; i++)
		put_number(b, m[i].busy_us / unit_us);
	buf_str(b, "],\"color\":[");
	for (size_t i = 0; i < d->n_merged; i++)
		put_number(b, color_of_merged(&m[i]));
	buf_str(b, "]}");
	free(places);
}

/* What a picture calls its hosts. */
static const char *
place_word(const struct picture *p)
{
	return p->has_threads ? "thread" : "host";
}

/* --- the data of a section ------------------------------------------------ */

static void
put_lanes(struct buf *b, struct data *d)
{
	const struct picture *p = d->p;

	json_open(b, "hosts", '[');
	for (size_t i = 0; i < p->n_hosts; i++)
		put_string_number(b, d, p->hosts[i].name);
	/* The host, the class, and the lanes that were merged into it. */
	buf_str(b, "],\"lanes\":[");
	for (size_t i = 0; i < p->n_lanes; i++) {
		put_number(b, p->lanes[i].host);
		put_number(b, p->lanes[i].class);
		put_number(b, p->lanes[i].n_slots);
	}
	buf_str(b, "],\"types\":[");
	for (size_t i = 0; i < d->n_types; i++) {
		put_string_number(b, d, intern_span(&d->all->types,
		    d->types[i]));
		put_number(b, d->all->type_list[d->types[i]].color);
	}
	json_close(b, ']');
}

/* Of each step the task, and the times that are known, otherwise -1. */
static void
put_steps(struct buf *b, const struct data *d)
{
	const struct bar *bar;

	json_open(b, "steps", '[');
	for (size_t i = 0; i < d->p->n_path; i++) {
		if (d->place[d->p->path[i]] == INDEX_NONE)
			continue;
		bar = &d->p->bars[d->p->path[i]];
		put_number(b, d->place[d->p->path[i]]);
		put_number(b, bar->waiting_us != INT_UNKNOWN ?
		    bar->waiting_us : -1);
		put_number(b, bar->potential_us != INT_UNKNOWN ?
		    bar->potential_us : -1);
	}
	json_close(b, ']');
}

/* Copies JSON such that nothing in it ends the script element. */
static void
put_in_script(struct buf *b, struct span json)
{
	for (size_t i = 0; i < json.n; i++)
		if (json.p[i] == '<' || json.p[i] == '>' || json.p[i] == '&')
			buf_printf(b, "\\u%04x", (unsigned)json.p[i]);
		else
			buf_char(b, json.p[i]);
}

static void
put_listed(struct buf *b, struct data *d, size_t n)
{
	b->len = 0;
	buf_char(b, '{');
	list_bars(d, n);
	collect_strings(d);
	json_int(b, "unit_us", d->unit_us);
	json_int(b, "wall_us", d->p->wall_us);
	json_int(b, "range_us", d->all->wall_us);
	json_uint(b, "n_tasks", d->p->n_bars);
	json_word(b, "place", place_word(d->p));
	put_strings(b, d);
	put_lanes(b, d);
	put_tasks(b, d);
	put_steps(b, d);
}

/* Fewer tasks are listed until the data is small enough. */
static void
put_data(struct buf *b, struct data *d)
{
	size_t room = DATA_MAX / d->all->n, n = d->n_ranked;
	struct buf json = { 0 };

	if (n > PAGE_TASKS_MAX)
		n = PAGE_TASKS_MAX;
	put_listed(&json, d, n);
	while (json.len > room && n > 0) {
		n = (size_t)((double)n * 0.95 * (double)room /
		    (double)json.len);
		put_listed(&json, d, n);
	}
	merge_rest(d);
	put_merged(&json, d);
	json_close(&json, '}');
	buf_str(b, "<script type=\"application/json\">");
	put_in_script(b, buf_span(&json));
	buf_str(b, "</script>\n");
	buf_release(&json);
}

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
	buf_printf(b, " %s%s", noun, n == 1 ? "" : "s");
}

static void
put_time_cell(struct buf *b, int64_t us)
{
	buf_str(b, "<td class=\"n\">");
	if (us != INT_UNKNOWN)
		report_us(b, us);
	buf_str(b, "</td>");
}

/* The script makes a link of a task that is listed. */
static void
put_task_cells(struct buf *b, const struct data *d, uint32_t i)
{
	const struct bar *bar = &d->p->bars[i];

	buf_str(b, "<td");
	if (d->place[i] != INDEX_NONE)
		buf_printf(b, " data-task=\"%lu\"",
		    (unsigned long)d->place[i]);
	buf_char(b, '>');
	xml_text(b, text_of(d, i)->name);
	buf_str(b, "</td><td>");
	xml_text(b, intern_span(&d->all->types, bar->type));
	buf_str(b, "</td><td>");
	xml_text(b, d->p->hosts[d->p->lanes[bar->lane].host].name);
	buf_str(b, "</td>");
	put_time_cell(b, bar->start_us);
	put_time_cell(b, length_of(bar));
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
put_row_head(struct buf *b, size_t number)
{
	buf_str(b, "<tr><th scope=\"row\" class=\"n\">");
	buf_u64(b, number);
	buf_str(b, "</th>");
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
put_path_table(struct buf *b, const struct data *d)
{
	const char *const heads[] = { "#Step", "Task", "Rule",
	    d->p->has_threads ? "Thread" : "Host", "#Start", "#Time",
	    "#Waited before", "#Would save", NULL };
	const struct picture *p = d->p;
	size_t n = p->n_path < STEPS_MAX ? p->n_path : STEPS_MAX;

	if (n == 0)
		return;
	put_heads(b, heads, "Critical path");
	for (size_t i = 0; i < n; i++) {
		put_row_head(b, p->bars[p->path[i]].step);
		put_task_cells(b, d, p->path[i]);
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
	int order = cmp_i64(length_of(&p->bars[k]), length_of(&p->bars[i]));

	return order != 0 ? order : cmp_u64(i, k);
}

static void
put_longest_table(struct buf *b, struct data *d)
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
		put_row_head(b, i + 1);
		put_task_cells(b, d, d->ranked[i]);
		buf_str(b, "</tr>\n");
	}
	put_table_end(b, d->p->n_bars, n);
	buf_str(b, "</details>\n");
}

/* --- the page ------------------------------------------------------------- */

/* The policy allows the one script whose hash it has. */
static void
put_policy(struct buf *b)
{
	char base64[BASE64_ENCODE_RAW_LENGTH(SHA256_DIGEST_SIZE)];
	uint8_t digest[SHA256_DIGEST_SIZE];
	struct sha256_ctx ctx;

	sha256_init(&ctx);
	sha256_update(&ctx, sizeof script - 1, (const uint8_t *)script);
	sha256_digest(&ctx, sizeof digest, digest);
	base64_encode_raw(base64, sizeof digest, digest);
	buf_printf(b, "<meta http-equiv=\"Content-Security-Policy\" "
	    "content=\"default-src 'none'; style-src 'unsafe-inline'; "
	    "script-src 'sha256-%.*s'; img-src data:; base-uri 'none'; "
	    "form-action 'none'\">\n", (int)sizeof base64, base64);
}

static void
put_head(struct buf *b)
{
	buf_str(b, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
	    "<meta charset=\"utf-8\">\n");
	put_policy(b);
	buf_printf(b, "<meta name=\"viewport\" content=\"width=device-width, "
	    "initial-scale=1\">\n<title>Timeline</title>\n"
	    "<style>\n%s</style>\n</head>\n<body>\n", style);
}

/* "1,234 tasks on 5 hosts, 15.20 s; critical path: 7 steps, 13.14 s". */
static void
put_sentence(struct buf *b, const struct picture *p)
{
	buf_str(b, "<p>");
	put_count(b, p->n_bars, "task");
	if (p->n_hosts > 1) {
		buf_str(b, " on ");
		put_count(b, p->n_hosts, place_word(p));
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
}

static void
put_section(struct buf *b, const struct pictures *all, const struct picture *p)
{
	struct data d = { .all = all, .p = p, .unit_us = find_unit(p) };

	d.place = mem_alloc((p->n_bars + 1) * sizeof *d.place);
	d.type_place = mem_alloc((all->types.n + 1) * sizeof *d.type_place);
	d.types = mem_alloc((all->types.n + 1) * sizeof *d.types);
	intern_init(&d.strings);
	rank_bars(&d);
	buf_str(b, "<section>\n");
	if (p->run != NULL) {
		buf_str(b, "<h2>");
		xml_text(b, span_str(p->run));
		buf_str(b, "</h2>\n");
	}
	put_sentence(b, p);
	put_data(b, &d);
	put_path_table(b, &d);
	put_longest_table(b, &d);
	buf_str(b, "</section>\n");
	intern_release(&d.strings);
	free(d.merged);
	free(d.types);
	free(d.type_place);
	free(d.order);
	free(d.place);
	free(d.ranked);
}

void
page_put(struct buf *b, const struct pictures *all, struct span svg)
{
	put_head(b);
	buf_str(b, "<h1>Timeline</h1>\n<figure>\n");
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
