/* debug - functions, inlined ones and lines from DWARF: the door to libdw */

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/num.h"
#include "common/program/debug.h"

struct unit {
	Dwarf_Off offset;	/* of its first entry */
	bool has_extents, is_read;
	struct table table;
};

/* The files that a unit numbers, as absolute paths where it tells. */
struct files {
	Dwarf_Files *key;
	const char **paths;	/* NULL where not asked for yet */
	size_t n;
};

struct debug {
	const struct elf *code;
	Dwarf *dwarf;
	struct unit *units;
	size_t n_units, units_cap;
	struct extent *extents;	/* of units, in order, without overlaps */
	size_t n_extents, extents_cap;
	uint64_t extents_most;
	size_t n_missing;
	struct files *files;	/* a hash table by key */
	size_t n_files, files_mask;
	struct arena paths;
};

/* --- which unit an address belongs to ------------------------------------ */

static void
find_units(struct debug *d)
{
	Dwarf_Off at = 0, next;
	size_t header;

	while (dwarf_nextcu(d->dwarf, at, &next, &header, NULL, NULL,
	    NULL) == 0 && next > at) {
		d->units = mem_grow(d->units, &d->units_cap, d->n_units + 1,
		    sizeof *d->units);
		d->units[d->n_units++] = (struct unit){ .offset = at + header };
		at = next;
	}
}

static struct unit *
unit_at(struct debug *d, Dwarf_Off offset)
{
	size_t low = 0, high = d->n_units, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (d->units[middle].offset <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && d->units[low - 1].offset == offset ?
	    &d->units[low - 1] : NULL;
}

/* What the linker discarded lies at 0 or at the very end: in no section. */
static void
add_extent(struct debug *d, struct unit *u, uint64_t low, uint64_t high)
{
	u->has_extents = true;
	if (low >= high || !elf_is_code(d->code, low))
		return;
	d->extents = mem_grow(d->extents, &d->extents_cap, d->n_extents + 1,
	    sizeof *d->extents);
	d->extents[d->n_extents++] = (struct extent){ low, high,
	    (uint32_t)(u - d->units) };
}

/* From .debug_aranges, which gcc writes and clang does not. */
static void
add_listed_extents(struct debug *d)
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
			add_extent(d, u, start, start + length);
}

static void
add_own_extents(struct debug *d, struct unit *u)
{
	Dwarf_Die die;
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;

	if (dwarf_offdie(d->dwarf, u->offset, &die) == NULL)
		return;
	while ((at = dwarf_ranges(&die, at, &base, &low, &high)) > 0)
		add_extent(d, u, low, high);
}

