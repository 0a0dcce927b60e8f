/* map - a hash map that crafted input cannot slow down */

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "common/base/err.h"
#include "common/base/map.h"
#include "common/base/mem.h"

enum { SLOTS_MIN = 8 };

#define ROTL(x, b) ((x) << (b) | (x) >> (64 - (b)))
#define SIPROUND							\
	do {								\
		v0 += v1; v1 = ROTL(v1, 13); v1 ^= v0; v0 = ROTL(v0, 32); \
		v2 += v3; v3 = ROTL(v3, 16); v3 ^= v2;			\
		v0 += v3; v3 = ROTL(v3, 21); v3 ^= v0;			\
		v2 += v1; v1 = ROTL(v1, 17); v1 ^= v2; v2 = ROTL(v2, 32); \
	} while (0)

/* SipHash-1-3 with the key k0, k1. */
static inline uint64_t
siphash(uint64_t k0, uint64_t k1, const char *p, size_t n)
{
	uint64_t v0 = k0 ^ 0x736f6d6570736575, v1 = k1 ^ 0x646f72616e646f6d;
	uint64_t v2 = k0 ^ 0x6c7967656e657261, v3 = k1 ^ 0x7465646279746573;
	uint64_t word;
	size_t n_left = n;

	for (; n_left >= 8; p += 8, n_left -= 8) {
		memcpy(&word, p, 8);
		v3 ^= word;
		SIPROUND;
		v0 ^= word;
	}
	word = (uint64_t)n << 56;
	for (size_t i = 0; i < n_left; i++)
		word |= (uint64_t)(unsigned char)p[i] << 8 * i;
	v3 ^= word;
	SIPROUND;
	v0 ^= word;
	v2 ^= 0xff;
	SIPROUND;
	SIPROUND;
	SIPROUND;
	return v0 ^ v1 ^ v2 ^ v3;
}

/*
 * The hash of short strings is a universal hash: for any two different strings,
 * only about one in 2^b random keys makes b bits of their hashes equal, so
 * nobody can prepare strings that collide under an unknown key.  The hash has
 * two steps.  NH (Black, Halevi, Krawczyk, Krovetz and Rogaway, "UMAC", 1999)
 * reduces a string of at most SHORT_MAX bytes, and its length, to 128 bits: the
 * sum of (x + key) * (y + key) over its pairs of words x, y, where each word
 * has a key of its own.  Multiply-shift (Dietzfelbinger, "Universal hashing and
 * k-wise independent random variables via integer arithmetic without primes",
 * 1996) reduces these to the 32 bits that maps use.
 *
 * Longer strings are hashed with SipHash.  For short strings SipHash needs more
 * than twice the instructions of the universal hash: used for all strings, it
 * took 10 % of the time of the filters that parse build logs and build graphs.
 */
enum { PAIR = 16 /* bytes */, PAIRS = 12, SHORT_MAX = PAIR * PAIRS };

static struct {
	uint64_t nh[2 * PAIRS];		/* the keys of NH */
	uint64_t shift[5];		/* the key of multiply-shift */
	bool is_set;
} secret;

static void
set_secret(void)
{
	size_t n = offsetof(__typeof__(secret), is_set);

	if (getrandom(&secret, n, 0) != (ssize_t)n)
		die_errno("cannot get random bytes");
	secret.is_set = true;
}

static inline uint64_t
word_at(const char *p)
{
	uint64_t word;

	memcpy(&word, p, sizeof word);
	return word;
}

/*
 * The last bytes of a string, at most PAIR, as a pair of words.  For strings of
 * equal length, different bytes give different pairs.
 */
static inline void
last_pair(const char *p, size_t n, uint64_t pair[2])
{
	uint32_t first, last;

	pair[0] = pair[1] = 0;
	if (n >= 8) {
		pair[0] = word_at(n < PAIR ? p : p + n - PAIR);
		pair[1] = word_at(p + n - 8);
	} else if (n >= 4) {
		memcpy(&first, p, 4);
		memcpy(&last, p + n - 4, 4);
		pair[0] = first;
		pair[1] = last;
	} else {
		for (size_t i = 0; i < n; i++)
			pair[0] = pair[0] << 8 | (unsigned char)p[i];
	}
}

static inline unsigned __int128
nh_pair(uint64_t x, uint64_t y, const uint64_t key[2])
{
	return (unsigned __int128)(x + key[0]) * (y + key[1]);
}

/*
 * Multiply-shift maps names with consecutive numbers ("f1", "f2", ...) to
 * evenly spaced hashes.  Under one hash key in 100 these cluster: a search
 * among 65,536 such names then passed 900 slots.  Mixing the bits prevents
 * that.  It is a bijection, so the guarantee above still holds.
 */
