/* layout - reads indexes, and finds out what their strings mean */

#include <stdlib.h>
#include <string.h>

#include "common/base/err.h"
#include "common/base/mem.h"
#include "common/base/num.h"
#include "common/base/sort.h"
#include "common/perun/layout.h"
#include "common/perun/profile.h"

const char *const layout_names[] = { [PIDX_1] = "1",
    [PIDX_2_ARGS] = "2args", [PIDX_2] = "2", [PIDX_2_LABEL] = "2label", NULL };

enum pidx_layout
layout_of_option(const struct opt_word *w)
{
	return w->given != NULL ? PIDX_1 + (enum pidx_layout)w->index : 0;
}

/* --- the evidence of the objects of one index ----------------------------- */

/* Reads the headers of objects. */
struct headers {
	const struct store *store;
	struct buf packed;
	struct object object;
	struct profile profile;	/* initialized when the first one is read */
};

static void
headers_end(struct headers *h)
{
	if (h->profile.recio != NULL)
		profile_release(&h->profile);
	buf_release(&h->object.text);
	buf_release(&h->packed);
}

/*
 * Which layout an object fits; FITS_NONE if it is missing or not a profile,
 * FITS_BOTH if the strings are equal in both.
 */
enum evidence { NOT_EXAMINED, FITS_NONE, FITS_ARGS, FITS_LABEL, FITS_BOTH,
    N_EVIDENCE };

static bool
read_profile(struct headers *h, const struct pidx_entry *e)
{
	const char *why;

	if (h->profile.recio == NULL)
		profile_init(&h->profile);
	return perun_read_object(h->store, e->object, &h->packed, &h->object,
	    &why) && profile_describe(&h->profile, h->object.body, &why);
}

/*
 * Reads the object only once; not at all if there is no fourth string, and the
 * store says that it would be a label.
 */
static enum evidence
examine(struct headers *h, struct pidx_entry *e)
{
	const struct profile *p = &h->profile;
	/* As they are read before they are decided. */
	struct span third = e->strings[PIDX_WORKLOAD];
	struct span fourth = e->strings[PIDX_LABEL];

	if (h->store->has_labels && fourth.n == 0)
		e->evidence = FITS_LABEL;
	if (e->evidence != NOT_EXAMINED)
		return e->evidence;
	e->evidence = FITS_NONE;
	if (!read_profile(h, e))
		return e->evidence;
	if (span_compare(third, p->workload) == 0 &&
	    span_compare(fourth, p->label) == 0)
		e->evidence = FITS_LABEL;
	if (span_compare(third, p->args) == 0 &&
	    span_compare(fourth, p->workload) == 0)
		e->evidence = e->evidence == FITS_LABEL ? FITS_BOTH : FITS_ARGS;
	return e->evidence;
}

/* Are the five strings of all entries those of the objects that there are? */
static bool
fits_five(struct headers *h, const struct pidx *index)
{
	const struct profile *p = &h->profile;
	const struct span *s;
	bool any = false;

	for (size_t i = 0; i < index->n; i++) {
		if (!read_profile(h, &index->entries[i]))
			continue;
		s = index->entries[i].strings;
		any = true;
		/* The command may have the args at its end. */
		if (span_compare(s[PIDX_TYPE], p->type) != 0 ||
		    span_compare(s[PIDX_WORKLOAD], p->workload) != 0 ||
		    span_compare(s[PIDX_COLLECTOR], p->collector) != 0 ||
		    span_compare(s[PIDX_POSTPROCESSORS],
		    buf_span(&p->postprocessors)) != 0)
			return false;
	}
	return any;
}

/* --- the evidence of other indexes ---------------------------------------- */

/* The files in objects/, the newest first. */
struct by_age {
	const struct store *store;
	struct aged {
		int64_t modified_s;
		unsigned char name[STORE_NAME_SIZE];
	} *list;
	size_t n, cap;
};

static void
add_file(void *context, const unsigned char *name, const char *path)
{
	struct by_age *files = context;
	struct aged a;

	(void)path;
	if (name == NULL || !store_mtime(files->store, name, &a.modified_s))
		return;
	memcpy(a.name, name, STORE_NAME_SIZE);
	files->list = mem_grow(files->list, &files->cap, files->n + 1,
	    sizeof *files->list);
	files->list[files->n++] = a;
}

