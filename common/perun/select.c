/* select - selects entries of an index by number, object, path or string */

#include <stdlib.h>
#include <string.h>

#include "common/base/err.h"
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
	if (whole.n >= PREFIX_LEN_MIN && whole.n <= 2 * PIDX_SHA_SIZE &&
	    hex_is_valid(whole))
		sel->kind = SELECTOR_OBJECT;
	return true;
}

static enum order_by
parse_key(struct span key)
{
	static const char *const names[] = { [ORDER_TIME] = "time",
	    [ORDER_STEM] = "stem", [ORDER_COPY] = "copy",
	    [ORDER_PATH] = "realpath", [ORDER_TYPE] = "type",
	    [ORDER_CMD] = "cmd", [ORDER_WORKLOAD] = "workload",
	    [ORDER_LABEL] = "label", [ORDER_COLLECTOR] = "collector",
	    [ORDER_OBJECT] = "checksum" };

	if (span_eq(key, "source"))		/* a synonym */
		return ORDER_PATH;
	for (int i = 0; i < (int)(sizeof names / sizeof *names); i++)
		if (span_eq(key, names[i]))
			return (enum order_by)i;
	die("'%.*s' is not a key to sort profiles by", SPAN_ARG(key));
}

static enum order_direction
parse_direction(struct span text)
{
	if (!span_eq(text, "asc") && !span_eq(text, "desc"))
		die("'%.*s' is not an order of profiles, asc or desc",
		    SPAN_ARG(text));
	return span_eq(text, "asc") ? ORDER_ASC : ORDER_DESC;
}

/* The text number i of a setting that is a text or a list of texts. */
static bool
setting_text(const struct config_value *v, size_t i, struct span *text)
{
	if (v == NULL || v->is_null)
		return false;
	if (v->kind == CONFIG_LIST && i < v->n)
		v = v->items[i].value;
	else if (v->kind == CONFIG_LIST || i > 0)
		return false;
	*text = v->kind == CONFIG_TEXT ? v->text : span_str("");
	return true;
}

/* A setting of directions, or a list of keys, is from Perun since 0.23.8. */
void
order_load(struct order *o, const struct config *config, const char *sort)
{
	const struct config_value *keys = config_find(config,
	    "format.sort_profiles_by");
	const struct config_value *directions = config_find(config,
	    "format.sort_profiles_order");
	size_t n, key;
	struct span text;

	*o = (struct order){ .is_new =
	    setting_text(directions, 0, &text) ||
	    (keys != NULL && keys->kind == CONFIG_LIST) };
	for (; sort != NULL; sort = sort[n] == '\0' ? NULL : sort + n + 1) {
		n = strcspn(sort, ",");
		key = strcspn(sort, ":,");
		if (o->n == ORDER_KEYS_MAX)
			die("there are more than %d keys to sort profiles by",
			    ORDER_KEYS_MAX);
		if (key < n)
			o->directions[o->n] = parse_direction(span_of(sort +
			    key + 1, n - key - 1));
		o->keys[o->n++] = parse_key(span_of(sort, key));
	}
	if (o->n == 0)
		for (; o->n < ORDER_KEYS_MAX &&
		    setting_text(keys, o->n, &text); o->n++)
			o->keys[o->n] = parse_key(text);
	for (size_t i = 0; i < ORDER_KEYS_MAX; i++)
		if (setting_text(directions, i, &text) &&
		    o->directions[i] == ORDER_BY_RULE)
			o->directions[i] = parse_direction(text);
}

/*
 * Splits "STEM(COPY).perf"; a name without a number in parentheses is a stem
 * with copy 0.
 */
static struct span
split_name(struct span path, uint64_t *copy)
{
	struct span stem = path;
	size_t open;

	if (stem.n > 5 && memcmp(stem.p + stem.n - 5, ".perf", 5) == 0)
		stem.n -= 5;
	*copy = 0;
	if (stem.n == 0 || stem.p[stem.n - 1] != ')')
		return stem;
	for (open = stem.n - 1; open > 0 && stem.p[open] != '('; open--)
		;
	if (stem.p[open] == '(' && text_u64(span_of(stem.p + open + 1,
	    stem.n - open - 2), copy))
		stem.n = open;
	return stem;
}

