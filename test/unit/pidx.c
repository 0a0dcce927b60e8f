/* pidx - the index, byte by byte */

#include "common/mem.h"
#include "common/pidx.h"
#include "test/unit/unit.h"

#define SHA "abcdefghijklmnopqrst"
#define HEAD(version, count) "pidx" version "\0\0\0" count "\0\0\0"

/* One entry in each layout. */
static const struct span one[] = {
	[PIDX_1] = SPAN(HEAD("\1", "\1") "\4\3\2\1" SHA "p\0"),
	[PIDX_2] = SPAN(HEAD("\2", "\1") "\4\3\2\1" SHA "p\0" "\4\0\0\0time"
	    "\1\0\0\0c" "\0\0\0\0" "\2\0\0\0\xc3\xa9" "\3\0\0\0x y"),
	[PIDX_2_ARGS] = SPAN(HEAD("\2", "\1") "\4\3\2\1" SHA "p\0"
	    "\4\0\0\0time" "\1\0\0\0c" "\2\0\0\0-v" "\0\0\0\0"
	    "\2\0\0\0\xc3\xa9" "\3\0\0\0x y"),
};

static void
test_layouts(void)
{
	struct pidx p;
	struct pidx_error e;
	struct buf b = { 0 };
	const struct span *s;

	for (enum pidx_layout l = PIDX_1; l <= PIDX_2_ARGS; l++) {
		CHECK(pidx_read(&p, one[l], &e), "%d: %zu %s", l, e.offset,
		    e.why);
		CHECK(p.layout == l && p.n == 1, "%d: %d, %zu", l, p.layout,
		    p.n);
		CHECK(p.entries[0].time == 0x01020304, "%x",
		    p.entries[0].time);
		CHECK(memcmp(p.entries[0].object, SHA, PIDX_SHA) == 0, "%d",
		    l);
		CHECK(span_eq(p.entries[0].path, "p"), "%d", l);
		s = p.entries[0].strings;
		CHECK(l == PIDX_1 || (span_eq(s[PIDX_TYPE], "time") &&
		    span_eq(s[PIDX_CMD], "c") && s[PIDX_WORKLOAD].n == 0 &&
		    span_eq(s[PIDX_COLLECTOR], "\xc3\xa9") &&
		    span_eq(s[PIDX_POSTPROCESSORS], "x y")), "%d", l);
		CHECK(l != PIDX_2_ARGS || span_eq(s[PIDX_ARGS], "-v"), "%d",
		    l);
		b.len = 0;
		pidx_write(&p, &b);
		if (l != PIDX_2_ARGS)
			CHECK(span_same(span_of(b.data, b.len), one[l]), "%d",
			    l);
		else
			CHECK(span_same(span_of(b.data, b.len),
			    SPAN(HEAD("\2", "\1") "\4\3\2\1" SHA "p\0"
			    "\4\0\0\0time" "\4\0\0\0c -v" "\0\0\0\0"
			    "\2\0\0\0\xc3\xa9" "\3\0\0\0x y")), "args");
		pidx_release(&p);
	}
	buf_release(&b);
}

static void
check_bad(struct span bytes, size_t offset)
{
	char *copy = memcpy(malloc(bytes.n + (bytes.n == 0)), bytes.p,
	    bytes.n);
	struct pidx p;
	struct pidx_error e = { .offset = 12345 };

	CHECK(!pidx_read(&p, span_of(copy, bytes.n), &e), "%zu bytes",
	    bytes.n);
	CHECK(offset == (size_t)-1 ? e.offset <= bytes.n : e.offset == offset,
	    "at %zu, not %zu: %s", e.offset, offset, e.why);
	CHECK(e.why[0] != '\0', "no reason");
	CHECK(p.cap < 1000, "room for %zu entries", p.cap);
	pidx_release(&p);
	free(copy);
}

static void
test_malformed(void)
{
	for (enum pidx_layout l = PIDX_1; l <= PIDX_2_ARGS; l++)
		for (size_t n = 0; n < one[l].n; n++)
			if (l != PIDX_2_ARGS || n != one[l].n - 7)
				check_bad(span_of(one[l].p, n), (size_t)-1);
	check_bad(SPAN(""), 0);
	check_bad(SPAN("pid"), 0);
	check_bad(SPAN("PIDX\1\0\0\0\0\0\0\0"), 0);
	check_bad(SPAN("pidx\0\0\0\0\0\0\0\0"), 4);
	check_bad(SPAN("pidx\3\0\0\0\0\0\0\0"), 4);
	check_bad(SPAN("pidx\0\0\0\1\0\0\0\0"), 4);
	check_bad(SPAN("pidx\1\0\0\0\0\0\0\0\0"), 12);
	check_bad(SPAN("pidx\1\0\0\0\1\0\0\0"), 12);
	check_bad(SPAN("pidx\2\0\0\0\xff\xff\xff\x7f"), 12);
	check_bad(SPAN("pidx\2\0\0\0\0\0\0\x80"), 8);
	check_bad(SPAN(HEAD("\1", "\1") "\4\3\2\1" SHA "p"), 36);
	check_bad(SPAN(HEAD("\1", "\1") "\4\3\2\1" SHA "\0"), 36);
	check_bad(SPAN(HEAD("\1", "\1") "\4\3\2\1" SHA "p\0x"), 38);
	check_bad(SPAN(HEAD("\2", "\1") "\4\3\2\1" SHA "p\0"
	    "\xff\xff\xff\xff" "aaaaaaaaaaaaaaaaaaaaaaaaaaaa"), 38);
}

