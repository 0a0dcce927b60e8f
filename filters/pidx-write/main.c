/* pidx-write - registers profiles with commits in a Perun store */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/base/err.h"
#include "common/base/hex.h"
#include "common/base/num.h"
#include "common/filter/expect.h"
#include "common/filter/filter-read.h"
#include "common/filter/filter-reject.h"
#include "common/filter/filter.h"
#include "common/json/nonfinite.h"
#include "common/json/recio.h"
#include "common/json/scan.h"
#include "common/perun/entry.h"
#include "common/perun/layout.h"
#include "common/perun/pending.h"
#include "common/perun/profile.h"
#include "filters/pidx-write/pidx-write.h"

static struct {
	const char *directory, *commit;
	struct opt_word index_version;
	bool force, pending, from_jobs, keep, unflattened;
} opt = { .index_version = OPT_WORDS(&layout_names[PIDX_1]) };

static const struct opt options[] = {
	{ 'C', "directory", OPT_STR, &opt.directory, "DIR",
	    "the store is in DIR or above (.)", 0, 0 },
	{ 'c', "commit", OPT_STR, &opt.commit, "REV",
	    "register with REV (HEAD)", 0, 0 },
	{ 'f', "force", OPT_FLAG, &opt.force, NULL,
	    "accept profiles with another commit as origin", 0, 0 },
	{ 'p', "pending", OPT_FLAG, &opt.pending, NULL,
	    "do not register: write the profiles to jobs", 0, 0 },
	{ 'j', "from-jobs", OPT_FLAG, &opt.from_jobs, NULL,
	    "register the profiles in jobs and remove them", 0, 0 },
	{ 0, "keep", OPT_FLAG, &opt.keep, NULL,
	    "with --from-jobs, do not remove them", 0, 0 },
	{ 0, "index-version", OPT_WORD, &opt.index_version, "LAYOUT",
	    "of new indexes: 1, 2args, 2 or 2label", 0, 0 },
	{ 0, "unflattened", OPT_FLAG, &opt.unflattened, NULL,
	    "store profiles as Perun before 0.17 did", 0, 0 },
	{ 0 }
};

static const struct about about = {
	.name = "pidx-write",
	.operands = "[file ...]",
	.purpose = "Registers profiles with a commit in a Perun store, and "
	    "writes an entry record\nfor each when all of them are durable.",
	.examples = {
	    "pidx-write sort.perf",
	    "profile-make samples | pidx-write --commit HEAD~1",
	},
	.reads = "profiles",
	.keys = profile_keys,
	.reads_python = true,
};

static struct {
	struct perun perun;
	struct registry registry;
	struct profile profile;
	struct expect expect;		/* whether a profile came */
	struct names names;		/* generates names of profiles */
	struct recio *inner;		/* parses a profile within a record */
	struct buf restored;		/* such a profile */
	unsigned char commit[STORE_NAME_SIZE];	/* for find_version() */
	bool has_commit;		/* `commit` is set */
	time_t now;
	enum pidx_layout new_layout;	/* of --index-version, or 0 */
	struct intern pending;		/* files that --pending has written */
} job;

/* The file that a profile is read from. */
struct profile_file {
	struct span name;	/* base name, or empty if unusable */
	int64_t time;		/* when it was modified, or INT_UNKNOWN */
	struct span job_file;	/* its name in .perun/jobs, or empty */
};

/*
 * If one of the following functions fails, it rejects the profile and returns
 * false.  r is the record that is or contains the profile.
 */

/*
 * The version: --commit, else that of a `profile` record, else the origin of a
 * file in .perun/jobs, else HEAD.
 */
