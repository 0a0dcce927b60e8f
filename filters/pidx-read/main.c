/* pidx-read - lists and extracts the profiles of a Perun store */

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/err.h"
#include "common/base/hex.h"
#include "common/base/num.h"
#include "common/filter/expect.h"
#include "common/filter/filter-read.h"
#include "common/filter/filter-reject.h"
#include "common/filter/filter.h"
#include "common/json/nonfinite.h"
#include "common/perun/entry.h"
#include "common/perun/layout.h"
#include "common/perun/object.h"
#include "common/perun/pending.h"
#include "common/perun/profile.h"
#include "common/perun/select.h"
#include "common/report/report.h"
#include "filters/pidx-read/format.h"

static struct {
	const char *directory, *format, *config, *sort;
	struct opt_list find;
	struct selection selection;
	bool profiles, pending;
} opt = { .directory = "." };

static const struct opt options[] = {
	{ 'C', "directory", OPT_STR, &opt.directory, "DIR",
	    "the store is in DIR or above (.)", 0, 0 },
	{ 'f', "find", OPT_LIST, &opt.find, "WHAT",
	    "only 3@i, 0@i-4@i, a name or an object", 0, 0 },
	{ 't', "type", OPT_STR, &opt.selection.strings[PIDX_TYPE], "TYPE",
	    "only of this type", 0, 0 },
	{ 'b', "cmd", OPT_STR, &opt.selection.strings[PIDX_CMD], "CMD",
	    "only with this command", 0, 0 },
	{ 'w', "workload", OPT_STR, &opt.selection.strings[PIDX_WORKLOAD],
	    "WORKLOAD", "only with this workload", 0, 0 },
	{ 'c', "collector", OPT_STR, &opt.selection.strings[PIDX_COLLECTOR],
	    "NAME", "only by this collector", 0, 0 },
	{ 'P', "pending", OPT_FLAG, &opt.pending, NULL,
	    "list the pending profiles instead", 0, 0 },
	{ 's', "sort", OPT_STR, &opt.sort, "KEYS",
	    "the order in which 3@i counts: time:asc,cmd", 0, 0 },
	{ 'p', "profiles", OPT_FLAG, &opt.profiles, NULL,
	    "write profile records, with the profiles", 0, 0 },
	{ 'F', "format", OPT_STR, &opt.format, "FORMAT",
	    "write lines such as '%time% %cmd%'", 0, 0 },
	{ 0, "config", OPT_STR, &opt.config, "KEY",
	    "write only a setting of the store", 0, 0 },
	{ 0 }
};
#define VERSION_KEYS(K) K(ID, "id") K(KIND, "kind")
KEY_LIST(version_keys, VERSION_KEYS);

static enum output_kind
choose_output(void)
{
	return opt.format != NULL ? OUTPUT_TEXT : OUTPUT_RECORDS;
}

static const struct about about = {
	.operands = "[revision ...]",
	.purpose = "Writes an entry record for every profile that is "
	    "registered with the commits, or\nwith those of version records "
	    "on standard input, or else with HEAD.",
	.examples = {
	    "pidx-read HEAD",
	    "vcs-log | pidx-read --workload big --profiles",
	},
	.keys = version_keys,
	.reports = true,
	.output = choose_output,
};

static struct {
	struct perun perun;
	struct order order;
	bool reads_pending;		/* the pending profiles */
	bool reads_indexes;
	struct buf index_bytes;
	struct buf why;			/* why an index cannot be read */
	struct buf packed;		/* contents of the object's file */
	struct object object;
	struct buf named, places;	/* see put_profile() */
	struct profile profile;		/* of the object */
	bool *selected;			/* by entry of the current index */
	size_t selected_cap, n_selected;
	bool has_printed;		/* a table */
} job;

/*
 * Parses the selectors (select.h) and the sort key.  The selectors determine
 * what is read: for 3@p, pending profiles; for any other selector, or without
 * any, indexes or, with --pending, pending profiles.
 */
static void
prepare_selection(void)
{
	struct selector *list = mem_resize(NULL, opt.find.n, sizeof *list);

	job.reads_pending = opt.pending;
	job.reads_indexes = !opt.pending && opt.find.n == 0;
	for (size_t i = 0; i < opt.find.n; i++) {
		if (!selector_parse(&list[i], opt.find.values[i]))
			die("'%s' is not a range such as 0@i-4@i",
			    opt.find.values[i]);
		if (list[i].kind == SELECTOR_PENDING)
			job.reads_pending = true;
		else
			job.reads_indexes = !opt.pending;
	}
	opt.selection.selectors = list;
	opt.selection.n_selectors = opt.find.n;
	order_load(&job.order, &job.perun.config, opt.sort);
}

/* Reads and verifies the object of an entry; reports a failure. */
static bool
read_object(struct filter *f, const struct pidx_entry *e)
{
	char hex[2 * STORE_NAME_SIZE + 1];
	const char *why;

	if (perun_read_object(&job.perun.store, e->object, &job.packed,
	    &job.object, &why))
		return true;
	hex_encode(hex, e->object, STORE_NAME_SIZE);
	filter_fail(f, "cannot read the object %s of '%.*s': %s", hex,
	    SPAN_ARG(e->path), why);
	return false;
}

