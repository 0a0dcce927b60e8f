/* functions - identifies the functions of callgraphs */

#include <stdlib.h>
#include <string.h>

#include "common/program/functions.h"

/* How to tell the functions of one name apart. */
struct function_group {
	uint32_t last;		/* the function that was added last */
	unsigned components;	/* of the ends of their files, or 0 */
	enum { ANY_MODULE, BY_VERSION, BY_MODULE } by;	/* module_part() */
};

/*
 * A function found before in the current record.  Comparing two texts is
 * cheaper than finding the symbols of both.
 */
struct found_function {
	uint64_t address;
	struct span name, file, line;
	uint32_t record, number;
};
enum { FOUND_MAX = 1 << 14 };

static struct span
function_key(const void *owner, uint32_t i)
{
	const struct functions *t = owner;

	return span_bytes(&t->list[i].key, sizeof(struct function_key));
}

void
functions_init(struct functions *t)
{
	*t = (struct functions){ .n = 0 };
	intern_init(&t->texts);
	intern_init(&t->groups);
	map_init(&t->map, function_key, t);
	t->found = mem_zero(FOUND_MAX, sizeof *t->found);
}

void
functions_release(struct functions *t)
{
	intern_release(&t->texts);
	intern_release(&t->groups);
	map_release(&t->map);
	free(t->list);
	free(t->group_info);
	free(t->modules);
	free(t->found);
	buf_release(&t->text);
}

static sym
text_sym(struct functions *t, struct span text)
{
	return text.n > 0 ? intern_add(&t->texts, text) : SYM_NONE;
}

/* --- parts of names and files --------------------------------------------- */

/*
 * The group of a name: without the tags of an ABI, which depend on the
 * compiler's options: "f[abi:cxx11]", "std::__cxx11::list".
 */
static uint32_t
group_of(struct functions *t, sym name)
{
	static const char tag[] = "[abi:", space[] = "::__cxx11::";
	const char *p = intern_str(&t->texts, name);
	struct function_group none = { .last = INDEX_NONE };
	size_t n_before = t->groups.n;
	uint32_t group;

	t->text.len = 0;
	while (*p != '\0') {
		if (strncmp(p, tag, sizeof tag - 1) == 0 &&
		    strchr(p, ']') != NULL)
			p = strchr(p, ']') + 1;
		else if (strncmp(p, space, sizeof space - 1) == 0)
			p += sizeof space - 3;	/* to its last "::" */
		else
			buf_char(&t->text, *p++);
	}
	group = intern_add(&t->groups, buf_span(&t->text));
	if (group == n_before) {
		t->group_info = mem_grow(t->group_info, &t->groups_cap,
		    group + 1u, sizeof *t->group_info);
		t->group_info[group] = none;
	}
	return group;
}

/* A path without the components "." and "..", as if there were no links. */
static sym
clean_path(struct functions *t, sym file)
{
	struct span path = intern_span(&t->texts, file), part;
	struct buf *b = &t->text;
	const char *end = path.p + path.n, *p, *slash;

	b->len = 0;
	for (p = path.p; p < end; p = slash + 1) {
		slash = memchr(p, '/', (size_t)(end - p));
		slash = slash != NULL ? slash : end;
		part = span_of(p, (size_t)(slash - p));
		if (part.n == 0 || span_eq(part, "."))
			continue;
		if (!span_eq(part, "..")) {
			buf_char(b, '/');
			buf_add(b, part.p, part.n);
			continue;
		}
		while (b->len > 0 && b->data[--b->len] != '/')
			;
	}
	return intern_add(&t->texts, buf_span(b));
}

/* The last n components of a clean path; all if it has fewer. */
static struct span
last_components(struct span path, unsigned n)
{
	size_t i = path.n;

	while (i > 0 && (path.p[i - 1] != '/' || --n > 0))
		i--;
	return span_of(path.p + i, path.n - i);
}

/* How many of the last components must be compared to tell two paths apart. */
static unsigned
n_telling(struct span a, struct span b)
{
	unsigned n = 1;

	while (a.n > 0 && b.n > 0 && a.p[a.n - 1] == b.p[b.n - 1]) {
		n += a.p[a.n - 1] == '/';
		a.n--;
		b.n--;
	}
	return n;
}

struct span
functions_unversioned(struct span name)
{
	size_t end = 1, i;

	while (end < name.n && !span_begins_with(span_of(name.p + end,
	    name.n - end), ".so"))
		end++;
	i = end;
	while (i > 0 && (text_is_digit(name.p[i - 1]) || name.p[i - 1] == '.'))
		i--;
	if (i > 1 && i < end && strchr("-_", name.p[i - 1]) != NULL)
		end = i - 1;
	return span_of(name.p, end < name.n ? end : name.n);
}

