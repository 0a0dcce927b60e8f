/* symbols - resolves addresses to functions, inlined calls and lines */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/intern.h"
#include "common/base/num.h"
#include "common/program/debug.h"
#include "common/program/demangle.h"
#include "common/program/elf.h"
#include "common/program/release.h"
#include "common/program/symbols.h"

/*
 * An address is resolved in three steps, the first and last of which are
 * caches:
 *
 * 1. address_map has the answers for all addresses looked up before: the same
 *    few are looked up again and again.
 * 2. For a new address, interval indexes find what covers it: the innermost
 *    DWARF scope, the row of the line table and, if DWARF does not suffice, the
 *    ELF symbol.  These form a resolution.
 * 3. There is one answer for each different resolution: all addresses of one
 *    line in one scope share it.  An answer is built only for a new resolution:
 *    the chain of inlined calls, from the scope outwards to the function.
 */

/* No padding: it is interned as raw memory. */
struct resolution {
	const struct symtab *symtab;	/* that covers the address, or NULL */
	const struct symbol *symbol;	/* NULL if DWARF suffices */
	const char *file;		/* of the address */
	uint32_t line;
	uint32_t scope;			/* in the symtab, or INDEX_NONE */
};

struct symbols {
	struct elf elf;		/* the program */
	struct elf debug_file;	/* its separate debug information */
	struct debug *debug;
	struct symtab elf_symbols;	/* read when first needed */
	bool has_elf_symbols;
	struct release *release;	/* instead of all of the above */
	struct buf unreadable;	/* why there is no debug information although a
				   file has or names it; empty if neither */
	bool has_lines, lacks_lines;	/* addresses in functions were found
					   with or without a line */

	struct intern resolutions;
	struct answer *answers;	/* by number of the resolution */
	size_t n_answers, answers_cap;
	struct intern locations;
	struct arena names;	/* see without_suffix() */
	struct arena inlined;	/* only arrays of uint32_t: all are aligned */
	struct cached_address {
		uint64_t address;
		uint32_t answer;	/* its number */
	} *cached;
	size_t n_cached, cached_cap;
	struct map address_map;	/* indexes in cached by address */
};

static struct span
address_key(const void *owner, uint32_t i)
{
	const struct symbols *s = owner;

	return span_bytes(&s->cached[i].address, sizeof s->cached->address);
}

static struct symbols *
new_symbols(void)
{
	struct symbols *s = mem_zero(1, sizeof *s);

	s->elf.fd = s->debug_file.fd = -1;
	intern_init(&s->resolutions);
	intern_init(&s->locations);
	map_init(&s->address_map, address_key, s);
	return s;
}

