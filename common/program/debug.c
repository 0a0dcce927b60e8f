/* debug - functions, inlined calls and lines from DWARF, by libdw */

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/err.h"
#include "common/base/intern.h"
#include "common/base/num.h"
#include "common/base/search.h"
#include "common/base/sort.h"
#include "common/program/debug.h"
#include "common/program/lines.h"

struct unit {
	Dwarf_Off offset;	/* of its root entry (DIE) */
	bool has_ranges;	/* listed in .debug_aranges or added already */
	bool is_decoded;
	struct symtab symtab;
};

struct debug {
	const struct elf *code;
	Dwarf *dwarf;
	struct span line_section;	/* .debug_line */
	bool is_big_endian;
	struct unit *units;
	size_t n_units, units_cap;
	struct interval *ranges;	/* of units, until they are indexed */
	size_t n_ranges, ranges_cap;
	uint64_t ranges_max;	/* limit for the scopes of each unit */
	struct intervals unit_index;
	size_t n_missing;	/* units whose .dwo file is missing */
	const char *damage;	/* the first that was found, or NULL */
	struct intern paths;	/* those that path_of() composes */
	struct buf path;
};

/* --- errors of libdw ------------------------------------------------------ */

/* The attribute is a part of the type Dwarf_OOM; to clang _Noreturn is not. */
static __attribute__((noreturn)) void
die_of_memory(void)
{
	die("out of memory in libdw");
}

/*
 * Replaces the function of libc.  libdw opens a .dwo file by itself and, until
 * decoded_unit() sets the handler of what it has opened, calls error() if
 * memory runs out.  That would exit with 1, as if only some input were
 * rejected.
 */
void
error(int status, int number, const char *fmt, ...)
{
	(void)number;
	(void)fmt;
	if (status != 0)
		die_of_memory();
}

/*
 * Some functions of libdw call die_of_memory() if memory runs out; others, and
 * libelf, report that in the same way as damage to the file.
 */
static void
check_memory(void)
{
	const char *last_error = dwarf_errmsg(0);

	elf_check_memory();
	if (last_error != NULL && strcmp(last_error, "out of memory") == 0)
		die_of_memory();
}

static void
report_damage(struct debug *d, const char *what)
{
	check_memory();
	if (d->damage == NULL)
		d->damage = what;
}

static const char unit_damage[] =
    "a unit of its debug information is damaged";
static const char line_damage[] =
    "a line table of its debug information is damaged";

/* --- which unit an address belongs to ------------------------------------ */

static void
find_units(struct debug *d)
{
	Dwarf_Off offset = 0, next;
	size_t header;
	int result;

	while ((result = dwarf_nextcu(d->dwarf, offset, &next, &header, NULL,
	    NULL, NULL)) == 0 && next > offset) {
		d->units = mem_grow(d->units, &d->units_cap, d->n_units + 1,
		    sizeof *d->units);
		d->units[d->n_units++] = (struct unit){
		    .offset = offset + header };
		offset = next;
	}
	if (result < 0)
		report_damage(d, unit_damage);
}

/*
 * Adds a range of a unit.  Ignores functions that the linker discarded: it
 * leaves them with addresses near 0 or at the end of the address space, outside
 * all sections.
 */
static void
add_range(struct debug *d, struct unit *u, uint64_t low, uint64_t high)
{
	u->has_ranges = true;
	if (low >= high || !elf_is_code(d->code, low))
		return;
	d->ranges = mem_grow(d->ranges, &d->ranges_cap, d->n_ranges + 1,
	    sizeof *d->ranges);
	d->ranges[d->n_ranges++] = (struct interval){ low, high,
	    (uint32_t)(u - d->units) };
}

/*
 * Adds the ranges in .debug_aranges, which GCC writes and Clang does not; of a
 * unit that is not there those in its root entry.
 */
