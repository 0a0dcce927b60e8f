#ifndef WEIR_MAP_H
#define WEIR_MAP_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/num.h"
#include "common/base/text.h"

/*
 * A hash under a key drawn once a process, so that no input can be made to
 * collide in its low 32 bits, which are what maps use (see map.c).
 * Nothing may depend on its values.
 */
uint64_t map_hash(const char *p, size_t n);

/*
 * SipHash-1-3 (Aumasson and Bernstein) under the key 0: for names that must be
 * the same everywhere.
 */
uint64_t map_hash_public(const char *p, size_t n);

/*
 * A map from byte strings to small numbers: places in an array of the
 * owner's, which also keeps the strings.  key_of says which string a value
 * stands under.
 */
/*
 * Open addressing, linear probing, at most 3/4 full.  A slot holds the low
 * half of the hash, which finds its home and settles most comparisons without
 * touching the string, over the value; an empty slot has all bits set.
 */
#define MAP_EMPTY UINT64_MAX

struct map {
	uint64_t *slots;
	size_t mask, n;
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

/* Where the search for a hash begins, for those who ask for it ahead. */
static inline const uint64_t *
map_slot(const struct map *m, uint64_t hash)
{
	return &m->slots[hash & m->mask];
}

/* From slot i on, the first that is empty or of this hash. */
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
 * The slot of a key: where it is, or else the empty one where it belongs.  The
 * search begins at slot from: the hash, or what map_probe() said of it since
 * when the map has not grown and nothing was dropped.  key_of is the map's: the
 * compiler, which knows it here, makes one function of both.
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

/* hash is map_hash() of the key, which the caller may need twice. */
uint32_t map_get(const struct map *, uint64_t hash, struct span key);

/* The key must not be in the map yet (put), must be in it (drop). */
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
 * Finds a key's value, or adds the key with the value next, which is the index
 * at which the caller then stores the key.  Returns the value, which is next
 * only if the key was added.  key_of is the map's; see map_find_slot().
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

/* The same, not inline, and the search alone: INDEX_NONE if there is none. */
uint32_t map_find_or_add(struct map *, struct span key, uint32_t next);
uint32_t map_find(const struct map *, struct span key);

#endif