/*
 * The part of a module's name that distinguishes functions of one name.
 * BY_VERSION leaves out what differs between versions: of the program, that is
 * all of its name.
 */
static sym
module_part(struct functions *t, const struct function *f, int by)
{
	if (by == ANY_MODULE || f->module == SYM_NONE)
		return SYM_NONE;
	if (by == BY_MODULE)
		return f->module;
	return intern_add(&t->texts, f->is_program ? span_str("program") :
	    functions_unversioned(intern_span(&t->texts, f->module)));
}

/* --- adding --------------------------------------------------------------- */

/*
 * Notes how to tell two functions of one name apart.  If both are in one module
 * and their files have one name, but are not in one record, their directories
 * may be those of two builds.
 */
static void
tell_apart(struct functions *t, const struct function *a,
    const struct function *b)
{
	struct function_group *g = &t->group_info[a->group];
	bool have_files = a->path != SYM_NONE && b->path != SYM_NONE;
	bool one_module = a->module == b->module;
	unsigned n;

	if (have_files && a->path != b->path) {
		n = n_telling(intern_span(&t->texts, a->path),
		    intern_span(&t->texts, b->path));
		if (n > g->components &&
		    (n == 1 || !one_module || a->record == b->record))
			g->components = n;
	} else if (!one_module && g->by != BY_MODULE) {
		g->by = module_part(t, a, BY_VERSION) ==
		    module_part(t, b, BY_VERSION) ? BY_MODULE : BY_VERSION;
	}
}

/* Notes that the current record has a function. */
static void
note_record(struct functions *t, uint32_t number)
{
	struct function *f = &t->list[number];
	uint32_t i;

	f->record = t->record;
	f->sides |= (uint8_t)(1 << t->side);
	if (f->key.name == SYM_NONE)
		return;
	for (i = t->group_info[f->group].last; i != INDEX_NONE;
	    i = t->list[i].next)
		if (i != number && (t->list[i].sides & 1 << t->side) != 0)
			tell_apart(t, f, &t->list[i]);
}

uint32_t
functions_add(struct functions *t, const struct function *like)
{
	uint32_t i = map_find_or_add_inline(&t->map,
	    span_bytes(&like->key, sizeof like->key), (uint32_t)t->n,
	    function_key);
	struct function *f;

	if (i == t->n) {
		t->list = mem_grow(t->list, &t->cap, t->n + 1,
		    sizeof *t->list);
		f = &t->list[t->n++];
		*f = *like;
		f->where = f->path = SYM_NONE;
		f->line_side = (uint8_t)t->side;
		f->record = f->next = INDEX_NONE;
		f->sides = 0;
		if (f->key.name != SYM_NONE) {
			f->group = group_of(t, f->key.name);
			f->next = t->group_info[f->group].last;
			t->group_info[f->group].last = i;
		}
		if (f->key.file != SYM_NONE)
			f->path = clean_path(t, f->key.file);
	}
	f = &t->list[i];
	/* One build id may occur with several paths. */
	if (intern_cmp(&t->texts, like->module, f->module) < 0)
		f->module = like->module;
	if (f->line != like->line && f->line_side == t->side)
		f->line = 0;
	if (f->record != t->record)
		note_record(t, i);
	return i;
}

void
functions_begin(struct functions *t, const struct callgraph *g, unsigned side)
{
	const struct graph_module *m;

	t->graph = g;
	t->side = side;
	t->record++;
	t->modules = mem_grow(t->modules, &t->modules_cap, g->n_modules,
	    sizeof *t->modules);
	for (size_t i = 0; i < g->n_modules; i++) {
		m = &g->modules[i];
		t->modules[i].name = text_sym(t, m->name);
		t->modules[i].id = text_sym(t, m->build_id_token.n > 0 ?
		    m->build_id_token : m->path_token);
	}
}

static uint32_t
find_new(struct functions *t, const struct graph_node *n)
{
	const struct graph_module *m = n->has_function ?
	    callgraph_module_at(t->graph, n->function) : NULL;
	size_t i = m != NULL ? (size_t)(m - t->graph->modules) : 0;
	struct function f = { .key = { text_sym(t, n->name),
	    text_sym(t, n->file), SYM_NONE, 0, 0 }, .module = SYM_NONE };

	if (m != NULL) {
		f.key.module = f.module = t->modules[i].name;
		f.is_program = m->is_program;
	}
	if (f.key.name == SYM_NONE && m != NULL) {
		f.key.module = t->modules[i].id;
		f.key.offset = n->function - m->base;
	}
	if (!text_i64(n->texts[NODE_LINE], &f.line) || f.line < 0)
		f.line = 0;
	return functions_add(t, &f);
}