static inline uint32_t
mix(uint32_t hash)
{
	hash ^= hash >> 16;
	hash *= 0x9e3779b1;	/* a prime near 2^32 / golden ratio */
	return hash ^ hash >> 16;
}

static ALWAYS_INLINE uint64_t
short_hash(const char *p, size_t n)
{
	const uint64_t *key = secret.nh, *shift = secret.shift;
	unsigned __int128 nh = n;
	uint64_t last[2], sum, low, high;

	last_pair(p, n, last);
	for (size_t i = PAIR; i < n; i += PAIR, p += PAIR, key += 2)
		nh += nh_pair(word_at(p), word_at(p + 8), key);
	nh += nh_pair(last[0], last[1], key);
	low = (uint64_t)nh;
	high = (uint64_t)(nh >> 64);
	sum = shift[0] + shift[1] * (uint32_t)low + shift[2] * (low >> 32) +
	    shift[3] * (uint32_t)high + shift[4] * (high >> 32);
	return mix((uint32_t)(sum >> 32));
}

/* Not inline, so that map_hash() saves no registers for short strings. */
static __attribute__((noinline)) uint64_t
long_hash(const char *p, size_t n)
{
	return siphash(secret.nh[0], secret.nh[1], p, n);
}

uint64_t
map_hash(const char *p, size_t n)
{
	if (!secret.is_set)
		set_secret();
	return n <= SHORT_MAX ? short_hash(p, n) : long_hash(p, n);
}

uint64_t
map_hash_fixed_key(const char *p, size_t n)
{
	return siphash(0, 0, p, n);
}

void
map_init(struct map *m,
    struct span (*key_of)(const void *owner, uint32_t value),
    const void *owner)
{
	*m = (struct map){ .mask = SLOTS_MIN - 1, .key_of = key_of,
	    .owner = owner };
	m->slots = mem_ones(SLOTS_MIN, sizeof *m->slots);
}

void
map_release(struct map *m)
{
	free(m->slots);
	*m = (struct map){ 0 };
}

uint32_t
map_find(const struct map *m, struct span key)
{
	uint64_t hash = map_hash(key.p, key.n);

	return map_value(m, map_find_slot(m, hash, hash, key, m->key_of));
}

uint32_t
map_find_or_add(struct map *m, struct span key, uint32_t next)
{
	return map_find_or_add_inline(m, key, next, m->key_of);
}

/* Stores a slot's content in the first empty slot from its home on. */
static void
insert(struct map *m, uint64_t slot)
{
	size_t i = slot >> 32 & m->mask;

	while (m->slots[i] != MAP_EMPTY)
		i = (i + 1) & m->mask;
	m->slots[i] = slot;
}

static void
grow(struct map *m)
{
	uint64_t *old = m->slots;
	size_t n = m->mask + 1;

	/*
	 * The 32 bits of the hash in a slot address at most 2^32 slots.  The
	 * limit here is 2^31: then n * 2 fits in a size_t of 32 bits as well.
	 */
	if (n > UINT32_MAX / 2)
		die("too many different strings (%zu)", m->n);
	m->mask = n * 2 - 1;
	m->slots = mem_ones(n * 2, sizeof *m->slots);
	for (size_t i = 0; i < n; i++)
		if (old[i] != MAP_EMPTY)
			insert(m, old[i]);
	free(old);
}

void
map_put(struct map *m, uint64_t hash, uint32_t value)
{
	if (map_is_full(m))
		grow(m);
	insert(m, hash << 32 | value);
	m->n++;
}

void
map_remove(struct map *m, uint64_t hash, uint32_t value)
{
	uint64_t slot = hash << 32 | value;
	size_t i = hash & m->mask, gap, home;

	while (m->slots[i] != slot) {
		if (m->slots[i] == MAP_EMPTY)
			bug("no entry %u to remove", value);
		i = (i + 1) & m->mask;
	}

	/*
	 * Backward shift deletion: later entries whose search would now end at
	 * the empty slot move back to it, which empties their slot in turn.
	 */
	gap = i;
	for (;;) {
		i = (i + 1) & m->mask;
		if (m->slots[i] == MAP_EMPTY)
			break;
		home = m->slots[i] >> 32 & m->mask;
		/* A search for this entry begins after the gap. */
		if (((i - home) & m->mask) < ((i - gap) & m->mask))
			continue;
		m->slots[gap] = m->slots[i];
		gap = i;
	}
	m->slots[gap] = MAP_EMPTY;
	m->n--;
}
