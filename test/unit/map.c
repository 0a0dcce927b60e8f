/* map - against a model, and with a million keys */

#include "common/base/map.h"
#include "common/base/num.h"
#include "test/unit/unit.h"

enum { KEYS = 3000, STEPS = 300000, MILLION = 1000000 };

/* The key of a value is its number in digits, of odd lengths. */
static char (*names)[24];

static struct span
key_of(const void *owner, uint32_t value)
{
	CHECK(owner == &names, "the owner comes back");
	return span_str(names[value]);
}

static uint64_t
hash_of(uint32_t value)
{
	return map_hash(names[value], strlen(names[value]));
}

static uint32_t
look_up(const struct map *m, uint32_t value)
{
	return map_get(m, hash_of(value), span_str(names[value]));
}

static void
make_names(uint32_t n)
{
	names = calloc(n, sizeof *names);
	for (uint32_t i = 0; i < n; i++)
		snprintf(names[i], sizeof *names, "%.*s%u", (int)(i % 9),
		    "abcdefghi", i);
}

/* How full the map gets changes, so that it grows and is emptied again. */
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
		CHECK(look_up(&m, v) == (present[v] ? v : INDEX_NONE),
		    "step %d, key %u", i, v);
		if (present[v])
			map_remove(&m, hash_of(v), v);
		else if (i % 2 == 0)
			map_put(&m, hash_of(v), v);
		else
			CHECK(map_find_or_add(&m, span_str(names[v]), v) == v,
			    "key %u is added", v);
		CHECK(present[v] ||
		    map_find_or_add(&m, span_str(names[v]), KEYS) == v,
		    "key %u is found", v);
		n = present[v] ? n - 1 : n + 1;
		present[v] = !present[v];
		CHECK(m.n == n, "%zu, not %zu", m.n, n);
		if (i % 1000 != 0)
			continue;
		for (v = 0; v < KEYS; v++)
			CHECK(look_up(&m, v) == (present[v] ? v : INDEX_NONE),
			    "after step %d, key %u", i, v);
	}
	map_release(&m);
}

/* All in one place: every hash the same. */
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
		CHECK(map_get(&m, hash, span_str(names[v])) ==
		    (v % 2 == 1 && v < 300 ? v : INDEX_NONE), "key %u", v);
	map_release(&m);
}

static void
test_million(void)
{
	struct map m;

	map_init(&m, key_of, &names);
	for (uint32_t v = 0; v < MILLION; v++)
		map_put(&m, hash_of(v), v);
	for (uint32_t v = 0; v < MILLION; v++)
		CHECK(look_up(&m, v) == v, "key %u", v);
	for (uint32_t v = 0; v < MILLION; v += 3)
		map_remove(&m, hash_of(v), v);
	for (uint32_t v = 0; v < MILLION; v++)
		CHECK(look_up(&m, v) == (v % 3 == 0 ? INDEX_NONE : v),
		    "key %u after the drop", v);
	map_release(&m);
}

static void
test_hash(void)
{
	enum { MOST = 220 };	/* strings long and short: see map.c */
	uint64_t seen[MOST];
	char *text;

	for (size_t n = 0; n < MOST; n++) {
		text = calloc(n > 0 ? n : 1, 1);	/* none behind it is read */
		seen[n] = map_hash(text, n);
		CHECK(map_hash(text, n) == seen[n], "the same twice");
		for (size_t i = 0; i < n; i++)
			CHECK(seen[i] != seen[n], "%zu and %zu zeros", i, n);
		for (size_t i = 0; i < n; i++) {
			text[i] = 1;
			CHECK(map_hash(text, n) != seen[n], "byte %zu of %zu",
			    i, n);
			text[i] = 0;
		}
		free(text);
	}
}

/* Of strings that are nearly the same the low bits are as if drawn. */
static void
check_spread(const char *what, size_t n, size_t at)
{
	enum { STRINGS = 1 << 14, PLACES = 1 << 8, EACH = STRINGS / PLACES };
	uint32_t count[PLACES] = { 0 };
	char text[64] = "0123456789abcdef0123456789abcdef0123456789abcdef";

	for (uint16_t i = 0; i < STRINGS; i++) {
		memcpy(text + at, &i, sizeof i);
		count[map_hash(text, n) % PLACES]++;
	}
	/* Eight times what a place deviates by: sqrt(EACH) is 8. */
	for (size_t i = 0; i < PLACES; i++)
		CHECK(count[i] < EACH + 8 * 8, "%s: %u in place %zu", what,
		    count[i], i);
}

static void
spread_under_a_key(void)
{
	unit_failures = 0;
	check_spread("a number", 2, 0);
	check_spread("the end of eight bytes", 8, 6);
	check_spread("the beginning of many", 48, 0);
	check_spread("their middle", 48, 15);
	check_spread("their end", 48, 46);
	exit(unit_failures > 0);
}

/*
 * Under many keys, for a hash may be good under most of them: a process draws
 * one when it hashes its first string.
 */
static void
test_spread(void)
{
	for (int i = 0; i < 300; i++)
		CHECK(unit_child(spread_under_a_key) == 0, "key %d", i);
}

static void
drop_what_is_not_there(void)
{
	struct map m;

	map_init(&m, key_of, &names);
	map_remove(&m, 1, 1);
}

int
main(void)
{
	unit_seed();
	test_spread();	/* first: no key is drawn yet */
	make_names(MILLION);
	test_hash();
	test_model();
	test_collisions();
	test_million();
	CHECK(unit_child(drop_what_is_not_there) == 128 + 6, "a bug aborts");
	free(names);
	return unit_end();
}
