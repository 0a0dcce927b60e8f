/* pidx-rm - takes profiles out of the indexes of a Perun store */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/err.h"
#include "common/base/hex.h"
#include "common/base/sort.h"
#include "common/frame/filter.h"
#include "common/perun/entry.h"
#include "common/perun/pending.h"
#include "common/perun/perun.h"
#include "common/perun/select.h"

static struct {
	const char *directory, *commit;
} opt = { .directory = "." };

static const struct opt options[] = {
	{ 'C', "directory", OPT_STR, &opt.directory, "DIR",
	    "the store is in DIR or above (.)", 0, 0 },
	{ 'c', "commit", OPT_STR, &opt.commit, "REV",
	    "from the index of REV (HEAD)", 0, 0 },
	{ 0 }
};

static const char *const keys[] = { "type", "minor_version", "path", "time",
    "object", NULL };
enum { VERSION = KEY_TYPE + 1, PATH, TIME, OBJECT };

static const struct about about = {
	.operands = "[what ...]",
	.purpose = "Takes what pidx-read --find would find out of the index of "
	    "a commit, or else the\nentries that come on standard input, and "
	    "writes an entry record for each.",
	.keys = keys,
};

/* An entry that is to go, from standard input. */
struct wanted {
	unsigned char version[STORE_NAME];
	struct pidx_entry entry;
	bool found;
};

static struct {
	struct perun perun;
	struct order order;
	struct buf bytes, why, packed;
	struct wanted *list;
	size_t n, cap;
	struct arena arena;
} job;

/* The index of a version, which is then locked; a bad one is told of. */
static bool
begin_index(struct filter *f, const unsigned char *version,
    struct pidx *index)
{
	store_lock(&job.perun.store, STORE_INDEX);
	if (perun_index(&job.perun.store, version, &job.bytes, index,
	    &job.why) != STORE_BAD)
		return true;
	filter_fail(f, "%s; nothing was taken out of it (see pidx-fsck "
	    "--repair)", job.why.data);
	return false;
}

/* Writes the index without the entries that are gone, and says which. */
static void
end_index(struct filter *f, const unsigned char *version, struct pidx *index,
    const bool *gone)
{
	struct pidx left = { .layout = index->layout };
	struct buf *b;

	left.entries = mem_resize(NULL, index->n, sizeof *left.entries);
	for (size_t i = 0; i < index->n; i++)
		if (!gone[i])
			left.entries[left.n++] = index->entries[i];
	job.packed.len = 0;
	pidx_write(&left, &job.packed);
	if (left.n < index->n)
		store_replace(&job.perun.store, version,
		    buf_span(&job.packed));
	for (size_t i = 0; i < index->n; i++) {
		if (!gone[i])
			continue;
		b = filter_begin_record(f, "entry");
		entry_put(b, version, &index->entries[i]);
		json_true(b, "removed");
		filter_end_record(f);
	}
	pidx_release(&left);
}

/* --- what the operands find ---------------------------------------------- */

/* Marks what one look-up finds; that it finds nothing is told. */
static void
mark(struct filter *f, const struct look_up *l, const struct pidx *index,
    bool *gone)
{
	struct selection one = { .look_ups = l, .n_look_ups = 1 };
	bool *found = mem_resize(NULL, index->n, sizeof *found);
	bool pending = l->kind == LOOK_PENDING, any = false;
	const struct look_up *missing;

	select_entries(&one, &job.order, index, pending, found, &missing);
	for (size_t i = 0; i < index->n; i++) {
		gone[i] |= found[i];
		any |= found[i];
	}
	if (!any)
		filter_fail(f, "there is no profile %.*s among %zu",
		    SPAN_ARG(l->text), index->n);
	free(found);
}

static void
remove_found(struct filter *f, const struct look_up *list, size_t n)
{
	const char *why, *name = opt.commit != NULL ? opt.commit : "HEAD";
	unsigned char version[STORE_NAME];
	struct pidx index;
	bool *gone;

	if (!perun_version(&job.perun, name, version, &why))
		die("'%s' is no commit: %s", name, why);
	if (begin_index(f, version, &index)) {
		gone = mem_zero(index.n, sizeof *gone);
		for (size_t i = 0; i < n; i++)
			if (list[i].kind != LOOK_PENDING)
				mark(f, &list[i], &index, gone);
		end_index(f, version, &index, gone);
		free(gone);
	}
	store_unlock(&job.perun.store, STORE_INDEX);
	pidx_release(&index);
}

static void
remove_pending(struct filter *f, const char *name)
{
	struct buf *b;

	if (!pending_remove(&job.perun.store, name)) {
		filter_fail(f, "cannot remove the pending '%s': %s", name,
		    strerror(errno));
		return;
	}
	b = filter_begin_record(f, "pending");
	json_cstr(b, "path", name);
	json_true(b, "removed");
	filter_end_record(f);
}

