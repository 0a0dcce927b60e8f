/* symbols - what addresses stand for */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/map.h"
#include "common/base/num.h"
#include "common/program/debug.h"
#include "common/program/demangle.h"
#include "common/program/elf.h"
#include "common/program/release.h"
#include "common/program/symbols.h"

/* What an answer is made of: of equal causes the answers are one. */
struct cause {
	const struct symtab *table;
	const struct symbol *symbol;	/* NULL where it says nothing */
	const char *file;		/* of the address */
	uint32_t line;
	uint32_t scope;			/* of the table, or INDEX_NONE */
};

struct known {
	struct answer answer;
	struct cause cause;
};

struct symbols {
	struct elf elf, split;	/* the file; that of its debug information */
	struct debug *debug;
	struct symtab symbols;	/* of the ELF file */
	bool has_symbols;	/* they have been read */
	struct release *release;	/* in place of all that */

	/* The answers given so far, in pieces that stay where they are. */
	struct known **pieces;
	size_t n_known, pieces_cap;
	struct map causes;	/* of the answers: their numbers */
	struct place *places;
	size_t n_places, places_cap;
	struct map numbers;	/* of the places */
	struct arena names;
	struct arena inlined;	/* nothing else is in it: they are aligned */
	struct asked {
		uint64_t address;
		uint32_t number;	/* of its answer */
	} *asked;
	size_t n_asked, asked_cap;
	struct map addresses;	/* their indices in asked */
};

enum { ANSWERS_A_PIECE = 1024 };

static char message[256];

static struct known *
known_at(const struct symbols *s, size_t number)
{
	return &s->pieces[number / ANSWERS_A_PIECE][number % ANSWERS_A_PIECE];
}

static struct span
cause_at(const void *owner, uint32_t number)
{
	return span_bytes(&known_at(owner, number)->cause,
	    sizeof(struct cause));
}

static struct span
place_at(const void *owner, uint32_t number)
{
	const struct symbols *s = owner;

	return span_bytes(&s->places[number],
	    offsetof(struct place, line) + sizeof s->places->line);
}

static struct span
address_at(const void *owner, uint32_t i)
{
	const struct symbols *s = owner;

	return span_bytes(&s->asked[i].address, sizeof s->asked->address);
}

