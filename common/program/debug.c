/* debug - functions, inlined calls and lines from DWARF, by libdw */

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/num.h"
#include "common/base/search.h"
#include "common/program/debug.h"

struct unit {
	Dwarf_Off offset;	/* of its root entry */
	bool has_ranges, is_decoded;
	struct symtab symtab;
};

/* A cache of the paths of a unit's file table. */
struct file_table {
	Dwarf_Files *key;	/* libdw's table */
	const char **paths;	/* by file number; NULL: not cached yet */
	size_t n;		/* capacity of paths */
};

struct debug {
	const struct elf *code;
	Dwarf *dwarf;
	struct unit *units;
	size_t n_units, units_cap;
	struct interval *ranges;	/* of units, until they are indexed */
	size_t n_ranges, ranges_cap;
	uint64_t ranges_max;	/* in one unit */
	struct intervals unit_index;
	size_t n_missing;	/* .dwo files */
	struct file_table *tables;	/* a hash table by key */
	size_t n_tables, tables_mask;
	struct arena paths;
};

/* --- which unit an address belongs to ------------------------------------ */

static void
find_units(struct debug *d)
{
	Dwarf_Off offset = 0, next;
	size_t header;

	while (dwarf_nextcu(d->dwarf, offset, &next, &header, NULL, NULL,
	    NULL) == 0 && next > offset) {
		d->units = mem_grow(d->units, &d->units_cap, d->n_units + 1,
		    sizeof *d->units);
		d->units[d->n_units++] = (struct unit){
		    .offset = offset + header };
		offset = next;
	}
}

/* The unit whose root entry is at an offset, or NULL. */
static struct unit *
unit_at(struct debug *d, Dwarf_Off offset)
{
	size_t first = SEARCH_FIRST(i, d->n_units,
	    d->units[i].offset >= offset);

	return first < d->n_units && d->units[first].offset == offset ?
	    &d->units[first] : NULL;
}

/*
 * Ignores functions that the linker discarded: it leaves them with addresses
 * near 0 or at the end of the address space, outside all sections.
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

/* Adds the ranges in .debug_aranges, which GCC writes and Clang does not. */
static void
add_listed_ranges(struct debug *d)
{
	Dwarf_Aranges *list;
	Dwarf_Addr start;
	Dwarf_Word length;
	Dwarf_Off offset;
	struct unit *u;
	size_t n;

	if (dwarf_getaranges(d->dwarf, &list, &n) != 0)
		return;
	for (size_t i = 0; i < n; i++)
		if (dwarf_getarangeinfo(dwarf_onearange(list, i), &start,
		    &length, &offset) == 0 &&
		    (u = unit_at(d, offset)) != NULL &&
		    length <= UINT64_MAX - start)
			add_range(d, u, start, start + length);
}

/* Adds the ranges in the root entry of a unit. */
static void
add_own_ranges(struct debug *d, struct unit *u)
{
	Dwarf_Die die;
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;

	if (dwarf_offdie(d->dwarf, u->offset, &die) == NULL)
		return;
	while ((at = dwarf_ranges(&die, at, &base, &low, &high)) > 0)
		add_range(d, u, low, high);
}

/*
 * Units do not nest.  Where the ranges of damaged units overlap, the one that
 * starts first has the addresses.
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
	Dwarf *dwarf = dwarf_begin_elf(debug->handle, DWARF_C_READ, NULL);

	if (dwarf == NULL) {
		*why = debug->has_zstd ? "it is compressed by zstd, which "
		    "this libdw cannot read: use "
		    "objcopy --decompress-debug-sections" : dwarf_errmsg(-1);
		return NULL;
	}
	d = mem_zero(1, sizeof *d);
	d->code = code;
	d->dwarf = dwarf;
	/*
	 * In a damaged file many entries may share one long list of ranges; a
	 * valid unit has fewer ranges than the file has bytes.
	 */
	d->ranges_max = debug->size;
	find_units(d);
	add_listed_ranges(d);
	for (size_t i = 0; i < d->n_units; i++)
		if (!d->units[i].has_ranges)
			add_own_ranges(d, &d->units[i]);
	index_units(d);
	return d;
}

