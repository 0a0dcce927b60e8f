/* index - what is wrong in the indexes of a store */

#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/sort.h"
#include "filters/pidx-fsck/check.h"
#include "filters/pidx-fsck/salvage.h"

/* What is to be said of an entry; KINDS: nothing. */
struct verdict {
	enum finding_kind kind;
	const char *why;
};

/* An index under examination. */
struct examined {
	struct file *file;
	char path[STORE_PATH], lost[STORE_LOST];
	bool is_file, good, repaired;
	struct pidx_error error;	/* unless it is good */
	struct pidx read;		/* as far as it can be read */
	struct verdict *verdicts;	/* on each of these */
	const struct pidx_entry *unsorted;	/* the first out of order */
	struct pidx kept;		/* what is to be left, sorted */
};

/* Was it added since the files were listed? */
static bool
has_come(struct check *c, const unsigned char *name)
{
	const char *why;

	return perun_object(&c->perun->store, name, &c->other, &c->object,
	    &why);
}

/* Why an entry dangles, or NULL. */
static const char *
fault_of_object(struct check *c, const unsigned char *name)
{
	const struct file *file = check_find(c, name);

	if (file == NULL || file->state == FILE_GONE)
		return has_come(c, name) ? NULL : "its object is not there";
	switch ((enum state)file->state) {
	case FILE_SOUND:
		return NULL;
	case FILE_INDEX:
		return "its object is an index";
	case FILE_MISNAMED:
		return "its object is not what its name says";
	case FILE_UNREADABLE:
		return "its object cannot be read";
	default:
		return "its object is damaged";
	}
}

static bool
is_ascii(struct span s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] >= 0x80)
			return false;
	return true;
}

/* Perun reads names byte by byte, and other strings as UTF-8. */
static const char *
fault_for_perun(const struct pidx_entry *e)
{
	if (!is_ascii(e->path))
		return "its name is not ASCII";
	for (int i = 0; i < PIDX_STRINGS; i++)
		if (e->strings[i].n > 0 && !utf8_valid(e->strings[i].p,
		    e->strings[i].n))
			return "a string of it is not UTF-8";
	return NULL;
}

static struct verdict
judge(struct check *c, const struct pidx_entry *e)
{
	struct verdict v = { DANGLING_ENTRY, fault_of_object(c, e->object) };
	struct file *object = check_find(c, e->object);

	if (v.why != NULL)
		return v;
	if (object != NULL)
		object->referenced = true;
	v = (struct verdict){ FOREIGN_TO_PERUN, fault_for_perun(e) };
	return v.why != NULL ? v : (struct verdict){ KINDS, NULL };
}

static int
compare_whole(const struct pidx_entry *a, const struct pidx_entry *b)
{
	int order = pidx_compare_object(a, b);

	for (int i = 0; order == 0 && i < PIDX_STRINGS; i++)
		order = span_compare(a->strings[i], b->strings[i]);
	return order;
}

/* Pointers into one array: what is equal keeps its order. */
static int
by_place(const struct pidx_entry *a, const struct pidx_entry *b, int order)
{
	return order != 0 ? order : (a > b) - (a < b);
}

static int
compare_order(const void *a, const void *b)
{
	const struct pidx_entry *x = *(const struct pidx_entry *const *)a;
	const struct pidx_entry *y = *(const struct pidx_entry *const *)b;

	return by_place(x, y, pidx_compare(x, y));
}

static int
compare_equal(const void *a, const void *b)
{
	const struct pidx_entry *x = *(const struct pidx_entry *const *)a;
	const struct pidx_entry *y = *(const struct pidx_entry *const *)b;

	return by_place(x, y, compare_whole(x, y));
}

/* Entries that are as another before them in the index. */
static void
find_duplicates(const struct pidx *p, struct verdict *verdicts)
{
	const struct pidx_entry **sorted = mem_resize(NULL, p->n,
	    sizeof *sorted);

	for (size_t i = 0; i < p->n; i++)
		sorted[i] = &p->entries[i];
	sort(sorted, p->n, sizeof *sorted, compare_equal);
	for (size_t i = 1; i < p->n; i++)
		if (compare_whole(sorted[i - 1], sorted[i]) == 0)
			verdicts[sorted[i] - p->entries] = (struct verdict){
			    DUPLICATE_ENTRY, NULL };
	free(sorted);
}

static const struct pidx_entry *
find_unsorted(const struct pidx *p)
{
	for (size_t i = 1; i < p->n; i++)
		if (pidx_compare(&p->entries[i - 1], &p->entries[i]) > 0)
			return &p->entries[i];
	return NULL;
}

