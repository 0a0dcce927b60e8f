/* pidx-rm - removes profiles from the indexes of a Perun store */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/err.h"
#include "common/base/hex.h"
#include "common/base/sort.h"
#include "common/filter/filter-read.h"
#include "common/filter/filter-reject.h"
#include "common/filter/filter.h"
#include "common/perun/entry.h"
#include "common/perun/layout.h"
#include "common/perun/pending.h"
#include "common/perun/select.h"

static struct {
	const char *directory, *commit;
} opt;

static const struct opt options[] = {
	{ 'C', "directory", OPT_STR, &opt.directory, "DIR",
	    "the store is in DIR or above (.)", 0, 0 },
	{ 'c', "commit", OPT_STR, &opt.commit, "REV",
	    "from the index of REV (HEAD)", 0, 0 },
	{ 0 }
};
#define ENTRY_KEYS(K)							\
	K(VERSION, "minor_version") K(PATH, "path") K(TIME, "time")	\
	K(OBJECT, "object")
KEY_LIST(keys, ENTRY_KEYS);

static const struct about about = {
	.operands = "[what ...]",
	.purpose = "Removes from the index of a commit the entries that "
	    "pidx-read --find selects, or\nthe entries on standard input, and "
	    "writes an entry record for each.",
	.reads = "entry and pending records",
	.keys = keys,
};

/* An entry or a pending profile to be removed, from standard input. */
struct request {
	bool is_pending;
	unsigned char version[STORE_NAME_SIZE];	/* the commit of the index, or
						   zeros if it is pending */
	struct pidx_entry entry;	/* of a pending one only the path */
	bool found;		/* the index has it */
};

static struct {
	struct perun perun;
	struct order order;		/* in which 3@i counts */
	struct buf old_index, new_index;	/* bytes of index files */
	struct buf why;			/* why an index cannot be read */
	struct request *requests;
	size_t n_requests, cap;
	struct arena arena;		/* the texts of the requests */
} job;

/*
 * Locks the store and reads the index of a version, the id of a commit.  False,
 * with a report, if the index cannot be read.  In either case, the caller
 * unlocks the store and releases the index.
 */
static bool
lock_index(struct filter *f, const unsigned char *version,
    struct pidx *index)
{
	store_lock(&job.perun.store, STORE_INDEX);
	if (layout_read_index(&job.perun, version, &job.old_index, index,
	    &job.why) != STORE_FAILED)
		return true;
	filter_fail(f, "%s; nothing was removed from it (see pidx-fsck "
	    "--repair)", job.why.data);
	return false;
}

/*
 * Writes the index again without the entries for which removed[i] is true, if
 * there are any, and then a record for each of these entries.
 */
static void
remove_entries(struct filter *f, const unsigned char *version,
    struct pidx *index, const bool *removed)
{
	struct pidx kept = { .layout = index->layout };
	struct buf *b;

	kept.entries = mem_resize(NULL, index->n, sizeof *kept.entries);
	for (size_t i = 0; i < index->n; i++)
		if (!removed[i])
			kept.entries[kept.n++] = index->entries[i];
	job.new_index.len = 0;
	pidx_serialize(&kept, &job.new_index);
	if (kept.n < index->n)
		store_replace(&job.perun.store, version,
		    buf_span(&job.new_index));
	for (size_t i = 0; i < index->n; i++) {
		if (!removed[i])
			continue;
		b = filter_begin_record(f, "entry");
		entry_put(b, version, &index->entries[i]);
		json_true(b, "removed");
		filter_end_record(f);
	}
	pidx_release(&kept);
}

/*
 * Locks the store and reads the pending profiles.  Returns an array in which
 * the caller marks those that remove_pending() is to remove.
 */
static bool *
lock_pending(struct pending *p)
{
	store_lock(&job.perun.store, STORE_INDEX);
	pending_read(p, &job.perun.store);
	return mem_zero(p->index.n, sizeof(bool));
}

/*
 * Removes the files of the marked profiles, with a record for each, releases
 * both and unlocks the store.
 */