void
debug_close(struct debug *d)
{
	if (d == NULL)
		return;
	for (size_t i = 0; i < d->n_units; i++)
		symtab_release(&d->units[i].symtab);
	for (size_t i = 0; d->tables != NULL && i <= d->tables_mask; i++)
		free(d->tables[i].paths);
	free(d->tables);
	arena_release(&d->paths);
	dwarf_end(d->dwarf);
	free(d->units);
	intervals_release(&d->unit_index);
	free(d);
}

/* --- the names of files -------------------------------------------------- */

static struct file_table *
find_slot(const struct debug *d, const Dwarf_Files *key)
{
	/* Fibonacci hashing: the high bits of the product are mixed well. */
	size_t i = (size_t)((uintptr_t)key * UINT64_C(0x9e3779b97f4a7c15) >>
	    32) & d->tables_mask;

	while (d->tables[i].key != NULL && d->tables[i].key != key)
		i = (i + 1) & d->tables_mask;
	return &d->tables[i];
}

static void
grow_tables(struct debug *d)
{
	struct file_table *old = d->tables;
	size_t n = old != NULL ? d->tables_mask + 1 : 0;

	d->tables_mask = n > 0 ? 2 * n - 1 : 63;
	d->tables = mem_zero(d->tables_mask + 1, sizeof *d->tables);
	for (size_t i = 0; i < n; i++)
		if (old[i].key != NULL)
			*find_slot(d, old[i].key) = old[i];
	free(old);
}

static struct file_table *
file_table_of(struct debug *d, Dwarf_Files *key)
{
	struct file_table *table;

	if (d->tables == NULL || d->n_tables > d->tables_mask / 2)
		grow_tables(d);
	table = find_slot(d, key);
	d->n_tables += table->key == NULL;
	table->key = key;
	return table;
}

/*
 * Makes a path absolute by prepending the compilation directory, which is
 * directory 0.  libdw itself does this only up to DWARF 4.
 */
static const char *
full_path(struct debug *d, Dwarf_Files *key, const char *path)
{
	const char *const *dirs;
	size_t n, length;
	char *full;

	if (*path == '/' ||
	    dwarf_getsrcdirs(key, &dirs, &n) != 0 || n == 0 ||
	    dirs[0] == NULL)
		return path;
	length = strlen(dirs[0]);
	full = arena_alloc(&d->paths, length + strlen(path) + 2);
	memcpy(full, dirs[0], length);
	full[length] = '/';
	strcpy(full + length + 1, path);
	return full;
}

static const char *
path_of(struct debug *d, Dwarf_Files *key, size_t number)
{
	struct file_table *table = file_table_of(d, key);
	const char *path;
	size_t n = table->n;

	if (number < n && table->paths[number] != NULL)
		return table->paths[number];
	if ((path = dwarf_filesrc(key, number, NULL, NULL)) == NULL)
		return NULL;
	if (number >= n) {
		table->paths = mem_grow(table->paths, &table->n, number + 1,
		    sizeof *table->paths);
		memset(table->paths + n, 0,
		    (table->n - n) * sizeof *table->paths);
	}
	return table->paths[number] = full_path(d, key, path);
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
	    dwarf_getsrcfiles(&unit, &key, &n) != 0)
		return NULL;
	return path_of(d, key, number);
}

/* --- decoding a unit ------------------------------------------------------ */

/*
 * A unit is a tree of debugging information entries (DIEs).  The walk keeps a
 * stack of the entries on the path to the current one, so that damaged files
 * cannot exhaust the C stack, and collects the address ranges of functions and
 * inlined calls.  An inlined call is a child of the function or call that it
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
	uint64_t ranges_max;
	const void *last;	/* where libdw has the last entry: the addresses
				   must increase, or else a damaged file could
				   make the walk run in a cycle */
};

static const char *
text_of(Dwarf_Die *die, unsigned attribute)
{
	Dwarf_Attribute a;

	return dwarf_formstring(dwarf_attr_integrate(die, attribute, &a));
}

static uint32_t
number_of(Dwarf_Attribute *a)
{
	Dwarf_Word value;

	return dwarf_formudata(a, &value) == 0 && value <= UINT32_MAX ?
	    (uint32_t)value : 0;
}

static const char *
name_of(Dwarf_Die *die)
{
	const char *name = text_of(die, DW_AT_linkage_name);

	if (name == NULL)
		name = text_of(die, DW_AT_MIPS_linkage_name);
	return name != NULL ? name : text_of(die, DW_AT_name);
}

