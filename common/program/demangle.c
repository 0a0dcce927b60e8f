/* demangle - turns linkage names of C++, Rust and D into source names */

#ifndef DEMANGLE_BY_STDCXX
#include <libiberty/demangle.h>
#endif
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "common/program/demangle.h"

/*
 * Mangled names are compressed: S_, T_ and B_ refer back to earlier parts, and
 * each can double the text, so that a name of 200 bytes can expand to gigabytes
 * (a "demangler bomb").  So the length of the result is limited.
 *
 * libiberty passes the result in pieces to a callback, whose only way to stop
 * the demangler is a longjmp() out of it.  That is safe because libiberty, when
 * it is given a callback, keeps its state on the stack and allocates nothing.
 * The jump buffer is on the caller's stack too, so threads can demangle
 * concurrently, each with its own struct demangler.
 */
enum { DEMANGLED_MAX_BYTES = 64 * 1024 };

struct sink {
	struct buf *buf;
	size_t max_len;		/* of the whole buf */
	jmp_buf too_long;
};

static void
append(const char *p, size_t n, void *opaque)
{
	struct sink *s = opaque;

	if (n > s->max_len - s->buf->len)
		longjmp(s->too_long, 1);
	buf_add(s->buf, p, n);
}

#ifdef DEMANGLE_BY_STDCXX
/*
 * libiberty's demangler of C++ is also in libstdc++.a, without those of Rust
 * and D.  This entry point has no header and is not in the shared library,
 * which has only __cxa_demangle(): that cannot be stopped.
 */
int __gcclibcxx_demangle_callback(const char *,
    void (*)(const char *, size_t, void *), void *);

static bool
demangle_to(struct sink *s, const char *name)
{
	return __gcclibcxx_demangle_callback(name, append, s) == 0;
}
#else
/*
 * libiberty cannot stop its demangler of D, whose result each back reference
 * (Q) can double, so names with many stay mangled.
 */
static bool
demangle_d(struct sink *s, const char *name)
{
	enum { REFERENCES_MAX = 16 };
	size_t n = 0;
	char *text;
	bool fits;

	for (const char *p = name; *p != '\0'; p++)
		n += *p == 'Q';
	text = n > REFERENCES_MAX ? NULL : dlang_demangle(name, DMGL_PARAMS);
	if (text == NULL)
		return false;
	fits = strlen(text) <= s->max_len - s->buf->len;
	if (fits)
		buf_str(s->buf, text);
	free(text);
	return fits;
}

static bool
demangle_to(struct sink *s, const char *name)
{
	const int options = DMGL_PARAMS | DMGL_ANSI;
	size_t n = strlen(name);

	if (name[1] == 'D')
		return demangle_d(s, name);
	/*
	 * Rust's newer mangled names begin with _R.  The older ones are mangled
	 * as in C++ and end in a hash: "17h", 16 digits, "E": 20 bytes.
	 */
	return ((name[1] == 'R' || (n > 20 &&
	    memcmp(name + n - 20, "17h", 3) == 0)) &&
	    rust_demangle_callback(name, options, append, s)) ||
	    cplus_demangle_v3_callback(name, options, append, s);
}
#endif

/*
 * Adds the demangled name.  False, and adds nothing, if the name is not a valid
 * mangled name or the result would be too long.
 */
static bool
demangle(struct buf *b, const char *name)
{
	struct sink s = { .buf = b,
	    .max_len = b->len + DEMANGLED_MAX_BYTES };
	const size_t before = b->len;

	if (demangler_is_mangled(name) && setjmp(s.too_long) == 0 &&
	    demangle_to(&s, name))
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
	free(d->list);
	buf_release(&d->text);
}

struct span
demangler_name(struct demangler *d, const char *name)
{
	size_t n_before = d->names.n, start = d->text.len;
	sym number = intern_add(&d->names, span_str(name));

	if (number >= n_before) {
		if (!demangle(&d->text, name))
			buf_str(&d->text, name);
		d->list = mem_grow(d->list, &d->cap, number + 1u,
		    sizeof *d->list);
		d->list[number] = (struct demangled){ start,
		    d->text.len - start };
	}
	return span_of(d->text.data + d->list[number].start,
	    d->list[number].n);
}
