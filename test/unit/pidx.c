/*
 * pidx - tests of common/perun/pidx, byte by byte.  A pidx is the index of a
 * commit in a Perun store: the list of the profiles registered with the commit.
 * There are four layouts: version 1; version 2; and that with args, or with
 * a label.
 */

#include "common/base/mem.h"
#include "common/perun/pidx.h"
#include "test/unit/unit.h"

/*
 * The header has 12 bytes.  An entry begins with the time (4 bytes, little
 * endian), the SHA-1 that names the object (20) and the path, which ends with a
 * NUL; in version 2 strings follow, each after its length (4).
 */
#define SHA "abcdefghijklmnopqrst"
#define HEAD(version, count) "pidx" version "\0\0\0" count "\0\0\0"

/* An index of one entry, in each layout. */
static const struct span sample[] = {
	[PIDX_1] = SPAN(HEAD("\1", "\1") "\4\3\2\1" SHA "p\0"),
	[PIDX_2] = SPAN(HEAD("\2", "\1") "\4\3\2\1" SHA "p\0" "\4\0\0\0time"
	    "\1\0\0\0c" "\3\0\0\0big" "\2\0\0\0\xc3\xa9"
	    "\3\0\0\0x y"),
	[PIDX_2_ARGS] = SPAN(HEAD("\2", "\1") "\4\3\2\1" SHA "p\0"
	    "\4\0\0\0time" "\1\0\0\0c" "\2\0\0\0-v" "\3\0\0\0big"
	    "\2\0\0\0\xc3\xa9" "\3\0\0\0x y"),
	[PIDX_2_LABEL] = SPAN(HEAD("\2", "\1") "\4\3\2\1" SHA "p\0"
	    "\4\0\0\0time" "\1\0\0\0c" "\3\0\0\0big" "\1\0\0\0n"
	    "\2\0\0\0\xc3\xa9" "\3\0\0\0x y"),
};

static bool
has_six_strings(enum pidx_layout layout)
{
	return layout == PIDX_2_ARGS || layout == PIDX_2_LABEL;
}

/* An index of one entry is written as its sample. */
static void
check_written(struct pidx *p, enum pidx_layout layout, struct buf *b)
{
	b->len = 0;
	p->layout = layout;
	pidx_serialize(p, b);
	CHECK(span_same(buf_span(b), sample[layout]), "layout %d", layout);
}

static void
test_layouts(void)
{
	struct pidx p;
	struct pidx_error e;
	struct buf b = { 0 };
	const struct span *s;

	for (enum pidx_layout l = PIDX_1; l <= PIDX_2_LABEL; l++) {
		CHECK(pidx_parse(&p, sample[l], &e), "%d: %zu %s", l, e.offset,
		    e.why);
		CHECK(p.layout == (has_six_strings(l) ? PIDX_2_LABEL : l) &&
		    p.n == 1, "%d: %d, %zu", l, p.layout, p.n);
		CHECK(p.entries[0].is_undecided == has_six_strings(l), "%d",
		    l);
		if (has_six_strings(l))
			pidx_decide(&p.entries[0], l);
		CHECK(p.entries[0].time == 0x01020304, "%x",
		    p.entries[0].time);
		CHECK(memcmp(p.entries[0].object, SHA, PIDX_SHA_SIZE) == 0,
		    "%d", l);
		CHECK(span_eq(p.entries[0].path, "p"), "%d", l);
		s = p.entries[0].strings;
		CHECK(l == PIDX_1 || (span_eq(s[PIDX_TYPE], "time") &&
		    span_eq(s[PIDX_CMD], "c") &&
		    span_eq(s[PIDX_WORKLOAD], "big") &&
		    span_eq(s[PIDX_COLLECTOR], "\xc3\xa9") &&
		    span_eq(s[PIDX_POSTPROCESSORS], "x y")), "%d", l);
		CHECK(l != PIDX_2_ARGS || span_eq(s[PIDX_ARGS], "-v"), "%d",
		    l);
		CHECK(l != PIDX_2_LABEL || span_eq(s[PIDX_LABEL], "n"), "%d",
		    l);
		check_written(&p, l, &b);
		/* A new entry, which has no bytes, is written alike. */
		p.entries[0].bytes = span_of(NULL, 0);
		check_written(&p, l, &b);
		pidx_release(&p);
	}
	buf_release(&b);
}

/* For check_malformed(): the error may be at any offset. */
#define ANY_OFFSET SIZE_MAX

