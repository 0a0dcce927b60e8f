/* sources - finds and opens the symbols of modules */

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/err.h"
#include "common/base/hex.h"
#include "common/base/intern.h"
#include "common/filter/filter-reject.h"
#include "common/io/fd.h"
#include "common/program/checksum.h"
#include "filters/callgraph-symbolize/callgraph-symbolize.h"

static struct {
	const struct sources_options *options;
	struct symbols **executables;	/* named on the command line; several
					   modules may share one */
	struct intern modules;		/* keys made by source_of() */
	struct source **sources;	/* by number in modules */
	size_t cap;
	struct arena texts;		/* of the modules in sources */
} state;

void
sources_init(const struct sources_options *options)
{
	const struct opt_list *paths = &options->executables;
	const char *why;

	state.options = options;
	intern_init(&state.modules);
	state.executables = mem_zero(paths->n + 1, sizeof *state.executables);
	for (size_t i = 0; i < paths->n; i++) {
		state.executables[i] = symbols_open(paths->values[i],
		    options->debug_dir, &why);
		if (state.executables[i] == NULL)
			die("cannot read '%s': %s", paths->values[i], why);
	}
}

void
sources_release(void)
{
	for (size_t i = 0; i < state.modules.n; i++) {
		struct source *s = state.sources[i];

		if (s->symbols != NULL && !s->is_executable)
			symbols_close(s->symbols);
		free(s->texts);
		free(s);
	}
	for (size_t i = 0; i < state.options->executables.n; i++)
		symbols_close(state.executables[i]);
	free(state.executables);
	free(state.sources);
	intern_release(&state.modules);
	arena_release(&state.texts);
}

static void
report_missing(const char *path, const struct symbols *symbols)
{
	const char *why = symbols_missing(symbols);

	if (why != NULL)
		err_warn("warning: %s: %s", path, why);
}

void
sources_report_missing(uint64_t n)
{
	const struct opt_list *paths = &state.options->executables;
	uint64_t n_system = 0;
	const char *library = NULL;

	for (size_t i = 0; i < paths->n; i++)
		report_missing(paths->values[i], state.executables[i]);
	for (size_t i = 0; i < state.modules.n; i++) {
		const struct source *s = state.sources[i];

		if (s->is_system && s->n_unknown > 0) {
			n_system += s->n_unknown;
			library = library == NULL ? s->path : library;
		} else if (!s->is_system && s->symbols != NULL &&
		    !s->is_executable) {
			report_missing(s->path, s->symbols);
		}
	}
	if (n_system > 0)
		err_warn("warning: %llu of %llu addresses are in libraries of "
		    "the system without symbols, such as '%s'",
		    (unsigned long long)n_system, (unsigned long long)n,
		    library);
}

void
sources_report_damage(struct filter *f)
{
	for (size_t i = 0; i < state.modules.n; i++) {
		const struct source *s = state.sources[i];
		const char *why = s->symbols != NULL ?
		    symbols_damage(s->symbols) : NULL;

		if (why != NULL)
			filter_fail(f, "symbols of '%s': %s", s->path, why);
	}
}

/* --- releases ------------------------------------------------------------ */

static struct symbols *
open_release(const char *path)
{
	struct symbols *symbols;
	const char *why;

	if (!fd_exists(path))
		return NULL;
	symbols = symbols_open_release(path, &why);
	if (symbols == NULL)
		err_warn("warning: cannot use '%s': %s", path, why);
	return symbols;
}

/*
 * Whether a checksum or build id from a record can safely be a part of a path.
 * The first two digits of a build id name a directory, and the others a file in
 * it.
 */
static bool
is_safe_name(struct span name)
{
	return name.n > 2 && hex_is_valid(name);
}

