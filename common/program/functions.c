/* functions - identifies the functions of callgraphs */

#include <stdlib.h>
#include <string.h>

#include "common/base/sort.h"
#include "common/program/functions.h"

/*
 * Before functions_resolve(), the parts have all components that can tell
 * functions of one name apart, each with a slash after it, the most telling one
 * first: of the file "a.c/src/home/"; of the module "libz/libz-1.2.so.1/", or
 * "program/app/" for any program.
 */

/* The functions of one name. */
struct function_group {
	unsigned n_components[N_NAME_PARTS];	/* how many are necessary */
	uint8_t sides, sides_with_files;	/* a bit for each */
};

void
functions_init(struct functions *t)
{
	*t = (struct functions){ .record = 1 };
	intern_init(&t->texts);
	intern_init(&t->keys);
	intern_init(&t->groups);
	intern_add(&t->texts, span_of("", 0));	/* symbol 0: an unknown part */
}

void
functions_release(struct functions *t)
{
	intern_release(&t->texts);
	intern_release(&t->keys);
	intern_release(&t->groups);
	free(t->list);
	free(t->group_info);
	free(t->in_record);
	buf_release(&t->text);
}

static sym
text_sym(struct functions *t, struct span text)
{
	return text.n > 0 ? intern_add(&t->texts, text) : SYM_NONE;
}

/* --- adding --------------------------------------------------------------- */

/*
 * The group of a name: without the tags of an ABI, which depend on the
 * compiler's options: "f[abi:cxx11]", "std::__cxx11::list".
 */
static uint32_t
group_of(struct functions *t, struct span name)
{
	size_t n_before = t->groups.n, n;
	const char *end;
	uint32_t group;

	t->text.len = 0;
	for (; name.n > 0; name = span_of(name.p + n, name.n - n)) {
		n = 1;
		if (span_begins_with(name, "[abi:") &&
		    (end = memchr(name.p, ']', name.n)) != NULL)
			n = (size_t)(end + 1 - name.p);
		else if (span_begins_with(name, "__cxx11::"))
			n = strlen("__cxx11::");
		else
			buf_char(&t->text, *name.p);
	}
	group = intern_add(&t->groups, buf_span(&t->text));
	t->group_info = mem_grow(t->group_info, &t->groups_cap,
	    t->groups.n, sizeof *t->group_info);
	if (group == n_before)
		t->group_info[group] = (struct function_group){ 0 };
	return group;
}

/* The components of a path without "." and "..", as if there were no links. */
static sym
file_part(struct functions *t, struct span path)
{
	size_t n_parents = 0;
	struct span name;

	t->text.len = 0;
	for (; path.n > 0; path.n -= name.n + (name.n < path.n)) {
		name = span_base_name(path);
		if (name.n == 0 || span_eq(name, "."))
			continue;
		if (span_eq(name, "..")) {
			n_parents++;
		} else if (n_parents > 0) {
			n_parents--;
		} else {
			buf_add(&t->text, name.p, name.n);
			buf_char(&t->text, '/');
		}
	}
	return intern_add(&t->texts, buf_span(&t->text));
}

struct span
functions_unversioned(struct span name)
{
	size_t end = 1, i;

	while (end < name.n && !span_begins_with(span_of(name.p + end,
	    name.n - end), ".so"))
		end++;
	end = end < name.n ? end : name.n;
	i = end;
	while (i > 1 && (text_is_digit(name.p[i - 1]) || name.p[i - 1] == '.'))
		i--;
	if (i > 1 && i < end && strchr("-_", name.p[i - 1]) != NULL)
		end = i - 1;
	return span_of(name.p, end);
}

