/* pidx - the index of a minor version, from bytes and to bytes */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/num.h"
#include "common/base/search.h"
#include "common/perun/pidx.h"

enum { LAST_VERSION = 2, COUNT_AT = 8 };

static uint32_t
get_u32(const char *p)
{
	const unsigned char *u = (const unsigned char *)p;

	return (uint32_t)u[0] | (uint32_t)u[1] << 8 | (uint32_t)u[2] << 16 |
	    (uint32_t)u[3] << 24;
}

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

static bool
fail(struct pidx_error *e, size_t offset, const char *why)
{
	e->offset = offset;
	snprintf(e->why, sizeof e->why, "%s", why);
	return false;
}

/* A walk over the bytes. */
struct walk {
	struct span bytes;
	size_t at;
	struct pidx_error *error;
};

static size_t
left(const struct walk *w)
{
	return w->bytes.n - w->at;
}

static bool
take_u32(struct walk *w, uint32_t *value, const char *what)
{
	if (left(w) < 4)
		return fail(w->error, w->at, what);
	*value = get_u32(w->bytes.p + w->at);
	w->at += 4;
	return true;
}

static bool
take_object(struct walk *w, unsigned char *object)
{
	if (left(w) < PIDX_SHA)
		return fail(w->error, w->at, "the object of an entry is cut");
	memcpy(object, w->bytes.p + w->at, PIDX_SHA);
	w->at += PIDX_SHA;
	return true;
}

static bool
take_path(struct walk *w, struct span *path)
{
	const char *p = w->bytes.p + w->at;
	const char *end = left(w) == 0 ? NULL : memchr(p, '\0', left(w));

	if (end == NULL)
		return fail(w->error, w->at, "a path has no end");
	if (end == p)
		return fail(w->error, w->at, "a path is empty");
	*path = span_of(p, (size_t)(end - p));
	w->at += path->n + 1;
	return true;
}

static bool
take_string(struct walk *w, struct span *string)
{
	uint32_t n;

	if (!take_u32(w, &n, "the length of a string is cut"))
		return false;
	if (n > left(w)) {
		fail(w->error, w->at - 4, "");
		snprintf(w->error->why, sizeof w->error->why,
		    "a string of %u bytes where %zu are left", n, left(w));
		return false;
	}
	*string = span_of(w->bytes.p + w->at, n);
	w->at += n;
	return true;
}

/* Which strings an entry has, in order. */
static size_t
strings_of(enum pidx_layout layout, const enum pidx_string **order)
{
	static const enum pidx_string five[] = { PIDX_TYPE, PIDX_CMD,
	    PIDX_WORKLOAD, PIDX_COLLECTOR, PIDX_POSTPROCESSORS };
	static const enum pidx_string six[] = { PIDX_TYPE, PIDX_CMD, PIDX_ARGS,
	    PIDX_WORKLOAD, PIDX_COLLECTOR, PIDX_POSTPROCESSORS };

	*order = layout == PIDX_2_ARGS ? six : five;
	return layout == PIDX_1 ? 0 : layout == PIDX_2 ? 5 : 6;
}

static bool
take_entry(struct walk *w, enum pidx_layout layout, struct pidx_entry *e)
{
	const enum pidx_string *order;
	size_t n = strings_of(layout, &order);

	*e = (struct pidx_entry){ 0 };
	if (!take_u32(w, &e->time, "the time of an entry is cut") ||
	    !take_object(w, e->object) || !take_path(w, &e->path))
		return false;
	for (size_t i = 0; i < n; i++)
		if (!take_string(w, &e->strings[order[i]]))
			return false;
	return true;
}

bool
pidx_entry_at(struct span bytes, size_t offset, enum pidx_layout layout,
    struct pidx_entry *e, size_t *end)
{
	struct pidx_error error;
	struct walk w = { .bytes = bytes, .at = offset, .error = &error };

	if (!take_entry(&w, layout, e))
		return false;
	*end = w.at;
	return true;
}

typedef void visit(void *to, const struct pidx_entry *, size_t offset);

