#pragma once

#include <stddef.h>
#include <stdint.h>

#include "common/base/num.h"
#include "common/base/text.h"

/*
 * A keyed hash.  Each process chooses a random hash key, so that no input can
 * be crafted to collide in the low 32 bits, which maps use (map.c explains this
 * guarantee).  The hashes therefore differ between runs: no output may depend
 * on them.
 */
uint64_t map_hash(const char *p, size_t n);

/*
 * SipHash-1-3 (Aumasson and Bernstein) with the key 0: for names that must be
 * the same in every process.
 */
uint64_t map_hash_fixed_key(const char *p, size_t n);

/*
 * A hash map from byte strings, the keys, to 32-bit values, usually the indexes
 * of an array.  The map does not hold the keys: key_of(owner, value) returns
 * the key of a value, where owner is the pointer that map_init() was given.  A
 * value must be below INDEX_NONE.
 *
 * Open addressing with linear probing, at most 3/4 full.  A slot has the low 32
 * bits of the hash in its upper half, and the value in its lower half.  These
 * bits of the hash determine the slot where a search begins, the home slot, and
 * they decide most comparisons without access to the string.  In an empty slot
 * all bits are set.
 */
#define MAP_EMPTY UINT64_MAX

struct map {
	uint64_t *slots;
	size_t mask;		/* the number of slots, a power of 2, minus 1 */
	size_t n;		/* slots in use */
	struct span (*key_of)(const void *owner, uint32_t value);
	const void *owner;
};

void map_init(struct map *,
    struct span (*key_of)(const void *owner, uint32_t value),
    const void *owner);
void map_release(struct map *);

static inline bool
map_is_full(const struct map *m)
{
	return m->n >= (m->mask + 1) / 4 * 3;
}

/* The home slot of a hash, for prefetching it. */
static inline const uint64_t *
map_home(const struct map *m, uint64_t hash)
{
	return &m->slots[hash & m->mask];
}

/* The first slot from i on that is empty or has this hash. */
static inline size_t
map_probe(const struct map *m, uint64_t hash, size_t i)
{
	uint64_t slot;

	for (i &= m->mask; (slot = m->slots[i]) != MAP_EMPTY &&
	    slot >> 32 != (uint32_t)hash; i = (i + 1) & m->mask)
		;
	return i;
}

/*
 * The slot that holds a key, or the empty slot where the key belongs.  `from`
 * is where the search begins: pass the hash to begin at the home slot, or what
 * map_probe() returned for this hash if the map has not grown and nothing was
 * removed since.  key_of must be the function that map_init() was given: a
 * caller that names it lets the compiler inline it.
 */
static inline size_t
map_find_slot(const struct map *m, uint64_t hash, size_t from, struct span key,
    struct span (*key_of)(const void *owner, uint32_t value))
{
	uint64_t slot;
	struct span k;

	for (size_t i = map_probe(m, hash, from);;
	    i = map_probe(m, hash, i + 1)) {
		if ((slot = m->slots[i]) == MAP_EMPTY)
			return i;
		k = key_of(m->owner, (uint32_t)slot);
		if (k.n == key.n && (k.n == 0 ||
		    memcmp(k.p, key.p, k.n) == 0))
			return i;
	}
}

/* The value in a slot, INDEX_NONE if it is empty. */
static inline uint32_t
map_value(const struct map *m, size_t slot)
{
	return (uint32_t)m->slots[slot];
}

/* A key's value, INDEX_NONE if the key is not in the map. */
uint32_t map_find(const struct map *, struct span key);

/*
 * map_put() adds a value, whose key must not be in the map; map_remove()
 * removes a value, which must be in the map.  hash is the hash of the value's
 * key.
 */
void map_put(struct map *, uint64_t hash, uint32_t value);
void map_remove(struct map *, uint64_t hash, uint32_t value);

/* map_put() for a key whose empty slot map_find_slot() has just returned. */
static inline void
map_put_at(struct map *m, size_t slot, uint64_t hash, uint32_t value)
{
	if (map_is_full(m)) {
		map_put(m, hash, value);
		return;
	}
	m->slots[slot] = hash << 32 | value;
	m->n++;
}

/*
 * Finds a key's value, or adds the key with the value `next`, which is the
 * index at which the caller then stores the key.  Returns the value: it is
 * `next` only if the key was added.  For hot paths; key_of is as for
 * map_find_slot().
 */
static inline uint32_t
map_find_or_add_inline(struct map *m, struct span key, uint32_t next,
    struct span (*key_of)(const void *owner, uint32_t value))
{
	uint64_t hash = map_hash(key.p, key.n);
	size_t slot = map_find_slot(m, hash, hash, key, key_of);
	uint32_t value = map_value(m, slot);

	if (value != INDEX_NONE)
		return value;
	map_put_at(m, slot, hash, next);
	return next;
}

/* The same, not inlined, for all other callers. */
uint32_t map_find_or_add(struct map *, struct span key, uint32_t next);