static void
find_ranges(struct debug *d)
{
	Dwarf_Aranges *list;
	Dwarf_Addr base, low, high;
	Dwarf_Word length;
	Dwarf_Off offset;
	Dwarf_Die die;
	size_t n, unit;
	ptrdiff_t at;

	if (dwarf_getaranges(d->dwarf, &list, &n) != 0)
		n = 0;
	for (size_t i = 0; i < n; i++) {
		if (dwarf_getarangeinfo(dwarf_onearange(list, i), &low,
		    &length, &offset) != 0 || length > UINT64_MAX - low)
			continue;
		unit = SEARCH_FIRST(k, d->n_units,
		    d->units[k].offset >= offset);
		if (unit < d->n_units && d->units[unit].offset == offset)
			add_range(d, &d->units[unit], low, low + length);
	}

	for (struct unit *u = d->units; u < d->units + d->n_units; u++) {
		if (u->has_ranges)
			continue;
		at = dwarf_offdie(d->dwarf, u->offset, &die) != NULL ? 0 : -1;
		while (at >= 0 && (at = dwarf_ranges(&die, at, &base, &low,
		    &high)) > 0)
			add_range(d, u, low, high);
		if (at < 0)
			report_damage(d, unit_damage);
	}
}

/*
 * Units do not nest.  Where the ranges of several overlap, the one that starts
 * first has the addresses: damaged units, but also all those that describe an
 * inline function of which the linker has kept one copy.
 */
static void
index_units(struct debug *d)
{
	uint64_t end = 0;

	intervals_sort(d->ranges, d->n_ranges);
	for (size_t i = 0; i < d->n_ranges; i++) {
		const struct interval *r = &d->ranges[i];

		if (r->end <= end)
			continue;
		intervals_append(&d->unit_index,
		    r->start > end ? r->start : end, r->index);
		intervals_append(&d->unit_index, r->end, INDEX_NONE);
		end = r->end;
	}
	free(d->ranges);
	d->ranges = NULL;
}

struct debug *
debug_open(const struct elf *code, const struct elf *debug, const char **why)
{
	struct debug *d;
	bool is_whole = elf_decompress(debug);
	Dwarf *dwarf = dwarf_begin_elf(debug->handle, DWARF_C_READ, NULL);
	const char *common_file;
	const void *id;

	check_memory();
	if (dwarf == NULL) {
		*why = debug->has_zstd ? "it is compressed by zstd, which "
		    "this libdw cannot read: use "
		    "objcopy --decompress-debug-sections" : dwarf_errmsg(-1);
		return NULL;
	}

	d = mem_zero(1, sizeof *d);
	d->code = code;
	d->dwarf = dwarf;
	intern_init(&d->paths);
	d->line_section = elf_debug_line(debug, &d->is_big_endian);
	if (!is_whole)
		report_damage(d, "a section of its debug information cannot be "
		    "decompressed");
	dwarf_new_oom_handler(dwarf, die_of_memory);
	if (dwelf_dwarf_gnu_debugaltlink(dwarf, &common_file, &id) > 0 &&
	    dwarf_getalt(dwarf) == NULL)
		report_damage(d, "the common file of its debug information, "
		    "made by dwz, is missing");

	/*
	 * In a damaged file many entries may share one long list of ranges; a
	 * valid unit has fewer ranges than the file has bytes.
	 */
	d->ranges_max = debug->size;

	find_units(d);
	find_ranges(d);
	index_units(d);
	check_memory();
	return d;
}

void
debug_close(struct debug *d)
{
	if (d == NULL)
		return;
	for (size_t i = 0; i < d->n_units; i++)
		symtab_release(&d->units[i].symtab);
	intern_release(&d->paths);
	buf_release(&d->path);
	dwarf_end(d->dwarf);
	free(d->units);
	intervals_release(&d->unit_index);
	free(d);
}

/* --- the names of files -------------------------------------------------- */

/* The absolute path of a file, or NULL. */
static const char *
path_of(struct debug *d, Dwarf_Files *files, size_t number)
{
	const char *path = dwarf_filesrc(files, number, NULL, NULL);
	const char *const *dirs;
	size_t n_dirs;

	/*
	 * Directory 0 is that of the compilation.  libdw itself prepends it
	 * only up to DWARF 4.
	 */
	if (path == NULL || *path == '/' ||
	    dwarf_getsrcdirs(files, &dirs, &n_dirs) != 0 || n_dirs == 0 ||
	    dirs[0] == NULL)
		return path;
	d->path.len = 0;
	buf_printf(&d->path, "%s/%s", dirs[0], path);
	return intern_str(&d->paths, intern_add(&d->paths, buf_span(&d->path)));
}