/*
 * Appends a profile, which may have numbers that JSON has not.  A reader of
 * records finds names instead, and their places beside them.
 */
static void
put_profile(struct buf *b, struct span profile)
{
	job.places.len = 0;
	json_raw(b, "profile", nonfinite_name(&job.named, profile,
	    &job.places));
	if (job.places.len > 0)
		json_raw(b, "non_finite", buf_span(&job.places));
}

static void
emit_entry(struct filter *f, const unsigned char *version,
    struct pidx_entry *e)
{
	struct span names = e->strings[PIDX_POSTPROCESSORS];
	const char *why;
	struct buf *b;

	/*
	 * An index has only the names joined by spaces, the profile each, which
	 * counts if it has the same names.
	 */
	if (e->postprocessors.p == NULL && names.n > 0 &&
	    memchr(names.p, ' ', names.n) != NULL &&
	    perun_read_object(&job.perun.store, e->object, &job.packed,
	    &job.object, &why) &&
	    profile_describe(&job.profile, job.object.body, &why) &&
	    span_compare(buf_span(&job.profile.postprocessors), names) == 0)
		e->postprocessors = buf_span(&job.profile.names);
	if (opt.profiles && !read_object(f, e))
		return;
	b = filter_begin_record(f, opt.profiles ? "profile" : "entry");
	entry_put(b, version, e);
	if (opt.profiles)
		put_profile(b, job.object.body);
	filter_end_record(f);
}

/* Writes the pending profile p->index.entries[i]. */
static void
emit_pending(struct filter *f, struct pending *p, size_t i)
{
	const struct pidx_entry *e = &p->index.entries[i];
	struct span document;
	struct buf *b;
	const char *why;

	if (opt.profiles && !pending_document(p, e->path.p, &document, &why)) {
		filter_fail(f, "the pending profile '%s' can no longer be "
		    "read: %s", e->path.p, why);
		return;
	}
	b = filter_begin_record(f, opt.profiles ? "profile" : "pending");
	json_text(b, "minor_version", p->origins[i]);
	json_str(b, "path", e->path);
	json_int(b, "time", e->time);
	entry_put_strings(b, e);
	if (opt.profiles)
		put_profile(b, document);
	filter_end_record(f);
}

/* version is NULL for the pending profiles. */
static void
print_table(struct filter *f, const struct pidx *p,
    const unsigned char *version)
{
	const char *profiles = plural(job.n_selected, "profile", "profiles");
	struct buf *b = filter_out(f);
	char id[STORE_ID_SIZE];

	if (job.n_selected == 0)
		return;
	if (job.has_printed)
		report_blank(b);
	job.has_printed = true;
	if (version == NULL) {
		report_heading(b, "%zu pending %s", job.n_selected, profiles);
	} else {
		store_id(id, version);
		report_heading(b, "%zu %s of %s", job.n_selected, profiles, id);
	}
	format_table(b, p, &job.order, version == NULL, job.selected);
	filter_emit(f);
}

/* pending is NULL for an index, and version for the pending profiles. */
static void
write_selected(struct filter *f, struct pidx *index,
    const unsigned char *version, struct pending *pending)
{
	const struct selector *missing;

	job.selected = mem_grow(job.selected, &job.selected_cap, index->n,
	    sizeof *job.selected);
	if (!select_entries(&opt.selection, &job.order, index, pending != NULL,
	    job.selected, &missing))
		filter_fail(f, "there is no profile %.*s among %zu",
		    SPAN_ARG(missing->text), index->n);
	job.n_selected = 0;
	for (size_t i = 0; i < index->n; i++)
		job.n_selected += job.selected[i];

	if (f->text)
		print_table(f, index, version);
	for (size_t i = 0; !f->text && i < index->n; i++) {
		if (!job.selected[i])
			continue;
		if (opt.format != NULL) {
			format_entry(filter_out(f), opt.format,
			    &index->entries[i]);
			filter_emit(f);
		} else if (pending != NULL) {
			emit_pending(f, pending, i);
		} else {
			emit_entry(f, version, &index->entries[i]);
		}
	}
}

static void
read_index(struct filter *f, const unsigned char *version)
{
	struct arena arena = { 0 };
	struct pidx index;
	struct pidx_entry *e;
	const char *why;

	if (layout_read_index(&job.perun, version, &job.index_bytes,
	    &index, &job.why) == STORE_FAILED)
		filter_fail(f, "%s", job.why.data);
	/* Even after an error, the index has the entries before the damage. */
	for (size_t i = 0; index.layout == PIDX_1 && i < index.n; i++) {
		/* Only the profile has the strings. */
		e = &index.entries[i];
		if (!read_object(f, e))
			continue;
		if (profile_describe(&job.profile, job.object.body, &why))
			profile_strings(&job.profile, &arena, e);
		else
			filter_fail(f, "the object of '%.*s' is not a profile: "
			    "%s", SPAN_ARG(e->path), why);
	}

	write_selected(f, &index, version, NULL);
	pidx_release(&index);
	arena_release(&arena);
}