static void
remove_found_pending(struct filter *f, const struct look_up *list, size_t n)
{
	struct pending p;
	bool *gone;

	store_lock(&job.perun.store, STORE_INDEX);
	pending_read(&p, &job.perun.store);
	gone = mem_zero(p.index.n, sizeof *gone);
	for (size_t i = 0; i < n; i++)
		if (list[i].kind == LOOK_PENDING)
			mark(f, &list[i], &p.index, gone);
	for (size_t i = 0; i < p.index.n; i++)
		if (gone[i])
			remove_pending(f, p.index.entries[i].path.p);
	store_unlock(&job.perun.store, STORE_INDEX);
	free(gone);
	pending_release(&p);
}

/* All are found before any goes: 0@i 1@i are the first two. */
static void
remove_operands(struct filter *f, const char *first)
{
	const char *sort = config_string(&job.perun.config,
	    "format.sort_profiles_by");
	bool any_pending = false, any = false;
	struct look_up *list = NULL;
	size_t n = 0, cap = 0;

	if (sort != NULL && !order_read(&job.order, sort))
		die("'%s' is nothing to sort profiles by", sort);
	for (; first != NULL; first = filter_operand(f)) {
		list = mem_grow(list, &cap, n + 1, sizeof *list);
		if (!look_up_read(&list[n], first))
			die("'%s' is no range: 0@i-4@i", first);
		any_pending |= list[n].kind == LOOK_PENDING;
		any |= list[n++].kind != LOOK_PENDING;
	}
	if (any)
		remove_found(f, list, n);
	if (any_pending)
		remove_found_pending(f, list, n);
	free(list);
}

/* --- what comes on standard input ---------------------------------------- */

static void
add_wanted(struct filter *f, const struct rec *r)
{
	struct wanted w = { .found = false };
	struct span version, object, path;
	int64_t time;

	if (rec_str(r, VERSION, &version) != REC_OK ||
	    !hex_decode(version, w.version, STORE_NAME) ||
	    rec_str(r, OBJECT, &object) != REC_OK ||
	    !hex_decode(object, w.entry.object, PIDX_SHA)) {
		filter_reject(f, "minor_version or object is no 40 hex "
		    "digits");
		return;
	}
	if (rec_str(r, PATH, &path) != REC_OK ||
	    rec_int(r, TIME, &time) != REC_OK || time < 0 ||
	    time > UINT32_MAX) {
		filter_reject(f, "an entry without path or time");
		return;
	}
	w.entry.path = arena_span(&job.arena, path);
	w.entry.time = (uint32_t)time;
	job.list = mem_grow(job.list, &job.cap, job.n + 1, sizeof *job.list);
	job.list[job.n++] = w;
}

static int
compare_wanted(const void *a, const void *b)
{
	const struct wanted *x = a, *y = b;
	int order = memcmp(x->version, y->version, STORE_NAME);

	return order != 0 ? order : pidx_compare_object(&x->entry, &y->entry);
}

/* Those of one version, [w, end), which are sorted. */
static void
remove_wanted(struct filter *f, struct wanted *w, struct wanted *end)
{
	struct wanted key, *found, *all = w;
	struct pidx index;
	bool *gone;

	if (begin_index(f, w->version, &index)) {
		gone = mem_zero(index.n, sizeof *gone);
		key = *w;
		for (size_t i = 0; i < index.n; i++) {
			key.entry = index.entries[i];
			found = bsearch(&key, all, (size_t)(end - all),
			    sizeof *all, compare_wanted);
			gone[i] = found != NULL;
			if (found != NULL)
				found->found = true;
		}
		for (; w < end; w++)
			if (!w->found)
				filter_fail(f, "there is no such entry '%.*s'",
				    SPAN_ARG(w->entry.path));
		end_index(f, all->version, &index, gone);
		free(gone);
	}
	store_unlock(&job.perun.store, STORE_INDEX);
	pidx_release(&index);
}

/* Each once, by version. */
static void
sort_wanted(void)
{
	size_t n = 0;

	sort(job.list, job.n, sizeof *job.list, compare_wanted);
	for (size_t i = 0; i < job.n; i++)
		if (n == 0 || compare_wanted(&job.list[i],
		    &job.list[n - 1]) != 0)
			job.list[n++] = job.list[i];
	job.n = n;
}

static void
remove_records(struct filter *f)
{
	const struct rec *r;
	struct wanted *w, *end, *last;

	while ((r = filter_next(f)) != NULL)
		if (rec_is(r, "entry"))
			add_wanted(f, r);
	sort_wanted();
	for (w = job.list, end = w + job.n; w < end; w = last) {
		for (last = w + 1; last < end && memcmp(last->version,
		    w->version, STORE_NAME) == 0; last++)
			;
		remove_wanted(f, w, last);
	}
	free(job.list);
	arena_release(&job.arena);
}

int
main(int argc, char **argv)
{
	struct filter f;
	const char *first;

	filter_begin(&f, &about, options, argc, argv);
	perun_open(&job.perun, opt.directory);
	first = filter_operand(&f);
	if (first != NULL)
		remove_operands(&f, first);
	else if (opt.commit != NULL)
		die("which profiles of '%s'?  On standard input the records "
		    "say their commits", opt.commit);
	else
		remove_records(&f);
	buf_release(&job.bytes);
	buf_release(&job.why);
	buf_release(&job.packed);
	perun_close(&job.perun);
	return filter_end(&f);
}
