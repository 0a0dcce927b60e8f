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

/* What an answer is made of: of equal causes the answers are one. */
struct cause {
	const struct table *table;
	const struct symbol *symbol;	/* NULL where it says nothing */
	const char *file;		/* of the address */
	uint32_t line;
	uint32_t scope;			/* of the table, or SCOPE_NONE */
};

struct known {
	struct answer answer;
	struct cause cause;
};

struct symbols {
	struct elf elf, split;	/* the file; that of its debug information */
	struct debug *debug;
	struct table symbols;	/* of the ELF file */
	bool has_symbols;	/* they have been read */
	struct release *release;	/* in place of all that */

	/* The answers given so far, in pieces that stay where they are. */
	struct known **pieces;
	size_t n_known, pieces_cap;
	struct map causes;	/* of the answers: their numbers */
	struct arena names;
	struct arena places;	/* nothing else is in it: they are aligned */
	struct slot {
		uint64_t address;
		uint32_t number;	/* of its answer, + 1; 0: none */
	} *slots;
	size_t n_addresses, mask;
	unsigned shift;		/* 64 - the bits of mask */
	uint64_t multiplier;	/* odd, and not known to an input */
};

enum { ANSWERS_A_PIECE = 1024, SLOTS_FIRST_BITS = 10 };

static char message[256];

static struct known *
known_at(const struct symbols *s, size_t number)
{
	return &s->pieces[number / ANSWERS_A_PIECE][number % ANSWERS_A_PIECE];
}

static struct span
cause_at(const void *owner, uint32_t number)
{
	return span_of((const char *)&known_at(owner, number)->cause,
	    sizeof (struct cause));
}

static struct symbols *
new_symbols(void)
{
	struct symbols *s = mem_zero(1, sizeof *s);

	s->elf.fd = s->split.fd = -1;
	s->mask = (1 << SLOTS_FIRST_BITS) - 1;
	s->shift = 64 - SLOTS_FIRST_BITS;
	s->slots = mem_zero(s->mask + 1, sizeof *s->slots);
	s->multiplier = map_hash("", 0) | 1;
	map_init(&s->causes, cause_at, s);
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
	for (size_t i = 0; i * ANSWERS_A_PIECE < s->n_known; i++)
		free(s->pieces[i]);
	free(s->pieces);
	map_release(&s->causes);
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

/* The scope of the function that a scope was inlined into. */
static const struct scope *
function_of(const struct table *t, uint32_t scope)
{
	while (t->scopes[scope].parent != SCOPE_NONE)
		scope = t->scopes[scope].parent;
	return &t->scopes[scope];
}

/*
 * What no compiler has described is known by its symbol.  And of functions
 * that one file alone sees C++ compilers do not say the linker's name, which
 * has their namespaces and arguments; the symbol does.
 */
static bool
needs_symbol(const struct cause *c)
{
	const struct scope *function;

	if (c->scope == SCOPE_NONE)
		return true;
	function = function_of(c->table, c->scope);
	return function->file == NULL ||
	    (function->name != NULL && !is_mangled(function->name));
}

static struct cause
cause_of(struct symbols *s, uint64_t address)
{
	struct cause c = { .table = table_at(s, address), .scope = SCOPE_NONE };
	const struct row *row;

	if (c.table != NULL) {
		c.scope = marks_find(&c.table->scope_marks, address);
		if ((row = table_row(c.table, address)) != NULL) {
			c.file = row->file;
			c.line = row->line;
		}
	}
	if (needs_symbol(&c))
		c.symbol = symbol_at(s, address);
	return c;
}

/* What no compiler has described has the line that its symbol begins with. */
static void
answer_by_symbol(struct symbols *s, const struct symbol *symbol,
    struct answer *a)
{
	const struct row *row = row_at(s, symbol->address);

	if (a->function.name == NULL)
		a->function.name = symbol->name;
	if (row != NULL) {
		a->function.file = row->file;
		a->function.line = row->line;
	}
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

/* Behind a dot a symbol says what became of its function: ".cold", ".isra". */
static void
find(struct symbols *s, const struct cause *c, struct answer *a)
{
	a->file = c->file;
	a->line = c->line;
	if (c->scope != SCOPE_NONE)
		answer_by_scope(s, c->table, c->scope, a);
	if (c->symbol == NULL)
		return;
	if (a->function.name != NULL && !is_mangled(a->function.name) &&
	    is_mangled(c->symbol->name))
		a->function.name = arena_text(&s->names, c->symbol->name,
		    strcspn(c->symbol->name, "."));
	if (a->function.file == NULL)
		answer_by_symbol(s, c->symbol, a);
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
	struct span key = span_of((const char *)&cause, sizeof cause);
	uint64_t hash = map_hash(key.p, key.n);
	uint32_t number = map_get(&s->causes, hash, key);
	struct known *k;

	if (number != MAP_NONE)
		return number;
	k = add_known(s);
	k->cause = cause;
	find(s, &cause, &k->answer);
	map_put(&s->causes, hash, k->answer.number);
	return k->answer.number;
}

const struct answer *
symbols_find(struct symbols *s, uint64_t address)
{
	struct slot *slot = slot_of(s, address);

	if (slot->number == 0) {
		if (s->n_addresses++ > s->mask / 2) {
			grow_slots(s);
			slot = slot_of(s, address);
		}
		*slot = (struct slot){ address, number_of(s, address) + 1 };
	}
	return &known_at(s, slot->number - 1)->answer;
}
