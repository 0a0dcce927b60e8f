/* answers - writes the symbols of an address as JSON members */

#include "common/base/mem.h"
#include "common/json/json.h"
#include "common/program/demangle.h"
#include "filters/callgraph-symbolize/callgraph-symbolize.h"

static struct {
	bool demangles;
	struct demangler names;
	struct arena texts;	/* of locations */
	struct buf text;	/* the one that is composed */
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
	arena_release(&state.texts);
	buf_release(&state.text);
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
	json_count(b, line_key, l.line);
}

/*
 * The members of a location, without a comma before the first; empty if it has
 * none.  They are composed once.  s->symbols must be open.
 */
static struct span
location_text(struct source *s, uint32_t number)
{
	size_t n = s->texts_cap;
	struct span *text;

	if (number >= n) {
		s->texts = mem_grow(s->texts, &s->texts_cap, number + 1u,
		    sizeof *s->texts);
		memset(s->texts + n, 0, (s->texts_cap - n) * sizeof *s->texts);
	}
	text = &s->texts[number];
	if (text->p == NULL) {
		/* After a "{", which is left out then, comes no comma. */
		state.text.len = 0;
		buf_char(&state.text, '{');
		put_location(&state.text, symbols_location(s->symbols, number),
		    "file", "line");
		*text = arena_span(&state.texts, span_of(state.text.data + 1,
		    state.text.len - 1));
	}
	return *text;
}

bool
answers_add_function(struct source *s, uint64_t address, struct buf *b)
{
	struct symbols *symbols = source_symbols(s);
	struct span text;

	if (symbols == NULL)
		return false;
	text = location_text(s, symbols_find(symbols, address)->function);
	if (text.n == 0)
		return false;
	buf_char(b, ',');
	buf_add(b, text.p, text.n);
	return true;
}

bool
answers_add_call(struct source *s, uint64_t return_address, struct buf *b)
{
	struct symbols *symbols = source_symbols(s);
	const size_t before = b->len;
	struct location call = { 0 };
	const struct answer *a;
	struct span text;

	if (symbols == NULL)
		return false;
	/*
	 * The byte before the return address is part of the call.  The address
	 * itself may be in another function if the callee never returns.
	 */
	a = symbols_find(symbols, return_address - 1);
	call.file = a->file;
	call.line = a->line;
	put_location(b, call, "call_file", "call_line");
	if (a->n_inlined > 0) {
		json_open(b, "call_inlined", '[');
		for (uint32_t i = 0; i < a->n_inlined; i++) {
			text = location_text(s, a->inlined[i]);
			buf_str(b, i > 0 ? ",{" : "{");
			buf_add(b, text.p, text.n);
			buf_char(b, '}');
		}
		json_close(b, ']');
	}
	return b->len > before;
}