static int
compare_extents(const void *a, const void *b)
{
	const struct extent *x = a, *y = b;

	if (x->low != y->low)
		return x->low < y->low ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

/* Of an address that two claim, the one that begins first has it. */
static void
settle_extents(struct debug *d)
{
	uint64_t end = 0;
	size_t n = 0;

	if (d->n_extents > 0)
		qsort(d->extents, d->n_extents, sizeof *d->extents,
		    compare_extents);
	for (size_t i = 0; i < d->n_extents; i++) {
		struct extent e = d->extents[i];

		if (e.low < end)
			e.low = end;
		if (e.low >= e.high)
			continue;
		end = e.high;
		d->extents[n++] = e;
	}
	d->n_extents = n;
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
	/* A list may be shared, but not as often as the file has bytes. */
	d->extents_most = debug->size;
	find_units(d);
	add_listed_extents(d);
	for (size_t i = 0; i < d->n_units; i++)
		if (!d->units[i].has_extents)
			add_own_extents(d, &d->units[i]);
	settle_extents(d);
	return d;
}

void
debug_close(struct debug *d)
{
	if (d == NULL)
		return;
	for (size_t i = 0; i < d->n_units; i++)
		table_release(&d->units[i].table);
	for (size_t i = 0; d->files != NULL && i <= d->files_mask; i++)
		free(d->files[i].paths);
	free(d->files);
	arena_release(&d->paths);
	dwarf_end(d->dwarf);
	free(d->units);
	free(d->extents);
	free(d);
}

/* --- the names of files -------------------------------------------------- */

static struct files *
slot_of(const struct debug *d, const Dwarf_Files *key)
{
	/* Fibonacci hashing: the high bits are those that are well mixed. */
	size_t i = (size_t)((uintptr_t)key * UINT64_C(0x9e3779b97f4a7c15) >>
	    32) & d->files_mask;

	while (d->files[i].key != NULL && d->files[i].key != key)
		i = (i + 1) & d->files_mask;
	return &d->files[i];
}

static void
grow_files(struct debug *d)
{
	struct files *old = d->files;
	size_t n = old != NULL ? d->files_mask + 1 : 0;

	d->files_mask = n > 0 ? 2 * n - 1 : 63;
	d->files = mem_zero(d->files_mask + 1, sizeof *d->files);
	for (size_t i = 0; i < n; i++)
		if (old[i].key != NULL)
			*slot_of(d, old[i].key) = old[i];
	free(old);
}

static struct files *
files_of(struct debug *d, Dwarf_Files *key)
{
	struct files *files;

	if (d->files == NULL || d->n_files > d->files_mask / 2)
		grow_files(d);
	files = slot_of(d, key);
	d->n_files += files->key == NULL;
	files->key = key;
	return files;
}

/* Up to DWARF 4 libdw puts the folder of the compiler in front; then not. */
static const char *
full_path(struct debug *d, Dwarf_Files *key, const char *path)
{
	const char *const *folders;
	size_t n, length;
	char *full;

	if (*path == '/' ||
	    dwarf_getsrcdirs(key, &folders, &n) != 0 || n == 0 ||
	    folders[0] == NULL)
		return path;
	length = strlen(folders[0]);
	full = arena_room(&d->paths, length + strlen(path) + 2);
	memcpy(full, folders[0], length);
	full[length] = '/';
	strcpy(full + length + 1, path);
	return full;
}

static const char *
path_of(struct debug *d, Dwarf_Files *key, size_t number)
{
	struct files *files = files_of(d, key);
	const char *path;
	size_t n = files->n;

	if (number < n && files->paths[number] != NULL)
		return files->paths[number];
	if ((path = dwarf_filesrc(key, number, NULL, NULL)) == NULL)
		return NULL;
	if (number >= n) {
		files->paths = mem_grow(files->paths, &files->n, number + 1,
		    sizeof *files->paths);
		memset(files->paths + n, 0,
		    (files->n - n) * sizeof *files->paths);
	}
	return files->paths[number] = full_path(d, key, path);
}

/* The file that an attribute has the number of, in its own unit. */
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

/* --- a unit as a table --------------------------------------------------- */

/* The entries whose siblings are still to be visited, innermost last. */
struct level {
	Dwarf_Die die;
	uint32_t scope;		/* that its siblings stand in */
};

struct walk {
	struct debug *debug;
	struct table *table;
	struct level *levels;
	size_t depth, cap;
	struct extent *extents;
	size_t n_extents, extents_cap;
	uint64_t extents_most;
	const void *last;	/* address of the last entry: they only go up */
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

/* Where an inlined function was called. */
static void
add_call(struct debug *d, Dwarf_Die *die, struct scope *scope)
{
	Dwarf_Attribute a;

	if (dwarf_attr(die, DW_AT_call_file, &a) != NULL)
		scope->file = file_of(d, &a);
	if (dwarf_attr(die, DW_AT_call_line, &a) != NULL)
		scope->line = number_of(&a);
}

static void
add_declaration(struct debug *d, Dwarf_Die *die, struct scope *scope)
{
	Dwarf_Attribute a;

	if (dwarf_attr_integrate(die, DW_AT_decl_file, &a) != NULL)
		scope->file = file_of(d, &a);
	if (dwarf_attr_integrate(die, DW_AT_decl_line, &a) != NULL)
		scope->line = number_of(&a);
}

/* Whether an entry has code, which is the scope's then. */
static bool
add_extents(struct walk *w, Dwarf_Die *die, uint32_t scope)
{
	size_t before = w->n_extents;
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(die, at, &base, &low, &high)) > 0 &&
	    w->n_extents < w->extents_most) {
		w->extents = mem_grow(w->extents, &w->extents_cap,
		    w->n_extents + 1, sizeof *w->extents);
		w->extents[w->n_extents++] = (struct extent){ low, high,
		    scope };
	}
	return w->n_extents > before;
}

/* The scope of a function that has code, or INDEX_NONE. */
static uint32_t
add_function(struct walk *w, Dwarf_Die *die, int tag, uint32_t parent)
{
	bool inlined = tag == DW_TAG_inlined_subroutine;
	struct scope scope = { .parent = inlined ? parent : INDEX_NONE };
	size_t before = w->n_extents;
	uint32_t index;

	if (!add_extents(w, die, (uint32_t)w->table->n_scopes))
		return INDEX_NONE;
	scope.name = name_of(die);
	if (inlined)
		add_call(w->debug, die, &scope);
	else
		add_declaration(w->debug, die, &scope);
	if ((index = table_add_scope(w->table, scope)) == INDEX_NONE)
		w->n_extents = before;
	return index;
}

