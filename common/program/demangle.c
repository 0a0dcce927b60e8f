/* demangle - the door to libiberty's demanglers */

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "common/program/demangle.h"

/*
 * A name may refer to parts of itself, so that a short one stands for a text
 * of gigabytes.  libiberty hands out the text piece by piece and allocates
 * nothing meanwhile: we can leave it in the middle.
 */
enum { DEMANGLED_MAX = 64 * 1024 };

struct sink {
	struct buf *buf;
	size_t most;
	jmp_buf too_long;
};

static void
take(const char *p, size_t n, void *opaque)
{
	struct sink *s = opaque;

	if (n > s->most - s->buf->len)
		longjmp(s->too_long, 1);
	buf_add(s->buf, p, n);
}

/* Names of Rust before 2021 look like those of C++, but end in a hash. */
static bool
is_rust(const char *name)
{
	size_t n = strlen(name);

	return name[1] == 'R' || (n > 20 &&
	    memcmp(name + n - 20, "17h", 3) == 0);
}

/* Adds what the name was in the source; false, and nothing, if it was none. */
static bool
demangle(struct buf *b, const char *name)
{
	struct sink s = { .buf = b, .most = b->len + DEMANGLED_MAX };
	const int options = DMGL_PARAMS | DMGL_ANSI;
	const size_t before = b->len;

	if (is_mangled(name) && setjmp(s.too_long) == 0 &&
	    ((is_rust(name) && rust_demangle_callback(name, options, take,
	    &s)) || cplus_demangle_v3_callback(name, options, take, &s)))
		return true;
	b->len = before;
	return false;
}

void
demangler_init(struct demangler *d)
{
	*d = (struct demangler){ 0 };
	intern_init(&d->names);
}

void
demangler_release(struct demangler *d)
{
	intern_release(&d->names);
	free(d->pieces);
	buf_release(&d->text);
}

struct span
demangler_name(struct demangler *d, const char *name)
{
	size_t before = d->names.n, at = d->text.len;
	sym n = intern_add(&d->names, span_str(name));

	if (n >= before) {
		if (!demangle(&d->text, name))
			buf_str(&d->text, name);
		d->pieces = mem_grow(d->pieces, &d->cap, n + 1u,
		    sizeof *d->pieces);
		d->pieces[n] = (struct piece){ at, d->text.len - at };
	}
	return span_of(d->text.data + d->pieces[n].at, d->pieces[n].n);
}