/* Sets the file and line of an inlined call: where the call is. */
static void
set_call_line(struct debug *d, Dwarf_Die *die, struct scope *scope)
{
	Dwarf_Attribute a;

	if (dwarf_attr(die, DW_AT_call_file, &a) != NULL)
		scope->file = file_of(d, &a);
	if (dwarf_attr(die, DW_AT_call_line, &a) != NULL)
		scope->line = number_of(&a);
}

/* Sets the file and line of a function: where it is declared. */
static void
set_declaration_line(struct debug *d, Dwarf_Die *die, struct scope *scope)
{
	Dwarf_Attribute a;

	if (dwarf_attr_integrate(die, DW_AT_decl_file, &a) != NULL)
		scope->file = file_of(d, &a);
	if (dwarf_attr_integrate(die, DW_AT_decl_line, &a) != NULL)
		scope->line = number_of(&a);
}

/* Adds the address ranges of a scope.  False if its entry has none. */
static bool
add_ranges(struct walk *w, Dwarf_Die *die, uint32_t scope)
{
	size_t before = w->n_ranges;
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(die, at, &base, &low, &high)) > 0 &&
	    w->n_ranges < w->ranges_max) {
		w->ranges = mem_grow(w->ranges, &w->ranges_cap,
		    w->n_ranges + 1, sizeof *w->ranges);
		w->ranges[w->n_ranges++] = (struct interval){ low, high,
		    scope };
	}
	return w->n_ranges > before;
}

/*
 * Adds a function or an inlined call, and returns its scope.  INDEX_NONE if it
 * has no code or is nested too deeply.
 */
