/* intern - equal strings become one symbol */

#include <stdlib.h>
#include <string.h>

#include "common/base/err.h"
#include "common/base/intern.h"
#include "common/base/num.h"

/*
 * Strings are stored in chunks of memory, as entries aligned to UNIT bytes.
 * The location of an entry is the number of units before it in all chunks,
 * where every chunk counts as CHUNK_UNITS units, whatever its size: a string
 * longer than a chunk has a larger chunk of its own.  The values of the map are
 * locations and not symbols, so that a lookup touches two cache lines: the slot
 * and the entry.
 */
enum { UNIT = 8, CHUNK_UNITS = 1 << 20, CHUNK = CHUNK_UNITS * UNIT };

/*
 * There may be many small tables: the first chunk has 128 bytes, and each has
 * twice as many as the one before it until they have CHUNK.
 */
enum { DOUBLINGS = 16 };

/* Fewer strings than this stay in the cache, and need not be deferred. */
enum { DEFER_MIN = 1024 };

/* Deferred strings. */
enum { QUEUE_MAX = 32 };
struct intern_queue {
	struct item {
		uint64_t hash;
		size_t slot;	/* where intern_flush() resumes the search */
		size_t text, n;	/* offset in texts, and length */
		const void *pointer;	/* as given to intern_defer() */
		size_t offset;
	} items[QUEUE_MAX];
	size_t n;
	struct buf texts;	/* the characters of the items */
};

struct entry {
	sym symbol;
	uint32_t n;
	char text[];
};

static struct entry *
entry_at(const struct intern *in, uint32_t location)
{
	return (void *)(in->chunks[location / CHUNK_UNITS] +
	    location % CHUNK_UNITS * UNIT);
}

static struct span
key_of(const void *owner, uint32_t location)
{
	const struct entry *e = entry_at(owner, location);

	return span_of(e->text, e->n);
}

struct span
intern_span(const struct intern *in, sym s)
{
	return key_of(in, in->locations[s]);
}

const char *
intern_str(const struct intern *in, sym s)
{
	return entry_at(in, in->locations[s])->text;
}

void
intern_init(struct intern *in)
{
	*in = (struct intern){ 0 };
	map_init(&in->map, key_of, in);
}

void
intern_release(struct intern *in)
{
	map_release(&in->map);
	for (size_t i = 0; i < in->n_chunks; i++)
		free(in->chunks[i]);
	free(in->chunks);
	free(in->locations);
	if (in->queue != NULL)
		buf_release(&in->queue->texts);
	free(in->queue);
}

/* Adds a chunk in which size bytes fit. */
static void
add_chunk(struct intern *in, size_t size)
{
	size_t usual = (size_t)CHUNK >> (in->n_chunks < DOUBLINGS ?
	    DOUBLINGS - in->n_chunks : 0);

	/* Locations are uint32_t, and below INDEX_NONE. */
	if (in->n_chunks == UINT32_MAX / CHUNK_UNITS)
		die("the strings are too large to keep in memory");
	in->chunk_size = size > usual ? size : usual;
	in->chunks = mem_grow(in->chunks, &in->chunks_cap,
	    in->n_chunks + 1, sizeof *in->chunks);
	in->chunks[in->n_chunks++] = mem_table(in->chunk_size, 1);
	in->used = 0;
}

static sym
add_new(struct intern *in, size_t slot, uint64_t hash, struct span s)
{
	uint32_t location;
	struct entry *e;
	size_t size;

	/* e->n has 32 bits; the margin is for what is added to s.n below. */
	if (s.n >= UINT32_MAX - CHUNK || in->n >= SYM_NONE)
		die("too many strings, or a string that is too long");
	size = (sizeof *e + s.n + 1 + UNIT - 1) / UNIT * UNIT;
	if (size > in->chunk_size - in->used)
		add_chunk(in, size);
	location = (uint32_t)((in->n_chunks - 1) * CHUNK_UNITS +
	    in->used / UNIT);
	in->used += size;

	e = entry_at(in, location);
	e->symbol = (sym)in->n;
	e->n = (uint32_t)s.n;
	if (s.n > 0)
		memcpy(e->text, s.p, s.n);
	e->text[s.n] = '\0';

	in->locations = mem_grow(in->locations, &in->cap, in->n + 1,
	    sizeof *in->locations);
	in->locations[in->n] = location;
	map_put_at(&in->map, slot, hash, location);
	return (sym)in->n++;
}

sym
intern_find(const struct intern *in, struct span s)
{
	uint32_t location = map_find(&in->map, s);

	return location == INDEX_NONE ? SYM_NONE :
	    entry_at(in, location)->symbol;
}

/* `from` is as for map_find_slot(). */
static ALWAYS_INLINE sym
find_or_add(struct intern *in, uint64_t hash, size_t from, struct span s)
{
	size_t slot = map_find_slot(&in->map, hash, from, s, key_of);
	uint32_t location = map_value(&in->map, slot);

	return location != INDEX_NONE ? entry_at(in, location)->symbol :
	    add_new(in, slot, hash, s);
}

sym
intern_add(struct intern *in, struct span s)
{
	uint64_t hash = map_hash(s.p, s.n);

	return find_or_add(in, hash, hash, s);
}

/* Stores the symbol of a deferred string. */
static void
store(const void *pointer, size_t offset, sym s)
{
	char *array;

	/* The type of the variable that points to the array is not known. */
	memcpy(&array, pointer, sizeof array);
	memcpy(array + offset, &s, sizeof s);
}

void
intern_defer(struct intern *in, struct span s, const void *pointer,
    size_t offset)
{
	struct intern_queue *q = in->queue;
	struct item *item;

	if (q == NULL) {
		if (in->n < DEFER_MIN) {
			store(pointer, offset, intern_add(in, s));
			return;
		}
		q = in->queue = mem_zero(1, sizeof *q);
	}
	item = &q->items[q->n++];
	*item = (struct item){ .hash = map_hash(s.p, s.n),
	    .text = q->texts.len, .n = s.n, .pointer = pointer,
	    .offset = offset };
	buf_add(&q->texts, s.p, s.n);
	__builtin_prefetch(map_home(&in->map, item->hash));
	if (q->n == QUEUE_MAX)
		intern_flush(in);
}

void
intern_flush(struct intern *in)
{
	struct intern_queue *q = in->queue;
	struct item *item, *end;
	size_t mask = in->map.mask;
	const struct entry *e;
	uint32_t location;

	if (q == NULL)
		return;
	/* intern_defer() has prefetched the slot in which a search begins;
	   this prefetches the entry to which the slot found refers. */
	end = q->items + q->n;
	for (item = q->items; item < end; item++) {
		item->slot = map_probe(&in->map, item->hash, item->hash);
		location = map_value(&in->map, item->slot);
		if (location == INDEX_NONE)
			continue;
		e = entry_at(in, location);
		__builtin_prefetch(e);
		__builtin_prefetch(e->text + item->n);
	}

	/* Searches resume at the slots found unless the map has grown. */
	for (item = q->items; item < end; item++)
		store(item->pointer, item->offset, find_or_add(in, item->hash,
		    in->map.mask == mask ? item->slot : item->hash,
		    span_of(q->texts.data + item->text, item->n)));
	q->n = 0;
	q->texts.len = 0;
}

int
intern_cmp(const struct intern *in, sym a, sym b)
{
	if (a == b)
		return 0;
	if (a == SYM_NONE || b == SYM_NONE)
		return a == SYM_NONE ? -1 : 1;
	return span_compare(intern_span(in, a), intern_span(in, b));
}