/* The path for a file number in an attribute, or NULL. */
static const char *
file_of(struct debug *d, Dwarf_Attribute *a)
{
	Dwarf_Word number;
	Dwarf_Die unit;
	Dwarf_Files *key;
	size_t n;

	if (dwarf_formudata(a, &number) != 0 || dwarf_cu_info(a->cu, NULL,
	    NULL, &unit, NULL, NULL, NULL, NULL) != 0 ||
	    dwarf_getsrcfiles(&unit, &key, &n) != 0) {
		check_memory();
		return NULL;
	}
	return path_of(d, key, number);
}

/* --- decoding a unit ------------------------------------------------------ */

/*
 * A unit is a tree of debugging information entries (DIEs).  The walk keeps a
 * stack of the entries on the path to the current one, so that damaged files
 * cannot exhaust the C stack, and collects the address ranges of functions and
 * inlined calls.  An inlined call is inside the function or call that it
 * was inlined into:
 *
 *	subprogram main		[10, 50)	scope 0
 *	  lexical_block
 *	    inlined_subroutine f	[20, 40)	scope 1, parent 0
 *	      inlined_subroutine g	[30, 40)	scope 2, parent 1
 *
 * The interval index of these ranges then finds the innermost scope of an
 * address: 2 for 35, 0 for 45.
 */
struct level {
	Dwarf_Die die;
	uint32_t scope;		/* contains this entry and its siblings */
};

struct walk {
	struct debug *debug;
	struct symtab *symtab;
	struct level *levels;	/* innermost last */
	size_t depth, cap;
	struct interval *ranges;
	size_t n_ranges, ranges_cap;
	const void *last;	/* where libdw has the entry visited last; these
				   addresses must increase, or else a damaged
				   file could make the walk run in a cycle */
};

/* Adds the address ranges of a scope.  False if it has no code. */
static bool
add_ranges(struct walk *w, Dwarf_Die *die, uint32_t scope)
{
	size_t before = w->n_ranges;
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(die, at, &base, &low, &high)) > 0 &&
	    w->n_ranges < w->debug->ranges_max) {
		if (!elf_is_code(w->debug->code, low))
			continue;	/* discarded by the linker */
		w->ranges = mem_grow(w->ranges, &w->ranges_cap,
		    w->n_ranges + 1, sizeof *w->ranges);
		w->ranges[w->n_ranges++] = (struct interval){ low, high,
		    scope };
	}
	if (at < 0)
		report_damage(w->debug, unit_damage);
	return w->n_ranges > before;
}

/*
 * Adds a function with the place of its declaration, or an inlined call with
 * the place of the call.  Returns its scope; INDEX_NONE if it has no code or is
 * nested too deeply.
 */
static uint32_t
add_function(struct walk *w, Dwarf_Die *die, int tag, uint32_t parent)
{
	static const unsigned names[] = { DW_AT_linkage_name,
	    DW_AT_MIPS_linkage_name, DW_AT_name };
	bool inlined = tag == DW_TAG_inlined_subroutine;
	struct scope scope = { .parent = inlined ? parent : INDEX_NONE };
	size_t before = w->n_ranges;
	Dwarf_Attribute a, *line;
	Dwarf_Word number;
	uint32_t index;

	if (!add_ranges(w, die, (uint32_t)w->symtab->n_scopes))
		return INDEX_NONE;

	for (size_t i = 0; i < 3 && scope.name == NULL; i++)
		scope.name = dwarf_formstring(dwarf_attr_integrate(die,
		    names[i], &a));
	if (inlined ? dwarf_attr(die, DW_AT_call_file, &a) != NULL :
	    dwarf_attr_integrate(die, DW_AT_decl_file, &a) != NULL)
		scope.file = file_of(w->debug, &a);
	line = inlined ? dwarf_attr(die, DW_AT_call_line, &a) :
	    dwarf_attr_integrate(die, DW_AT_decl_line, &a);
	if (dwarf_formudata(line, &number) == 0 && number <= UINT32_MAX)
		scope.line = (uint32_t)number;
	if ((index = symtab_add_scope(w->symtab, scope)) == INDEX_NONE)
		w->n_ranges = before;
	return index;
}

static void
push(struct walk *w, Dwarf_Die die, uint32_t scope)
{
	w->levels = mem_grow(w->levels, &w->cap, w->depth + 1,
	    sizeof *w->levels);
	w->levels[w->depth++] = (struct level){ die, scope };
}