/* Those of the entries that may stay, in order. */
static void
keep(struct pidx *kept, const struct pidx *from, const struct verdict *verdicts)
{
	const struct pidx_entry **sorted = mem_resize(NULL, from->n,
	    sizeof *sorted);

	*kept = (struct pidx){ .layout = from->layout };
	for (size_t i = 0; i < from->n; i++)
		if (verdicts[i].kind >= UNKNOWN_COMMIT)
			sorted[kept->n++] = &from->entries[i];
	sort(sorted, kept->n, sizeof *sorted, compare_order);
	kept->entries = mem_resize(NULL, kept->n, sizeof *kept->entries);
	for (size_t i = 0; i < kept->n; i++)
		kept->entries[i] = *sorted[i];
	free(sorted);
}

static struct verdict *
judge_all(struct check *c, const struct pidx *p)
{
	struct verdict *verdicts = mem_resize(NULL, p->n, sizeof *verdicts);

	for (size_t i = 0; i < p->n; i++)
		verdicts[i] = judge(c, &p->entries[i]);
	return verdicts;
}

/*
 * Of a damaged index the entries in front of the damage are judged, since
 * readers show them, and others are looked for.
 */
static void
examine_damaged(struct check *c, struct examined *x)
{
	struct span bytes = buf_span(&c->bytes);
	struct pidx found;
	struct verdict *verdicts;

	x->verdicts = judge_all(c, &x->read);
	check_mark(c, bytes);
	salvage(&found, bytes, check_is_sound, c);
	verdicts = judge_all(c, &found);
	find_duplicates(&found, verdicts);
	keep(&x->kept, &found, verdicts);
	free(verdicts);
	pidx_release(&found);
}

/* False if it is gone. */
static bool
examine(struct check *c, struct examined *x)
{
	x->is_file = check_read(c, x->file, &c->bytes);
	if (x->file->state != FILE_INDEX)
		return false;
	store_path(x->path, x->file->name);
	x->good = pidx_read(&x->read, buf_span(&c->bytes), &x->error);
	if (!x->good) {
		examine_damaged(c, x);
		return true;
	}
	x->verdicts = judge_all(c, &x->read);
	find_duplicates(&x->read, x->verdicts);
	x->unsorted = find_unsorted(&x->read);
	keep(&x->kept, &x->read, x->verdicts);
	return true;
}

/* The old one is kept first; what is no file is only moved. */
static void
mend(struct check *c, struct examined *x)
{
	struct store *s = &c->perun->store;
	struct buf new = { 0 };

	if (x->is_file) {
		store_keep(s, x->file->name, buf_span(&c->bytes), x->lost);
		pidx_write(&x->kept, &new);
		store_replace(s, x->file->name, buf_span(&new));
		buf_release(&new);
	} else {
		store_set_aside(s, x->file->name, x->lost);
	}
	x->repaired = true;
}

static void
tell(struct check *c, const struct examined *x, struct finding f)
{
	f.file = x->path;
	f.version = x->file->name;
	if (f.kind < UNKNOWN_COMMIT && x->repaired) {
		f.repaired = true;
		f.lost = x->lost;
	}
	findings_add(&c->findings, &f);
}

static void
tell_all(struct check *c, const struct examined *x)
{
	const struct verdict *v = x->verdicts;

	if (!x->good)
		tell(c, x, (struct finding){ .kind = DAMAGED_INDEX,
		    .has_offset = true, .offset = x->error.offset,
		    .why = x->is_file ? x->error.why : "it is no regular file",
		    .has_saved = true, .saved = x->kept.n });
	if (check_commit(c, x->file->name) == COMMIT_NONE)
		tell(c, x, (struct finding){ .kind = UNKNOWN_COMMIT });
	if (x->unsorted != NULL)
		tell(c, x, (struct finding){ .kind = UNSORTED_INDEX,
		    .why = "it stands behind a greater one",
		    .entry = x->unsorted });
	for (size_t i = 0; i < x->read.n; i++, v++)
		if (v->kind != KINDS)
			tell(c, x, (struct finding){ .kind = v->kind,
			    .why = v->why, .entry = &x->read.entries[i] });
}

static bool
is_harmed(const struct examined *x)
{
	return !x->good || x->unsorted != NULL || x->kept.n != x->read.n;
}

static void
check_index(struct check *c, struct file *file)
{
	struct examined x = { .file = file };

	if (!examine(c, &x))
		return;
	if (c->repair && is_harmed(&x))
		mend(c, &x);
	tell_all(c, &x);
	c->totals.indexes++;
	c->totals.entries += x.good ? x.read.n : x.kept.n;
	free(x.verdicts);
	pidx_release(&x.read);
	pidx_release(&x.kept);
}

void
check_indexes(struct check *c)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->files[i].state == FILE_INDEX)
			check_index(c, &c->files[i]);
}
