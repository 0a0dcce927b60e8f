/* answers - writes the symbols of an address as JSON members */

#include "common/json/json.h"
#include "common/program/demangle.h"
#include "filters/callgraph-symbolize/answers.h"

static struct {
	bool demangles;
	struct demangler names;
} state;

void
answers_init(bool demangles)
{
	state.demangles = demangles;
	demangler_init(&state.names);
}

void
answers_release(void)
{
	demangler_release(&state.names);
}

/* Writes the members of a location that are known, under these keys. */
static void
put_location(struct buf *b, struct location l, const char *file_key,
    const char *line_key)
{
	if (l.name != NULL && state.demangles)
		json_str(b, "name", demangler_name(&state.names, l.name));
	else if (l.name != NULL)
		json_cstr(b, "name", l.name);
	if (l.file != NULL)
		json_cstr(b, file_key, l.file);
	if (l.line != 0)
		json_uint(b, line_key, l.line);
}

/*
 * Adds the members of a location, without a comma before the first; they are
 * composed once and then copied from the cache.  False if the location has
 * none.  s->symbols must be open.
 */
static bool
add_location(struct source *s, uint32_t number, struct buf *b)
{
	struct text_cache *cache = &s->locations;
	struct text *t = text_cache_at(cache, number);

	if (!t->is_cached) {
		/*
		 * After a "{", json_key() writes no comma.  The "{" is not part
		 * of the text.
		 */
		buf_char(&cache->buf, '{');
		put_location(text_cache_begin(cache, t),
		    symbols_location(s->symbols, number), "file", "line");
		text_cache_end(cache, t);
	}
	text_cache_copy(cache, t, b);
	return t->n > 0;
}

bool
answers_add_function(struct source *s, uint64_t address, struct buf *b)
{
	struct symbols *symbols = source_symbols(s);

	if (symbols == NULL)
		return false;
	/* The text from the cache has no comma before its first member. */
	buf_char(b, ',');
	if (add_location(s, symbols_find(symbols, address)->function, b))
		return true;
	b->len--;
	return false;
}

bool
answers_add_call(struct source *s, uint64_t return_address, struct buf *b)
{
	struct symbols *symbols = source_symbols(s);
	const size_t before = b->len;
	struct location call = { 0 };
	const struct answer *a;
	struct text *t;

	if (symbols == NULL)
		return false;
	/*
	 * The byte before the return address is part of the call.  The address
	 * itself may be in another function if the callee never returns.
	 */
	a = symbols_find(symbols, return_address - 1);
	t = text_cache_at(&s->calls, a->number);
	if (t->is_cached) {
		text_cache_copy(&s->calls, t, b);
		return t->n > 0;
	}

	call.file = a->file;
	call.line = a->line;
	put_location(b, call, "call_file", "call_line");
	if (a->n_inlined > 0) {
		json_open(b, "call_inlined", '[');
		for (uint32_t i = 0; i < a->n_inlined; i++) {
			buf_str(b, i > 0 ? ",{" : "{");
			add_location(s, a->inlined[i], b);
			buf_char(b, '}');
		}
		json_close(b, ']');
	}

	if (text_cache_count_request(t)) {
		buf_add(text_cache_begin(&s->calls, t), b->data + before,
		    b->len - before);
		text_cache_end(&s->calls, t);
	}
	return b->len > before;
}