static bool
find_version(struct filter *f, const struct rec *r, unsigned char *version)
{
	const char *why, *commit = opt.commit != NULL ? opt.commit : "HEAD";
	const char *key = NULL;		/* of the member that is used */
	struct span name;
	unsigned char named[STORE_NAME_SIZE];
	char id[STORE_ID_SIZE];

	if (opt.commit == NULL && rec_is(r, "profile") &&
	    rec_str(r, PROFILE_VERSION, &name) == REC_OK)
		key = "minor_version";
	else if (opt.commit == NULL && opt.from_jobs) {
		key = "origin";
		name = job.profile.origin;
	}
	if (key == NULL) {
		if (!job.has_commit && !perun_resolve_version(&job.perun,
		    commit, job.commit, &why))
			die("'%s' does not name a commit: %s", commit, why);
		job.has_commit = true;
		memcpy(version, job.commit, STORE_NAME_SIZE);
		return true;
	}

	if (name.n == 0) {
		filter_reject(f, "it has no %s, so its commit is not known "
		    "(see --commit)", key);
		return false;
	}
	if (!store_parse_id(name, named)) {
		filter_reject(f, "%s is neither 40 hex digits nor HEAD", key);
		return false;
	}
	store_id(id, named);
	if (!perun_resolve_version(&job.perun, id, version, &why))
		filter_reject(f, "%s %s: %s", key, id, why);
	/* HEAD is a version of svs only, not what is checked out here. */
	else if (memcmp(named, store_head, STORE_NAME_SIZE) == 0 &&
	    memcmp(version, named, STORE_NAME_SIZE) != 0)
		filter_reject(f, "%s HEAD: this store has commits", key);
	else
		return true;
	return false;
}

static bool
has_right_origin(struct filter *f, const unsigned char *version)
{
	unsigned char origin[STORE_NAME_SIZE];
	char id[STORE_ID_SIZE];
	struct span text = job.profile.origin;

	if (text.n == 0 || opt.force ||
	    (store_parse_id(text, origin) &&
	    memcmp(origin, version, STORE_NAME_SIZE) == 0))
		return true;
	store_id(id, version);
	filter_reject(f, "its origin is %.*s, not %s (see --force)",
	    SPAN_ARG(text), id);
	return false;
}

/* The time: that of a `profile` record, else of the file, else now. */
static bool
find_time(struct filter *f, const struct rec *r,
    const struct profile_file *file, uint32_t *time)
{
	int64_t value = file->time != INT_UNKNOWN ? file->time : job.now;

	if (rec_is(r, "profile") &&
	    rec_int(r, PROFILE_TIME, &value) == REC_BAD)
		value = -1;
	if (value < 0 || value > UINT32_MAX) {
		filter_reject(f, "its time is not a number of seconds from "
		    "1970 to 2106");
		return false;
	}
	*time = (uint32_t)value;
	return true;
}

/* Does .perun/jobs have a file of this name? */
static bool
is_pending(struct span name)
{
	struct buf path = { 0 };
	bool exists;

	buf_printf(&path, "jobs/%.*s", (int)name.n, name.p);
	exists = faccessat(job.perun.store.dir, buf_cstr(&path), F_OK,
	    AT_SYMLINK_NOFOLLOW) == 0;
	buf_release(&path);
	return exists;
}

/*
 * The name: that of a `profile` record, else of the file, else a generated one,
 * with --pending one that no file in .perun/jobs has.
 */
static bool
find_name(struct filter *f, const struct rec *r,
    const struct profile_file *file, struct registration *to)
{
	bool has_name = rec_is(r, "profile") &&
	    rec_str(r, PROFILE_PATH, &to->entry.path) == REC_OK;
	const char *why;

	if (!has_name && file->name.n > 0) {
		to->entry.path = file->name;
		has_name = true;
	}
	to->has_generated_name = !has_name;
	if (!has_name)
		do
			to->entry.path = names_make(&job.names, &job.profile,
			    job.now);
		while (opt.pending && is_pending(to->entry.path));
	why = name_error(to->entry.path);
	if (why != NULL)
		filter_reject(f, "%s", why);
	return why == NULL;
}

/*
 * The profile that a record is or contains.  NULL if there is none: a record of
 * another type is ignored, and any other object is rejected.
 */