static int
compare_ages(const void *a, const void *b)
{
	const struct aged *x = a, *y = b;
	return cmp_i64(y->modified_s, x->modified_s) ?:
	    memcmp(x->name, y->name, STORE_NAME_SIZE);
}

/*
 * The layout of new entries in an index with entries; false if it has six
 * strings and the objects do not decide.
 */
static bool
layout_of(struct headers *h, const struct pidx *index,
    enum pidx_layout *layout)
{
	size_t n[N_EVIDENCE] = { 0 };

	*layout = index->layout;
	if (index->layout == PIDX_1 || index->layout == PIDX_2)
		return true;
	/* One label decides: a mixed index gets entries with labels. */
	for (size_t i = index->n; i-- > 0 && n[FITS_LABEL] == 0;)
		n[examine(h, &index->entries[i])]++;
	*layout = n[FITS_LABEL] > 0 ? PIDX_2_LABEL : PIDX_2_ARGS;
	return n[FITS_ARGS] > 0 || n[FITS_LABEL] > 0;
}

/*
 * Sets *layout to that of the newest index whose layout is known, of six
 * strings if six is true.  False if there is none.
 */
static bool
find_newest(struct headers *h, bool six, enum pidx_layout *layout)
{
	struct by_age files = { .store = h->store };
	struct buf bytes = { 0 };
	struct pidx_error error;
	struct pidx index;
	bool found = false;

	store_for_each(h->store, add_file, &files);
	sort(files.list, files.n, sizeof *files.list, compare_ages);
	for (size_t i = 0; i < files.n && !found; i++) {
		bytes.len = 0;
		if (store_read(h->store, files.list[i].name, &bytes) !=
		    STORE_FOUND)
			continue;
		found = layout_parse(h->store, &index, buf_span(&bytes),
		    &error) &&
		    index.n > 0 && (!six || index.layout == PIDX_2_LABEL) &&
		    layout_of(h, &index, layout);
		pidx_release(&index);
	}
	buf_release(&bytes);
	free(files.list);
	return found;
}

/* --- decisions ------------------------------------------------------------ */

/*
 * What the entries are assumed to be that no object has decided; of the others
 * there are n with each evidence.
 */
static bool
assume(struct perun *p, struct headers *h, const size_t *n,
    enum pidx_layout *layout)
{
	const char *vcs_type = config_string(&p->config, "vcs.type");
	const struct config_value *args;

	*layout = PIDX_2_LABEL;
	/* Perun had a label before it had stores without a repository. */
	if (vcs_type != NULL && strcmp(vcs_type, "svs") == 0)
		return true;
	*layout = n[FITS_LABEL] > 0 ? PIDX_2_LABEL : PIDX_2_ARGS;
	if ((n[FITS_ARGS] > 0) != (n[FITS_LABEL] > 0))
		return true;
	if (p->six_strings == PIDX_2_ARGS || p->six_strings == PIDX_2_LABEL ||
	    find_newest(h, true, &p->six_strings)) {
		*layout = p->six_strings;
		return true;
	}
	args = config_at(&p->config, CONFIG_LOCAL, "args");
	*layout = args != NULL && args->kind == CONFIG_LIST ? PIDX_2_ARGS :
	    PIDX_2_LABEL;
	return *layout == PIDX_2_ARGS;
}

/*
 * Other bytes may follow an index of five strings, which pidx_parse() takes for
 * a malformed one or, if it has one entry, for six strings.
 */
bool
layout_parse(const struct store *store, struct pidx *index, struct span bytes,
    struct pidx_error *error)
{
	bool ok = pidx_parse(index, bytes, error), five;
	struct headers h = { .store = store };
	struct pidx other = { 0 };

	if (index->n == 0 ||
	    (ok && (index->layout != PIDX_2_LABEL || index->n > 1)))
		return ok;
	five = (!ok || examine(&h, &index->entries[0]) == FITS_NONE) &&
	    pidx_parse_five(&other, bytes) && fits_five(&h, &other);
	headers_end(&h);
	if (five) {
		pidx_release(index);
		*index = other;
	} else {
		pidx_release(&other);
	}
	return ok || five;
}

