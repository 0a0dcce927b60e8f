/* pidx-rm - removes profiles from the indexes of a Perun store */

#include <stdlib.h>
#include <string.h>

#include "common/base/err.h"
#include "common/base/hex.h"
#include "common/base/sort.h"
#include "common/filter/expect.h"
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
	.examples = {
	    "pidx-rm sort.perf",
	    "vcs-log | pidx-read --workload small | pidx-rm",
	},
	.reads = "entry, profile and pending records",
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

/* What entries are removed from: an index, or the pending profiles. */
struct target {
	const unsigned char *version;	/* of the index; NULL: pending */
	struct pidx index;
	struct pending pending;
	struct pidx *entries;	/* of either */
	bool *removed;		/* by entry: the caller marks it */
};

/*
 * Locks the store and reads the index of a version, the id of a commit, or the
 * pending profiles if it is NULL.  False, with a report, if the index cannot be
 * read.  In either case, the caller closes the target.
 */
static bool
open_target(struct filter *f, const unsigned char *version, struct target *t)
{
	bool ok = true;

	*t = (struct target){ .version = version, .entries = &t->index };
	store_lock(&job.perun.store, STORE_INDEX);
	if (version == NULL) {
		pending_read(&t->pending, &job.perun.store);
		t->entries = &t->pending.index;
	} else if (layout_read_index(&job.perun, version, &job.old_index,
	    &t->index, &job.why) == STORE_FAILED) {
		filter_fail(f, "%s; nothing was removed from it (see pidx-fsck "
		    "--repair)", job.why.data);
		ok = false;
	}
	t->removed = mem_zero(t->entries->n, sizeof *t->removed);
	return ok;
}

static void
close_target(struct target *t)
{
	store_unlock(&job.perun.store, STORE_INDEX);
	free(t->removed);
	if (t->version == NULL)
		pending_release(&t->pending);
	else
		pidx_release(&t->index);
}

static void
remove_marked(struct filter *f, const struct target *t)
{
	const struct pidx_entry *e = t->entries->entries;
	bool is_pending = t->version == NULL;
	struct pidx kept = { .layout = t->index.layout };
	struct buf *b;

	kept.entries = mem_resize(NULL, t->index.n, sizeof *kept.entries);
	for (size_t i = 0; i < t->index.n; i++)
		if (!t->removed[i])
			kept.entries[kept.n++] = t->index.entries[i];
	if (kept.n < t->index.n) {
		job.new_index.len = 0;
		pidx_serialize(&kept, &job.new_index);
		store_replace(&job.perun.store, t->version,
		    buf_span(&job.new_index));
	}
	pidx_release(&kept);

	for (size_t i = 0; i < t->entries->n; i++, e++) {
		if (!t->removed[i])
			continue;
		if (is_pending)
			pending_remove(&job.perun.store, e->path.p);
		b = filter_begin_record(f, is_pending ? "pending" : "entry");
		if (is_pending)
			json_str(b, "path", e->path);
		else
			entry_put(b, t->version, e);
		json_true(b, "removed");
		filter_end_record(f);
	}
}

/* --- entries selected by operands ---------------------------------------- */

/* Marks the entries that a selector matches; reports if there are none. */
static void
mark_selected(struct filter *f, const struct selector *sel, struct target *t)
{
	struct selection one = { .selectors = sel, .n_selectors = 1 };
	size_t n = t->entries->n;
	bool *found = mem_resize(NULL, n, sizeof *found), any = false;
	const struct selector *missing;

	select_entries(&one, &job.order, t->entries, t->version == NULL, found,
	    &missing);
	for (size_t i = 0; i < n; i++) {
		t->removed[i] |= found[i];
		any |= found[i];
	}
	if (!any)
		filter_fail(f, "there is no profile %.*s among %zu",
		    SPAN_ARG(sel->text), n);
	free(found);
}

/* Removes what those of the selectors match that are for this target. */
static void
remove_selected(struct filter *f, const unsigned char *version,
    const struct selector *list, size_t n)
{
	struct target t;

	if (open_target(f, version, &t)) {
		for (size_t i = 0; i < n; i++)
			if ((list[i].kind == SELECTOR_PENDING) ==
			    (version == NULL))
				mark_selected(f, &list[i], &t);
		remove_marked(f, &t);
	}
	close_target(&t);
}

/*
 * All entries of an index are selected before any is removed, so the operands
 * 0@i and 1@i remove the first two.
 */
