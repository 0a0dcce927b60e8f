/* index - checks and repairs the indexes of a store */

#include <stdlib.h>
#include <string.h>

#include "common/base/sort.h"
#include "common/perun/layout.h"
#include "filters/pidx-fsck/pidx-fsck.h"

/* What is wrong with an entry; kind is N_KINDS if nothing is wrong. */
struct verdict {
	enum finding_kind kind;
	const char *why;
};

/* The state of the check of one index. */
struct index_check {
	struct file *file;
	char path[STORE_PATH_SIZE];	/* of the index */
	char lost[STORE_LOST_SIZE];	/* of its copy, if repaired */
	bool is_regular_file, is_valid, repaired;
	struct pidx_error error;	/* set unless is_valid */
	struct pidx read;		/* the entries; if !is_valid, those
					   before the error */
	struct verdict *verdicts;	/* on each entry of `read` */
	const struct pidx_entry *first_unsorted;	/* or NULL */
	struct pidx kept;		/* the entries to keep, sorted */
};

/*
 * Why Perun cannot read an entry; NULL if it can.  Perun decodes a name byte by
 * byte as UTF-8, so that only ASCII works, but other strings as a whole.
 */
static const char *
perun_error(const struct pidx_entry *e)
{
	for (size_t i = 0; i < e->path.n; i++)
		if ((unsigned char)e->path.p[i] >= 0x80)
			return "its name is not ASCII";
	for (int i = 0; i < PIDX_N_STRINGS; i++)
		if (e->strings[i].n > 0 && !utf8_valid(e->strings[i].p,
		    e->strings[i].n))
			return "one of its strings is not UTF-8";
	return NULL;
}

/* Compares by path, time and object, and then by the strings. */
static int
compare_whole(const struct pidx_entry *a, const struct pidx_entry *b)
{
	int order = pidx_compare_object(a, b);

	for (int i = 0; order == 0 && i < PIDX_N_STRINGS; i++)
		order = span_compare(a->strings[i], b->strings[i]);
	return order;
}

/*
 * Compares in the order of an index or, without a layout, as a whole; equal
 * entries by address, so that the sort is stable.
 */
static int
compare_pointers(const void *a, const void *b, void *layout)
{
	const struct pidx_entry *x = *(const struct pidx_entry *const *)a;
	const struct pidx_entry *y = *(const struct pidx_entry *const *)b;
	return layout == NULL ? compare_whole(x, y) : pidx_compare(*(enum
	    pidx_layout *)layout, x, y) ?: (x > y) - (x < y);
}

/* Sets the verdict on entries that are equal to an earlier one of the index. */
static void
find_duplicates(const struct pidx *p, struct verdict *verdicts)
{
	const struct pidx_entry **sorted = mem_resize(NULL, p->n,
	    sizeof *sorted);

	for (size_t i = 0; i < p->n; i++)
		sorted[i] = &p->entries[i];
	sort_with(sorted, p->n, sizeof *sorted, compare_pointers, NULL);
	for (size_t i = 1; i < p->n; i++)
		if (compare_whole(sorted[i - 1], sorted[i]) == 0)
			verdicts[sorted[i] - p->entries] = (struct verdict){
			    DUPLICATE_ENTRY, NULL };
	free(sorted);
}

/* Sets *kept to the entries without a harmful verdict, sorted. */
static void
keep_valid(struct pidx *kept, const struct pidx *from,
    const struct verdict *verdicts)
{
	const struct pidx_entry **sorted = mem_resize(NULL, from->n,
	    sizeof *sorted);

	*kept = (struct pidx){ .layout = from->layout };
	for (size_t i = 0; i < from->n; i++)
		if (verdicts[i].kind >= FIRST_HARMLESS)
			sorted[kept->n++] = &from->entries[i];
	sort_with(sorted, kept->n, sizeof *sorted, compare_pointers,
	    &kept->layout);
	kept->entries = mem_resize(NULL, kept->n, sizeof *kept->entries);
	for (size_t i = 0; i < kept->n; i++)
		kept->entries[i] = *sorted[i];
	free(sorted);
}