/* The count is believed only as far as there are bytes. */
static bool
take_entries(struct walk *w, enum pidx_layout layout, uint32_t count,
    visit *call, void *to)
{
	struct pidx_entry e;
	size_t offset;

	for (uint32_t i = 0; i < count; i++) {
		offset = w->at;
		if (left(w) == 0) {
			fail(w->error, w->at, "");
			snprintf(w->error->why, sizeof w->error->why,
			    "%u entries are counted but %u are there", count,
			    i);
			return false;
		}
		if (!take_entry(w, layout, &e))
			return false;
		call(to, &e, offset);
	}
	if (left(w) == 0)
		return true;
	fail(w->error, w->at, "");
	snprintf(w->error->why, sizeof w->error->why,
	    "%zu bytes behind the last of %u entries", left(w), count);
	return false;
}

static bool
take_header(struct walk *w, uint32_t *version, uint32_t *count)
{
	if (w->bytes.n < 4 || memcmp(w->bytes.p, "pidx", 4) != 0)
		return fail(w->error, 0, "it does not begin with 'pidx'");
	w->at = 4;
	if (!take_u32(w, version, "the version is cut"))
		return false;
	if (*version < 1 || *version > LAST_VERSION) {
		fail(w->error, 4, "");
		snprintf(w->error->why, sizeof w->error->why,
		    "its version is %u, not 1 or 2", *version);
		return false;
	}
	if (!take_u32(w, count, "the number of entries is cut"))
		return false;
	return *count <= INT32_MAX ? true :
	    fail(w->error, COUNT_AT,
	    "the number of entries is negative");
}

/*
 * Six strings that are read as five leave the last: its length becomes the
 * time of the next entry.  Nobody measured in the first days of 1970.
 */
static bool
has_lengths_for_times(const struct pidx *p)
{
	return p->n >= 2 && p->entries[1].time < 1 << 20;
}

static void
keep_entry(void *to, const struct pidx_entry *e, size_t offset)
{
	struct pidx *p = to;

	(void)offset;
	p->entries = mem_grow(p->entries, &p->cap, p->n + 1,
	    sizeof *p->entries);
	p->entries[p->n++] = *e;
}

bool
pidx_read(struct pidx *p, struct span bytes, struct pidx_error *error)
{
	struct walk w = { .bytes = bytes, .error = error };
	struct pidx other = { .layout = PIDX_2_ARGS };
	struct pidx_error other_error;
	uint32_t version, count;
	bool good;

	*p = (struct pidx){ .layout = PIDX_2 };
	if (!take_header(&w, &version, &count))
		return false;
	p->layout = version == 1 ? PIDX_1 : PIDX_2;
	if (take_entries(&w, p->layout, count, keep_entry, p))
		return true;
	if (p->layout == PIDX_1)
		return false;
	w.at = PIDX_HEADER;
	w.error = &other_error;
	good = take_entries(&w, PIDX_2_ARGS, count, keep_entry, &other);
	/* Of two that do not fit the one that got further is likelier. */
	if (good || has_lengths_for_times(p) || other.n > p->n ||
	    (other.n == p->n && other_error.offset > error->offset)) {
		pidx_release(p);
		*p = other;
		*error = other_error;
	} else {
		pidx_release(&other);
	}
	return good;
}

void
pidx_release(struct pidx *p)
{
	free(p->entries);
	p->entries = NULL;
	p->n = p->cap = 0;
}

int
pidx_compare(const struct pidx_entry *a, const struct pidx_entry *b)
{
	int order = span_compare(a->path, b->path);

	return order != 0 ? order : cmp_u64(a->time, b->time);
}

int
pidx_compare_object(const struct pidx_entry *a, const struct pidx_entry *b)
{
	int order = pidx_compare(a, b);

	return order != 0 ? order : memcmp(a->object, b->object, PIDX_SHA);
}

static void
put_string(struct buf *b, struct span s)
{
	put_u32(b, (uint32_t)s.n);
	buf_add(b, s.p, s.n);
}

/* The command with the args that older versions kept apart. */
static void
put_command(struct buf *b, const struct pidx_entry *e)
{
	struct span cmd = e->strings[PIDX_CMD], args = e->strings[PIDX_ARGS];

	if (args.n == 0) {
		put_string(b, cmd);
		return;
	}
	put_u32(b, (uint32_t)(cmd.n + 1 + args.n));
	buf_add(b, cmd.p, cmd.n);
	buf_char(b, ' ');
	buf_add(b, args.p, args.n);
}