/* Checks that an index is refused because of the byte at this offset. */
static void
check_malformed(struct span bytes, size_t offset)
{
	char *copy = unit_copy(bytes);
	struct pidx p;
	struct pidx_error e = { .offset = 12345 };

	CHECK(!pidx_parse(&p, span_of(copy, bytes.n), &e),
	    "%zu bytes are accepted", bytes.n);
	CHECK(offset == ANY_OFFSET ? e.offset <= bytes.n : e.offset == offset,
	    "error at %zu, not %zu: %s", e.offset, offset, e.why);
	CHECK(e.why[0] != '\0', "no reason");
	/* The header may claim 2^31 - 1 entries: no room is made for them. */
	CHECK(p.cap < 1000, "room for %zu entries", p.cap);
	pidx_release(&p);
	free(copy);
}

static void
test_malformed(void)
{
	/*
	 * Every truncated index, except one of six strings that loses its last,
	 * of 7 bytes: it is a valid index of five.
	 */
	for (enum pidx_layout l = PIDX_1; l <= PIDX_2_LABEL; l++)
		for (size_t n = 0; n < sample[l].n; n++)
			if (!has_six_strings(l) || n != sample[l].n - 7)
				check_malformed(span_of(sample[l].p, n),
				    ANY_OFFSET);
	/* The header ends at 12, the path begins at 12 + 4 + 20 = 36. */
	check_malformed(SPAN(""), 0);
	check_malformed(SPAN("pid"), 0);
	check_malformed(SPAN("PIDX\1\0\0\0\0\0\0\0"), 0);
	check_malformed(SPAN("pidx\0\0\0\0\0\0\0\0"), 4);
	check_malformed(SPAN("pidx\3\0\0\0\0\0\0\0"), 4);
	check_malformed(SPAN("pidx\0\0\0\1\0\0\0\0"), 4);
	check_malformed(SPAN("pidx\1\0\0\0\0\0\0\0\0"), 12);
	check_malformed(SPAN("pidx\1\0\0\0\1\0\0\0"), 12);
	check_malformed(SPAN("pidx\2\0\0\0\xff\xff\xff\x7f"), 12);
	check_malformed(SPAN("pidx\2\0\0\0\0\0\0\x80"), 8);
	check_malformed(SPAN(HEAD("\1", "\1") "\4\3\2\1" SHA "p"), 36);
	check_malformed(SPAN(HEAD("\1", "\1") "\4\3\2\1" SHA "\0"), 36);
	check_malformed(SPAN(HEAD("\1", "\1") "\4\3\2\1" SHA "p\0x"), 38);
	check_malformed(SPAN(HEAD("\2", "\1") "\4\3\2\1" SHA "p\0"
	    "\xff\xff\xff\xff" "aaaaaaaaaaaaaaaaaaaaaaaaaaaa"), 38);
}

/* The entries before the damage are read. */
static void
test_truncated(void)
{
	struct span truncated = SPAN(HEAD("\1", "\3") "\4\3\2\1" SHA "p\0"
	    "\4\3\2\1" SHA "q\0" "\4\3");
	struct pidx p;
	struct pidx_error e;

	CHECK(!pidx_parse(&p, truncated, &e), "a truncated index is accepted");
	CHECK(p.n == 2 && span_eq(p.entries[1].path, "q"), "%zu entries",
	    p.n);
	CHECK(e.offset == truncated.n - 2, "error at %zu", e.offset);
	pidx_release(&p);
}

/* Bytes may follow the last of six strings, but not of five or none. */
static void
test_trailing(void)
{
	struct buf b = { 0 };
	struct pidx_error e;
	struct pidx p;

	for (enum pidx_layout l = PIDX_1; l <= PIDX_2_LABEL; l++) {
		b.len = 0;
		buf_add(&b, sample[l].p, sample[l].n);
		buf_str(&b, "ssion");
		CHECK(pidx_parse(&p, buf_span(&b), &e) == has_six_strings(l),
		    "%d: %s", l, e.why);
		if (has_six_strings(l))
			check_written(&p, l, &b);
		pidx_release(&p);
	}
	buf_release(&b);
}

/* --- adding -------------------------------------------------------------- */

static struct pidx_entry
entry(const char *path, uint32_t time, char object)
{
	struct pidx_entry e = { .time = time, .path = span_str(path) };

	memset(e.object, object, PIDX_SHA_SIZE);
	return e;
}

enum { N_MAX = 128 };

/* An index, and a list of its entries as Perun would insert them. */
struct model {
	struct buf bytes;
	struct pidx_entry list[N_MAX];
	size_t n;
	enum pidx_layout layout;
};

