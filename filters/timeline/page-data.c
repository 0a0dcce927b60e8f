/* page-data - writes the tasks of a build as data for the script of a page */

#include <stdlib.h>

#include "common/base/num.h"
#include "common/base/sort.h"
#include "common/json/json.h"
#include "filters/timeline/timeline.h"

/*
 * DATA_MAX bytes are divided between the pictures of a page; the intervals of
 * merged tasks come in addition, with 10 to 25 bytes each.  Tasks are merged if
 * they are less than a MERGED_COLUMNS-th of the wall time apart, or more if
 * needed; the times of merged tasks are rounded to a MERGED_UNITS-th of it.
 */
enum { DATA_MAX = 700 * 1000, MERGED_MAX = 24000, MERGED_COLUMNS = 2000,
    MERGED_UNITS = 100000 };

/* Flags of a task in the data; page.js has the same. */
enum { FLAG_CACHED = 1, FLAG_FAILED = 2 };

/* --- which tasks are listed ----------------------------------------------- */

static int
compare_importance(const void *a, const void *b, void *context)
{
	const struct picture *p = context;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	const struct bar *x = &p->bars[i], *y = &p->bars[k];
	int order;

	if ((order = (y->step != 0) - (x->step != 0)) != 0 ||
	    (order = y->has_failed - x->has_failed) != 0 ||
	    (order = cmp_i64(bar_length_us(y), bar_length_us(x))) != 0)
		return order;
	return cmp_u64(i, k);
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

/* --- merged tasks --------------------------------------------------------- */

/*
 * Merges those that are not listed if they are in one lane, at most gap_us
 * apart, and none that is listed is between them.
 */
static void
merge_bars(struct page_data *d, int64_t gap_us)
{
	struct cluster *c = NULL;
	const struct bar *bar;

	d->n_merged = 0;
	for (size_t i = 0; i < d->p->n_bars; i++) {
		bar = &d->p->bars[i];
		if (d->place[i] != INDEX_NONE) {
			c = NULL;
			continue;
		}
		if (c == NULL || c->lane != bar->lane ||
		    bar->start_us - c->end_us > gap_us) {
			d->merged = mem_grow(d->merged, &d->merged_cap,
			    d->n_merged + 1, sizeof *d->merged);
			c = &d->merged[d->n_merged++];
			*c = (struct cluster){ 0 };
		}
		cluster_add(c, d->all, bar);
	}
}

/* --- strings -------------------------------------------------------------- */

static void
collect_strings(struct page_data *d)
{
	const struct picture *p = d->p;
	sym type;

	intern_release(&d->strings);
	intern_init(&d->strings);
	memset(d->type_place, 0xff, d->all->types.n * sizeof *d->type_place);
	d->n_types = 0;
	for (size_t i = 0; i < p->n_hosts; i++)
		intern_add(&d->strings, p->hosts[i]);
	for (size_t i = 0; i < p->n_bars; i++) {
		if (d->place[i] == INDEX_NONE)
			continue;
		intern_add(&d->strings, page_data_text(d, i)->id);
		intern_add(&d->strings, page_data_text(d, i)->name);
		intern_add(&d->strings, page_data_text(d, i)->target);
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

static void
put_time(struct buf *b, int64_t us)
{
	put_number(b, us != INT_UNKNOWN ? us : -1);
}

/*
 * Writes the strings in order, of each the number of characters that it has in
 * common with the previous one, and the rest.
 */
static void
put_strings(struct buf *b, struct page_data *d)
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
		n = text_common_prefix(last, text);
		put_number(b, (int64_t)utf16_length(span_of(text.p, n)));
		json_item(b, span_of(text.p + n, text.n - n));
		last = text;
	}
	json_close(b, ']');
	free(sorted);
}

static int64_t
string_number(struct page_data *d, struct span text)
{
	return d->order[intern_add(&d->strings, text)];
}

/* --- arrays of numbers ---------------------------------------------------- */

/* The first columns of each row: where an interval is. */
enum { LANE, GAP, LENGTH, N_PLACE };

/* The interval of the previous row.  Start with { 0 }. */
struct place {
	uint32_t lane;
	int64_t end;
};

/*
 * Sets by how much the lane of an interval is higher than that of the previous
 * one; how long after the end of the previous one of its lane it starts, or
 * after the start of the build; and its length.
 */
static void
set_place(int64_t *row, struct place *last, uint32_t lane, int64_t start,
    int64_t end)
{
	row[LANE] = lane - last->lane;
	row[GAP] = start - (lane == last->lane ? last->end : 0);
	row[LENGTH] = end - start;
	*last = (struct place){ lane, end };
}

/* Writes n rows as an array for each column. */
static void
put_columns(struct buf *b, const char *const *names, size_t n_columns,
    const int64_t *rows, size_t n)
{
	for (size_t k = 0; k < n_columns; k++) {
		json_open(b, names[k], '[');
		for (size_t i = 0; i < n; i++)
			put_number(b, rows[i * n_columns + k]);
		json_close(b, ']');
	}
}

static void
put_tasks(struct buf *b, struct page_data *d)
{
	enum { TYPE = N_PLACE, FLAGS, NAME, ID, TARGET, N_COLUMNS };
	static const char *const names[] = { "lane", "gap", "length", "type",
	    "flags", "name", "id", "target" };
	int64_t *rows = mem_alloc((d->n_ranked + 1) * N_COLUMNS *
	    sizeof *rows), *row = rows;
	struct place last = { 0 };

	for (size_t i = 0; i < d->p->n_bars; i++) {
		const struct bar *bar = &d->p->bars[i];
		const struct bar_text *text;

		if (d->place[i] == INDEX_NONE)
			continue;
		text = page_data_text(d, i);
		set_place(row, &last, bar->lane, bar->start_us / d->unit_us,
		    bar->end_us / d->unit_us);
		row[TYPE] = d->type_place[bar->type];
		row[FLAGS] = (bar->is_cached ? FLAG_CACHED : 0) |
		    (bar->has_failed ? FLAG_FAILED : 0);
		row[NAME] = string_number(d, text->name);
		/* After how many strings that of the id follows: often 0. */
		row[ID] = string_number(d, text->id) - row[NAME];
		row[TARGET] = string_number(d, text->target);
		row += N_COLUMNS;
	}
	json_open(b, "tasks", '{');
	put_columns(b, names, N_COLUMNS, rows,
	    (size_t)(row - rows) / N_COLUMNS);
	json_close(b, '}');
	free(rows);
}

static void
put_merged(struct buf *b, const struct page_data *d)
{
	enum { N = N_PLACE, BUSY, COLOR, N_COLUMNS };
	static const char *const names[] = { "lane", "gap", "length", "n",
	    "busy", "color" };
	int64_t *rows = mem_alloc((d->n_merged + 1) * N_COLUMNS *
	    sizeof *rows), *row = rows;
	int64_t unit_us = 1 + d->p->wall_us / MERGED_UNITS;
	const struct cluster *m = d->merged;
	struct place last = { 0 };

	for (; m < d->merged + d->n_merged; m++, row += N_COLUMNS) {
		set_place(row, &last, m->lane, m->start_us / unit_us,
		    m->end_us / unit_us);
		row[N] = (int64_t)m->n;
		row[BUSY] = m->busy_us / unit_us;
		row[COLOR] = cluster_color(m);
	}
	json_open(b, "merged", '{');
	json_int(b, "unit_us", unit_us);
	put_columns(b, names, N_COLUMNS, rows, d->n_merged);
	json_close(b, '}');
	free(rows);
}

/* --- the data of a section ------------------------------------------------ */

static void
put_lanes(struct buf *b, struct page_data *d)
{
	const struct picture *p = d->p;

	json_open(b, "hosts", '[');
	for (size_t i = 0; i < p->n_hosts; i++)
		put_number(b, string_number(d, p->hosts[i]));
	/* The host, the class, and the lanes that were merged into it. */
	buf_str(b, "],\"lanes\":[");
	for (size_t i = 0; i < p->n_lanes; i++) {
		put_number(b, p->lanes[i].host);
		put_number(b, p->lanes[i].class);
		put_number(b, p->lanes[i].n_slots);
	}
	buf_str(b, "],\"types\":[");
	for (size_t i = 0; i < d->n_types; i++) {
		put_number(b, string_number(d,
		    intern_span(&d->all->types, d->types[i])));
		put_number(b, d->all->type_list[d->types[i]].color);
	}
	json_close(b, ']');
}

/* Of each step the task, and the times that are known, otherwise -1. */
static void
put_steps(struct buf *b, const struct page_data *d)
{
	const struct bar *bar;

	json_open(b, "steps", '[');
	for (size_t i = 0; i < d->p->n_path; i++) {
		if (d->place[d->p->path[i]] == INDEX_NONE)
			continue;
		bar = &d->p->bars[d->p->path[i]];
		put_number(b, d->place[d->p->path[i]]);
		put_time(b, bar->waiting_us);
		put_time(b, bar->potential_us);
	}
	json_close(b, ']');
}

/* The slack of each task that is listed, or -1; nothing if none is known. */
static void
put_slack(struct buf *b, const struct page_data *d)
{
	bool is_known = false;

	for (size_t i = 0; i < d->p->n_bars && !is_known; i++)
		is_known = d->place[i] != INDEX_NONE &&
		    page_data_text(d, i)->slack_us != INT_UNKNOWN;
	if (!is_known)
		return;
	json_open(b, "slack", '[');
	for (size_t i = 0; i < d->p->n_bars; i++)
		if (d->place[i] != INDEX_NONE)
			put_time(b, page_data_text(d, i)->slack_us);
	json_close(b, ']');
}

/* Of each task that was retried its number, the attempt, and how many. */
static void
put_attempts(struct buf *b, const struct page_data *d)
{
	const struct bar_text *text;

	json_open(b, "attempts", '[');
	for (size_t i = 0; i < d->p->n_bars; i++) {
		if (d->place[i] == INDEX_NONE)
			continue;
		text = page_data_text(d, i);
		if (text->n_attempts < 2 || text->attempt == 0)
			continue;
		put_number(b, d->place[i]);
		put_number(b, text->attempt);
		put_number(b, text->n_attempts);
	}
	json_close(b, ']');
}

static void
put_listed(struct buf *b, struct page_data *d, size_t n)
{
	uint32_t place = 0;

	memset(d->place, 0xff, d->p->n_bars * sizeof *d->place);
	for (size_t i = 0; i < n; i++)
		d->place[d->ranked[i]] = 0;
	for (size_t i = 0; i < d->p->n_bars; i++)
		if (d->place[i] != INDEX_NONE)
			d->place[i] = place++;
	collect_strings(d);

	b->len = 0;
	buf_char(b, '{');
	json_int(b, "unit_us", d->unit_us);
	json_int(b, "wall_us", d->p->wall_us);
	json_int(b, "range_us", d->all->wall_us);
	json_uint(b, "n_tasks", d->p->n_bars);
	json_word(b, "place", picture_place(d->p));
	put_strings(b, d);
	put_lanes(b, d);
	put_tasks(b, d);
	put_steps(b, d);
	put_slack(b, d);
	put_attempts(b, d);
}

void
page_data_init(struct page_data *d, const struct pictures *all,
    const struct picture *p)
{
	*d = (struct page_data){ .all = all, .p = p };
	for (size_t i = 0; i < p->n_bars && d->unit_us != 1; i++) {
		d->unit_us = gcd(p->bars[i].start_us, d->unit_us);
		d->unit_us = gcd(p->bars[i].end_us, d->unit_us);
	}
	if (d->unit_us == 0)
		d->unit_us = 1;
	d->place = mem_alloc((p->n_bars + 1) * sizeof *d->place);
	d->type_place = mem_alloc((all->types.n + 1) * sizeof *d->type_place);
	d->types = mem_alloc((all->types.n + 1) * sizeof *d->types);
	intern_init(&d->strings);
	d->ranked = mem_alloc((p->n_bars + 1) * sizeof *d->ranked);
	for (size_t i = 0; i < p->n_bars; i++)
		if (p->bars[i].text != INDEX_NONE)
			d->ranked[d->n_ranked++] = (uint32_t)i;
	sort_with(d->ranked, d->n_ranked, sizeof *d->ranked,
	    compare_importance, p);
}

void
page_data_put(struct buf *b, struct page_data *d)
{
	size_t room = DATA_MAX / d->all->n, n = d->n_ranked;
	int64_t gap_us = d->p->wall_us / MERGED_COLUMNS;
	struct buf json = { 0 };

	if (n > PAGE_TASKS_MAX)
		n = PAGE_TASKS_MAX;
	/* Fewer tasks are listed until the data is small enough. */
	put_listed(&json, d, n);
	while (json.len > room && n > 0) {
		n = (size_t)((double)n * 0.95 * (double)room /
		    (double)json.len);
		put_listed(&json, d, n);
	}

	/* More is merged until there are few intervals, or all is merged. */
	merge_bars(d, gap_us);
	while (d->n_merged > MERGED_MAX / d->all->n && gap_us < d->p->wall_us) {
		gap_us = gap_us * 2 + 1;
		merge_bars(d, gap_us);
	}
	put_merged(&json, d);
	json_close(&json, '}');

	/* Nothing in the JSON may end the script element. */
	buf_str(b, "<script type=\"application/json\">");
	for (size_t i = 0; i < json.len; i++)
		if (json.data[i] == '<' || json.data[i] == '>' ||
		    json.data[i] == '&')
			buf_printf(b, "\\u%04x", (unsigned)json.data[i]);
		else
			buf_char(b, json.data[i]);
	buf_str(b, "</script>\n");
	buf_release(&json);
}

void
page_data_release(struct page_data *d)
{
	intern_release(&d->strings);
	free(d->merged);
	free(d->types);
	free(d->type_place);
	free(d->order);
	free(d->place);
	free(d->ranked);
}