/* Judges entries, and marks the objects of those that are not dangling. */
static struct verdict *
examine_entries(struct check *c, const struct pidx *p)
{
	static const char *const dangling[] = {
	    [FILE_MISNAMED] = "its object has a wrong name",
	    [FILE_INDEX] = "its object is an index",
	    [FILE_DAMAGED] = "its object is damaged",
	    [FILE_GONE] = "its object is missing" };
	struct verdict *verdicts = mem_resize(NULL, p->n, sizeof *verdicts), *v;
	const struct pidx_entry *e = p->entries;
	struct file *object;
	const char *why;

	for (v = verdicts; v < verdicts + p->n; v++, e++) {
		object = check_find(c, e->object);
		*v = (struct verdict){ DANGLING_ENTRY,
		    dangling[object != NULL ? object->state : FILE_GONE] };
		/* It may have been added since the files were listed. */
		if (v->why == dangling[FILE_GONE] &&
		    perun_read_object(&c->perun->store, e->object, &c->other,
		    &c->object, &why))
			v->why = NULL;
		if (v->why != NULL)
			continue;
		if (object != NULL)
			object->referenced = true;
		*v = (struct verdict){ FOREIGN_TO_PERUN, perun_error(e) };
		if (v->why == NULL)
			v->kind = N_KINDS;
	}
	return verdicts;
}

/* --- a malformed index ---------------------------------------------------- */

/* An entry begins with the time (4 bytes), the object's name and the path. */
enum { OBJECT_OFFSET = 4, PATH_OFFSET = OBJECT_OFFSET + PIDX_SHA_SIZE };

/*
 * The length of a path, with its NUL.  Perun before 0.5 wrote complete paths,
 * which Linux limits to this length.
 */
enum { PATH_LEN_MAX = 4096 };

/*
 * Sets p to the entries of its layout in a malformed index, in the order of
 * their offsets.  Returns how many joints there are: a joint is a place where
 * two entries touch, or one of them touches the header or the end of the file.
 * In the right layout most places are joints.
 *
 * A range of the bytes is a candidate if it can be parsed as an entry and the
 * store has the entry's object: random bytes do not contain its name.
 * Candidates may overlap, because a damaged length makes one too long.  Goes
 * from the end of the file to its beginning, and takes each candidate that ends
 * before the one taken last.  As always the one that starts last is taken, no
 * other choice has more entries.  An example in which A has a damaged length:
 *
 *	offset	    12	       112	  222		400
 *	candidates  A-----------------------------------A
 *			       B----------BC------------C
 *
 * C and B are taken.  The tests are ordered by cost; most offsets fail the
 * first one, which searches for the object's name.
 */
static size_t
recover(struct check *c, struct pidx *p, struct span bytes)
{
	struct span rest = bytes;	/* up to the entry taken last */
	struct pidx_entry e;
	size_t left, end, joints = 0;

	for (size_t at = bytes.n; at-- > 0;) {
		if (at + PATH_OFFSET >= rest.n || !check_is_valid(c,
		    (const unsigned char *)rest.p + at + OBJECT_OFFSET))
			continue;
		left = rest.n - at - PATH_OFFSET;
		if (memchr(rest.p + at + PATH_OFFSET, '\0',
		    left < PATH_LEN_MAX ? left : PATH_LEN_MAX) == NULL ||
		    !pidx_entry_at(rest, at, p->layout, &e, &end))
			continue;
		p->entries = mem_grow(p->entries, &p->cap, p->n + 1,
		    sizeof *p->entries);
		p->entries[p->n++] = e;
		joints += end == rest.n;
		rest.n = at;
	}
	for (size_t i = 0; i < p->n / 2; i++) {
		e = p->entries[i];
		p->entries[i] = p->entries[p->n - 1 - i];
		p->entries[p->n - 1 - i] = e;
	}
	return joints + (rest.n == PIDX_HEADER_SIZE);
}

/*
 * Recovers entries from a malformed index in each layout that the header
 * allows, or in all if it is damaged, the most likely one first.  The result
 * with the most entries is used; among those, the one with the most joints.
 * Paths and strings are borrowed from bytes.
 */
static void
salvage(struct check *c, struct pidx *p, struct span bytes)
{
	static const enum pidx_layout layouts[] = { PIDX_1, PIDX_2,
	    PIDX_2_LABEL, PIDX_1 };
	bool has_magic = bytes.n >= 8 && memcmp(bytes.p, "pidx", 4) == 0;
	bool is_1 = bytes.n >= 8 && memcmp(bytes.p + 4, "\1\0\0\0", 4) == 0;
	bool is_2 = bytes.n >= 8 && memcmp(bytes.p + 4, "\2\0\0\0", 4) == 0;
	const enum pidx_layout *most_likely = is_1 ? layouts : layouts + 1;
	size_t n = !has_magic || !(is_1 || is_2) ? 3 : is_1 ? 1 : 2;
	size_t joints, most_joints = 0;
	struct pidx found;

	*p = (struct pidx){ .layout = *most_likely };
	for (size_t i = 0; i < n; i++) {
		found = (struct pidx){ .layout = most_likely[i] };
		joints = recover(c, &found, bytes);
		if (found.n < p->n || (found.n == p->n &&
		    joints <= most_joints)) {
			pidx_release(&found);
			continue;
		}
		pidx_release(p);
		*p = found;
		most_joints = joints;
	}
}