static void
model_begin(struct model *m, enum pidx_layout layout)
{
	*m = (struct model){ .layout = layout };
	pidx_serialize(&(struct pidx){ .layout = layout }, &m->bytes);
}

static void
model_insert_at(struct model *m, size_t i, const struct pidx_entry *e)
{
	memmove(m->list + i + 1, m->list + i, (m->n - i) * sizeof *m->list);
	m->list[i] = *e;
	m->n++;
}

/*
 * As Perun 0.25, which replaces an entry with the same path, but also if only
 * the object differs.
 */
static bool
model_replace(struct model *m, const struct pidx_entry *e)
{
	size_t i = 0;
	struct pidx_entry *old;

	while (i < m->n && span_compare(m->list[i].path, e->path) < 0)
		i++;
	old = &m->list[i];
	if (i == m->n || span_compare(old->path, e->path) != 0) {
		model_insert_at(m, i, e);
		return true;
	}
	if (pidx_compare_object(old, e) == 0 && span_compare(
	    old->strings[PIDX_LABEL], e->strings[PIDX_LABEL]) == 0)
		return false;
	*old = *e;
	return true;
}

/* Inserts an entry into the list; returns false if the list has it already. */
static bool
model_insert(struct model *m, const struct pidx_entry *e)
{
	size_t i = 0;

	if (m->layout == PIDX_2_LABEL)
		return model_replace(m, e);
	for (size_t k = 0; k < m->n; k++)
		if (pidx_compare_object(&m->list[k], e) == 0)
			return false;
	while (i < m->n && pidx_compare(m->layout, &m->list[i], e) < 0)
		i++;
	model_insert_at(m, i, e);
	return true;
}

static int
compare(const void *a, const void *b)
{
	return pidx_compare_object(a, b);
}

/* Adds entries to the bytes of an index of a layout. */
static void
add_to_bytes(struct buf *bytes, enum pidx_layout layout,
    const struct pidx_entry *new, size_t n, struct pidx_outcome *outcomes)
{
	struct buf result = { 0 };
	struct pidx_error e;
	struct pidx p;

	CHECK(pidx_parse(&p, buf_span(bytes), &e), "%s", e.why);
	p.layout = layout;
	pidx_add(&p, new, n, outcomes, &result);
	pidx_release(&p);
	buf_release(bytes);
	*bytes = result;
}

/*
 * Sorts entries, adds them to the index and to the list, and checks that the
 * same ones existed in both.
 */
static void
add(struct model *m, struct pidx_entry *new, size_t n)
{
	struct pidx_outcome outcomes[N_MAX];

	qsort(new, n, sizeof *new, compare);
	add_to_bytes(&m->bytes, m->layout, new, n, outcomes);
	for (size_t i = 0; i < n; i++)
		CHECK(model_insert(m, &new[i]) == !outcomes[i].existed,
		    "entry %zu", i);
}

/*
 * Compares index and list; entries with the same path and time, which
 * PIDX_2_LABEL does not have, may be in any order.
 */
static void
model_end(struct model *m)
{
	struct pidx p;
	struct pidx_error e;

	CHECK(pidx_parse(&p, span_of(m->bytes.data, m->bytes.len), &e), "%s",
	    e.why);
	CHECK(p.n == m->n, "%zu entries, not %zu", p.n, m->n);
	for (size_t i = 0; i < p.n && i < m->n; i++)
		CHECK((m->layout == PIDX_2_LABEL ?
		    pidx_compare_object(&m->list[i], &p.entries[i]) :
		    pidx_compare(m->layout, &m->list[i], &p.entries[i])) == 0,
		    "entry %zu is %.*s %u, not %.*s %u", i,
		    SPAN_ARG_ALL(p.entries[i].path), p.entries[i].time,
		    SPAN_ARG_ALL(m->list[i].path), m->list[i].time);
	pidx_release(&p);
	buf_release(&m->bytes);
}

/* Random entries, some of them equal, some different only in the object. */
static void
test_add(enum pidx_layout layout)
{
	static const char *const paths[] = { "a", "aa", "b", "\xc3\xa9", "A" };
	struct pidx_entry new[16];
	struct model m;

	model_begin(&m, layout);
	for (int round = 0; round < 6; round++) {
		for (size_t i = 0; i < 16; i++) {
			new[i] = entry(paths[unit_random(5)],
			    (uint32_t)unit_random(10),
			    "op"[unit_random(2)]);
			new[i].strings[PIDX_CMD] = SPAN("some command");
			if (unit_random(2) == 0)
				new[i].strings[PIDX_LABEL] = SPAN("nightly");
		}
		add(&m, new, 16);
		add(&m, new, 0);
	}
	model_end(&m);
}