static void
push(struct walk *w, Dwarf_Die die, uint32_t scope)
{
	w->levels = mem_grow(w->levels, &w->cap, w->depth + 1,
	    sizeof *w->levels);
	w->levels[w->depth++] = (struct level){ die, scope };
}

/* Goes on to the entry behind: of this level, or of one above. */
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

/* Whether code may stand below this entry; *scope is what it stands in. */
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
	marks_paint(&w->table->scope_marks, w->extents, w->n_extents);
	free(w->extents);
	free(w->levels);
}

/*
 * libdw has sorted the lines, of equal addresses an end before a begin.  What
 * begins outside of the code does not count, up to its end.
 */
static void
read_rows(struct debug *d, struct table *t, Dwarf_Die *unit)
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
		table_add_row(t, row);
	}
}

/*
 * Of a unit with -gsplit-dwarf the lines stand in the program and all else in
 * a .dwo file.
 */
static void
read_unit(struct debug *d, struct unit *u)
{
	struct walk w = { .debug = d, .table = &u->table,
	    .extents_most = d->extents_most };
	Dwarf_Die die, split;
	uint8_t type = 0;

	u->is_read = true;
	if (dwarf_offdie(d->dwarf, u->offset, &die) == NULL)
		return;
	read_rows(d, &u->table, &die);
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

static const struct table *
table_of(struct debug *d, uint32_t index)
{
	struct unit *u = &d->units[index];

	if (!u->is_read)
		read_unit(d, u);
	return &u->table;
}

const struct table *
debug_find(struct debug *d, uint64_t address)
{
	size_t low = 0, high = d->n_extents, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (d->extents[middle].low <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && address < d->extents[low - 1].high ?
	    table_of(d, d->extents[low - 1].index) : NULL;
}

/* --- all of it as one table ---------------------------------------------- */

static void
add_rows(struct table *all, const struct table *t, const struct extent *e)
{
	const struct row *row = table_row(t, e->low);

	if (row != NULL)
		table_add_row(all, (struct row){ e->low, row->file,
		    row->line });
	for (size_t i = rows_after(t, e->low); i < t->n_rows &&
	    t->rows[i].address < e->high; i++)
		table_add_row(all, t->rows[i]);
	table_add_row(all, (struct row){ .address = e->high });
}

/* first is where the scopes of this table begin among those of all. */
static void
add_marks(struct table *all, const struct table *t, const struct extent *e,
    uint32_t first)
{
	const struct marks *from = &t->scope_marks;
	struct marks *to = &all->scope_marks;
	uint32_t index = marks_find(from, e->low);

	marks_add(to, (struct mark){ e->low,
	    index != INDEX_NONE ? first + index : INDEX_NONE });
	for (size_t i = marks_after(from, e->low); i < from->n &&
	    from->list[i].address < e->high; i++) {
		index = from->list[i].index;
		marks_add(to, (struct mark){ from->list[i].address,
		    index != INDEX_NONE ? first + index : INDEX_NONE });
	}
	marks_add(to, (struct mark){ e->high, INDEX_NONE });
}

static uint32_t
add_scopes(struct table *all, const struct table *t)
{
	uint32_t first = (uint32_t)all->n_scopes;

	for (size_t i = 0; i < t->n_scopes; i++) {
		struct scope scope = t->scopes[i];

		if (scope.parent != INDEX_NONE)
			scope.parent += first;
		table_add_scope(all, scope);
	}
	return first;
}

void
debug_flatten(struct debug *d, struct table *all)
{
	uint32_t *first = mem_resize(NULL, d->n_units + 1, sizeof *first);
	const struct table *t;

	for (size_t i = 0; i < d->n_units; i++)
		first[i] = INDEX_NONE;
	for (size_t i = 0; i < d->n_extents; i++) {
		const struct extent *e = &d->extents[i];

		t = table_of(d, e->index);
		if (first[e->index] == INDEX_NONE)
			first[e->index] = add_scopes(all, t);
		add_rows(all, t, e);
		add_marks(all, t, e, first[e->index]);
	}
	free(first);
}

size_t
debug_missing(const struct debug *d)
{
	return d->n_missing;
}