static void
read_pending(struct filter *f)
{
	struct pending p;

	pending_read(&p, &job.perun.store);
	for (size_t i = 0; i < p.n_errors; i++)
		filter_fail(f, "the pending file '%s' is not a profile: %s",
		    p.errors[i].name, p.errors[i].why);
	write_selected(f, &p.index, NULL, &p);
	pending_release(&p);
}

/*
 * Reads the index of a commit.  If the name is an annotated tag that has an
 * index of its own, reads that index, after the commit's if there is one.
 */
static void
read_revision(struct filter *f, const char *name)
{
	const struct store *s = &job.perun.store;
	unsigned char version[STORE_NAME_SIZE], tag[STORE_NAME_SIZE];
	const char *why;
	bool is_tag;

	if (!perun_resolve_version(&job.perun, name, version, &why)) {
		filter_fail(f, "'%s' does not name a commit: %s", name, why);
		return;
	}
	is_tag = perun_resolve_tag(&job.perun, name, tag) &&
	    store_mtime(s, tag, NULL);
	if (!is_tag || store_mtime(s, version, NULL))
		read_index(f, version);
	if (is_tag)
		read_index(f, tag);
}

/*
 * The commit that a record of one of the filters of the version control names;
 * false if it names none, or is rejected.
 */
static bool
find_commit(struct filter *f, const struct rec *r, unsigned char *version)
{
	struct span id, kind;

	if (rec_is(r, "resolved") && rec_str(r, KIND, &kind) == REC_OK &&
	    !span_eq(kind, "commit") && !span_eq(kind, "tag")) {
		filter_reject(f, "it names a %.*s, not a commit",
		    SPAN_ARG(kind));
		return false;
	}
	/* A branch without a commit */
	if (rec_is(r, "head") && rec_get(r, ID) == NULL)
		return false;
	if (rec_str(r, ID, &id) == REC_OK && store_parse_id(id, version))
		return true;
	filter_reject(f, "the id of a version is neither 40 hex digits nor "
	    "HEAD");
	return false;
}

static void
read_version_records(struct filter *f)
{
	unsigned char version[STORE_NAME_SIZE];
	struct expect expect = { 0 };
	const struct rec *r;

	while ((r = filter_next(f)) != NULL) {
		if (!rec_is(r, "version") && !rec_is(r, "head") &&
		    !rec_is(r, "resolved")) {
			expect_other(&expect, f, r);
			continue;
		}
		expect.came = true;
		if (!find_commit(f, r, version))
			continue;
		/* perf-diff --history needs to know which commits there are
		   and how they follow each other. */
		if (opt.profiles && rec_is(r, "version")) {
			buf_add(filter_out(f), f->current.p, f->current.n);
			buf_char(filter_out(f), '\n');
			filter_emit(f);
		}
		read_index(f, version);
	}
	expect_end(&expect, f, "version", "the output of vcs-log");
}

static void
write_setting(struct filter *f)
{
	const struct config_value *v = config_find(&job.perun.config,
	    opt.config);
	struct buf *b;

	if (v == NULL)
		die("neither local.yml nor shared.yml has '%s'", opt.config);
	b = filter_begin_record(f, "setting");
	json_cstr(b, "key", opt.config);
	json_key(b, "value");
	config_put_json(b, v);
	filter_end_record(f);
}

/* Reads the indexes of the operands, of version records, or of HEAD. */
static void
read_indexes(struct filter *f)
{
	const char *name = filter_operand(f);
	struct stat st;
	/* Is standard input a pipe or a regular file, not a terminal? */
	bool has_input = fstat(STDIN_FILENO, &st) == 0 &&
	    (S_ISFIFO(st.st_mode) || S_ISREG(st.st_mode));

	if (name == NULL ? has_input : strcmp(name, "-") == 0)
		read_version_records(f);
	else if (name == NULL)
		read_revision(f, "HEAD");
	else
		for (; name != NULL; name = filter_operand(f))
			read_revision(f, name);
}

int
main(int argc, char **argv)
{
	struct filter f;
	struct buf *b = &f.out.buf;
	size_t from;

	filter_begin(&f, &about, options, argc, argv);
	if (opt.profiles && opt.format != NULL)
		die("--profiles and --format exclude each other");
	if (opt.profiles || opt.format != NULL || opt.config != NULL)
		f.text = false;
	perun_open(&job.perun, opt.directory);
	prepare_selection();
	if ((opt.config != NULL || !job.reads_indexes) &&
	    filter_operand(&f) != NULL)
		die("pending profiles and settings do not belong to a "
		    "revision");
	profile_init(&job.profile);
	if (opt.config != NULL) {
		write_setting(&f);
	} else {
		if (job.reads_pending)
			read_pending(&f);
		if (job.reads_indexes)
			read_indexes(&f);
	}
	if (f.text && !job.has_printed) {
		from = b->len;
		buf_printf(b, "There is no such %sprofile.",
		    job.reads_indexes ? "" : "pending ");
		report_sentence(b, from);
		filter_emit(&f);
	}
	perun_close(&job.perun);
	return filter_end(&f);
}
