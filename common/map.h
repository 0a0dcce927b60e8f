#ifndef WEIR_MAP_H
#define WEIR_MAP_H

#include <stddef.h>
#include <stdint.h>

#include "common/text.h"

/*
 * SipHash-1-3 (Aumasson and Bernstein) under a key drawn once a process, so
 * that no input can be made to collide.  Nothing may depend on its values.
 */
uint64_t map_hash(const char *p, size_t n);

/* The same under the key 0: for names that must be the same everywhere. */
uint64_t map_hash_public(const char *p, size_t n);

/*
 * A map from byte strings to small numbers: places in an array of the
 * owner's, which also keeps the strings.  key_of says which string a value
 * stands under.
 */
#define MAP_NONE UINT32_MAX

struct map {
	uint64_t *slots;	/* hash's low half << 32 | value; see map.c */
	size_t mask, n;
	struct span (*key_of)(const void *owner, uint32_t value);
	const void *owner;
};

void map_init(struct map *,
    struct span (*key_of)(const void *owner, uint32_t value),
    const void *owner);
void map_release(struct map *);

/* Where the search for a hash begins, for those who ask for it ahead. */
static inline const uint64_t *
map_slot(const struct map *m, uint64_t hash)
{
	return &m->slots[hash & m->mask];
}

/* hash is map_hash() of the key, which the caller may need twice. */
uint32_t map_get(const struct map *, uint64_t hash, struct span key);

/* The key must not be in the map yet (put), must be in it (drop). */
void map_put(struct map *, uint64_t hash, uint32_t value);
void map_drop(struct map *, uint64_t hash, uint32_t value);

#endif