static void
remove_operands(struct filter *f, const char *operand)
{
	const char *why, *name = opt.commit != NULL ? opt.commit : "HEAD";
	unsigned char version[STORE_NAME_SIZE];
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
	if (any_registered &&
	    !perun_resolve_version(&job.perun, name, version, &why))
		die("'%s' does not name a commit: %s", name, why);
	if (any_registered)
		remove_selected(f, version, list, n);
	if (any_pending)
		remove_selected(f, NULL, list, n);
	free(list);
}

/* --- entries read from standard input ------------------------------------ */

static void
add_request(struct filter *f, const struct rec *r)
{
	struct request new = { .is_pending = rec_is(r, "pending") };
	struct span version, object, path;
	int64_t time = 0;

	if (!new.is_pending && (rec_str(r, VERSION, &version) != REC_OK ||
	    !store_parse_id(version, new.version) ||
	    rec_str(r, OBJECT, &object) != REC_OK ||
	    !hex_decode(object, new.entry.object, PIDX_SHA_SIZE))) {
		filter_reject(f, "minor_version or object is not 40 hex "
		    "digits, or HEAD");
		return;
	}
	if (!new.is_pending && (rec_int(r, TIME, &time) != REC_OK ||
	    time < 0 || time > UINT32_MAX)) {
		filter_reject(f, "an entry has no valid time");
		return;
	}
	if (rec_str(r, PATH, &path) != REC_OK) {
		filter_reject(f, "it has no path");
		return;
	}
	new.entry.time = (uint32_t)time;
	new.entry.path = arena_span(&job.arena, path);
	job.requests = mem_grow(job.requests, &job.cap, job.n_requests + 1,
	    sizeof *job.requests);
	job.requests[job.n_requests++] = new;
}

static int
compare_requests(const void *a, const void *b)
{
	const struct request *x = a, *y = b;
	return memcmp(x->version, y->version, STORE_NAME_SIZE) ?:
	    pidx_compare_object(&x->entry, &y->entry);
}

/*
 * Marks the entries that n requests name, which are sorted and belong to the
 * target; reports those that it does not have.
 */
static void
mark_requested(struct filter *f, struct request *requests, size_t n,
    struct target *t)
{
	struct request key = requests[0], *found;

	for (size_t i = 0; i < t->entries->n; i++) {
		if (key.is_pending)
			key.entry.path = t->entries->entries[i].path;
		else
			key.entry = t->entries->entries[i];
		found = bsearch(&key, requests, n, sizeof *requests,
		    compare_requests);
		t->removed[i] = found != NULL;
		if (found != NULL)
			found->found = true;
	}
	for (size_t i = 0; i < n; i++)
		if (!requests[i].found)
			filter_fail(f, "there is no such %s '%.*s'",
			    key.is_pending ? "pending profile" : "entry",
			    SPAN_ARG(requests[i].entry.path));
}

static void
remove_records(struct filter *f)
{
	struct expect expect = { 0 };
	const struct rec *r;
	struct request *list;
	struct target t;
	size_t n = 0, next;

	while ((r = filter_next(f)) != NULL)
		if (rec_is(r, "entry") || rec_is(r, "profile") ||
		    rec_is(r, "pending")) {
			expect.came = true;
			add_request(f, r);
		} else if (rec_is(r, "version")) {
			/* They come alone if no commit has a profile. */
			expect.came = true;
		} else {
			expect_other(&expect, f, r);
		}
	expect_end(&expect, f, "entry", "the output of pidx-read");
	if (f->truncated)	/* all requests or none */
		job.n_requests = 0;

	list = job.requests;
	sort(list, job.n_requests, sizeof *list, compare_requests);
	/* Without duplicates, of which the second would not be found. */
	for (size_t i = 0; i < job.n_requests; i++)
		if (n == 0 || compare_requests(&list[i], &list[n - 1]) != 0)
			list[n++] = list[i];
	/* The requests of one index at a time, or the pending profiles. */
	for (size_t i = 0; i < n; i = next) {
		for (next = i + 1; next < n; next++)
			if (memcmp(list[next].version, list[i].version,
			    STORE_NAME_SIZE) != 0)
				break;
		if (open_target(f, list[i].is_pending ? NULL :
		    list[i].version, &t)) {
			mark_requested(f, &list[i], next - i, &t);
			remove_marked(f, &t);
		}
		close_target(&t);
	}
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
	perun_close(&job.perun);
	return filter_end(&f);
}
