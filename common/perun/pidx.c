/* pidx - parses and writes the index of a minor version */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/num.h"
#include "common/base/search.h"
#include "common/perun/pidx.h"

/* COUNT_OFFSET is where the number of entries is stored, after the version. */
enum { VERSION_MAX = 2, COUNT_OFFSET = 8 };

static void
set_u32(char *p, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		p[i] = (char)(value >> 8 * i);
}

static void
put_u32(struct buf *b, uint32_t value)
{
	buf_need(b, 4);
	set_u32(b->data + b->len, value);
	b->len += 4;
}

static PRINTF_LIKE(3, 4) void
set_error(struct pidx_error *e, size_t offset, const char *fmt, ...)
{
	va_list ap;

	e->offset = offset;
	va_start(ap, fmt);
	vsnprintf(e->why, sizeof e->why, fmt, ap);
	va_end(ap);
}

/* A macro, so that gcc sees that a function that fails returns false. */
#define fail(...) (set_error(__VA_ARGS__), false)

struct cursor {
	struct span bytes;
	size_t at;
	struct pidx_error *error;
};

static size_t
bytes_left(const struct cursor *c)
{
	return c->bytes.n - c->at;
}

static bool
read_u32(struct cursor *c, uint32_t *value, const char *what)
{
	const unsigned char *p = (const unsigned char *)c->bytes.p + c->at;

	if (bytes_left(c) < 4)
		return fail(c->error, c->at, "%s is truncated", what);
	*value = (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
	    (uint32_t)p[3] << 24;
	c->at += 4;
	return true;
}

static bool
read_path(struct cursor *c, struct span *path)
{
	const char *p = c->bytes.p + c->at;
	size_t left = bytes_left(c);
	const char *end = left == 0 ? NULL : memchr(p, '\0', left);

	if (end == NULL)
		return fail(c->error, c->at, "a path is not terminated");
	if (end == p)
		return fail(c->error, c->at, "a path is empty");
	*path = span_of(p, (size_t)(end - p));
	c->at += path->n + 1;
	return true;
}

static bool
read_string(struct cursor *c, struct span *string)
{
	uint32_t n;

	if (!read_u32(c, &n, "the length of a string"))
		return false;
	if (n > bytes_left(c))
		return fail(c->error, c->at - 4, "a string has %u bytes but "
		    "only %zu follow", n, bytes_left(c));
	*string = span_of(c->bytes.p + c->at, n);
	c->at += n;
	return true;
}

/* Sets *order to the order of an entry's strings; returns their number. */
static size_t
string_order(enum pidx_layout layout, const enum pidx_string **order)
{
	static const enum pidx_string five[] = { PIDX_TYPE, PIDX_CMD,
	    PIDX_WORKLOAD, PIDX_COLLECTOR, PIDX_POSTPROCESSORS };
	static const enum pidx_string args[] = { PIDX_TYPE, PIDX_CMD, PIDX_ARGS,
	    PIDX_WORKLOAD, PIDX_COLLECTOR, PIDX_POSTPROCESSORS };
	static const enum pidx_string label[] = { PIDX_TYPE, PIDX_CMD,
	    PIDX_WORKLOAD, PIDX_LABEL, PIDX_COLLECTOR, PIDX_POSTPROCESSORS };

	*order = layout == PIDX_2_ARGS ? args :
	    layout == PIDX_2_LABEL ? label : five;
	return layout == PIDX_1 ? 0 : layout == PIDX_2 ? 5 : 6;
}

static bool
read_entry(struct cursor *c, enum pidx_layout layout, struct pidx_entry *e)
{
	const enum pidx_string *order;
	size_t n = string_order(layout, &order), start = c->at;

	*e = (struct pidx_entry){ .is_undecided = n == 6 };
	if (!read_u32(c, &e->time, "the time of an entry"))
		return false;
	if (bytes_left(c) < PIDX_SHA_SIZE)
		return fail(c->error, c->at,
		    "the object of an entry is truncated");
	memcpy(e->object, c->bytes.p + c->at, PIDX_SHA_SIZE);
	c->at += PIDX_SHA_SIZE;
	if (!read_path(c, &e->path))
		return false;
	for (size_t i = 0; i < n; i++)
		if (!read_string(c, &e->strings[order[i]]))
			return false;
	e->bytes = span_of(c->bytes.p + start, c->at - start);
	return true;
}

void
pidx_decide(struct pidx_entry *e, enum pidx_layout layout)
{
	struct span *s = e->strings;
	bool has_args = s[PIDX_ARGS].p != NULL;
	struct span third = has_args ? s[PIDX_ARGS] : s[PIDX_WORKLOAD];
	struct span fourth = has_args ? s[PIDX_WORKLOAD] : s[PIDX_LABEL];

	s[PIDX_ARGS] = s[PIDX_LABEL] = span_of(NULL, 0);
	s[layout == PIDX_2_ARGS ? PIDX_ARGS : PIDX_WORKLOAD] = third;
	s[layout == PIDX_2_ARGS ? PIDX_WORKLOAD : PIDX_LABEL] = fourth;
	e->is_undecided = false;
}

bool
pidx_entry_at(struct span bytes, size_t offset, enum pidx_layout layout,
    struct pidx_entry *e, size_t *end)
{
	struct pidx_error error;
	struct cursor c = { .bytes = bytes, .at = offset, .error = &error };

	if (!read_entry(&c, layout, e))
		return false;
	*end = c.at;
	return true;
}

/*
 * Appends count entries to the index, of its layout.  The count is not trusted:
 * it is an error if the last entry does not end exactly at the end of the
 * bytes, unless rest is true and what follows is not another entry.
 */
static bool
read_entries(struct cursor *c, uint32_t count, bool rest, struct pidx *p)
{
	struct pidx_entry e;
	size_t end;

	for (uint32_t i = 0; i < count; i++) {
		if (bytes_left(c) == 0)
			return fail(c->error, c->at, "the header counts %u "
			    "entries but there are only %u", count, i);
		if (!read_entry(c, p->layout, &e))
			return false;
		p->entries = mem_grow(p->entries, &p->cap, p->n + 1,
		    sizeof *p->entries);
		p->entries[p->n++] = e;
	}
	if (bytes_left(c) == 0 || (rest && count > 0 &&
	    !pidx_entry_at(c->bytes, c->at, p->layout, &e, &end)))
		return true;
	return fail(c->error, c->at, "%zu bytes follow the last of %u entries",
	    bytes_left(c), count);
}

static bool
read_header(struct cursor *c, uint32_t *version, uint32_t *count)
{
	if (c->bytes.n < 4 || memcmp(c->bytes.p, "pidx", 4) != 0)
		return fail(c->error, 0, "it does not begin with 'pidx'");
	c->at = 4;
	if (!read_u32(c, version, "the version"))
		return false;
	if (*version < 1 || *version > VERSION_MAX)
		return fail(c->error, 4, "its version is %u, not 1 or 2",
		    *version);
	if (!read_u32(c, count, "the number of entries"))
		return false;
	return *count <= INT32_MAX || fail(c->error, COUNT_OFFSET,
	    "the number of entries is negative");
}

bool
pidx_parse(struct pidx *p, struct span bytes, struct pidx_error *error)
{
	struct cursor c = { .bytes = bytes, .error = error };
	struct pidx other = { .layout = PIDX_2_LABEL };
	struct pidx_error other_error;
	uint32_t version, count;
	bool ok;

	*p = (struct pidx){ .layout = PIDX_2 };
	if (!read_header(&c, &version, &count))
		return false;
	p->layout = version == 1 ? PIDX_1 : PIDX_2;
	if (read_entries(&c, count, false, p))
		return true;
	if (p->layout == PIDX_1)
		return false;
	c.at = PIDX_HEADER_SIZE;
	c.error = &other_error;
	/* Perun 0.25 leaves bytes there if it makes an index shorter. */
	ok = read_entries(&c, count, true, &other);
	/*
	 * If neither fits, six strings are taken if five have read the length
	 * of the sixth as the time of the second entry: a real time is not in
	 * the first 2^20 seconds, 12 days, of 1970.  Otherwise the number with
	 * more valid entries is taken or, if both have equally many, the one
	 * with the later error.
	 */
	if (ok || (p->n >= 2 && p->entries[1].time < 1 << 20) ||
	    other.n > p->n ||
	    (other.n == p->n && other_error.offset > error->offset)) {
		pidx_release(p);
		*p = other;
		*error = other_error;
	} else {
		pidx_release(&other);
	}
	return ok;
}

bool
pidx_parse_five(struct pidx *p, struct span bytes)
{
	struct pidx_error error;
	struct cursor c = { .bytes = bytes, .error = &error };
	uint32_t version, count;

	*p = (struct pidx){ .layout = PIDX_2 };
	return read_header(&c, &version, &count) && version == 2 &&
	    read_entries(&c, count, true, p);
}

void
pidx_release(struct pidx *p)
{
	free(p->entries);
	p->entries = NULL;
	p->n = p->cap = 0;
}

int
pidx_compare(enum pidx_layout layout, const struct pidx_entry *a,
    const struct pidx_entry *b)
{
	int order = span_compare(a->path, b->path);

	return order != 0 || layout == PIDX_2_LABEL ? order :
	    cmp_u64(a->time, b->time);
}

int
pidx_compare_object(const struct pidx_entry *a, const struct pidx_entry *b)
{
	return pidx_compare(PIDX_1, a, b) ?:
	    memcmp(a->object, b->object, PIDX_SHA_SIZE);
}

static void
put_entry(struct buf *b, enum pidx_layout layout, const struct pidx_entry *e)
{
	const enum pidx_string *order;
	size_t n = string_order(layout, &order);
	struct span s;

	if (e->bytes.p != NULL) {
		buf_add(b, e->bytes.p, e->bytes.n);
		return;
	}
	put_u32(b, e->time);
	buf_add(b, (const char *)e->object, PIDX_SHA_SIZE);
	buf_add(b, e->path.p, e->path.n);
	buf_char(b, '\0');
	for (size_t i = 0; i < n; i++) {
		s = e->strings[order[i]];
		put_u32(b, (uint32_t)s.n);
		buf_add(b, s.p, s.n);
	}
}

static void
put_header(struct buf *b, enum pidx_layout layout, size_t count)
{
	buf_add(b, "pidx", 4);
	put_u32(b, layout == PIDX_1 ? 1 : 2);
	put_u32(b, (uint32_t)count);
}

void
pidx_serialize(const struct pidx *p, struct buf *b)
{
	put_header(b, p->layout, p->n);
	for (size_t i = 0; i < p->n; i++)
		put_entry(b, p->layout, &p->entries[i]);
}

/* Copies the entries from `at` on that are less than e; returns their end. */
static size_t
copy_less(const struct pidx *p, size_t at, const struct pidx_entry *e,
    struct buf *to)
{
	for (; at < p->n && pidx_compare(p->layout, &p->entries[at], e) < 0;
	    at++)
		put_entry(to, p->layout, &p->entries[at]);
	return at;
}

/*
 * Merges the new entries into the index, except those that it has; returns
 * where its entries begin that are still to be copied.
 */
static size_t
insert(const struct pidx *p, const struct pidx_entry *new, size_t n,
    struct pidx_outcome *outcomes, struct buf *to)
{
	const struct pidx_entry *e = p->entries;
	size_t equal, at = 0;

	for (; e < p->entries + p->n; e++) {
		equal = SEARCH_FIRST(i, n,
		    pidx_compare_object(&new[i], e) >= 0);
		if (equal < n && pidx_compare_object(&new[equal], e) == 0)
			outcomes[equal].existed = true;
	}
	/* Further equal ones are duplicates of the first. */
	for (size_t i = 1; i < n; i++)
		if (pidx_compare_object(&new[i - 1], &new[i]) == 0)
			outcomes[i].existed = true;
	for (size_t i = 0; i < n; i++) {
		at = copy_less(p, at, &new[i], to);
		if (!outcomes[i].existed)
			put_entry(to, p->layout, &new[i]);
	}
	return at;
}

/*
 * The same, but each new entry replaces the one with its path that is there at
 * present; the last one that was written counts.
 */
static size_t
replace(const struct pidx *p, const struct pidx_entry *new, size_t n,
    struct pidx_outcome *outcomes, struct buf *to)
{
	const struct pidx_entry *present, *e = new, *end = new + n;
	struct pidx_outcome *outcome = outcomes;
	struct span path;
	size_t at = 0;

	while (e < end) {
		at = copy_less(p, at, e, to);
		path = e->path;
		present = NULL;
		if (at < p->n && span_compare(p->entries[at].path, path) == 0)
			present = &p->entries[at++];
		for (; e < end && span_compare(e->path, path) == 0;
		    e++, outcome++) {
			if (present != NULL &&
			    pidx_compare_object(present, e) == 0 &&
			    span_compare(present->strings[PIDX_LABEL],
			    e->strings[PIDX_LABEL]) == 0) {
				outcome->existed = true;
				continue;
			}
			if (present != NULL) {
				outcome->has_replaced = true;
				memcpy(outcome->replaced, present->object,
				    PIDX_SHA_SIZE);
			}
			present = e;
		}
		put_entry(to, p->layout, present);
	}
	return at;
}

void
pidx_add(const struct pidx *p, const struct pidx_entry *new, size_t n,
    struct pidx_outcome *outcomes, struct buf *to)
{
	size_t count = p->n, start = to->len, at;

	memset(outcomes, 0, n * sizeof *outcomes);
	put_header(to, p->layout, 0);
	at = p->layout == PIDX_2_LABEL ? replace(p, new, n, outcomes, to) :
	    insert(p, new, n, outcomes, to);
	for (; at < p->n; at++)
		put_entry(to, p->layout, &p->entries[at]);
	for (size_t i = 0; i < n; i++)
		count += !outcomes[i].existed && !outcomes[i].has_replaced;
	set_u32(to->data + start + COUNT_OFFSET, (uint32_t)count);
}
