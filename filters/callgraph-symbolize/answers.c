/* answers - what an address stands for, as text of a record */

#include <stdlib.h>

#include "common/demangle.h"
#include "common/json.h"
#include "filters/callgraph-symbolize/answers.h"

enum role { FUNCTION, CALL };

static struct {
	bool demangles;
	struct buf text;	/* of all answers, */
	struct piece *pieces;	/* which are pieces of it; 0 is none */
	size_t n_pieces, pieces_cap;
	struct demangler names;
} state;

void
answers_init(bool demangles)
{
	state.demangles = demangles;
	state.n_pieces = 1;
	demangler_init(&state.names);
}

void
answers_release(void)
{
	buf_release(&state.text);
	free(state.pieces);
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

static void
put_call(struct buf *b, const struct answer *a)
{
	const struct place call = { NULL, a->file, a->line };

	put_place(b, &call, "call_file", "call_line");
	if (a->n_inlined == 0)
		return;
	json_open(b, "call_inlined", '[');
	for (size_t i = 0; i < a->n_inlined; i++) {
		if (i > 0)
			buf_char(b, ',');
		buf_char(b, '{');
		put_place(b, &a->inlined[i], "file", "line");
		buf_char(b, '}');
	}
	json_close(b, ']');
}

/* The piece for an answer, which is made if it is not there yet. */
static const struct piece *
piece_of(struct source *s, const struct answer *a, enum role role)
{
	size_t n = s->texts_cap[role], at = state.text.len;

	if (a->number >= n) {
		s->texts[role] = mem_grow(s->texts[role], &s->texts_cap[role],
		    a->number + 1u, sizeof **s->texts);
		memset(s->texts[role] + n, 0,
		    (s->texts_cap[role] - n) * sizeof **s->texts);
	}
	if (s->texts[role][a->number] != 0)
		return &state.pieces[s->texts[role][a->number]];
	buf_char(&state.text, '}');	/* so that json_key() puts a comma */
	if (role == FUNCTION)
		put_place(&state.text, &a->function, "file", "line");
	else
		put_call(&state.text, a);
	state.pieces = mem_grow(state.pieces, &state.pieces_cap,
	    state.n_pieces + 1, sizeof *state.pieces);
	state.pieces[state.n_pieces] = (struct piece){ at + 1,
	    state.text.len - at - 1 };
	s->texts[role][a->number] = (uint32_t)state.n_pieces;
	return &state.pieces[state.n_pieces++];
}

static bool
add(struct source *s, uint64_t address, enum role role, struct buf *b)
{
	struct symbols *symbols = source_symbols(s);
	const struct piece *piece;

	if (symbols == NULL)
		return false;
	piece = piece_of(s, symbols_find(symbols, address), role);
	buf_add(b, state.text.data + piece->at, piece->n);
	return piece->n > 0;
}

bool
answers_add_function(struct source *s, uint64_t address, struct buf *b)
{
	return add(s, address, FUNCTION, b);
}

bool
answers_add_call(struct source *s, uint64_t return_address, struct buf *b)
{
	/* Behind a call that does not return there may be another function. */
	return add(s, return_address - 1, CALL, b);
}
