/*
 * map - random additions and removals agree with an array of flags; a million
 * keys, or fewer with sanitizers, are found; keys may collide; every byte of a key changes its hash
 */

#include <signal.h>

#include "common/base/map.h"
#include "common/base/num.h"
#include "test/unit/unit.h"

enum { KEYS = 3000, STEPS = 300000, MANY = UNIT_ROUNDS(1000000) };

/* The key of each value: its number, after up to eight letters. */
static char (*names)[24];

static struct span
key_of(const void *owner, uint32_t value)
{
	CHECK(owner == &names, "not the owner passed to map_init()");
	return span_str(names[value]);
}

static uint64_t
hash_of(uint32_t value)
{
	return map_hash(names[value], strlen(names[value]));
}

static uint32_t
get_value(const struct map *m, uint32_t value)
{
	return map_find(m, span_str(names[value]));
}

static void
make_names(uint32_t n)
{
	names = calloc(n, sizeof *names);
	for (uint32_t i = 0; i < n; i++)
		snprintf(names[i], sizeof *names, "%.*s%u", (int)(i % 9),
		    "abcdefghi", i);
}

/*
 * Adds random keys if they are absent, and removes them if they are present.
 * Every other 50000 steps choose among only 40 keys, which are therefore added
 * and removed again and again.
 */
static void
test_model(void)
{
	static bool present[KEYS];
	struct map m;
	size_t n = 0;
	uint32_t v;

	map_init(&m, key_of, &names);
	for (int i = 0; i < STEPS; i++) {
		v = (uint32_t)unit_random(i / 50000 % 2 == 0 ? KEYS : 40);
		CHECK(get_value(&m, v) == (present[v] ? v : INDEX_NONE),
		    "step %d, key %u", i, v);
		if (present[v])
			map_remove(&m, hash_of(v), v);
		else if (i % 2 == 0)
			map_put(&m, hash_of(v), v);
		else
			CHECK(map_find_or_add(&m, span_str(names[v]), v) == v,
			    "key %u is not added", v);
		/* KEYS would be the value if the key were not found. */
		CHECK(present[v] ||
		    map_find_or_add(&m, span_str(names[v]), KEYS) == v,
		    "key %u is not found", v);
		n = present[v] ? n - 1 : n + 1;
		present[v] = !present[v];
		CHECK(m.n == n, "%zu keys, not %zu", m.n, n);
		if (i % 1000 != 0)
			continue;
		for (v = 0; v < KEYS; v++)
			CHECK(get_value(&m, v) == (present[v] ? v : INDEX_NONE),
			    "after step %d, key %u", i, v);
	}
	map_release(&m);
}

/* All keys have the same hash. */
static void
test_collisions(void)
{
	const uint64_t hash = 0xffffffffffffffff;
	struct map m;

	map_init(&m, key_of, &names);
	for (uint32_t v = 0; v < 300; v++)
		map_put(&m, hash, v);
	for (uint32_t v = 0; v < 300; v += 2)
		map_remove(&m, hash, v);
	for (uint32_t v = 0; v < 301; v++)
		CHECK(map_value(&m, map_find_slot(&m, hash, hash,
		    span_str(names[v]), key_of)) ==
		    (v % 2 == 1 && v < 300 ? v : INDEX_NONE), "key %u", v);
	map_release(&m);
}

static void
test_many(void)
{
	struct map m;

	map_init(&m, key_of, &names);
	for (uint32_t v = 0; v < MANY; v++)
		map_put(&m, hash_of(v), v);
	for (uint32_t v = 0; v < MANY; v++)
		CHECK(get_value(&m, v) == v, "key %u", v);
	for (uint32_t v = 0; v < MANY; v += 3)
		map_remove(&m, hash_of(v), v);
	for (uint32_t v = 0; v < MANY; v++)
		CHECK(get_value(&m, v) == (v % 3 == 0 ? INDEX_NONE : v),
		    "key %u after the removals", v);
	map_release(&m);
}

static void
test_hash(void)
{
	/* Above 192 bytes, map.c uses another hash function. */
	enum { LENGTH_MAX = 220 };
	static const char zeros[LENGTH_MAX];
	uint64_t seen[LENGTH_MAX];
	char *text;

	for (size_t n = 0; n < LENGTH_MAX; n++) {
		text = unit_copy(span_of(zeros, n));
		seen[n] = map_hash(text, n);
		CHECK(map_hash(text, n) == seen[n],
		    "a second hash of %zu zeros differs",
		    n);
		for (size_t i = 0; i < n; i++)
			CHECK(seen[i] != seen[n],
			    "%zu and %zu zeros have the same hash", i, n);
		for (size_t i = 0; i < n; i++) {
			text[i] = 1;
			CHECK(map_hash(text, n) != seen[n],
			    "byte %zu of %zu does not change the hash", i, n);
			text[i] = 0;
		}
		free(text);
	}
}

/*
 * Strings of n bytes differ only in the two bytes at `at`.  The low bits of
 * their hashes, which select a bucket, must be distributed like random numbers.
 */
static void
check_spread(const char *what, size_t n, size_t at)
{
	enum { STRINGS = 1 << 14, BUCKETS = 1 << 8, MEAN = STRINGS / BUCKETS };
	uint32_t count[BUCKETS] = { 0 };
	char text[64] = "0123456789abcdef0123456789abcdef0123456789abcdef";

	for (uint16_t i = 0; i < STRINGS; i++) {
		memcpy(text + at, &i, sizeof i);
		count[map_hash(text, n) % BUCKETS]++;
	}
	/* The limit is 8 standard deviations, each of sqrt(MEAN) = 8. */
	for (size_t i = 0; i < BUCKETS; i++)
		CHECK(count[i] < MEAN + 8 * 8, "%s: %u in bucket %zu", what,
		    count[i], i);
}

static void
check_spread_in_child(void)
{
	unit_failures = 0;
	check_spread("a number", 2, 0);
	check_spread("the end of eight bytes", 8, 6);
	check_spread("the beginning of 48 bytes", 48, 0);
	check_spread("the middle of 48 bytes", 48, 15);
	check_spread("the end of 48 bytes", 48, 46);
	exit(unit_failures > 0);
}

/*
 * Tests many hash keys, since a bad hash may do well with most of them.  A
 * process draws its key when it hashes its first string, so each key needs a
 * process of its own.
 */
static void
test_spread(void)
{
	for (int i = 0; i < UNIT_ROUNDS(300); i++)
		CHECK(unit_child(check_spread_in_child) == 0, "key %d", i);
}

static void
remove_absent_key(void)
{
	struct map m;

	map_init(&m, key_of, &names);
	map_remove(&m, 1, 1);
}

int
main(void)
{
	unit_seed();
	test_spread();	/* first, before this process draws a hash key */
	make_names(MANY);
	test_hash();
	test_model();
	test_collisions();
	test_many();
	CHECK(unit_child(remove_absent_key) == 128 + SIGABRT,
	    "removing an absent key does not abort");
	free(names);
	return unit_end();
}