void
layout_decide(struct perun *p, struct pidx *index)
{
	struct pidx_entry *e, *end = index->entries + index->n;
	struct headers h = { .store = &p->store };
	size_t n[N_EVIDENCE] = { 0 };
	enum evidence found;
	enum pidx_layout layout;
	bool is_known;

	if (index->layout != PIDX_2_LABEL)
		return;
	for (e = index->entries; e < end; e++) {
		found = examine(&h, e);
		n[found]++;
		if (found != FITS_NONE)
			pidx_decide(e, found == FITS_ARGS ? PIDX_2_ARGS :
			    PIDX_2_LABEL);
	}
	if (n[FITS_ARGS] > 0 && n[FITS_LABEL] == 0)
		index->layout = PIDX_2_ARGS;

	if (n[FITS_NONE] > 0) {
		is_known = assume(p, &h, n, &layout);
		for (e = index->entries; e < end; e++) {
			if (!e->is_undecided)
				continue;
			pidx_decide(e, layout);
			e->is_undecided = !is_known;
			e->is_assumed = is_known;
		}
		if (n[FITS_ARGS] == 0 && n[FITS_LABEL] == 0)
			index->layout = layout;
	}
	headers_end(&h);
}

enum pidx_layout
layout_for_adding(struct perun *p, const struct pidx *index,
    enum pidx_layout wanted)
{
	const size_t none[N_EVIDENCE] = { 0 };
	struct headers h = { .store = &p->store };
	enum pidx_layout layout;

	if (index->n == 0 && index->layout == PIDX_1)
		return PIDX_1;
	if (index->n == 0)	/* absent, or empty and of version 2 */
		return index->layout != 0 && wanted == PIDX_1 ? PIDX_2_LABEL :
		    wanted;
	if (!layout_of(&h, index, &layout))
		assume(p, &h, none, &layout);
	headers_end(&h);
	return layout;
}

enum pidx_layout
layout_for_new_index(struct perun *p)
{
	const char *setting = config_string(&p->config, "weir.index_version");
	struct headers h = { .store = &p->store };
	enum pidx_layout layout;

	for (layout = PIDX_1; setting != NULL && layout_names[layout] != NULL;
	    layout++)
		if (strcmp(setting, layout_names[layout]) == 0)
			return layout;
	if (setting != NULL)
		die("weir.index_version of the store's local.yml is not 1, "
		    "2args, 2 or 2label");
	if (!find_newest(&h, false, &layout))
		layout = PIDX_2_LABEL;
	headers_end(&h);
	return layout;
}

/* --- reading an index ----------------------------------------------------- */

enum store_found
layout_load_index(const struct store *s, const unsigned char *version,
    struct buf *bytes, struct pidx *index, struct buf *why)
{
	char path[STORE_PATH_SIZE];
	struct pidx_error error;
	enum store_found found;

	*index = (struct pidx){ 0 };
	bytes->len = 0;
	found = store_read(s, version, bytes);
	if (found == STORE_ABSENT || (found == STORE_FOUND &&
	    layout_parse(s, index, buf_span(bytes), &error)))
		return found;
	store_path(path, version);
	why->len = 0;
	buf_printf(why, "%s/%s: ", s->path, path);
	if (found == STORE_FAILED)
		buf_str(why, "it is not a regular file");
	else
		buf_printf(why, "byte %zu: %s", error.offset, error.why);
	buf_cstr(why);
	return STORE_FAILED;
}

enum store_found
layout_read_index(struct perun *p, const unsigned char *version,
    struct buf *bytes, struct pidx *index, struct buf *why)
{
	const struct store *s = &p->store;
	enum store_found found = layout_load_index(s, version, bytes, index,
	    why);
	char path[STORE_PATH_SIZE];
	size_t n = 0;

	layout_decide(p, index);
	for (size_t i = 0; i < index->n; i++)
		n += index->entries[i].is_undecided;
	store_path(path, version);
	if (n > 0)
		err_warn("warning: %s/%s: without the objects of %zu of %zu "
		    "entries it cannot be decided whether their third and "
		    "fourth strings are the workload and label, as is assumed, "
		    "or the arguments and the workload", s->path, path, n,
		    index->n);
	return found;
}