/* An entry is inserted before one with the same path and time. */
static void
test_add_equal(void)
{
	struct pidx_entry old = entry("b", 1, 'o'), new = entry("b", 1, 'n');
	struct model m;
	const char *first;

	model_begin(&m, PIDX_1);
	add(&m, &old, 1);
	add(&m, &new, 1);
	/* The first byte of the object's name, after the time. */
	first = m.bytes.data + PIDX_HEADER_SIZE + 4;
	CHECK(*first == 'n', "%c is in front", *first);
	model_end(&m);
}

/*
 * Adding to an unsorted index does not sort it.  An entry is inserted before
 * the first one that is not less, as by Perun.
 */
static void
test_add_unsorted(void)
{
	struct pidx_entry new[] = { entry("b", 1, 'n'), entry("c", 1, 'o') };
	struct pidx p = { .layout = PIDX_1, .n = 2, .cap = 2 };
	struct model m = { .n = 2, .layout = PIDX_1 };

	p.entries = m.list;
	m.list[0] = entry("c", 1, 'o');
	m.list[1] = entry("a", 1, 'o');
	pidx_serialize(&p, &m.bytes);
	add(&m, new, 2);
	CHECK(m.n == 3 && span_eq(m.list[0].path, "b") &&
	    span_eq(m.list[2].path, "a"), "the new entry is not the first");
	model_end(&m);
}

/* An entry is replaced in place; the others keep their bytes. */
static void
test_replace(void)
{
	struct pidx_entry new[] = { entry("a", 1, 'n'), entry("p", 1, 'n'),
	    entry("p", 2, 'm') };
	struct pidx_outcome outcomes[3];
	struct buf bytes = { 0 };
	struct pidx_error e;
	struct pidx p;

	buf_add(&bytes, sample[PIDX_2_LABEL].p, sample[PIDX_2_LABEL].n);
	add_to_bytes(&bytes, PIDX_2_LABEL, new, 3, outcomes);
	CHECK(pidx_parse(&p, buf_span(&bytes), &e), "%s", e.why);
	CHECK(p.n == 2 && span_eq(p.entries[0].path, "a") &&
	    span_eq(p.entries[1].path, "p") && p.entries[1].time == 2,
	    "%zu entries", p.n);
	CHECK(!outcomes[0].has_replaced && outcomes[1].has_replaced &&
	    memcmp(outcomes[1].replaced, SHA, PIDX_SHA_SIZE) == 0 &&
	    memcmp(outcomes[2].replaced, new[1].object, PIDX_SHA_SIZE) == 0,
	    "the replaced objects are wrong");
	pidx_release(&p);
	buf_release(&bytes);
}

/* The entries read from a damaged index are within its bytes. */
static void
test_damage(void)
{
	/* The time, the object's name, and the NUL of an empty path. */
	enum { ENTRY_BYTES_MIN = 4 + PIDX_SHA_SIZE + 1 };
	struct pidx p;
	struct pidx_error e;
	char *copy;
	size_t n;

	for (int i = 0; i < 60000; i++) {
		enum pidx_layout l = PIDX_1 + unit_random(4);
		n = 1 + unit_random(sample[l].n);
		copy = memcpy(malloc(n), sample[l].p, n);
		/* Bytes below 5 are plausible versions, counts and lengths. */
		for (uint64_t k = unit_random(4); k > 0; k--)
			copy[unit_random(n)] = (char)unit_random(
			    unit_random(2) == 0 ? 5 : 256);
		if (!pidx_parse(&p, span_of(copy, n), &e))
			CHECK(e.offset <= n, "error at %zu of %zu", e.offset,
			    n);
		for (size_t k = 0; k < p.n; k++)
			CHECK(p.entries[k].path.p >= copy &&
			    p.entries[k].path.p + p.entries[k].path.n <
			    copy + n, "a path is outside the bytes");
		CHECK(p.n <= n / ENTRY_BYTES_MIN,
		    "%zu entries in %zu bytes", p.n, n);
		pidx_release(&p);
		free(copy);
	}
}

int
main(void)
{
	unit_seed();
	test_layouts();
	test_malformed();
	test_truncated();
	test_trailing();
	for (enum pidx_layout l = PIDX_1; l <= PIDX_2_LABEL; l++)
		test_add(l);
	test_add_equal();
	test_add_unsorted();
	test_replace();
	test_damage();
	return unit_end();
}