static void
add_new(struct functions *t, const struct function_id *id)
{
	struct span module = id->is_program ? span_str("program") :
	    functions_unversioned(id->module);
	struct function f = { .name = text_sym(t, id->name),
	    .file = text_sym(t, id->file), .module = text_sym(t, id->module),
	    .build = text_sym(t, id->build), .offset = id->offset,
	    .line = id->line, .group = group_of(t, id->name) };

	if (f.name != SYM_NONE)
		f.parts[FILE_PART] = file_part(t, id->file);
	if (f.name != SYM_NONE && f.module != SYM_NONE) {
		t->text.len = 0;
		buf_add(&t->text, module.p, module.n);
		buf_printf(&t->text, "/%s/", intern_str(&t->texts, f.module));
		f.parts[MODULE_PART] = text_sym(t, buf_span(&t->text));
	}
	t->list = mem_grow(t->list, &t->cap, t->n + 1, sizeof *t->list);
	t->list[t->n++] = f;
}

uint32_t
functions_add(struct functions *t, const struct function_id *id)
{
	const uint64_t numbers[] = { id->name.n, id->file.n, id->offset };
	struct span module = id->name.n > 0 ? id->module : id->build;
	struct function_group *g;
	struct function *f;
	uint32_t i;

	t->text.len = 0;
	buf_add(&t->text, id->name.p, id->name.n);
	buf_add(&t->text, id->file.p, id->file.n);
	buf_add(&t->text, module.p, module.n);
	buf_add(&t->text, (const char *)numbers, sizeof numbers);
	i = intern_add(&t->keys, buf_span(&t->text));
	if (i == t->n)
		add_new(t, id);
	f = &t->list[i];
	/* One build may occur with several paths. */
	if (f->build != SYM_NONE && f->module != SYM_NONE &&
	    span_compare(id->module, intern_span(&t->texts, f->module)) < 0)
		f->module = intern_add(&t->texts, id->module);
	/* What side 0 says counts. */
	if (f->line != id->line && (t->side == 0 || (f->sides & 1) == 0))
		f->line = 0;
	f->sides |= (uint8_t)(1 << t->side);
	g = &t->group_info[f->group];
	g->sides |= f->sides;
	if (f->parts[FILE_PART] != 0)
		g->sides_with_files |= f->sides;
	if (f->name != SYM_NONE && f->record != t->record) {
		f->record = t->record;
		t->in_record = mem_grow(t->in_record, &t->in_record_cap,
		    t->n_in_record + 1, sizeof *t->in_record);
		t->in_record[t->n_in_record++] = i;
	}
	return i;
}

uint32_t
functions_find(struct functions *t, const struct graph_node *n)
{
	const struct graph_module *m = n->has_function ?
	    callgraph_module_at(t->graph, n->function) : NULL;
	struct function_id id = { .name = n->name, .file = n->file };

	if (m != NULL) {
		id.module = m->name;
		id.is_program = m->is_program;
	}
	if (m != NULL && n->name.n == 0) {
		id.build = m->build_id_token.n > 0 ? m->build_id_token :
		    m->path_token;
		id.offset = n->function - m->base;
	}
	if (!text_i64(n->texts[NODE_LINE], &id.line) || id.line < 0)
		id.line = 0;
	return functions_add(t, &id);
}

/* --- telling apart -------------------------------------------------------- */

/* Those of one name whose parts have the most in common become adjacent. */
static int
compare_parts(const void *a, const void *b, void *context)
{
	const struct functions *t = context;
	const struct function *x = &t->list[*(const uint32_t *)a];
	const struct function *y = &t->list[*(const uint32_t *)b];
	int order = cmp_u64(x->group, y->group);

	for (int part = 0; part < N_NAME_PARTS && order == 0; part++)
		order = intern_cmp(&t->texts, x->parts[part], y->parts[part]);
	return order;
}

/*
 * Finds out how to tell the functions of a run or of a record apart: by their
 * files, and by their modules where the files are equal.  The directories of
 * functions that are not in one record may be those of two builds.
 */
