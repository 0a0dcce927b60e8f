/* finding - writes findings as records or as a report */

#include <stdio.h>
#include <string.h>

#include "common/base/num.h"
#include "common/base/sort.h"
#include "common/perun/entry.h"
#include "common/perun/store.h"
#include "common/report/report-values.h"
#include "common/report/report.h"
#include "filters/pidx-fsck/pidx-fsck.h"

enum { LINES_MAX = 5 };	/* limit of lines in the report for each kind */

static const struct {
	const char *name;		/* in records */
	const char *one, *many;		/* in the report */
} kinds[] = {
	[DAMAGED_INDEX] = { "damaged_index", "damaged index",
	    "damaged indexes" },
	[DAMAGED_OBJECT] = { "damaged_object", "damaged object",
	    "damaged objects" },
	[MISNAMED_OBJECT] = { "misnamed_object",
	    "object under a wrong name", "objects under wrong names" },
	[DANGLING_ENTRY] = { "dangling_entry",
	    "entry without a valid object", "entries without valid objects" },
	[UNSORTED_INDEX] = { "unsorted_index", "index out of order",
	    "indexes out of order" },
	[DUPLICATE_ENTRY] = { "duplicate_entry", "duplicate entry",
	    "duplicate entries" },
	[UNREADABLE_PROFILE] = { "unreadable_profile",
	    "object that is not a profile",
	    "objects that are not profiles" },
	[UNKNOWN_COMMIT] = { "unknown_commit",
	    "index of an unknown commit",
	    "indexes of unknown commits" },
	[FOREIGN_TO_PERUN] = { "foreign_to_perun",
	    "entry that makes its index unreadable for Perun",
	    "entries that make their indexes unreadable for Perun" },
	[UNREFERENCED_OBJECT] = { "unreferenced_object",
	    "unreferenced object", "unreferenced objects" },
	[LEFTOVER] = { "leftover", "staging directory of a dead writer",
	    "staging directories of dead writers" },
	[FOREIGN_FILE] = { "foreign_file", "file that does not belong there",
	    "files that do not belong there" },
};

static void
put_id(struct buf *b, const char *key, const unsigned char *name)
{
	char id[STORE_ID_SIZE];

	if (name == NULL)
		return;
	store_id(id, name);
	json_cstr(b, key, id);
}

static void
put_record(struct buf *b, const struct finding *f)
{
	json_begin(b, "finding");
	json_cstr(b, "kind", kinds[f->kind].name);
	json_cstr(b, "file", f->file);
	if (f->has_offset)
		json_uint(b, "offset", f->offset);
	if (f->why != NULL)
		json_cstr(b, "why", f->why);
	put_id(b, "minor_version", f->version);
	put_id(b, "object", f->object);
	if (f->entry != NULL) {
		json_open(b, "entry", '{');
		entry_put(b, f->version, f->entry);
		json_close(b, '}');
	}
	if (f->has_saved)
		json_uint(b, "saved", f->saved);
	json_flag(b, "harmless", f->kind >= FIRST_HARMLESS);
	json_flag(b, "young", f->young);
	json_flag(b, "repaired", f->repaired);
	json_flag(b, "removed", f->removed);
	if (f->lost != NULL)
		json_cstr(b, "lost", f->lost);
	json_end(b);
}

/* Counts a finding, and writes its line in the report. */
static void
count_finding(struct findings *fs, const struct finding *f)
{
	struct buf *b = &fs->lines[f->kind];
	size_t from = b->len;

	if (f->kind < FIRST_HARMLESS)
		fs->filter->rejected = true;	/* exit status 1 */
	fs->n_repaired += f->repaired;
	fs->n_removed += f->removed;
	if (fs->counts[f->kind]++ >= LINES_MAX || !fs->filter->text)
		return;

	report_text(b, span_str(f->file));
	if (f->entry != NULL) {
		buf_str(b, ": ");
		report_text(b, f->entry->path);
	}
	if (f->has_offset)
		buf_printf(b, ": byte %zu", f->offset);
	if (f->why != NULL)
		buf_printf(b, ": %s", f->why);
	if (f->has_saved)
		buf_printf(b, "; %zu %s %s", f->saved, plural(f->saved,
		    "entry", "entries"), f->repaired ? "saved" :
		    "can be saved");
	buf_str(b, f->removed ? "; removed" : f->repaired ? "; repaired" :
	    f->young ? "; younger than an hour" : "");
	if (f->lost != NULL) {
		buf_str(b, "; kept as ");
		report_text(b, span_str(f->lost));
	}
	report_item(b, from, 2);
}

