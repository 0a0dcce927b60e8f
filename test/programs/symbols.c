/*
 * symbols FILE - for each address on standard input the functions and lines
 * that it stands for, in the form of addr2line -f -i -C -a: for its tests, and
 * for what it costs.  FILE is an ELF file, or a release if it ends so.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/demangle.h"
#include "common/err.h"
#include "common/mem.h"
#include "common/symbols.h"

static struct demangler names;

static void
put(struct buf *b, const char *name, const char *file, uint32_t line)
{
	struct span shown;

	if (name == NULL)
		buf_str(b, "??");
	else {
		shown = demangler_name(&names, name);
		buf_add(b, shown.p, shown.n);
	}
	buf_char(b, '\n');
	buf_str(b, file != NULL ? file : "??");
	buf_char(b, ':');
	if (line > 0)
		buf_u64(b, line);
	else
		buf_char(b, '?');
	buf_char(b, '\n');
}

/* What was said of an answer before, by its number. */
static struct {
	size_t at, n;
} *texts;
static size_t texts_cap;
static struct buf told;

/* A frame's line is that of the call to the frame before it. */
static void
tell(const struct answer *a, struct buf *b)
{
	const char *file = a->file;
	uint32_t line = a->line;

	for (size_t i = 0; i < a->n_inlined; i++) {
		put(b, a->inlined[i].name, file, line);
		file = a->inlined[i].file;
		line = a->inlined[i].line;
	}
	put(b, a->function.name, file, line);
}

static void
answer(struct symbols *s, const char *text, uint64_t address,
    struct buf *b)
{
	const struct answer *a = symbols_find(s, address);
	size_t before = texts_cap;

	texts = mem_grow(texts, &texts_cap, a->number + 1u, sizeof *texts);
	memset(texts + before, 0, (texts_cap - before) * sizeof *texts);
	if (texts[a->number].n == 0) {
		texts[a->number].at = told.len;
		tell(a, &told);
		texts[a->number].n = told.len - texts[a->number].at;
	}
	buf_str(b, text);
	buf_add(b, told.data + texts[a->number].at, texts[a->number].n);
}

/* With -d: where the function is declared, in place of the rest. */
static void
declaration(struct symbols *s, const char *text, uint64_t address,
    struct buf *b)
{
	const struct place *f = &symbols_find(s, address)->function;

	buf_str(b, text);
	put(b, f->name, f->file, f->line);
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
		(declarations ? declaration : answer)(s,
		    text, strtoull(text, NULL, 16), &b);
		if (b.len < 65536)
			continue;
		fwrite(b.data, 1, b.len, stdout);
		b.len = 0;
	}
	fwrite(b.data, 1, b.len, stdout);
	if (symbols_damage(s) != NULL)
		warn("%s", symbols_damage(s));
	symbols_close(s);
	buf_release(&b);
	buf_release(&told);
	demangler_release(&names);
	free(texts);
	return 0;
}