struct symbols *
symbols_open(const char *path, const char *debug_dir, const char **why)
{
	struct symbols *s = new_symbols();
	const struct elf *source = &s->elf;
	const char *reason, *link;

	if (!elf_open(&s->elf, path, why)) {
		symbols_close(s);
		return NULL;
	}

	if (!s->elf.has_debug &&
	    elf_open_debug(&s->elf, debug_dir, &s->debug_file))
		source = &s->debug_file;
	if (source->has_debug) {
		s->debug = debug_open(&s->elf, source, &reason);
		if (s->debug == NULL)
			buf_printf(&s->unreadable, "debug information: %s",
			    reason);
	} else if ((link = elf_debug_link(&s->elf)) != NULL) {
		buf_printf(&s->unreadable, "its debug information is in "
		    "another file, '%s', which was not found", link);
	}
	return s;
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
	symtab_release(&s->elf_symbols);
	elf_close(&s->elf);
	elf_close(&s->debug_file);
	buf_release(&s->unreadable);
	intern_release(&s->resolutions);
	free(s->answers);
	intern_release(&s->locations);
	free(s->cached);
	map_release(&s->address_map);
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
symbols_missing(const struct symbols *s)
{
	if (s->unreadable.len > 0)
		return s->unreadable.data;
	if (s->release == NULL && s->debug == NULL && !s->elf.has_symbols)
		return "it is stripped, and no debug information was found";
	if (!s->lacks_lines)
		return NULL;
	return s->has_lines ? "parts of it were compiled without -g: their "
	    "functions have no lines" :
	    "it was compiled without -g: its functions have no lines";
}

const char *
symbols_damage(const struct symbols *s)
{
	if (s->release != NULL)
		return release_damage(s->release);
	if (s->debug == NULL)
		return NULL;
	return debug_n_missing(s->debug) > 0 ?
	    "a .dwo file of its debug information is missing" :
	    debug_damage(s->debug);
}

/* --- resolving ---------------------------------------------------------- */

/* The symtab of the unit or part that covers an address, or NULL. */
static const struct symtab *
find_symtab(struct symbols *s, uint64_t address)
{
	if (s->release != NULL)
		return release_find(s->release, address);
	return s->debug != NULL ? debug_find(s->debug, address) : NULL;
}

static struct resolution
resolve(struct symbols *s, uint64_t address)
{
	struct resolution r = { .symtab = find_symtab(s, address),
	    .scope = INDEX_NONE };
	const struct symtab *t = s->release != NULL ? r.symtab :
	    &s->elf_symbols;
	const struct row *row;
	uint32_t index = INDEX_NONE;

	if (r.symtab != NULL) {
		r.scope = intervals_find(&r.symtab->scope_index, address);
		if ((row = symtab_row(r.symtab, address)) != NULL) {
			r.file = row->file;
			r.line = row->line;
		}
	}

	/*
	 * Assembler code has no DWARF scope, only an ELF symbol.  And C++
	 * compilers omit the linkage names of static functions, so DWARF has
	 * only "f", while the symbol also has the namespace and arguments.
	 */
	if (r.scope == INDEX_NONE || r.symtab->scopes[r.scope].is_incomplete) {
		if (s->release == NULL && !s->has_elf_symbols) {
			elf_add_symbols(s->debug_file.has_symbols ?
			    &s->debug_file : &s->elf, &s->elf_symbols);
			s->has_elf_symbols = true;
		}
		if (t != NULL)
			index = intervals_find(&t->symbol_index, address);
		if (index != INDEX_NONE)
			r.symbol = &t->symbols[index];
	}

	if (r.file != NULL)
		s->has_lines = true;
	else if (r.symbol != NULL && r.symbol->kind == SYMBOL_FUNCTION)
		s->lacks_lines = true;
	return r;
}

/* --- answers ------------------------------------------------------------- */

/* Adds a location unless there is an equal one, and returns its number. */
static uint32_t
add_location(struct symbols *s, struct location location)
{
	return intern_add(&s->locations, span_bytes(&location,
	    sizeof location));
}

static struct location
location_of(const struct scope *scope)
{
	return (struct location){ scope->name, scope->file, scope->line, 0 };
}

/* Whether p is a sequence of suffixes that without_suffix() removes. */
static bool
are_suffixes(const char *p)
{
	static const char *const known[] = { "isra", "part", "constprop",
	    "cold", "lto_priv", "localalias", "llvm", "__uniq" };
	const size_t n_known = sizeof known / sizeof *known;
	struct span part;
	size_t i;

	while (*p == '.') {
		part = span_of(p + 1, strcspn(p + 1, "."));
		for (i = 0; i < n_known && !span_eq(part, known[i]); i++)
			;
		if (i == n_known && strspn(part.p, "0123456789") != part.n)
			return false;
		p = part.p + part.n;
	}
	return true;
}

/*
 * A name without what compilers append when they split, specialize or rename a
 * function: "_Z1fv.isra.0", "f.part.0.cold".  A number right after the name is
 * that of a nested function.  Other suffixes name functions of their own:
 * ".actor" of a coroutine, "._omp_fn.0".
 */
static const char *
without_suffix(struct symbols *s, const char *name)
{
	const size_t first = strcspn(name, ".");
	size_t n = first;

	while (name[n] != '\0' && (!are_suffixes(name + n) ||
	    (n > first && text_is_digit(name[n + 1]))))
		n += 1 + strcspn(name + n + 1, ".");
	return n == 0 || name[n] == '\0' ? name :
	    arena_text(&s->names, name, n);
}

static struct answer
build_answer(struct symbols *s, const struct resolution *r)
{
	struct answer a = { .file = r->file, .line = r->line };
	const struct symbol *symbol = r->symbol;
	struct location function = { 0 };
	const struct scope *scope;
	const struct symtab *t;
	const struct row *row;
	uint32_t *inlined;

	/* From the innermost scope to the outermost, which is the function. */
	if (r->scope != INDEX_NONE) {
		scope = &r->symtab->scopes[r->scope];
		a.n_inlined = scope->depth;
		inlined = arena_array(&s->inlined, scope->depth,
		    sizeof *inlined);
		a.inlined = inlined;
		for (; scope->parent != INDEX_NONE;
		    scope = &r->symtab->scopes[scope->parent])
			*inlined++ = add_location(s, location_of(scope));
		function = location_of(scope);
	}

	if (symbol != NULL && (function.name == NULL ||
	    (!demangler_is_mangled(function.name) &&
	    demangler_is_mangled(symbol->name))))
		function.name = symbol->name;
	if (function.name != NULL)
		function.name = without_suffix(s, function.name);
	/* Without a declaration, a function has the line where it begins. */
	if (symbol != NULL && function.file == NULL) {
		t = find_symtab(s, symbol->address);
		row = t != NULL ? symtab_row(t, symbol->address) : NULL;
		if (row != NULL) {
			function.file = row->file;
			function.line = row->line;
		}
	}
	a.function = add_location(s, function);
	return a;
}

const struct answer *
symbols_find(struct symbols *s, uint64_t address)
{
	uint32_t i = map_find_or_add_inline(&s->address_map,
	    span_bytes(&address, sizeof address), (uint32_t)s->n_cached,
	    address_key);
	struct resolution r;
	sym number;

	if (i < s->n_cached)
		return &s->answers[s->cached[i].answer];
	r = resolve(s, address);
	number = intern_add(&s->resolutions, span_bytes(&r, sizeof r));
	if (number == s->n_answers) {
		s->answers = mem_grow(s->answers, &s->answers_cap, number + 1u,
		    sizeof *s->answers);
		s->answers[number] = build_answer(s, &r);
		s->answers[number].number = number;
		s->n_answers++;
	}
	s->cached = mem_grow(s->cached, &s->cached_cap, s->n_cached + 1,
	    sizeof *s->cached);
	s->cached[s->n_cached++] = (struct cached_address){ address, number };
	return &s->answers[number];
}

struct location
symbols_location(const struct symbols *s, uint32_t number)
{
	struct location location;

	memcpy(&location, intern_str(&s->locations, number), sizeof location);
	return location;
}
