/* callgraph-release - store the symbols and lines of a program apart from it */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/err.h"
#include "common/filter/filter-reject.h"
#include "common/filter/filter.h"
#include "common/program/checksum.h"
#include "common/program/debug.h"
#include "common/program/elf.h"
#include "common/program/release-write.h"
#include "common/program/release.h"

static struct {
	const char *debug, *release_dir, *debug_dir;
} opt = { .debug_dir = "/usr/lib/debug" };

static const struct opt options[] = {
	{ 'd', "debug", OPT_STR, &opt.debug, "FILE",
	    "the same program with its debug information", 0, 0 },
	{ 'r', "release-dir", OPT_STR, &opt.release_dir, "DIR",
	    "store the release in DIR, by its checksum", 0, 0 },
	{ 0, "debug-dir", OPT_STR, &opt.debug_dir, "DIR",
	    "separate debug information (/usr/lib/debug)", 0, 0 },
	{ 0 }
};

static enum output_kind
choose_output(void)
{
	return opt.release_dir != NULL ? OUTPUT_TEXT : OUTPUT_RECORDS;
}

static const struct about about = {
	.operands = "executable",
	.purpose = "Writes the symbols and lines of a program or shared "
	    "library as a release, for\ncallgraph-symbolize to read when the "
	    "program itself is stripped.",
	.examples = {
	    "callgraph-release --release-dir releases app",
	    "callgraph-release --debug app -r releases app.stripped",
	},
	.output = choose_output,
};

static struct {
	struct elf program;		/* the file that is deployed */
	struct elf other;		/* a separate file with the debug
					   information of program, if there is
					   one */
	const struct elf *source;	/* program or other: the one to read the
					   debug information from */
	struct debug *debug;
	struct symtab symtab;
	char checksum[CHECKSUM_LEN + 1];
} state = { .program.fd = -1, .other.fd = -1 };

/* --- reading the program ------------------------------------------------- */

static void
open_elf(struct elf *e, const char *path)
{
	const char *why;

	if (!elf_open(e, path, &why))
		die("cannot read '%s': %s", path, why);
}

/* Chooses the file from which the debug information is to be read. */
static void
choose_source(void)
{
	const char *why;

	state.source = &state.program;
	if (opt.debug != NULL)
		open_elf(&state.other, opt.debug);
	else if (state.program.has_debug || !elf_open_debug(&state.program,
	    opt.debug_dir, &state.other))
		return;
	state.source = &state.other;
	if (!elf_same_program(&state.program, &state.other, &why))
		die("'%s' and '%s' are different programs: %s",
		    state.program.path, state.other.path, why);
}

static void
read_debug(struct filter *f)
{
	const char *why;
	const struct elf *e = state.source;

	if (!e->has_debug && !e->has_symbols)
		die("'%s' has no debug information at all: name the file that "
		    "has it with --debug", e->path);
	if (!e->has_debug)
		return;
	if ((state.debug = debug_open(&state.program, e, &why)) == NULL)
		die("cannot read the debug information of '%s': %s", e->path,
		    why);
	debug_flatten(state.debug, &state.symtab);
	if (debug_n_missing(state.debug) > 0)
		filter_fail(f, "'%s': the .dwo files of %zu units are missing",
		    e->path, debug_n_missing(state.debug));
	if (debug_damage(state.debug) != NULL)
		filter_fail(f, "'%s': %s", e->path, debug_damage(state.debug));
}

/* Whether main() is known, but not its line. */
static bool
main_lacks_line(void)
{
	const struct symtab *t = &state.symtab;
	const struct row *row;

	for (size_t i = 0; i < t->n_symbols; i++)
		if (strcmp(t->symbols[i].name, "main") == 0) {
			row = symtab_row(t, t->symbols[i].address);
			return row == NULL || row->file == NULL;
		}
	return false;
}

/*
 * Warns of a program without lines.  One that was compiled without -g may still
 * have debug information: that of a library which was linked into it.
 */
static void
check_lines(void)
{
	const struct elf *e = state.source;
	const char *link = elf_debug_link(e);

	if (!e->has_debug && link != NULL)
		err_warn("warning: the debug information of '%s' is in another "
		    "file, '%s', which was not found: the release will have no "
		    "lines", e->path, link);
	else if (!e->has_debug)
		err_warn("warning: '%s' was compiled without -g: the release "
		    "will have no lines", e->path);
	else if (main_lacks_line())
		err_warn("warning: the main() of '%s' was compiled without -g: "
		    "the release will have no lines of it", e->path);
}

/* --- writing the release ------------------------------------------------- */

static void
make_dir(const char *path)
{
	if (mkdir(path, 0777) != 0 && errno != EEXIST)
		die_errno("cannot create directory '%s'", path);
}

/*
 * Creates a symbolic link to the release, by which the releases of shared
 * libraries are found.  The first byte of the build id names a directory, and
 * the others the link in it.  A rename replaces an older link atomically.
 */
static void
link_build_id(const char *dir, const char *build_id)
{
	struct buf path = { 0 }, target = { 0 }, temporary = { 0 };
	int error;

	if (strlen(build_id) < 4)	/* unknown, or only one byte */
		return;
	buf_printf(&path, "%s/.build-id", dir);
	make_dir(buf_cstr(&path));
	buf_printf(&path, "/%.2s", build_id);
	make_dir(buf_cstr(&path));
	buf_printf(&path, "/%s.release", build_id + 2);
	buf_printf(&target, "../../%s.release", state.checksum);
	buf_printf(&temporary, "%s.%ld", buf_cstr(&path), (long)getpid());

	/* It may exist if an earlier process with this pid was killed. */
	unlink(buf_cstr(&temporary));
	if (symlink(buf_cstr(&target), temporary.data) != 0 ||
	    rename(temporary.data, buf_cstr(&path)) != 0) {
		error = errno;
		unlink(temporary.data);
		errno = error;
		die_errno("cannot link '%s'", path.data);
	}
	buf_release(&path);
	buf_release(&target);
	buf_release(&temporary);
}

static void
write_release(struct filter *f, struct output *o)
{
	struct release_writer w = { .checksum = state.checksum,
	    .build_id = state.program.build_id, .path = state.program.path,
	    .symtab = &state.symtab };

	while (release_write(&w, &o->buf)) {
		f->n_records++;
		output_done(o);
	}
}

int
main(int argc, char **argv)
{
	struct filter f;
	struct output o;
	struct buf stored = { 0 };
	const char *path;

	filter_begin(&f, &about, options, argc, argv);
	path = filter_operand(&f);
	if (path == NULL || filter_operand(&f) != NULL)
		die("exactly one executable must be named");

	open_elf(&state.program, path);
	choose_source();
	read_debug(&f);
	elf_add_symbols(state.source->has_symbols ? state.source :
	    &state.program, &state.symtab);
	check_lines();
	if (!checksum_fd(state.program.fd, state.checksum))
		die_errno("cannot read '%s'", path);

	if (opt.release_dir != NULL) {
		make_dir(opt.release_dir);
		buf_printf(&stored, "%s/%s.release", opt.release_dir,
		    state.checksum);
		output_open(&o, buf_cstr(&stored));
		write_release(&f, &o);
		output_close(&o);
		link_build_id(opt.release_dir, state.program.build_id);
		buf_release(&stored);
	} else {
		write_release(&f, &f.out);
	}

	debug_close(state.debug);
	symtab_release(&state.symtab);
	elf_close(&state.program);
	elf_close(&state.other);
	return filter_end(&f);
}