static const struct rec *
find_document(struct filter *f, const struct rec *r)
{
	const struct field *inner = rec_get(r, PROFILE_DOCUMENT);
	const struct field *places = rec_get(r, PROFILE_NON_FINITE);
	const struct rec *document = NULL;
	const char *why = "a profile has no header";
	struct span text;

	if (profile_is_document(r)) {
		job.expect.came = true;
		return r;
	}
	if (rec_is(r, "profile") && inner != NULL &&
	    inner->kind == REC_OBJECT) {
		text = inner->token;
		why = "non_finite does not name values of the profile";
		if (places == NULL || nonfinite_restore(&job.restored, &text,
		    places->token))
			document = recio_parse(job.inner, text, &why);
	}
	if (rec_is(r, "profile") || rec_get(r, KEY_TYPE) == NULL) {
		job.expect.came = true;
		if (document == NULL)
			filter_reject(f, "%s", why);
	} else if (!rec_is(r, "version")) {
		/* Versions come alone if no commit has a profile. */
		expect_other(&job.expect, f, r);
	}
	return document;
}

/*
 * Writes job.profile to .perun/jobs, where Perun finds it, with the key
 * "origin" first (the id of the commit), and a record.  An existing file is not
 * overwritten.
 */
static void
add_pending(struct filter *f, const struct registration *r)
{
	struct span path = r->entry.path;
	char id[STORE_ID_SIZE], *name = mem_strndup(path.p, path.n);
	struct buf text = { 0 }, *b;
	bool is_new;

	store_id(id, r->version);
	buf_printf(&text, "{\"origin\": \"%s\", ", id);
	/* The body without its opening brace. */
	buf_add(&text, job.profile.body.data + 1, job.profile.body.len - 1);
	store_lock(&job.perun.store, STORE_INDEX);
	is_new = store_add_pending(&job.perun.store, name, buf_span(&text));
	store_unlock(&job.perun.store, STORE_INDEX);
	buf_release(&text);
	free(name);
	if (!is_new) {
		filter_reject(f, "'%.*s' is already pending", SPAN_ARG(path));
		return;
	}

	intern_add(&job.pending, path);
	b = filter_begin_record(f, "pending");
	json_str(b, "path", path);
	json_cstr(b, "minor_version", id);
	filter_end_record(f);
}

static void
add_profile(struct filter *f, const struct rec *r,
    const struct profile_file *file)
{
	struct registration to = { .job_file = file->job_file };
	const struct rec *document = find_document(f, r);
	const char *why;

	if (document == NULL)
		return;
	filter_add_lacks(f, profile_lacks(document), "a profile");
	if ((why = profile_number_error(document)) != NULL ||
	    !profile_make(&job.profile, document,
	    !opt.unflattened && !opt.pending, &why)) {
		filter_reject(f, "%s", why);
		return;
	}
	if (!find_version(f, r, to.version) ||
	    !has_right_origin(f, to.version) ||
	    !find_time(f, r, file, &to.entry.time) ||
	    !find_name(f, r, file, &to))
		return;
	if (opt.pending)
		add_pending(f, &to);
	else
		registry_add(&job.registry, &job.profile, to);
}

/* Sets the name and time of a regular file; other files have neither. */
static struct profile_file
describe_file(const char *path)
{
	struct profile_file file = { .time = INT_UNKNOWN };
	struct stat st;

	/* "<stdin>" has no name and no time. */
	if (path[0] == '<')
		return file;
	if (stat(path, &st) != 0)
		die_errno("cannot examine '%s'", path);
	if (S_ISREG(st.st_mode)) {
		file.name = span_base_name(span_str(path));
		file.time = pending_time(&st);
	}
	return file;
}

/*
 * Is the value at f->current followed only by white space in its file?
 * input_more() keeps only the bytes from in->at on, and may move them.  So
 * in->at points to the value during the search, and f->current is set again
 * after the search.
 */
static bool
is_only_value(struct filter *f)
{
	struct input *in = &f->input;
	size_t consumed = (size_t)(in->at - f->current.p), offset = consumed;
	bool only = true;

	in->at = f->current.p;
	do
		for (; only && offset < (size_t)(in->end - in->at); offset++)
			only = json_is_space(in->at[offset]);
	while (only && input_more(in));
	f->current.p = in->at;
	in->at += consumed;
	return only;
}