static struct symbols *
new_symbols(void)
{
	struct symbols *s = mem_zero(1, sizeof *s);

	s->elf.fd = s->split.fd = -1;
	map_init(&s->causes, cause_at, s);
	map_init(&s->numbers, place_at, s);
	map_init(&s->addresses, address_at, s);
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
	symtab_release(&s->symbols);
	elf_close(&s->elf);
	elf_close(&s->split);
	for (size_t i = 0; i * ANSWERS_A_PIECE < s->n_known; i++)
		free(s->pieces[i]);
	free(s->pieces);
	map_release(&s->causes);
	map_release(&s->numbers);
	free(s->places);
	free(s->asked);
	map_release(&s->addresses);
	arena_release(&s->inlined);
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
static const struct symtab *
find_symtab(struct symbols *s, uint64_t address)
{
	if (s->release != NULL)
		return release_find(s->release, address);
	return s->debug != NULL ? debug_find(s->debug, address) : NULL;
}

static const struct row *
row_at(struct symbols *s, uint64_t address)
{
	const struct symtab *t = find_symtab(s, address);

	return t != NULL ? symtab_row(t, address) : NULL;
}

/* The symbol that an address belongs to, or NULL. */
static const struct symbol *
symbol_at(struct symbols *s, uint64_t address)
{
	const struct symtab *t = &s->symbols;
	uint32_t index;

	if (s->release != NULL) {
		if ((t = release_find(s->release, address)) == NULL)
			return NULL;
	} else if (!s->has_symbols) {
		elf_add_symbols(s->split.has_symbols ? &s->split : &s->elf,
		    &s->symbols);
		s->has_symbols = true;
	}
	index = intervals_find(&t->symbol_index, address);
	return index != INDEX_NONE ? &t->symbols[index] : NULL;
}

/*
 * What no compiler has described is known by its symbol.  And of functions
 * that one file alone sees C++ compilers do not say the linker's name, which
 * has their namespaces and arguments; the symbol does.
 */
static bool
needs_symbol(const struct cause *c)
{
	return c->scope == INDEX_NONE || c->table->scopes[c->scope].is_vague;
}

static struct cause
cause_of(struct symbols *s, uint64_t address)
{
	struct cause c = { .table = find_symtab(s, address),
	    .scope = INDEX_NONE };
	const struct row *row;

	if (c.table != NULL) {
		c.scope = intervals_find(&c.table->scope_index, address);
		if ((row = symtab_row(c.table, address)) != NULL) {
			c.file = row->file;
			c.line = row->line;
		}
	}
	if (needs_symbol(&c))
		c.symbol = symbol_at(s, address);
	return c;
}

static uint32_t
add_place(struct symbols *s, struct place place)
{
	uint32_t next = (uint32_t)s->n_places, number;

	s->places = mem_grow(s->places, &s->places_cap, s->n_places + 1,
	    sizeof *s->places);
	s->places[next] = place;
	number = map_find_or_add(&s->numbers, place_at(s, next), next);
	s->n_places += number == next;
	return number;
}

static struct place
place_of(const struct scope *scope)
{
	return (struct place){ scope->name, scope->file, scope->line };
}

/* From the innermost scope outwards to the function, which is returned. */
static struct place
add_inlined(struct symbols *s, const struct cause *c, struct answer *a)
{
	const struct scope *scope = &c->table->scopes[c->scope];
	uint32_t *inlined;

	a->n_inlined = scope->depth;
	inlined = (void *)arena_room(&s->inlined,
	    scope->depth * sizeof *inlined);
	a->inlined = inlined;
	for (; scope->parent != INDEX_NONE;
	    scope = &c->table->scopes[scope->parent])
		*inlined++ = add_place(s, place_of(scope));
	return place_of(scope);
}

/* Behind a dot a symbol says what became of its function: ".cold", ".isra". */
static const char *
mangled_name(struct symbols *s, const struct symbol *symbol)
{
	size_t n = strcspn(symbol->name, ".");

	return symbol->name[n] == '\0' ? symbol->name :
	    arena_text(&s->names, symbol->name, n);
}

static void
find(struct symbols *s, const struct cause *c, struct answer *a)
{
	struct place function = { 0 };
	const struct row *row;

	a->file = c->file;
	a->line = c->line;
	if (c->scope != INDEX_NONE)
		function = add_inlined(s, c, a);
	if (c->symbol != NULL) {
		if (function.name != NULL && !is_mangled(function.name) &&
		    is_mangled(c->symbol->name))
			function.name = mangled_name(s, c->symbol);
		if (function.name == NULL)
			function.name = c->symbol->name;
	}
	/* What no compiler has described has the line of its symbol. */
	if (c->symbol != NULL && function.file == NULL &&
	    (row = row_at(s, c->symbol->address)) != NULL) {
		function.file = row->file;
		function.line = row->line;
	}
	a->function = add_place(s, function);
}

/* --- the answers given so far -------------------------------------------- */

static struct known *
add_known(struct symbols *s)
{
	size_t piece = s->n_known / ANSWERS_A_PIECE;
	struct known *k;

	if (s->n_known % ANSWERS_A_PIECE == 0) {
		s->pieces = mem_grow(s->pieces, &s->pieces_cap, piece + 1,
		    sizeof *s->pieces);
		s->pieces[piece] = mem_zero(ANSWERS_A_PIECE, sizeof *k);
	}
	k = known_at(s, s->n_known);
	k->answer.number = (uint32_t)s->n_known++;
	return k;
}

/* The number of the answer for an address. */
static uint32_t
number_of(struct symbols *s, uint64_t address)
{
	struct cause cause = cause_of(s, address);
	uint32_t next = (uint32_t)s->n_known;
	uint32_t number = map_find_or_add(&s->causes,
	    span_bytes(&cause, sizeof cause), next);
	struct known *k;

	if (number != next)
		return number;
	k = add_known(s);
	k->cause = cause;
	find(s, &cause, &k->answer);
	return number;
}

const struct answer *
symbols_find(struct symbols *s, uint64_t address)
{
	uint32_t i = map_find_or_add_inline(&s->addresses,
	    span_bytes(&address, sizeof address), (uint32_t)s->n_asked,
	    address_at);

	if (i == s->n_asked) {
		s->asked = mem_grow(s->asked, &s->asked_cap, s->n_asked + 1,
		    sizeof *s->asked);
		s->asked[s->n_asked++] = (struct asked){ address,
		    number_of(s, address) };
	}
	return &known_at(s, s->asked[i].number)->answer;
}

const struct place *
symbols_place(const struct symbols *s, uint32_t number)
{
	return &s->places[number];
}