/*
 * Whether libdw has found a child or sibling that comes after the entry visited
 * last.  `result` is what libdw's function returned: 0 if it has found one, 1
 * if there is none, -1 if the unit is damaged.
 */
static bool
is_found(struct walk *w, int result, const Dwarf_Die *entry)
{
	bool is_next = result == 0 &&
	    (const char *)entry->addr > (const char *)w->last;

	if (!is_next && result <= 0)
		report_damage(w->debug, unit_damage);
	return is_next;
}

/*
 * Adds an entry if it is a function or an inlined call.  Returns whether to
 * descend into it; *scope becomes the scope of its children.
 *
 * A function without code was discarded by the linker, or is an abstract one,
 * whose children may have code: GCC puts the functions of a lambda and of a
 * local class into their type, which is a child of the abstract function around
 * it.
 */
static bool
visit(struct walk *w, Dwarf_Die *die, uint32_t *scope)
{
	int tag = dwarf_tag(die);

	switch (tag) {
	case DW_TAG_subprogram:
		if (dwarf_hasattr(die, DW_AT_declaration))
			return false;	/* nothing below it has code */
		*scope = add_function(w, die, tag, *scope);
		return true;
	case DW_TAG_inlined_subroutine:
		if (*scope == INDEX_NONE)	/* what it is in has no code */
			return false;
		*scope = add_function(w, die, tag, *scope);
		return *scope != INDEX_NONE;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_namespace:
	case DW_TAG_module:
		return true;
	default:
		return false;
	}
}

static void
read_scopes(struct walk *w, Dwarf_Die *unit)
{
	Dwarf_Die child, *die;
	uint32_t scope;

	w->last = unit->addr;
	if (is_found(w, dwarf_child(unit, &child), &child))
		push(w, child, INDEX_NONE);
	while (w->depth > 0) {
		struct level l = w->levels[w->depth - 1];

		w->last = l.die.addr;
		scope = l.scope;
		if (visit(w, &l.die, &scope) &&
		    is_found(w, dwarf_child(&l.die, &child), &child)) {
			push(w, child, scope);
			continue;
		}
		/* The next sibling, or that of the nearest ancestor. */
		for (; w->depth > 0; w->depth--) {
			die = &w->levels[w->depth - 1].die;
			if (is_found(w, dwarf_siblingof(die, die), die))
				break;
		}
	}
	intervals_build(&w->symtab->scope_index, w->ranges, w->n_ranges);
	free(w->ranges);
	free(w->levels);
}

/*
 * By address.  At one address the end of a sequence comes before the start of
 * the next one, and otherwise the order of the line table is kept.
 */
static int
compare_lines(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	return cmp_u64(x->address, y->address) ?:
	    cmp_u64(!x->is_end, !y->is_end) ?: cmp_u64(x->number, y->number);
}

/* Drops the sequences of code that the linker discarded (add_range()). */
static void
drop_discarded(const struct debug *d, struct lines *l)
{
	size_t n = 0;
	bool is_code = false, begins = true;

	for (size_t i = 0; i < l->n; i++) {
		if (begins)
			is_code = elf_is_code(d->code, l->list[i].address);
		begins = l->list[i].is_end;
		if (is_code)
			l->list[n++] = l->list[i];
	}
	l->n = n;
}

static void
read_rows(struct debug *d, struct symtab *t, Dwarf_Die *unit)
{
	struct lines lines = { 0 };
	const struct line *line;
	const char *path = NULL;
	Dwarf_Files *files;
	Dwarf_Attribute a;
	Dwarf_Word offset;
	size_t n;

	if (dwarf_formudata(dwarf_attr(unit, DW_AT_stmt_list, &a), &offset) !=
	    0)
		return;
	if (dwarf_getsrcfiles(unit, &files, &n) != 0) {
		report_damage(d, line_damage);
		return;
	}
	if (!lines_read(&lines, d->line_section, offset, d->is_big_endian))
		report_damage(d, line_damage);
	drop_discarded(d, &lines);
	sort(lines.list, lines.n, sizeof *lines.list, compare_lines);
	for (size_t i = 0; i < lines.n; i++) {
		struct row row = { .address = lines.list[i].address };

		line = &lines.list[i];
		if (i == 0 || line->file != line[-1].file)
			path = path_of(d, files, line->file);
		if (!line->is_end) {
			row.file = path;
			/* A damaged table may make the line negative. */
			row.line = line->line <= INT32_MAX ? line->line : 0;
		}
		symtab_add_row(t, row);
	}
	free(lines.list);
}

