/* select - which entries of an index are wanted */

#include <stdlib.h>
#include <string.h>

#include "common/base/hex.h"
#include "common/base/mem.h"
#include "common/base/num.h"
#include "common/base/sort.h"
#include "common/perun/select.h"

enum { PREFIX_LEAST = 4 };

/* "12@i": the number, and which list it is of. */
static bool
read_tag(struct span s, uint64_t *number, char *list)
{
	if (s.n < 3 || s.p[s.n - 2] != '@')
		return false;
	*list = s.p[s.n - 1];
	return (*list == 'i' || *list == 'p') &&
	    text_u64(span_of(s.p, s.n - 2), number);
}

static bool
is_object(struct span s)
{
	return s.n >= PREFIX_LEAST && s.n <= 2 * PIDX_SHA && hex_is_hex(s);
}

bool
look_up_read(struct look_up *l, const char *text)
{
	const char *dash = strchr(text, '-');
	struct span all = span_str(text), left = all;
	char list, other;

	*l = (struct look_up){ .kind = LOOK_PATH, .text = all };
	if (dash != NULL)
		left = span_of(text, (size_t)(dash - text));
	if (read_tag(left, &l->first, &list)) {
		l->last = l->first;
		other = list;
		if (dash != NULL && !read_tag(span_str(dash + 1), &l->last,
		    &other))
			return true;	/* a path that begins so */
		l->kind = list == 'i' ? LOOK_INDEX : LOOK_PENDING;
		return list == other && l->first <= l->last;
	}
	if (is_object(all))
		l->kind = LOOK_OBJECT;
	return true;
}

bool
order_read(struct order *o, const char *key)
{
	static const char *const names[] = { "time", "realpath", "type", "cmd",
	    "workload", "collector", "checksum" };

	if (strcmp(key, "source") == 0)
		key = "realpath";
	for (int i = 0; i < (int)(sizeof names / sizeof *names); i++)
		if (strcmp(key, names[i]) == 0) {
			o->by = i;
			return true;
		}
	return false;
}

static int
compare_by(const struct order *o, const struct pidx_entry *a,
    const struct pidx_entry *b)
{
	static const enum pidx_string strings[] = {
	    [ORDER_TYPE] = PIDX_TYPE, [ORDER_CMD] = PIDX_CMD,
	    [ORDER_WORKLOAD] = PIDX_WORKLOAD,
	    [ORDER_COLLECTOR] = PIDX_COLLECTOR };

	switch (o->by) {
	case ORDER_TIME:
		return cmp_u64(a->time, b->time);
	case ORDER_PATH:
		return span_compare(a->path, b->path);
	case ORDER_OBJECT:
		return memcmp(a->object, b->object, PIDX_SHA);
	default:
		return span_compare(a->strings[strings[o->by]],
		    b->strings[strings[o->by]]);
	}
}

struct sorting {
	const struct pidx_entry *entries;
	const struct order *by;
};

/* Python's sort in reverse keeps the order of what is equal. */
static int
compare_places(const void *a, const void *b, void *context)
{
	const struct sorting *s = context;
	size_t x = *(const size_t *)a, y = *(const size_t *)b;
	int order = compare_by(s->by, &s->entries[y], &s->entries[x]);

	return order != 0 ? order : cmp_u64(x, y);
}

/* The places of entries as status shows them. */
static size_t *
shown_order(const struct pidx *p, const struct order *o)
{
	size_t *places = mem_resize(NULL, p->n, sizeof *places);
	const struct sorting s = { p->entries, o };

	for (size_t i = 0; i < p->n; i++)
		places[i] = i;
	sort_with(places, p->n, sizeof *places, compare_places, &s);
	return places;
}

static bool
has_object(const struct look_up *l, const struct pidx_entry *e)
{
	char hex[2 * PIDX_SHA + 1];

	hex_encode(hex, e->object, PIDX_SHA);
	for (size_t i = 0; i < l->text.n; i++)
		if (hex_digit(l->text.p[i]) != hex_digit(hex[i]))
			return false;
	return true;
}

/* Perun takes 40 hex digits for an object, and a name before a prefix. */
static void
mark_matches(const struct look_up *l, const struct pidx *p, bool *wanted)
{
	const struct pidx_entry *e = p->entries;

	for (size_t i = 0; i < p->n; i++, e++)
		wanted[i] |= span_compare(l->text, e->path) == 0 ||
		    (l->kind == LOOK_OBJECT && has_object(l, e));
}

/* A number beyond the index is an error, a range may go beyond it. */
static bool
mark_numbers(const struct look_up *l, const size_t *places, size_t n,
    bool *wanted)
{
	for (uint64_t i = l->first; i <= l->last && i < n; i++)
		wanted[places[i]] = true;
	return l->first < n || l->first != l->last;
}

static bool
matches(const char *wanted, struct span s)
{
	return wanted == NULL || span_eq(s, wanted);
}

static bool
passes(const struct selection *s, const struct pidx_entry *e)
{
	return matches(s->type, e->strings[PIDX_TYPE]) &&
	    matches(s->cmd, e->strings[PIDX_CMD]) &&
	    matches(s->workload, e->strings[PIDX_WORKLOAD]) &&
	    matches(s->collector, e->strings[PIDX_COLLECTOR]);
}

bool
select_entries(const struct selection *s, const struct order *o,
    const struct pidx *p, bool pending, bool *wanted,
    const struct look_up **missing)
{
	enum look_up_kind numbers = pending ? LOOK_PENDING : LOOK_INDEX;
	const struct look_up *l = s->look_ups;
	size_t *places = NULL;

	*missing = NULL;
	for (size_t i = 0; i < p->n; i++)
		wanted[i] = s->n_look_ups == 0;
	for (; l < s->look_ups + s->n_look_ups; l++) {
		if (l->kind == LOOK_OBJECT || l->kind == LOOK_PATH) {
			mark_matches(l, p, wanted);
			continue;
		}
		if (l->kind != numbers)
			continue;
		if (places == NULL)
			places = shown_order(p, o);
		if (!mark_numbers(l, places, p->n, wanted))
			*missing = l;
	}
	for (size_t i = 0; i < p->n; i++)
		wanted[i] = wanted[i] && passes(s, &p->entries[i]);
	free(places);
	return *missing == NULL;
}