static int
compare_by(enum order_by by, const struct pidx_entry *a,
    const struct pidx_entry *b)
{
	static const enum pidx_string strings[] = {
	    [ORDER_TYPE] = PIDX_TYPE, [ORDER_CMD] = PIDX_CMD,
	    [ORDER_WORKLOAD] = PIDX_WORKLOAD, [ORDER_LABEL] = PIDX_LABEL,
	    [ORDER_COLLECTOR] = PIDX_COLLECTOR };
	uint64_t copy_a, copy_b;
	struct span stem_a, stem_b;

	switch (by) {
	case ORDER_TIME:
		return cmp_u64(a->time, b->time);
	case ORDER_STEM:
	case ORDER_COPY:
		stem_a = split_name(a->path, &copy_a);
		stem_b = split_name(b->path, &copy_b);
		return by == ORDER_COPY ? cmp_u64(copy_a, copy_b) :
		    span_compare(stem_a, stem_b);
	case ORDER_PATH:
		return span_compare(a->path, b->path);
	case ORDER_OBJECT:
		return memcmp(a->object, b->object, PIDX_SHA_SIZE);
	default:
		return span_compare(a->strings[strings[by]],
		    b->strings[strings[by]]);
	}
}

struct sort_context {
	const struct pidx_entry *entries;
	const struct order *order;
};

/* The sort is stable in both directions, as Python's. */
static int
compare_positions(const void *a, const void *b, void *context)
{
	const struct sort_context *s = context;
	const struct order *o = s->order;
	size_t x = *(const size_t *)a, y = *(const size_t *)b;
	int order;

	for (size_t i = 0; i < o->n; i++) {
		order = compare_by(o->keys[i], &s->entries[x], &s->entries[y]);
		if (order != 0)
			return o->directions[i] == ORDER_DESC ? -order : order;
	}
	return cmp_u64(x, y);
}

/* What the order leaves to the rule depends on the layout. */
size_t *
order_positions(const struct pidx *p, const struct order *o)
{
	static const enum order_by keys[] = { ORDER_TIME, ORDER_STEM,
	    ORDER_COPY };
	size_t *positions = mem_resize(NULL, p->n, sizeof *positions);
	struct order order = *o;
	const struct sort_context s = { p->entries, &order };
	bool is_new = o->is_new || p->layout == PIDX_2_LABEL;

	if (order.n == 0) {
		order.n = is_new ? 3 : 1;
		memcpy(order.keys, keys, sizeof keys);
	}
	for (size_t i = 0; i < order.n; i++)
		if (order.directions[i] == ORDER_BY_RULE)
			order.directions[i] = is_new ? ORDER_ASC : ORDER_DESC;
	for (size_t i = 0; i < p->n; i++)
		positions[i] = i;
	sort_with(positions, p->n, sizeof *positions, compare_positions, &s);
	return positions;
}

/* Compares the values of digits: the selector may have capital letters. */
static bool
matches_text(const struct selector *sel, const struct pidx_entry *e)
{
	char hex[2 * PIDX_SHA_SIZE + 1];

	if (span_compare(sel->text, e->path) == 0)
		return true;
	if (sel->kind != SELECTOR_OBJECT)
		return false;
	hex_encode(hex, e->object, PIDX_SHA_SIZE);
	for (size_t i = 0; i < sel->text.n; i++)
		if (hex_digit(sel->text.p[i]) != hex_digit(hex[i]))
			return false;
	return true;
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
			for (size_t i = 0; i < p->n; i++)
				selected[i] |= matches_text(sel,
				    &p->entries[i]);
			continue;
		}
		if (sel->kind != number_kind)
			continue;
		if (positions == NULL)
			positions = order_positions(p, o);
		for (uint64_t i = sel->first; i <= sel->last && i < p->n; i++)
			selected[positions[i]] = true;
		/* A range may select nothing, but not a single number. */
		if (sel->first >= p->n && sel->first == sel->last)
			*missing = sel;
	}
	for (size_t i = 0; i < p->n; i++)
		for (int k = 0; k < PIDX_N_STRINGS && selected[i]; k++)
			selected[i] = s->strings[k] == NULL ||
			    span_eq(p->entries[i].strings[k], s->strings[k]);
	free(positions);
	return *missing == NULL;
}
