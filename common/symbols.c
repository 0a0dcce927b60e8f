/* symbols - what addresses stand for */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/debug.h"
#include "common/demangle.h"
#include "common/elf.h"
#include "common/map.h"
#include "common/release.h"
#include "common/symbols.h"

struct symbols {
	struct elf elf, split;	/* the file; that of its debug information */
	struct debug *debug;
	struct table symbols;	/* of the ELF file */
	bool has_symbols;	/* they have been read */
	struct release *release;	/* in place of all that */

	/* The answers given so far, in pieces that stay where they are. */
	struct answer **pieces;
	size_t n_answers, pieces_cap;
	struct arena names;
	struct arena places;	/* nothing else is in it: they are aligned */
	struct slot {
		uint64_t address;
		uint32_t number;	/* of its answer, + 1; 0: none */
	} *slots;
	size_t mask;
	unsigned shift;		/* 64 - the bits of mask */
	uint64_t multiplier;	/* odd, and not known to an input */
};

enum { ANSWERS_A_PIECE = 1024, SLOTS_FIRST_BITS = 10 };

static char message[256];

static struct symbols *
new_symbols(void)
{
	struct symbols *s = mem_zero(1, sizeof *s);

	s->elf.fd = s->split.fd = -1;
	s->mask = (1 << SLOTS_FIRST_BITS) - 1;
	s->shift = 64 - SLOTS_FIRST_BITS;
	s->slots = mem_zero(s->mask + 1, sizeof *s->slots);
	s->multiplier = map_hash("", 0) | 1;
	return s;
}

/* Opens the debug information; what is missing without it, or NULL. */
static const char *
open_debug(struct symbols *s, const char *debug_dir)
{
	const struct elf *source = &s->elf;
	const char *why;

	if (!s->elf.has_debug && elf_open_debug(&s->elf, debug_dir, &s->split))
		source = &s->split;
	if (!source->has_debug)
		return source->has_symbols ?
		    "it has no debug information: functions have no lines" :
		    "it is stripped, and its debug information is nowhere";
	s->debug = debug_open(&s->elf, source, &why);
	if (s->debug != NULL)
		return NULL;
	snprintf(message, sizeof message, "its debug information: %s", why);
	return message;
}

struct symbols *
symbols_open(const char *path, const char *debug_dir, const char **why)
{
	struct symbols *s = new_symbols();

	if (elf_open(&s->elf, path, why)) {
		*why = open_debug(s, debug_dir);
		return s;
	}
	symbols_close(s);
	return NULL;
}

struct symbols *
symbols_open_release(const char *path, const char **why)
{
	struct symbols *s = new_symbols();

	if ((s->release = release_open(path, why)) != NULL)
		return s;
	symbols_close(s);
	return NULL;
}

void
symbols_close(struct symbols *s)
{
	release_close(s->release);
	debug_close(s->debug);
	table_release(&s->symbols);
	elf_close(&s->elf);
	elf_close(&s->split);
	for (size_t i = 0; i * ANSWERS_A_PIECE < s->n_answers; i++)
		free(s->pieces[i]);
	free(s->pieces);
	free(s->slots);
	arena_release(&s->places);
	arena_release(&s->names);
	free(s);
}

const char *
symbols_build_id(const struct symbols *s)
{
	return s->release != NULL ? release_build_id(s->release) :
	    s->elf.build_id;
}

const char *
symbols_damage(const struct symbols *s)
{
	if (s->release != NULL)
		return release_damage(s->release);
	return s->debug != NULL && debug_missing(s->debug) > 0 ?
	    "a .dwo file of its debug information is missing" : NULL;
}

/* --- looking up ---------------------------------------------------------- */

/* What has the functions and lines of an address, or NULL. */
static const struct table *
table_at(struct symbols *s, uint64_t address)
{
	if (s->release != NULL)
		return release_find(s->release, address);
	return s->debug != NULL ? debug_find(s->debug, address) : NULL;
}

static const struct row *
row_at(struct symbols *s, uint64_t address)
{
	const struct table *t = table_at(s, address);

	return t != NULL ? table_row(t, address) : NULL;
}

/* The symbol that an address belongs to, or NULL. */
static const struct symbol *
symbol_at(struct symbols *s, uint64_t address)
{
	const struct table *t = &s->symbols;
	uint32_t index;

	if (s->release != NULL) {
		if ((t = release_find(s->release, address)) == NULL)
			return NULL;
	} else if (!s->has_symbols) {
		elf_add_symbols(s->split.has_symbols ? &s->split : &s->elf,
		    &s->symbols);
		s->has_symbols = true;
	}
	index = marks_find(&t->symbol_marks, address);
	return index != SCOPE_NONE ? &t->symbols[index] : NULL;
}

