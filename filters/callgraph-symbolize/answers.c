/* answers - what an address stands for, as text of a record */

#include <stdlib.h>

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

static void
put_name(struct buf *b, const char *key, const char *name)
{
	if (state.demangles)
		json_str(b, key, demangler_name(&state.names, name));
	else
		json_cstr(b, key, name);
}

/* A place: key_file and key_line are what its file and line are called. */
static void
put_place(struct buf *b, const struct place *p, const char *key_file,
    const char *key_line)
{
	if (p->name != NULL)
		put_name(b, "name", p->name);
	if (p->file != NULL)
		json_cstr(b, key_file, p->file);
	if (p->line != 0)
		json_uint(b, key_line, p->line);
}

/* Adds the members of a place; false if there are none. */
static bool
add_place(struct source *s, uint32_t number, struct buf *b)
{
	struct texts *all = &s->places;
	struct text *t = texts_at(all, number);

	if (t->n == 0) {
		buf_char(&all->buf, '{');	/* so that no comma follows */
		put_place(texts_make(all, t),
		    symbols_place(s->symbols, number), "file", "line");
		texts_made(all, t);
	}
	texts_add(all, t, b);
	return t->n > 0;
}

static void
put_call(struct buf *b, struct source *s, const struct answer *a)
{
	const struct place call = { NULL, a->file, a->line };

	put_place(b, &call, "call_file", "call_line");
	if (a->n_inlined == 0)
		return;
	json_open(b, "call_inlined", '[');
	for (uint32_t i = 0; i < a->n_inlined; i++) {
		buf_str(b, i > 0 ? ",{" : "{");
		add_place(s, a->inlined[i], b);
		buf_char(b, '}');
	}
	json_close(b, ']');
}

bool
answers_add_function(struct source *s, uint64_t address, struct buf *b)
{
	struct symbols *symbols = source_symbols(s);

	if (symbols == NULL)
		return false;
	buf_char(b, ',');
	if (add_place(s, symbols_find(symbols, address)->function, b))
		return true;
	b->len--;
	return false;
}

bool
answers_add_call(struct source *s, uint64_t return_address, struct buf *b)
{
	struct symbols *symbols = source_symbols(s);
	const size_t before = b->len;
	const struct answer *a;
	struct text *t;

	if (symbols == NULL)
		return false;
	/* Behind a call that does not return there may be another function. */
	a = symbols_find(symbols, return_address - 1);
	t = texts_at(&s->calls, a->number);
	if (t->n > 0) {
		texts_add(&s->calls, t, b);
		return true;
	}
	put_call(b, s, a);
	if (texts_pays(t)) {
		buf_add(texts_make(&s->calls, t), b->data + before,
		    b->len - before);
		texts_made(&s->calls, t);
	}
	return b->len > before;
}