/*
 * Judges a damaged index.  The verdicts to report are on the entries before the
 * damage, which are those that pidx-read(1) shows.  The entries to keep are
 * searched for in all bytes.
 */
static void
examine_damaged(struct check *c, struct index_check *x)
{
	struct span bytes = buf_span(&c->bytes);
	struct pidx found;
	struct verdict *verdicts;

	check_mark_references(c, bytes);
	salvage(c, &found, bytes);
	layout_decide(c->perun, &found);
	verdicts = examine_entries(c, &found);
	find_duplicates(&found, verdicts);
	keep_valid(&x->kept, &found, verdicts);
	free(verdicts);
	pidx_release(&found);
}

static void
repair_index(struct check *c, struct index_check *x)
{
	struct store *s = &c->perun->store;
	struct buf new = { 0 };

	if (x->is_regular_file) {
		store_copy_to_lost(s, x->file->name, buf_span(&c->bytes),
		    x->lost);
		pidx_serialize(&x->kept, &new);
		store_replace(s, x->file->name, buf_span(&new));
		buf_release(&new);
	} else {
		store_move_to_lost(s, x->file->name, x->lost);
	}
	x->repaired = true;
}

/*
 * Completes a finding about the index, and adds it.  A repaired index has lost
 * what was harmful: keep_valid() drops just the verdicts below FIRST_HARMLESS.
 */
static void
report(struct check *c, const struct index_check *x, struct finding f)
{
	f.file = x->path;
	f.version = x->file->name;
	if (f.kind < FIRST_HARMLESS && x->repaired) {
		f.repaired = true;
		f.lost = x->lost;
	}
	findings_add(&c->findings, &f);
}

static void
report_all(struct check *c, const struct index_check *x)
{
	const struct verdict *v = x->verdicts;

	if (!x->is_valid)
		report(c, x, (struct finding){ .kind = DAMAGED_INDEX,
		    .has_offset = true, .offset = x->error.offset,
		    .why = x->is_regular_file ? x->error.why :
		    "it is not a regular file",
		    .has_saved = true, .saved = x->kept.n });
	if (check_commit(c, x->file->name) == COMMIT_ABSENT)
		report(c, x, (struct finding){ .kind = UNKNOWN_COMMIT });
	if (x->first_unsorted != NULL)
		report(c, x, (struct finding){ .kind = UNSORTED_INDEX,
		    .why = "it comes after a greater one",
		    .entry = x->first_unsorted });
	for (size_t i = 0; i < x->read.n; i++, v++)
		if (v->kind != N_KINDS)
			report(c, x, (struct finding){ .kind = v->kind,
			    .why = v->why, .entry = &x->read.entries[i] });
}

static void
check_index(struct check *c, struct file *file)
{
	struct index_check x = { .file = file };
	const struct pidx_entry *e;

	x.is_regular_file = check_read(c, file, &c->bytes);
	if (file->state != FILE_INDEX)	/* gone */
		return;
	store_path(x.path, file->name);
	x.is_valid = layout_parse(&c->perun->store, &x.read,
	    buf_span(&c->bytes), &x.error);
	layout_decide(c->perun, &x.read);
	x.verdicts = examine_entries(c, &x.read);
	e = x.read.entries;
	if (!x.is_valid) {
		examine_damaged(c, &x);
	} else {
		find_duplicates(&x.read, x.verdicts);
		for (size_t i = 1; i < x.read.n && x.first_unsorted == NULL;
		    i++)
			if (pidx_compare(x.read.layout, &e[i - 1], &e[i]) > 0)
				x.first_unsorted = &e[i];
		keep_valid(&x.kept, &x.read, x.verdicts);
	}

	if (c->repair && (!x.is_valid || x.first_unsorted != NULL ||
	    x.kept.n != x.read.n))
		repair_index(c, &x);
	report_all(c, &x);
	c->totals.indexes++;
	c->totals.entries += x.is_valid ? x.read.n : x.kept.n;
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