static void
remove_pending(struct filter *f, struct pending *p, bool *removed)
{
	const char *name;
	struct buf *b;

	for (size_t i = 0; i < p->index.n; i++) {
		name = p->index.entries[i].path.p;
		if (removed[i] && pending_remove(&job.perun.store, name)) {
			b = filter_begin_record(f, "pending");
			json_cstr(b, "path", name);
			json_true(b, "removed");
			filter_end_record(f);
		} else if (removed[i]) {
			filter_fail(f, "cannot remove the pending profile "
			    "'%s': %s", name, strerror(errno));
		}
	}
	store_unlock(&job.perun.store, STORE_INDEX);
	free(removed);
	pending_release(p);
}

/* --- entries selected by operands ---------------------------------------- */

/*
 * Sets removed[i] to true for the entries that a selector matches; if there are
 * none, reports that.
 */
static void
mark_selected(struct filter *f, const struct selector *sel,
    const struct pidx *index, bool *removed)
{
	struct selection one = { .selectors = sel, .n_selectors = 1 };
	bool *found = mem_resize(NULL, index->n, sizeof *found);
	bool pending = sel->kind == SELECTOR_PENDING, any = false;
	const struct selector *missing;

	select_entries(&one, &job.order, index, pending, found, &missing);
	for (size_t i = 0; i < index->n; i++) {
		removed[i] |= found[i];
		any |= found[i];
	}
	if (!any)
		filter_fail(f, "there is no profile %.*s among %zu",
		    SPAN_ARG(sel->text), index->n);
	free(found);
}

/* Removes the entries of one index that the selectors match. */
static void
remove_selected(struct filter *f, const struct selector *list, size_t n)
{
	const char *why, *name = opt.commit != NULL ? opt.commit : "HEAD";
	unsigned char version[STORE_NAME_SIZE];
	struct pidx index;
	bool *removed;

	if (!perun_resolve_version(&job.perun, name, version, &why))
		die("'%s' does not name a commit: %s", name, why);
	if (lock_index(f, version, &index)) {
		removed = mem_zero(index.n, sizeof *removed);
		for (size_t i = 0; i < n; i++)
			if (list[i].kind != SELECTOR_PENDING)
				mark_selected(f, &list[i], &index, removed);
		remove_entries(f, version, &index, removed);
		free(removed);
	}
	store_unlock(&job.perun.store, STORE_INDEX);
	pidx_release(&index);
}

/* Removes the pending profiles that the selectors match. */
static void
remove_selected_pending(struct filter *f, const struct selector *list, size_t n)
{
	struct pending p;
	bool *removed = lock_pending(&p);

	for (size_t i = 0; i < n; i++)
		if (list[i].kind == SELECTOR_PENDING)
			mark_selected(f, &list[i], &p.index, removed);
	remove_pending(f, &p, removed);
}

/*
 * All entries of an index are selected before any is removed, so the operands
 * 0@i and 1@i remove the first two.
 */
static void
remove_operands(struct filter *f, const char *operand)
{
	bool any_pending = false, any_registered = false;
	struct selector *list = NULL;
	size_t n = 0, cap = 0;

	order_load(&job.order, &job.perun.config, NULL);
	for (; operand != NULL; operand = filter_operand(f)) {
		list = mem_grow(list, &cap, n + 1, sizeof *list);
		if (!selector_parse(&list[n], operand))
			die("'%s' is not a range such as 0@i-4@i", operand);
		any_pending |= list[n].kind == SELECTOR_PENDING;
		any_registered |= list[n++].kind != SELECTOR_PENDING;
	}
	if (any_registered)
		remove_selected(f, list, n);
	if (any_pending)
		remove_selected_pending(f, list, n);
	free(list);
}

/* --- entries read from standard input ------------------------------------ */

/* Sets the commit, object and time of a request; false if one is not valid. */
static bool
parse_entry(struct filter *f, const struct rec *r, struct request *new)
{
	struct span version, object;
	int64_t time;

	if (rec_str(r, VERSION, &version) != REC_OK ||
	    !store_parse_id(version, new->version) ||
	    rec_str(r, OBJECT, &object) != REC_OK ||
	    !hex_decode(object, new->entry.object, PIDX_SHA_SIZE)) {
		filter_reject(f, "minor_version or object is not 40 hex "
		    "digits, or HEAD");
		return false;
	}
	if (rec_int(r, TIME, &time) != REC_OK || time < 0 ||
	    time > UINT32_MAX) {
		filter_reject(f, "an entry has no valid time");
		return false;
	}
	new->entry.time = (uint32_t)time;
	return true;
}