/*
 * With -gsplit-dwarf the program has a skeleton unit with the line table; the
 * rest is in a .dwo file.
 */
static const struct symtab *
decoded_unit(struct debug *d, uint32_t index)
{
	struct unit *u = &d->units[index];
	struct walk w = { .debug = d, .symtab = &u->symtab };
	Dwarf_Die die, split;
	uint8_t type = 0;

	if (u->is_decoded)
		return &u->symtab;
	u->is_decoded = true;
	if (dwarf_offdie(d->dwarf, u->offset, &die) == NULL) {
		report_damage(d, unit_damage);
		return &u->symtab;
	}
	read_rows(d, &u->symtab, &die);

	memset(&split, 0, sizeof split);
	errno = 0;
	if (dwarf_cu_info(die.cu, NULL, &type, NULL, &split, NULL, NULL,
	    NULL) == 0 && type == DW_UT_skeleton) {
		check_memory();
		if (split.addr == NULL && err_is_failure(errno))
			die_errno("cannot open a .dwo file of '%s'",
			    d->code->path);
		if (split.addr == NULL)
			d->n_missing++;
		else
			die = split;
		dwarf_new_oom_handler(dwarf_cu_getdwarf(die.cu),
		    die_of_memory);
	}
	read_scopes(&w, &die);
	check_memory();
	return &u->symtab;
}

const struct symtab *
debug_find(struct debug *d, uint64_t address)
{
	uint32_t unit = intervals_find(&d->unit_index, address);

	return unit != INDEX_NONE ? decoded_unit(d, unit) : NULL;
}

/* --- all units as one symtab --------------------------------------------- */

/* Copies the scopes of t.  Returns the index of the first one in `all`. */
static uint32_t
add_scopes(struct symtab *all, const struct symtab *t)
{
	uint32_t first = (uint32_t)all->n_scopes;

	for (size_t i = 0; i < t->n_scopes; i++) {
		struct scope scope = t->scopes[i];

		if (scope.parent != INDEX_NONE)
			scope.parent += first;
		symtab_add_scope(all, scope);
	}
	return first;
}

void
debug_flatten(struct debug *d, struct symtab *all)
{
	/* By unit: the index that its first scope has in `all`. */
	uint32_t *first = mem_ones(d->n_units + 1, sizeof *first);
	const struct interval_boundary *b = d->unit_index.list;
	const struct intervals *scopes;
	const struct symtab *t;
	const struct row *row;
	uint64_t start, end;
	uint32_t scope;

	/* A range ends at the next boundary; the last boundary starts none. */
	for (size_t n = d->unit_index.n; n > 1; n--, b++) {
		if (b->index == INDEX_NONE)
			continue;
		t = decoded_unit(d, b->index);
		if (first[b->index] == INDEX_NONE)
			first[b->index] = add_scopes(all, t);
		start = b[0].start;
		end = b[1].start;

		row = symtab_row(t, start);
		if (row != NULL)
			symtab_add_row(all, (struct row){ start, row->file,
			    row->line });
		for (size_t i = symtab_rows_above(t, start); i < t->n_rows &&
		    t->rows[i].address < end; i++)
			symtab_add_row(all, t->rows[i]);
		symtab_add_row(all, (struct row){ .address = end });

		scopes = &t->scope_index;
		scope = intervals_find(scopes, start);
		for (size_t i = intervals_above(scopes, start);; i++) {
			intervals_append(&all->scope_index, start, scope !=
			    INDEX_NONE ? first[b->index] + scope : INDEX_NONE);
			if (i >= scopes->n || scopes->list[i].start >= end)
				break;
			start = scopes->list[i].start;
			scope = scopes->list[i].index;
		}
		intervals_append(&all->scope_index, end, INDEX_NONE);
	}
	free(first);
}

size_t
debug_n_missing(const struct debug *d)
{
	return d->n_missing;
}

const char *
debug_damage(const struct debug *d)
{
	return d->damage;
}