uint32_t
functions_find(struct functions *t, const struct graph_node *n)
{
	struct found_function *f = &t->found[n->function / 16 % FOUND_MAX];
	struct span line = n->texts[NODE_LINE];

	if (!n->has_function)
		return find_new(t, n);
	if (f->record != t->record || f->address != n->function ||
	    span_compare(f->name, n->name) != 0 ||
	    span_compare(f->file, n->file) != 0 ||
	    span_compare(f->line, line) != 0)
		*f = (struct found_function){ n->function, n->name, n->file,
		    line, t->record, find_new(t, n) };
	return f->number;
}

/* --- resolving ------------------------------------------------------------ */

/*
 * The files of functions cannot be compared if a side has them without files.
 */
static void
ignore_unknown_files(struct functions *t, struct function_group *g)
{
	unsigned have = 0, lack = 0;

	for (uint32_t i = g->last; i != INDEX_NONE; i = t->list[i].next)
		if (t->list[i].path != SYM_NONE)
			have |= t->list[i].sides;
		else
			lack |= t->list[i].sides;
	if ((lack & ~have) != 0)
		g->components = 0;
}

/*
 * Whether what is shown of a function is that of a, rather than that of b: of
 * the newer run; if both are of it, the last in byte order, so that the order
 * of records does not matter, and a known file rather than none.
 */
static bool
is_shown(const struct functions *t, const struct function *a,
    const struct function *b)
{
	int order = (int)a->line_side - (int)b->line_side;

	order = order != 0 ? order :
	    intern_cmp(&t->texts, b->key.file, a->key.file);
	order = order != 0 ? order :
	    intern_cmp(&t->texts, b->module, a->module);
	return (order != 0 ? order :
	    intern_cmp(&t->texts, b->key.name, a->key.name)) < 0;
}

/* What tells a function apart: a part of its file, its module, or both. */
static sym
where_of(struct functions *t, sym file, sym module)
{
	if (file == SYM_NONE || module == SYM_NONE)
		return file != SYM_NONE ? file : module;
	t->text.len = 0;
	buf_printf(&t->text, "%s, %s", intern_str(&t->texts, file),
	    intern_str(&t->texts, module));
	return intern_add(&t->texts, buf_span(&t->text));
}

uint32_t *
functions_resolve(struct functions *t)
{
	uint32_t *numbers = mem_resize(NULL, t->n + 1, sizeof *numbers);
	const struct function_group *g;
	struct intern keys;
	struct function f;
	size_t n = 0;

	intern_init(&keys);
	for (uint32_t i = 0; i < t->groups.n; i++)
		ignore_unknown_files(t, &t->group_info[i]);
	for (uint32_t i = 0; i < t->n; i++) {
		sym key[] = { SYM_NONE, i, SYM_NONE };

		f = t->list[i];
		if (f.key.name != SYM_NONE) {
			g = &t->group_info[f.group];
			key[0] = f.group;
			key[1] = module_part(t, &f, g->by);
			if (f.path != SYM_NONE && g->components > 0)
				key[2] = text_sym(t, last_components(
				    intern_span(&t->texts, f.path),
				    g->components));
			f.where = where_of(t, key[2], key[1]);
		}
		numbers[i] = intern_add(&keys, span_bytes(key, sizeof key));
		if (numbers[i] == n)
			t->list[n++] = f;
		else if (is_shown(t, &f, &t->list[numbers[i]]))
			t->list[numbers[i]] = f;
	}
	t->n = n;
	intern_release(&keys);
	return numbers;
}

void
functions_label(const struct functions *t, uint32_t function, bool with_where,
    struct buf *to)
{
	const struct function *f = &t->list[function];

	if (f->key.name != SYM_NONE) {
		buf_str(to, intern_str(&t->texts, f->key.name));
	} else if (f->key.module != SYM_NONE) {
		if (f->module != SYM_NONE)
			buf_str(to, intern_str(&t->texts, f->module));
		buf_char(to, '+');
		buf_address(to, f->key.offset);
	} else {
		buf_str(to, "??");
	}
	if (with_where && f->where != SYM_NONE)
		buf_printf(to, " (%s)", intern_str(&t->texts, f->where));
}
