/*
 * symbols - prints the functions and lines of each address on standard input as
 * addr2line -f -i -C -a does: the tests compare the two programs, and the
 * benchmarks measure them
 *
 * symbols [-d] FILE: FILE is an ELF file; or, if its name ends in .release, the
 * output of callgraph-release.  -d: print only the function that contains the
 * address, not those inlined into it, and where it is declared.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/err.h"
#include "common/base/mem.h"
#include "common/program/demangle.h"
#include "common/program/symbols.h"

static struct demangler names;

static void
put_name(struct buf *b, const char *name)
{
	struct span demangled = name != NULL ? demangler_name(&names, name) :
	    span_of("??", 2);

	buf_add(b, demangled.p, demangled.n);
	buf_char(b, '\n');
}

static void
put_line(struct buf *b, const char *file, uint32_t line)
{
	buf_str(b, file != NULL ? file : "??");
	buf_char(b, ':');
	if (line > 0)
		buf_u64(b, line);
	else
		buf_char(b, '?');
	buf_char(b, '\n');
}

/* The demangled names of locations, by their number; p is NULL if not known. */
static struct span *location_names;
static size_t names_cap;
static struct arena arena;

static void
put_location_name(struct symbols *s, struct buf *b, uint32_t number)
{
	size_t n = names_cap, before = b->len;

	if (number >= n) {
		location_names = mem_grow(location_names, &names_cap,
		    number + 1u, sizeof *location_names);
		memset(location_names + n, 0, (names_cap - n) *
		    sizeof *location_names);
	}
	if (location_names[number].p == NULL) {
		put_name(b, symbols_location(s, number).name);
		location_names[number] = arena_span(&arena,
		    span_of(b->data + before, b->len - before));
	} else {
		buf_add(b, location_names[number].p, location_names[number].n);
	}
}

/*
 * Appends the innermost function first.  It has the line of the address; each
 * further function has the line of its call to the function before it.
 */
static void
put_frames(struct symbols *s, const struct answer *a, struct buf *b)
{
	const char *file = a->file;
	uint32_t line = a->line;
	struct location inlined;

	for (uint32_t i = 0; i < a->n_inlined; i++) {
		put_location_name(s, b, a->inlined[i]);
		put_line(b, file, line);
		inlined = symbols_location(s, a->inlined[i]);
		file = inlined.file;
		line = inlined.line;
	}
	put_location_name(s, b, a->function);
	put_line(b, file, line);
}

/* Appends the address as it was read, text, and its functions and lines. */
static void
put_answer(struct symbols *s, const char *text, uint64_t address, struct buf *b)
{
	buf_str(b, text);
	put_frames(s, symbols_find(s, address), b);
}

/* The same with -d: the function and its declaration. */
static void
put_declaration(struct symbols *s, const char *text, uint64_t address,
    struct buf *b)
{
	struct location f = symbols_location(s,
	    symbols_find(s, address)->function);

	buf_str(b, text);
	put_name(b, f.name);
	put_line(b, f.file, f.line);
}

int
main(int argc, char **argv)
{
	bool declarations = argc > 1 && strcmp(argv[1], "-d") == 0;
	const char *path, *why = NULL, *ending;
	struct symbols *s;
	struct buf b = { 0 };
	char text[64];

	err_init(argv[0]);
	if (argc != 2 + declarations)
		die("usage: symbols [-d] FILE");
	path = argv[1 + declarations];
	ending = strrchr(path, '.');
	s = ending != NULL && strcmp(ending, ".release") == 0 ?
	    symbols_open_release(path, &why) :
	    symbols_open(path, "/usr/lib/debug", &why);
	if (s == NULL)
		die("cannot read '%s': %s", path, why);
	demangler_init(&names);
	while (fgets(text, sizeof text, stdin) != NULL) {
		(declarations ? put_declaration : put_answer)(s,
		    text, strtoull(text, NULL, 16), &b);
		if (b.len < 65536)
			continue;
		fwrite(b.data, 1, b.len, stdout);
		b.len = 0;
	}
	fwrite(b.data, 1, b.len, stdout);
	if (symbols_damage(s) != NULL)
		err_warn("%s", symbols_damage(s));
	symbols_close(s);
	buf_release(&b);
	demangler_release(&names);
	free(location_names);
	arena_release(&arena);
	return 0;
}