/* Opens the release of a module, or returns NULL if no directory has one. */
static struct symbols *
find_release(const struct module *m)
{
	const struct opt_list *dirs = &state.options->release_dirs;
	struct symbols *symbols = NULL;
	struct buf path = { 0 };

	for (size_t i = 0; i < dirs->n && symbols == NULL; i++) {
		if (m->is_program && is_safe_name(m->checksum)) {
			path.len = 0;
			buf_printf(&path, "%s/%.*s.release", dirs->values[i],
			    (int)m->checksum.n, m->checksum.p);
			symbols = open_release(buf_cstr(&path));
		}
		if (symbols == NULL && is_safe_name(m->build_id)) {
			path.len = 0;
			buf_printf(&path, "%s/.build-id/%.2s/%.*s.release",
			    dirs->values[i], m->build_id.p,
			    (int)m->build_id.n - 2, m->build_id.p + 2);
			symbols = open_release(buf_cstr(&path));
		}
	}
	buf_release(&path);
	return symbols;
}

/* --- the files of modules ------------------------------------------------- */

static bool
has_checksum(const char *path, struct span expected)
{
	char hex[CHECKSUM_LEN + 1];
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || !checksum_fd(fd, hex))
		die_errno("cannot read '%s'", path);
	close(fd);
	return span_eq(expected, hex);
}

/*
 * Opens the file at the module's path if it is the same build.  Otherwise
 * returns NULL and sets *why.
 */
static struct symbols *
open_module(const struct module *m, const char *path, const char **why)
{
	struct symbols *symbols = symbols_open(path, state.options->debug_dir,
	    why);

	if (symbols == NULL)
		return NULL;
	if (m->build_id.n > 0 ?
	    span_eq(m->build_id, symbols_build_id(symbols)) :
	    m->is_program && has_checksum(path, m->checksum))
		return symbols;
	*why = m->build_id.n > 0 ? "it is a different build now" :
	    "it has no build id, so it may be a different build";
	symbols_close(symbols);
	return NULL;
}

/* --- the sources of modules ---------------------------------------------- */

struct symbols *
source_symbols(struct source *s)
{
	const struct module *m = &s->module;
	struct symbols *symbols;
	const char *why;

	if (s->was_opened)
		return s->symbols;
	s->was_opened = true;
	s->symbols = find_release(m);

	/*
	 * An executable without a build id matches only the program, and only
	 * if the program has none either.
	 */
	for (size_t i = 0; i < state.options->executables.n &&
	    s->symbols == NULL; i++) {
		symbols = state.executables[i];
		s->is_executable = span_eq(m->build_id,
		    symbols_build_id(symbols)) &&
		    (m->build_id.n > 0 || m->is_program);
		if (s->is_executable)
			s->symbols = symbols;
	}

	if (s->symbols == NULL)
		s->symbols = open_module(m, s->path, &why);
	if (s->symbols == NULL && !s->is_system)
		err_warn("warning: no symbols for '%s': %s", s->path, why);
	return s->symbols;
}

/*
 * Whether a module comes from the distribution, whose libraries have debug
 * information only if its packages are installed, or from the kernel.
 */
static bool
is_of_system(const struct module *m)
{
	static const char *const starts[] = { "/lib", "/usr/lib", "[",
	    "linux-vdso." };

	for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
		if (span_begins_with(m->path, starts[i]) &&
		    m->path.n > strlen(starts[i]))
			return !m->is_program;
	return false;
}

struct source *
source_of(const struct module *m)
{
	size_t n_before = state.modules.n;
	struct buf key = { 0 };
	struct source *s;
	sym number;

	buf_add(&key, m->path.p, m->path.n);
	buf_char(&key, '\0');
	buf_add(&key, m->build_id.p, m->build_id.n);
	buf_char(&key, '\0');
	if (m->is_program)
		buf_add(&key, m->checksum.p, m->checksum.n);
	number = intern_add(&state.modules, buf_span(&key));
	buf_release(&key);
	if (number < n_before)
		return state.sources[number];

	state.sources = mem_grow(state.sources, &state.cap, n_before + 1,
	    sizeof *state.sources);
	s = state.sources[number] = mem_zero(1, sizeof *s);
	s->module.path = arena_span(&state.texts, m->path);
	s->module.build_id = arena_span(&state.texts, m->build_id);
	s->module.checksum = arena_span(&state.texts, m->checksum);
	s->module.is_program = m->is_program;
	s->is_system = is_of_system(m);
	s->path = s->module.path.p;
	return s;
}