static void
put_entry(struct buf *b, enum pidx_layout layout, const struct pidx_entry *e)
{
	put_u32(b, e->time);
	buf_add(b, (const char *)e->object, PIDX_SHA);
	buf_add(b, e->path.p, e->path.n);
	buf_char(b, '\0');
	if (layout == PIDX_1)
		return;
	put_string(b, e->strings[PIDX_TYPE]);
	put_command(b, e);
	put_string(b, e->strings[PIDX_WORKLOAD]);
	put_string(b, e->strings[PIDX_COLLECTOR]);
	put_string(b, e->strings[PIDX_POSTPROCESSORS]);
}

void
pidx_write(const struct pidx *p, struct buf *b)
{
	buf_add(b, "pidx", 4);
	put_u32(b, p->layout == PIDX_1 ? 1 : 2);
	put_u32(b, (uint32_t)p->n);
	for (size_t i = 0; i < p->n; i++)
		put_entry(b, p->layout, &p->entries[i]);
}

/* New entries on their way between those that are there. */
struct merge {
	const struct pidx_entry *new;
	size_t n;
	bool *existed;
	size_t *before;		/* the offset at which each goes in */
	size_t placed;
};

/* Marks the first of the new entries that is the same, if there is one. */
static void
mark_existing(struct merge *m, const struct pidx_entry *e)
{
	size_t first = SEARCH_FIRST(i, m->n,
	    pidx_compare_object(&m->new[i], e) >= 0);

	if (first < m->n && pidx_compare_object(&m->new[first], e) == 0)
		m->existed[first] = true;
}

static void
pass_entry(void *to, const struct pidx_entry *e, size_t offset)
{
	struct merge *m = to;

	while (m->placed < m->n && pidx_compare(e, &m->new[m->placed]) >= 0)
		m->before[m->placed++] = offset;
	mark_existing(m, e);
}

/* Finds where the new entries go in an index of a layout that stays. */
static bool
place(struct merge *m, const struct buf *index, enum pidx_layout *layout,
    struct pidx_error *error)
{
	struct walk w = { .bytes = buf_span(index),
	    .error = error };
	uint32_t version, count;

	for (size_t i = 0; i < m->n; i++)
		m->existed[i] = i > 0 &&
		    pidx_compare_object(&m->new[i - 1], &m->new[i]) == 0;
	m->placed = 0;
	if (!take_header(&w, &version, &count))
		return false;
	*layout = version == 1 ? PIDX_1 : PIDX_2;
	if (!take_entries(&w, *layout, count, pass_entry, m))
		return false;
	while (m->placed < m->n)
		m->before[m->placed++] = index->len;
	return true;
}

/* Puts entries where they were placed; from the end, each byte moves once. */
static void
insert(const struct merge *m, enum pidx_layout layout, struct buf *index)
{
	struct buf fresh = { 0 };
	size_t *start = mem_resize(NULL, m->n, sizeof *start);
	size_t end = index->len, to, n;
	uint32_t count = get_u32(index->data + COUNT_AT);

	for (size_t i = 0; i < m->n; i++) {
		start[i] = fresh.len;
		if (m->existed[i])
			continue;
		put_entry(&fresh, layout, &m->new[i]);
		count++;
	}
	buf_need(index, fresh.len);
	index->len = to = end + fresh.len;
	for (size_t i = m->n; i-- > 0; end = m->before[i]) {
		n = end - m->before[i];
		to -= n;
		memmove(index->data + to, index->data + m->before[i], n);
		n = fresh.len - start[i];
		to -= n;
		fresh.len -= n;
		if (n > 0)
			memcpy(index->data + to, fresh.data + start[i], n);
	}
	set_u32(index->data + COUNT_AT, count);
	buf_release(&fresh);
	free(start);
}

/* If it is sound it becomes as pidx_write() has it, without args. */
static bool
rewrite(struct buf *index, struct pidx_error *error)
{
	struct buf new = { 0 };
	struct pidx p;
	bool good = pidx_read(&p, buf_span(index), error);

	if (good) {
		pidx_write(&p, &new);
		buf_release(index);
		*index = new;
	}
	pidx_release(&p);
	return good;
}

bool
pidx_add(struct buf *index, const struct pidx_entry *new, size_t n,
    bool *existed, struct pidx_error *error)
{
	struct merge m = { .new = new, .n = n, .existed = existed };
	enum pidx_layout layout;
	bool good;

	m.before = mem_resize(NULL, n, sizeof *m.before);
	good = place(&m, index, &layout, error) ||
	    (rewrite(index, error) && place(&m, index, &layout, error));
	if (good)
		insert(&m, layout, index);
	free(m.before);
	return good;
}