/* What no compiler has described has the line that its symbol begins with. */
static void
answer_by_symbol(struct symbols *s, uint64_t address, struct answer *a)
{
	const struct symbol *symbol = symbol_at(s, address);
	const struct row *row;

	if (symbol == NULL)
		return;
	if (a->function.name == NULL)
		a->function.name = symbol->name;
	if ((row = row_at(s, symbol->address)) != NULL) {
		a->function.file = row->file;
		a->function.line = row->line;
	}
}

/*
 * Of functions that one file alone sees C++ compilers do not say the linker's
 * name, which has their namespaces and arguments; the symbol does.  Behind a
 * dot it says what became of the function: ".cold", ".constprop.0".
 */
static void
prefer_mangled(struct symbols *s, uint64_t address, struct answer *a)
{
	const struct symbol *symbol;

	if (is_mangled(a->function.name))
		return;
	symbol = symbol_at(s, address);
	if (symbol != NULL && is_mangled(symbol->name))
		a->function.name = arena_text(&s->names, symbol->name,
		    strcspn(symbol->name, "."));
}

static struct place
place_of(const struct scope *scope)
{
	return (struct place){ scope->name, scope->file, scope->line };
}

/* From the innermost scope outwards to the function. */
static void
answer_by_scope(struct symbols *s, const struct table *t, uint32_t index,
    struct answer *a)
{
	const size_t n = t->scopes[index].depth;
	struct place *places;

	places = (void *)arena_room(&s->places, n * sizeof *places);
	a->inlined = places;
	a->n_inlined = n;
	for (; t->scopes[index].parent != SCOPE_NONE;
	    index = t->scopes[index].parent)
		*places++ = place_of(&t->scopes[index]);
	a->function = place_of(&t->scopes[index]);
}

static void
find(struct symbols *s, uint64_t address, struct answer *a)
{
	const struct table *t = table_at(s, address);
	const struct row *row = t != NULL ? table_row(t, address) : NULL;
	uint32_t scope = t != NULL ?
	    marks_find(&t->scope_marks, address) : SCOPE_NONE;

	if (row != NULL) {
		a->file = row->file;
		a->line = row->line;
	}
	if (scope != SCOPE_NONE)
		answer_by_scope(s, t, scope, a);
	if (a->function.name != NULL)
		prefer_mangled(s, address, a);
	if (a->function.file == NULL)
		answer_by_symbol(s, address, a);
}

/* --- the answers given so far -------------------------------------------- */

static struct slot *
slot_of(const struct symbols *s, uint64_t address)
{
	size_t i = (size_t)(address * s->multiplier >> s->shift);

	while (s->slots[i].number != 0 && s->slots[i].address != address)
		i = (i + 1) & s->mask;
	return &s->slots[i];
}

static void
grow_slots(struct symbols *s)
{
	struct slot *old = s->slots;
	size_t n = s->mask + 1;

	s->slots = mem_zero(2 * n, sizeof *s->slots);
	s->mask = 2 * n - 1;
	s->shift--;
	for (size_t i = 0; i < n; i++)
		if (old[i].number != 0)
			*slot_of(s, old[i].address) = old[i];
	free(old);
}

static struct answer *
add_answer(struct symbols *s)
{
	size_t piece = s->n_answers / ANSWERS_A_PIECE;
	struct answer *a;

	if (s->n_answers % ANSWERS_A_PIECE == 0) {
		s->pieces = mem_grow(s->pieces, &s->pieces_cap, piece + 1,
		    sizeof *s->pieces);
		s->pieces[piece] = mem_zero(ANSWERS_A_PIECE, sizeof *a);
	}
	a = &s->pieces[piece][s->n_answers % ANSWERS_A_PIECE];
	a->number = (uint32_t)s->n_answers++;
	return a;
}

const struct answer *
symbols_find(struct symbols *s, uint64_t address)
{
	struct slot *slot = slot_of(s, address);
	struct answer *a;
	size_t n;

	if (slot->number != 0) {
		n = slot->number - 1;
		return &s->pieces[n / ANSWERS_A_PIECE][n % ANSWERS_A_PIECE];
	}
	if (s->n_answers > s->mask / 2) {
		grow_slots(s);
		slot = slot_of(s, address);
	}
	a = add_answer(s);
	*slot = (struct slot){ address, a->number + 1 };
	find(s, address, a);
	return a;
}