static void
add_request(struct filter *f, const struct rec *r)
{
	struct request new = { .is_pending = rec_is(r, "pending") };
	struct span path;

	if (!new.is_pending && !parse_entry(f, r, &new))
		return;
	if (rec_str(r, PATH, &path) != REC_OK) {
		filter_reject(f, "it has no path");
		return;
	}
	new.entry.path = arena_span(&job.arena, path);
	job.requests = mem_grow(job.requests, &job.cap, job.n_requests + 1,
	    sizeof *job.requests);
	job.requests[job.n_requests++] = new;
}

static int
compare_requests(const void *a, const void *b)
{
	const struct request *x = a, *y = b;
	int order = memcmp(x->version, y->version, STORE_NAME_SIZE);

	return order != 0 ? order : pidx_compare_object(&x->entry, &y->entry);
}

/*
 * Sets removed[i] to true for the entries that n requests name, which are
 * sorted and belong to one index; reports those that it does not have.
 */
static void
mark_requested(struct filter *f, struct request *requests, size_t n,
    const struct pidx *index, bool *removed)
{
	struct request key = requests[0], *found;

	for (size_t i = 0; i < index->n; i++) {
		if (key.is_pending)
			key.entry.path = index->entries[i].path;
		else
			key.entry = index->entries[i];
		found = bsearch(&key, requests, n, sizeof *requests,
		    compare_requests);
		removed[i] = found != NULL;
		if (found != NULL)
			found->found = true;
	}
	for (size_t i = 0; i < n; i++)
		if (!requests[i].found)
			filter_fail(f, "there is no such %s '%.*s'",
			    key.is_pending ? "pending profile" : "entry",
			    SPAN_ARG(requests[i].entry.path));
}

/* Removes what n requests name: entries of one index, or pending profiles. */
static void
remove_requested(struct filter *f, struct request *requests, size_t n)
{
	struct pending p;
	struct pidx index;
	bool *removed;

	if (requests[0].is_pending) {
		removed = lock_pending(&p);
		mark_requested(f, requests, n, &p.index, removed);
		remove_pending(f, &p, removed);
		return;
	}
	if (lock_index(f, requests[0].version, &index)) {
		removed = mem_zero(index.n, sizeof *removed);
		mark_requested(f, requests, n, &index, removed);
		remove_entries(f, requests[0].version, &index, removed);
		free(removed);
	}
	store_unlock(&job.perun.store, STORE_INDEX);
	pidx_release(&index);
}

static void
remove_records(struct filter *f)
{
	const struct rec *r;
	size_t n = 0, next;

	while ((r = filter_next(f)) != NULL)
		if (rec_is(r, "entry") || rec_is(r, "pending"))
			add_request(f, r);
	if (f->truncated)	/* all requests or none */
		job.n_requests = 0;

	sort(job.requests, job.n_requests, sizeof *job.requests,
	    compare_requests);
	/* Without duplicates, of which the second would not be found. */
	for (size_t i = 0; i < job.n_requests; i++)
		if (n == 0 || compare_requests(&job.requests[i],
		    &job.requests[n - 1]) != 0)
			job.requests[n++] = job.requests[i];
	for (size_t first = 0; first < n; first = next) {
		for (next = first + 1; next < n; next++)
			if (memcmp(job.requests[next].version,
			    job.requests[first].version, STORE_NAME_SIZE) != 0)
				break;
		remove_requested(f, &job.requests[first], next - first);
	}
	free(job.requests);
	arena_release(&job.arena);
}

int
main(int argc, char **argv)
{
	struct filter f;
	const char *operand;

	filter_begin(&f, &about, options, argc, argv);
	perun_open(&job.perun, opt.directory);
	operand = filter_operand(&f);
	if (operand != NULL)
		remove_operands(&f, operand);
	else if (opt.commit != NULL)
		die("--commit '%s' needs operands: the records on standard "
		    "input name their commits themselves", opt.commit);
	else
		remove_records(&f);
	buf_release(&job.old_index);
	buf_release(&job.new_index);
	buf_release(&job.why);
	perun_close(&job.perun);
	return filter_end(&f);
}