static void
tell_apart(struct functions *t, uint32_t *list, size_t n, bool is_record)
{
	const struct function *a, *b;
	struct function_group *g;
	struct span x, y;
	unsigned necessary;
	int part;

	sort_with(list, n, sizeof *list, compare_parts, t);
	for (size_t i = 1; i < n; i++) {
		a = &t->list[list[i - 1]];
		b = &t->list[list[i]];
		g = &t->group_info[a->group];
		part = a->parts[FILE_PART] != b->parts[FILE_PART] ? FILE_PART :
		    MODULE_PART;
		if (a->group != b->group || (part == FILE_PART ?
		    a->parts[part] == 0 : a->module == b->module))
			continue;
		x = intern_span(&t->texts, a->parts[part]);
		y = intern_span(&t->texts, b->parts[part]);
		necessary = 1;
		for (size_t k = 0; k < x.n && k < y.n && x.p[k] == y.p[k]; k++)
			necessary += x.p[k] == '/';
		if (necessary > g->n_components[part] && (necessary == 1 ||
		    is_record || part == MODULE_PART))
			g->n_components[part] = necessary;
	}
}

void
functions_begin(struct functions *t, const struct callgraph *g, unsigned side)
{
	tell_apart(t, t->in_record, t->n_in_record, true);
	t->n_in_record = 0;
	t->record++;
	t->graph = g;
	t->side = side;
}

/* --- resolving ------------------------------------------------------------ */

/*
 * Replaces a part by what is necessary to tell a function apart, as it is
 * shown: "src/a.c", "libz" or "libz-1.2.so.1".
 */
static void
shorten_part(struct functions *t, struct function *f, int part)
{
	const struct function_group *g = &t->group_info[f->group];
	unsigned n = g->n_components[part];
	struct span text = intern_span(&t->texts, f->parts[part]);
	size_t i = 0;

	/* A run without files cannot be compared by them. */
	if (part == FILE_PART && g->sides != g->sides_with_files)
		n = 0;
	while (n > 0 && i < text.n)
		n -= text.p[i++] == '/';
	text = span_of(text.p, i);
	if (part == FILE_PART)		/* the last component last */
		text = intern_span(&t->texts, file_part(t, text));
	if (text.n > 0)
		text.n--;		/* its last slash */
	if (part == MODULE_PART)
		text = span_base_name(text);
	f->parts[part] = intern_add(&t->texts, text);
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
	const sym x[] = { a->file, a->module, a->name };
	const sym y[] = { b->file, b->module, b->name };
	int order = (a->sides & 1) - (b->sides & 1);

	for (size_t i = 0; i < sizeof x / sizeof *x && order == 0; i++)
		order = intern_cmp(&t->texts, x[i], y[i]);
	return order > 0;
}

uint32_t *
functions_resolve(struct functions *t)
{
	uint32_t *numbers = mem_resize(NULL, t->n + 1, sizeof *numbers);
	struct intern keys;
	struct function f;
	size_t n;

	functions_begin(t, NULL, t->side);
	for (int part = 0; part < N_NAME_PARTS; part++) {
		for (int side = 0; side < 2; side++) {
			n = 0;
			for (uint32_t i = 0; i < t->n; i++)
				if ((t->list[i].sides & 1 << side) != 0)
					numbers[n++] = i;
			tell_apart(t, numbers, n, false);
		}
		for (size_t i = 0; i < t->n; i++)
			shorten_part(t, &t->list[i], part);
	}

	intern_init(&keys);
	n = 0;
	for (uint32_t i = 0; i < t->n; i++) {
		sym key[] = { SYM_NONE, i, 0 };

		f = t->list[i];
		if (f.name != SYM_NONE) {
			key[0] = f.group;
			memcpy(key + 1, f.parts, sizeof f.parts);
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
	const char *sep = " (";
	struct span text;

	if (f->name != SYM_NONE) {
		buf_str(to, intern_str(&t->texts, f->name));
	} else if (f->build != SYM_NONE) {
		if (f->module != SYM_NONE)
			buf_str(to, intern_str(&t->texts, f->module));
		buf_char(to, '+');
		buf_address(to, f->offset);
	} else {
		buf_str(to, "??");
	}
	for (int part = 0; with_where && part < N_NAME_PARTS; part++) {
		text = intern_span(&t->texts, f->parts[part]);
		if (text.n == 0)
			continue;
		buf_str(to, sep);
		buf_add(to, text.p, text.n);
		sep = ", ";
	}
	if (*sep == ',')
		buf_char(to, ')');
}
