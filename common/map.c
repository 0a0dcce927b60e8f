/* map - a hash map that hostile input cannot slow down */

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "common/err.h"
#include "common/map.h"
#include "common/mem.h"

/*
 * Open addressing, linear probing, at most 3/4 full.  A slot holds the low
 * half of the hash, which finds its home and settles most comparisons without
 * touching the string, over the value; an empty slot holds EMPTY.
 */
#define EMPTY UINT64_MAX

enum { SLOTS_LEAST = 64 };

static uint64_t secret[2];

#define ROTL(x, b) ((x) << (b) | (x) >> (64 - (b)))
#define SIPROUND							\
	do {								\
		v0 += v1; v1 = ROTL(v1, 13); v1 ^= v0; v0 = ROTL(v0, 32);	\
		v2 += v3; v3 = ROTL(v3, 16); v3 ^= v2;			\
		v0 += v3; v3 = ROTL(v3, 21); v3 ^= v0;			\
		v2 += v1; v1 = ROTL(v1, 17); v1 ^= v2; v2 = ROTL(v2, 32);	\
	} while (0)

static void
draw_secret(void)
{
	if (getrandom(secret, sizeof secret, 0) != sizeof secret)
		die_errno("cannot draw random bytes");
	secret[0] |= 1;		/* drawn once: not zero from here on */
}

static inline uint64_t
siphash(uint64_t k0, uint64_t k1, const char *p, size_t n)
{
	uint64_t v0 = k0 ^ 0x736f6d6570736575, v1 = k1 ^ 0x646f72616e646f6d;
	uint64_t v2 = k0 ^ 0x6c7967656e657261, v3 = k1 ^ 0x7465646279746573;
	uint64_t word;
	size_t left = n;

	for (; left >= 8; p += 8, left -= 8) {
		memcpy(&word, p, 8);
		v3 ^= word;
		SIPROUND;
		v0 ^= word;
	}
	word = (uint64_t)n << 56;
	for (size_t i = 0; i < left; i++)
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

uint64_t
map_hash(const char *p, size_t n)
{
	if (secret[0] == 0)
		draw_secret();
	return siphash(secret[0], secret[1], p, n);
}

uint64_t
map_hash_public(const char *p, size_t n)
{
	return siphash(0, 0, p, n);
}

static uint64_t *
empty_slots(size_t n)
{
	uint64_t *slots = mem_resize(NULL, n, sizeof *slots);

	memset(slots, 0xff, n * sizeof *slots);
	return slots;
}

void
map_init(struct map *m,
    struct span (*key_of)(const void *owner, uint32_t value),
    const void *owner)
{
	*m = (struct map){ .mask = SLOTS_LEAST - 1, .key_of = key_of,
	    .owner = owner };
	m->slots = empty_slots(SLOTS_LEAST);
}

void
map_release(struct map *m)
{
	free(m->slots);
	*m = (struct map){ 0 };
}

uint32_t
map_get(const struct map *m, uint64_t hash, struct span key)
{
	uint64_t slot;
	struct span k;

	for (size_t i = hash & m->mask; (slot = m->slots[i]) != EMPTY;
	    i = (i + 1) & m->mask) {
		if (slot >> 32 != (uint32_t)hash)
			continue;
		k = m->key_of(m->owner, (uint32_t)slot);
		if (k.n == key.n && (k.n == 0 ||
		    memcmp(k.p, key.p, k.n) == 0))
			return (uint32_t)slot;
	}
	return MAP_NONE;
}

static void
place(struct map *m, uint64_t slot)
{
	size_t i = slot >> 32 & m->mask;

	while (m->slots[i] != EMPTY)
		i = (i + 1) & m->mask;
	m->slots[i] = slot;
}

static void
grow(struct map *m)
{
	uint64_t *old = m->slots;
	size_t n = m->mask + 1;

	/* Only half the hash is kept: homes repeat above 2^32 slots. */
	if (n > UINT32_MAX / 2)
		die("too many different strings (%zu)", m->n);
	m->mask = n * 2 - 1;
	m->slots = empty_slots(n * 2);
	for (size_t i = 0; i < n; i++)
		if (old[i] != EMPTY)
			place(m, old[i]);
	free(old);
}

void
map_put(struct map *m, uint64_t hash, uint32_t value)
{
	if (m->n >= (m->mask + 1) / 4 * 3)
		grow(m);
	place(m, hash << 32 | value);
	m->n++;
}

/* Moves later entries back so that no probe meets a hole before its key. */
static void
close_gap(struct map *m, size_t gap)
{
	size_t home;

	for (size_t i = gap;;) {
		i = (i + 1) & m->mask;
		if (m->slots[i] == EMPTY)
			break;
		home = m->slots[i] >> 32 & m->mask;
		if (((i - home) & m->mask) < ((i - gap) & m->mask))
			continue;
		m->slots[gap] = m->slots[i];
		gap = i;
	}
	m->slots[gap] = EMPTY;
}

void
map_drop(struct map *m, uint64_t hash, uint32_t value)
{
	uint64_t slot = hash << 32 | value;
	size_t i = hash & m->mask;

	while (m->slots[i] != slot) {
		if (m->slots[i] == EMPTY)
			bug("no entry %u to drop", value);
		i = (i + 1) & m->mask;
	}
	close_gap(m, i);
	m->n--;
}