static uint32_t
add_function(struct walk *w, Dwarf_Die *die, int tag, uint32_t parent)
{
	bool inlined = tag == DW_TAG_inlined_subroutine;
	struct scope scope = { .parent = inlined ? parent : INDEX_NONE };
	size_t before = w->n_ranges;
	uint32_t index;

	if (!add_ranges(w, die, (uint32_t)w->symtab->n_scopes))
		return INDEX_NONE;
	scope.name = name_of(die);
	if (inlined)
		set_call_line(w->debug, die, &scope);
	else
		set_declaration_line(w->debug, die, &scope);
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

/* Moves to the next sibling, or to that of the nearest ancestor with one. */
static void
advance(struct walk *w)
{
	struct level *l;

	while (w->depth > 0) {
		l = &w->levels[w->depth - 1];
		if (dwarf_siblingof(&l->die, &l->die) == 0 &&
		    (const char *)l->die.addr > (const char *)w->last)
			return;
		w->depth--;
	}
}

/*
 * Adds an entry if it is a function or an inlined call.  Returns whether to
 * descend into it; *scope becomes the scope of its children.
 */
static bool
visit(struct walk *w, Dwarf_Die *die, uint32_t *scope)
{
	int tag = dwarf_tag(die);

	switch (tag) {
	case DW_TAG_subprogram:
	case DW_TAG_inlined_subroutine:
		*scope = add_function(w, die, tag, *scope);
		return *scope != INDEX_NONE;
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
	Dwarf_Die child;
	uint32_t scope;

	if (dwarf_child(unit, &child) == 0)
		push(w, child, INDEX_NONE);
	while (w->depth > 0) {
		struct level l = w->levels[w->depth - 1];

		w->last = l.die.addr;
		scope = l.scope;
		if (visit(w, &l.die, &scope) &&
		    dwarf_child(&l.die, &child) == 0 &&
		    (const char *)child.addr > (const char *)w->last)
			push(w, child, scope);
		else
			advance(w);
	}
	intervals_build(&w->symtab->scope_index, w->ranges, w->n_ranges);
	free(w->ranges);
	free(w->levels);
}

/*
 * libdw sorts the rows by address; at equal addresses the end of one sequence
 * comes before the start of the next.  Rows of discarded code are skipped; the
 * ends of its sequences are kept, which is harmless.
 */
static void
read_rows(struct debug *d, struct symtab *t, Dwarf_Die *unit)
{
	Dwarf_Lines *lines;
	Dwarf_Line *line;
	Dwarf_Files *files;
	Dwarf_Addr address;
	bool end;
	int number;
	size_t n, file;

	if (dwarf_getsrclines(unit, &lines, &n) != 0)
		return;
	for (size_t i = 0; i < n; i++) {
		struct row row = { 0 };

		line = dwarf_onesrcline(lines, i);
		if (dwarf_lineaddr(line, &address) != 0 ||
		    dwarf_lineendsequence(line, &end) != 0 ||
		    (!end && !elf_is_code(d->code, address)))
			continue;
		row.address = address;
		if (!end && dwarf_line_file(line, &files, &file) == 0) {
			row.file = path_of(d, files, file);
			if (dwarf_lineno(line, &number) == 0 && number > 0)
				row.line = (uint32_t)number;
		}
		symtab_add_row(t, row);
	}
}

/*
 * With -gsplit-dwarf the program has a skeleton unit with the line table; the
 * rest is in a .dwo file.
 */
static void
decode_unit(struct debug *d, struct unit *u)
{
	struct walk w = { .debug = d, .symtab = &u->symtab,
	    .ranges_max = d->ranges_max };
	Dwarf_Die die, split;
	uint8_t type = 0;

	u->is_decoded = true;
	if (dwarf_offdie(d->dwarf, u->offset, &die) == NULL)
		return;
	read_rows(d, &u->symtab, &die);
	memset(&split, 0, sizeof split);
	if (dwarf_cu_info(die.cu, NULL, &type, NULL, &split, NULL, NULL,
	    NULL) == 0 && type == DW_UT_skeleton) {
		if (split.addr == NULL)
			d->n_missing++;
		else
			die = split;
	}
	read_scopes(&w, &die);
}

static const struct symtab *
decoded_unit(struct debug *d, uint32_t index)
{
	struct unit *u = &d->units[index];

	if (!u->is_decoded)
		decode_unit(d, u);
	return &u->symtab;
}

const struct symtab *
debug_find(struct debug *d, uint64_t address)
{
	uint32_t unit = intervals_find(&d->unit_index, address);

	return unit != INDEX_NONE ? decoded_unit(d, unit) : NULL;
}

/* --- all units as one symtab --------------------------------------------- */

/* Copies the rows of t for a range of addresses. */
static void
add_rows(struct symtab *all, const struct symtab *t, uint64_t start,
    uint64_t end)
{
	const struct row *row = symtab_row(t, start);

	if (row != NULL)
		symtab_add_row(all, (struct row){ start, row->file,
		    row->line });
	for (size_t i = symtab_rows_above(t, start); i < t->n_rows &&
	    t->rows[i].address < end; i++)
		symtab_add_row(all, t->rows[i]);
	symtab_add_row(all, (struct row){ .address = end });
}

/*
 * Copies the scope index of t for a range of addresses; first is the index that
 * t's first scope has in all.
 */
static void
add_scope_index(struct symtab *all, const struct symtab *t, uint64_t start,
    uint64_t end, uint32_t first)
{
	const struct intervals *from = &t->scope_index;
	struct intervals *to = &all->scope_index;
	uint32_t index = intervals_find(from, start);

	intervals_append(to, start,
	    index != INDEX_NONE ? first + index : INDEX_NONE);
	for (size_t i = intervals_above(from, start); i < from->n &&
	    from->list[i].start < end; i++) {
		index = from->list[i].index;
		intervals_append(to, from->list[i].start,
		    index != INDEX_NONE ? first + index : INDEX_NONE);
	}
	intervals_append(to, end, INDEX_NONE);
}

/* Copies the scopes of t.  Returns the index that the first one has in all. */
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
	/* By unit: the index in all of its first scope. */
	uint32_t *first = mem_resize(NULL, d->n_units + 1, sizeof *first);
	const struct symtab *t;

	for (size_t i = 0; i < d->n_units; i++)
		first[i] = INDEX_NONE;
	/* A range ends at the next boundary; the last boundary starts none. */
	for (size_t i = 0; i + 1 < d->unit_index.n; i++) {
		const struct boundary *b = &d->unit_index.list[i];

		if (b->index == INDEX_NONE)
			continue;
		t = decoded_unit(d, b->index);
		if (first[b->index] == INDEX_NONE)
			first[b->index] = add_scopes(all, t);
		add_rows(all, t, b[0].start, b[1].start);
		add_scope_index(all, t, b[0].start, b[1].start,
		    first[b->index]);
	}
	free(first);
}

size_t
debug_n_missing(const struct debug *d)
{
	return d->n_missing;
}