/* What is there before the damage is there to be had. */
static void
test_beginning(void)
{
	struct span good = SPAN(HEAD("\1", "\3") "\4\3\2\1" SHA "p\0"
	    "\4\3\2\1" SHA "q\0" "\4\3");
	struct pidx p;
	struct pidx_error e;

	CHECK(!pidx_read(&p, good, &e), "good");
	CHECK(p.n == 2 && span_eq(p.entries[1].path, "q"), "%zu", p.n);
	CHECK(e.offset == good.n - 2, "%zu", e.offset);
	pidx_release(&p);
}

static struct pidx_entry
entry(const char *path, uint32_t time, char object)
{
	struct pidx_entry e = { .time = time, .path = span_str(path) };

	memset(e.object, object, PIDX_SHA);
	return e;
}

/* As Perun does it, one after the other. */
static size_t
insert_one(struct pidx_entry *list, size_t n, const struct pidx_entry *e)
{
	size_t i = 0;

	while (i < n && pidx_compare(&list[i], e) < 0)
		i++;
	memmove(list + i + 1, list + i, (n - i) * sizeof *list);
	list[i] = *e;
	return n + 1;
}

static void
test_insert(void)
{
	static const char *const paths[] = { "a", "aa", "b", "\xc3\xa9", "A" };
	struct pidx_entry model[64], new[16];
	struct pidx p = { .layout = PIDX_1 };
	size_t n = 0;

	for (int round = 0; round < 4; round++) {
		for (size_t i = 0; i < 16; i++) {
			new[i] = entry(paths[unit_random(5)], round * 100 +
			    (uint32_t)unit_random(40), 'a');
			n = insert_one(model, n, &new[i]);
		}
		pidx_insert(&p, new, 16);
	}
	CHECK(p.n == n, "%zu", p.n);
	for (size_t i = 0; i < n && i < p.n; i++)
		CHECK(pidx_compare(&model[i], &p.entries[i]) == 0,
		    "entry %zu is %.*s %u, not %.*s %u", i,
		    ALL(p.entries[i].path), p.entries[i].time,
		    ALL(model[i].path), model[i].time);
	pidx_insert(&p, NULL, 0);
	CHECK(p.n == n, "%zu", p.n);
	pidx_release(&p);
}

/* In front of what has its path and time, and alone where nothing is. */
static void
test_insert_equal(void)
{
	struct pidx p = { .layout = PIDX_1 };
	struct pidx_entry old = entry("b", 1, 'o'), new = entry("b", 1, 'n');

	pidx_insert(&p, &old, 1);
	pidx_insert(&p, &new, 1);
	CHECK(p.n == 2 && p.entries[0].object[0] == 'n' &&
	    p.entries[1].object[0] == 'o', "the old one is in front");
	pidx_release(&p);
}

/* Behind what stands in an index that is not sorted, as Perun has it. */
static void
test_insert_unsorted(void)
{
	struct pidx p = { .layout = PIDX_1, .n = 2, .cap = 2 };
	struct pidx_entry new = entry("b", 1, 'n');

	p.entries = mem_resize(NULL, 2, sizeof *p.entries);
	p.entries[0] = entry("c", 1, 'o');
	p.entries[1] = entry("a", 1, 'o');
	pidx_insert(&p, &new, 1);
	CHECK(p.n == 3 && span_eq(p.entries[0].path, "b"), "not in front");
	CHECK(span_eq(p.entries[2].path, "a"), "another order");
	pidx_release(&p);
}

/* However it is damaged, what is read is within the bytes. */
static void
test_damage(void)
{
	struct pidx p;
	struct pidx_error e;
	char *copy;
	size_t n;

	for (int i = 0; i < 60000; i++) {
		enum pidx_layout l = PIDX_1 + unit_random(3);
		n = 1 + unit_random(one[l].n);
		copy = memcpy(malloc(n), one[l].p, n);
		for (uint64_t k = unit_random(4); k > 0; k--)
			copy[unit_random(n)] = (char)unit_random(
			    unit_random(2) == 0 ? 5 : 256);
		if (!pidx_read(&p, span_of(copy, n), &e))
			CHECK(e.offset <= n, "%zu of %zu", e.offset, n);
		for (size_t k = 0; k < p.n; k++)
			CHECK(p.entries[k].path.p >= copy &&
			    p.entries[k].path.p + p.entries[k].path.n <
			    copy + n, "a path elsewhere");
		CHECK(p.n <= n / 25, "%zu entries", p.n);
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
	test_beginning();
	test_insert();
	test_insert_equal();
	test_insert_unsorted();
	test_damage();
	return unit_end();
}