/*
 * Adds the value of n bytes at f->current.  The name of the file is used only
 * if the file contains no other value.
 */
static void
add_value(struct filter *f, size_t n, struct profile_file *file)
{
	struct rec *r;

	if (file->name.n > 0 && !is_only_value(f))
		file->name.n = 0;
	r = filter_record(f, span_of(f->current.p, n));
	if (r != NULL && !filter_consume_boundary(f, r))
		add_profile(f, r, file);
}

/* Reads a file: a stream of records or a sequence of JSON documents. */
static void
read_file(struct filter *f, struct profile_file file)
{
	struct span value;
	struct line line;

	if (filter_is_stream(f)) {
		while (filter_file_line(f, &line))
			add_value(f, line.len, &file);
		return;
	}
	while (scan_peek(&f->input) != -1) {
		if (filter_value(f, &value))
			add_value(f, value.n, &file);
		else
			filter_reject_rest(f, span_of(NULL, 0),
			    "no JSON value begins here");
	}
}

static void
read_jobs(struct filter *f)
{
	const struct store *s = &job.perun.store;
	struct arena arena = { 0 };
	struct buf path = { 0 };
	struct stat st;
	size_t n;
	const char **names = pending_names(s, &arena, &n);
	struct span name;
	int fd;

	for (size_t i = 0; i < n; i++) {
		fd = pending_open(s, names[i], &st);
		if (fd == -1 && errno == ENOENT)
			continue;	/* another process has registered it */
		path.len = 0;
		buf_printf(&path, "%s/jobs/%s", s->path, names[i]);
		buf_cstr(&path);
		if (fd == -1) {
			filter_fail(f, "'%s' is not a regular file", path.data);
			continue;
		}
		filter_read_next(f, path.data, false);
		f->input.opened = fd;
		name = span_str(names[i]);
		while (filter_next_file(f))
			read_file(f, (struct profile_file){ .name = name,
			    .time = pending_time(&st), .job_file = name });
	}
	buf_release(&path);
	free(names);
	arena_release(&arena);
}

static void
register_all(struct filter *f)
{
	const struct registration *r, *end;
	char hex[2 * PIDX_SHA_SIZE + 1];
	struct buf *b;

	registry_commit(&job.registry, f, job.new_layout);
	end = job.registry.list + job.registry.n;
	for (r = job.registry.list; r < end; r++) {
		if (r->failed)
			continue;
		b = filter_begin_record(f, "entry");
		entry_put(b, r->version, &r->entry);
		json_flag(b, "existed", r->outcome.existed);
		if (r->outcome.has_replaced) {
			hex_encode(hex, r->outcome.replaced, PIDX_SHA_SIZE);
			json_cstr(b, "replaced", hex);
		}
		filter_end_record(f);

		if (r->job_file.n > 0 && !opt.keep)
			pending_remove(&job.perun.store, r->job_file.p);
	}
}

int
main(int argc, char **argv)
{
	struct filter f;

	filter_begin(&f, &about, options, argc, argv);
	if (opt.pending && opt.from_jobs)
		die("--pending and --from-jobs exclude each other");
	job.new_layout = layout_of_option(&opt.index_version);
	perun_open(&job.perun, opt.directory);
	job.registry.perun = &job.perun;
	profile_init(&job.profile);
	intern_init(&job.pending);
	names_init(&job.names, config_string(&job.perun.config,
	    "format.output_profile_template"));
	job.inner = recio_new(profile_keys);
	job.now = time(NULL);
	filter_need_whole(&f);

	if (opt.from_jobs)
		read_jobs(&f);
	else
		while (filter_next_file(&f))
			read_file(&f, describe_file(f.input.name));
	expect_end(&job.expect, &f, "profile", "a profile");
	for (sym i = 0; f.truncated && i < job.pending.n; i++)
		pending_remove(&job.perun.store, intern_str(&job.pending, i));
	/* A filter that could not start may have left one of the files. */
	if (!f.truncated && (opt.from_jobs || !f.reading.got_nothing))
		register_all(&f);
	perun_close(&job.perun);
	return filter_end(&f);
}
