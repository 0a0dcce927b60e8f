/* select - selects entries of an index by number, object, path or string */

#include <stdlib.h>
#include <string.h>

#include "common/base/hex.h"
#include "common/base/mem.h"
#include "common/base/num.h"
#include "common/base/sort.h"
#include "common/perun/select.h"

/* The minimum number of hexadecimal digits that select an object. */
enum { PREFIX_LEN_MIN = 4 };

/*
 * Parses "12@i" or "12@p"; sets *list to 'i', the index, or 'p', the pending
 * profiles.
 */
static bool
parse_tag(struct span s, uint64_t *number, char *list)
{
	if (s.n < 3 || s.p[s.n - 2] != '@')
		return false;
	*list = s.p[s.n - 1];
	return (*list == 'i' || *list == 'p') &&
	    text_u64(span_of(s.p, s.n - 2), number);
}

static bool
may_be_object(struct span s)
{
	return s.n >= PREFIX_LEN_MIN && s.n <= 2 * PIDX_SHA_SIZE &&
	    hex_is_valid(s);
}

bool
selector_parse(struct selector *sel, const char *text)
{
	const char *dash = strchr(text, '-');
	struct span whole = span_str(text), first = whole;
	char first_list, last_list;

	*sel = (struct selector){ .kind = SELECTOR_PATH, .text = whole };
	if (dash != NULL)
		first = span_of(text, (size_t)(dash - text));
	if (parse_tag(first, &sel->first, &first_list)) {
		sel->last = sel->first;
		last_list = first_list;
		if (dash != NULL && !parse_tag(span_str(dash + 1), &sel->last,
		    &last_list))
			return true;	/* a path such as "1@i-x" */
		sel->kind = first_list == 'i' ? SELECTOR_INDEX :
		    SELECTOR_PENDING;
		return first_list == last_list && sel->first <= sel->last;
	}
	if (may_be_object(whole))
		sel->kind = SELECTOR_OBJECT;
	return true;
}

bool
order_parse(struct order *o, const char *key)
{
	static const char *const names[] = { [ORDER_TIME] = "time",
	    [ORDER_PATH] = "realpath", [ORDER_TYPE] = "type",
	    [ORDER_CMD] = "cmd", [ORDER_WORKLOAD] = "workload",
	    [ORDER_COLLECTOR] = "collector", [ORDER_OBJECT] = "checksum" };

	if (strcmp(key, "source") == 0)		/* a synonym */
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
		return memcmp(a->object, b->object, PIDX_SHA_SIZE);
	default:
		return span_compare(a->strings[strings[o->by]],
		    b->strings[strings[o->by]]);
	}
}

struct sort_context {
	const struct pidx_entry *entries;
	const struct order *by;
};

/* Makes the sort descending and stable, as Python's with reverse=True. */
static int
compare_positions(const void *a, const void *b, void *context)
{
	const struct sort_context *s = context;
	size_t x = *(const size_t *)a, y = *(const size_t *)b;
	int order = compare_by(s->by, &s->entries[y], &s->entries[x]);

	return order != 0 ? order : cmp_u64(x, y);
}

/* The positions in the index of the entries, in the order of perun status. */
static size_t *
sorted_positions(const struct pidx *p, const struct order *o)
{
	size_t *positions = mem_resize(NULL, p->n, sizeof *positions);
	const struct sort_context s = { p->entries, o };

	for (size_t i = 0; i < p->n; i++)
		positions[i] = i;
	sort_with(positions, p->n, sizeof *positions, compare_positions, &s);
	return positions;
}

/*
 * Do the selector's digits begin the name of the entry's object?  Compares the
 * values of digits, because the selector may have capital letters.
 */
static bool
has_object(const struct selector *sel, const struct pidx_entry *e)
{
	char hex[2 * PIDX_SHA_SIZE + 1];

	hex_encode(hex, e->object, PIDX_SHA_SIZE);
	for (size_t i = 0; i < sel->text.n; i++)
		if (hex_digit(sel->text.p[i]) != hex_digit(hex[i]))
			return false;
	return true;
}

/* Selects by path and, if the selector may name an object, by object. */
static void
select_matches(const struct selector *sel, const struct pidx *p, bool *selected)
{
	const struct pidx_entry *e = p->entries;

	for (size_t i = 0; i < p->n; i++, e++)
		selected[i] |= span_compare(sel->text, e->path) == 0 ||
		    (sel->kind == SELECTOR_OBJECT && has_object(sel, e));
}

/* False if a single number is out of range; a range may select nothing. */
static bool
select_numbers(const struct selector *sel, const size_t *positions, size_t n,
    bool *selected)
{
	for (uint64_t i = sel->first; i <= sel->last && i < n; i++)
		selected[positions[i]] = true;
	return sel->first < n || sel->first != sel->last;
}

static bool
matches(const char *wanted, struct span s)
{
	return wanted == NULL || span_eq(s, wanted);
}

static bool
matches_strings(const struct selection *s, const struct pidx_entry *e)
{
	return matches(s->type, e->strings[PIDX_TYPE]) &&
	    matches(s->cmd, e->strings[PIDX_CMD]) &&
	    matches(s->workload, e->strings[PIDX_WORKLOAD]) &&
	    matches(s->collector, e->strings[PIDX_COLLECTOR]);
}

bool
select_entries(const struct selection *s, const struct order *o,
    const struct pidx *p, bool pending, bool *selected,
    const struct selector **missing)
{
	enum selector_kind number_kind = pending ? SELECTOR_PENDING :
	    SELECTOR_INDEX;
	const struct selector *sel = s->selectors;
	size_t *positions = NULL;

	*missing = NULL;
	for (size_t i = 0; i < p->n; i++)
		selected[i] = s->n_selectors == 0;
	for (; sel < s->selectors + s->n_selectors; sel++) {
		if (sel->kind == SELECTOR_OBJECT ||
		    sel->kind == SELECTOR_PATH) {
			select_matches(sel, p, selected);
			continue;
		}
		if (sel->kind != number_kind)
			continue;
		if (positions == NULL)
			positions = sorted_positions(p, o);
		if (!select_numbers(sel, positions, p->n, selected))
			*missing = sel;
	}
	for (size_t i = 0; i < p->n; i++)
		selected[i] = selected[i] && matches_strings(s, &p->entries[i]);
	free(positions);
	return *missing == NULL;
}
