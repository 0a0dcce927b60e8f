/* intern - equal strings as one symbol */

#include <stdlib.h>
#include <string.h>

#include "common/err.h"
#include "common/intern.h"

/* Four bytes of length stand before the text, unaligned. */
enum { HEAD = sizeof(uint32_t) };

struct span
intern_span(const struct intern *in, sym s)
{
	const char *p = in->strings[s];
	uint32_t n;

	memcpy(&n, p - HEAD, HEAD);
	return span_of(p, n);
}

static struct span
key_of(const void *owner, uint32_t value)
{
	return intern_span(owner, value);
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
	arena_release(&in->text);
	free(in->strings);
}

static sym
add_new(struct intern *in, uint64_t hash, struct span s)
{
	uint32_t n = (uint32_t)s.n;
	char *p;

	if (s.n >= UINT32_MAX - HEAD || in->n >= SYM_NONE)
		die("too many or too long strings to keep");
	in->strings = mem_grow(in->strings, &in->cap, in->n + 1,
	    sizeof *in->strings);
	p = arena_room(&in->text, HEAD + s.n + 1);
	memcpy(p, &n, HEAD);
	p += HEAD;
	if (s.n > 0)
		memcpy(p, s.p, s.n);
	p[s.n] = '\0';
	in->strings[in->n] = p;
	map_put(&in->map, hash, (sym)in->n);
	return (sym)in->n++;
}

sym
intern_add(struct intern *in, struct span s)
{
	uint64_t hash = map_hash(s.p, s.n);
	sym found = map_get(&in->map, hash, s);

	return found != SYM_NONE ? found : add_new(in, hash, s);
}

sym
intern_find(const struct intern *in, struct span s)
{
	return map_get(&in->map, map_hash(s.p, s.n), s);
}

const char *
intern_str(const struct intern *in, sym s)
{
	return in->strings[s];
}

int
intern_cmp(const struct intern *in, sym a, sym b)
{
	struct span x = intern_span(in, a), y = intern_span(in, b);
	int order = memcmp(x.p, y.p, x.n < y.n ? x.n : y.n);

	return order != 0 ? order : (x.n > y.n) - (x.n < y.n);
}