void
findings_add(struct findings *fs, const struct finding *f)
{
	struct record_extent e = { .start = fs->records.len };

	count_finding(fs, f);
	if (fs->filter->text)
		return;
	put_record(&fs->records, f);
	e.end = fs->records.len;
	e.file = arena_span(&fs->files, span_str(f->file)).p;
	fs->extents = mem_grow(fs->extents, &fs->cap, fs->n_records + 1,
	    sizeof *fs->extents);
	fs->extents[fs->n_records++] = e;
}

static int
compare_extents(const void *a, const void *b)
{
	const struct record_extent *x = a, *y = b;
	return strcmp(x->file, y->file) ?: cmp_u64(x->start, y->start);
}

/*
 * Writes the remaining records whose file is not after `file` in byte order;
 * all of them if file is NULL.
 */
static void
write_sorted(struct findings *fs, const char *file)
{
	const struct record_extent *e;

	if (!fs->sorted)
		sort(fs->extents, fs->n_records, sizeof *fs->extents,
		    compare_extents);
	fs->sorted = true;
	for (; fs->n_written < fs->n_records; fs->n_written++) {
		e = &fs->extents[fs->n_written];
		if (file != NULL && strcmp(e->file, file) > 0)
			return;
		buf_add(filter_out(fs->filter), fs->records.data + e->start,
		    e->end - e->start);
		filter_emit(fs->filter);
	}
}

void
findings_add_sorted(struct findings *fs, const struct finding *f)
{
	count_finding(fs, f);
	if (fs->filter->text)
		return;
	write_sorted(fs, f->file);
	put_record(filter_out(fs->filter), f);
	filter_emit(fs->filter);
}

static void
put_totals(struct buf *b, const struct findings *fs, const struct totals *t)
{
	json_begin(b, "fsck");
	json_uint(b, "indexes", t->indexes);
	json_uint(b, "entries", t->entries);
	json_uint(b, "objects", t->objects);
	json_uint(b, "size_bytes", t->bytes);
	json_open(b, "findings", '{');
	for (int i = 0; i < N_KINDS; i++)
		json_count(b, kinds[i].name, fs->counts[i]);
	json_close(b, '}');
	json_count(b, "repaired", fs->n_repaired);
	json_count(b, "removed", fs->n_removed);
	json_end(b);
}

static void
put_report(struct buf *b, const struct findings *fs, const char *store,
    const struct totals *t)
{
	struct buf text = { 0 };
	bool is_valid = true;
	size_t from;

	report_count(&text, t->indexes, "index, ", "indexes, ");
	report_count(&text, t->entries, "entry, ", "entries, ");
	report_count(&text, t->objects, "object, ", "objects, ");
	report_bytes(&text, (int64_t)t->bytes);
	report_heading(b, "Store: %s", buf_cstr(&text));
	buf_release(&text);
	from = b->len;
	report_text(b, span_str(store));
	report_item(b, from, 1);

	for (int i = 0; i < N_KINDS; i++) {
		if (fs->counts[i] == 0)
			continue;
		from = b->len;
		report_count(b, fs->counts[i], kinds[i].one, kinds[i].many);
		if (i >= FIRST_HARMLESS) {
			buf_str(b, " (harmless)");
			report_item(b, from, 1);
		} else {
			report_failed_item(b, from);
			is_valid = false;
		}
		buf_add(b, fs->lines[i].data, fs->lines[i].len);
		from = b->len;
		if (fs->counts[i] > LINES_MAX) {
			buf_printf(b, "and %zu more", fs->counts[i] -
			    LINES_MAX);
			report_item(b, from, 2);
		}
	}

	from = b->len;
	if (is_valid) {
		buf_str(b, "All registered profiles are valid.");
		report_item(b, from, 1);
	}
}

void
findings_end(struct findings *fs, const char *store, const struct totals *t)
{
	write_sorted(fs, NULL);
	if (fs->filter->text)
		put_report(filter_out(fs->filter), fs, store, t);
	else
		put_totals(filter_out(fs->filter), fs, t);
	filter_emit(fs->filter);
}
