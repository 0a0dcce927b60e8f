/* pidx-read - lists and fetches the profiles of a Perun store */

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/err.h"
#include "common/base/hex.h"
#include "common/frame/filter.h"
#include "common/json/recio.h"
#include "common/perun/entry.h"
#include "common/perun/object.h"
#include "common/perun/pending.h"
#include "common/perun/perun.h"
#include "common/perun/profile.h"
#include "common/perun/select.h"
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
	    "only 3@i, 0@i-4@i, a name, an object", 0, 0 },
	{ 't', "type", OPT_STR, &opt.selection.type, "TYPE",
	    "only of this type", 0, 0 },
	{ 'b', "cmd", OPT_STR, &opt.selection.cmd, "CMD",
	    "only of this command", 0, 0 },
	{ 'w', "workload", OPT_STR, &opt.selection.workload, "WORKLOAD",
	    "only with this workload", 0, 0 },
	{ 'c', "collector", OPT_STR, &opt.selection.collector, "NAME",
	    "only by this collector", 0, 0 },
	{ 'P', "pending", OPT_FLAG, &opt.pending, NULL,
	    "of what is in jobs, and of no commit", 0, 0 },
	{ 's', "sort", OPT_STR, &opt.sort, "KEY",
	    "what 3@i counts by, downwards (time)", 0, 0 },
	{ 'p', "profiles", OPT_FLAG, &opt.profiles, NULL,
	    "write profile records, with the profiles", 0, 0 },
	{ 'F', "format", OPT_STR, &opt.format, "FORMAT",
	    "write lines like '%time% %cmd%'", 0, 0 },
	{ 0, "config", OPT_STR, &opt.config, "KEY",
	    "write a setting of the store, and no entries", 0, 0 },
	{ 0 }
};

static const char *const version_keys[] = { "type", "id", NULL };
enum { ID = KEY_TYPE + 1 };

static const struct about about = {
	.operands = "[revision ...]",
	.purpose = "Writes an entry record for every profile that is "
	    "registered with the commits, or\nwith those of version records "
	    "on standard input, or else with HEAD.",
	.keys = version_keys,
};

static struct {
	struct perun perun;
	struct look_up *look_ups;
	struct order order;
	bool pending, versions;	/* what is looked in */
	struct buf index, packed, why;
	struct object object;
	struct recio *header;
	struct profile profile;
	bool *wanted;
	size_t wanted_cap;
} job;

static void
read_look_ups(void)
{
	struct selection *s = &opt.selection;
	const char *sort = opt.sort;

	job.look_ups = mem_resize(NULL, opt.find.n, sizeof *job.look_ups);
	job.pending = opt.pending;
	job.versions = !opt.pending && opt.find.n == 0;
	for (size_t i = 0; i < opt.find.n; i++) {
		if (!look_up_read(&job.look_ups[i], opt.find.values[i]))
			die("'%s' is no range: 0@i-4@i", opt.find.values[i]);
		if (job.look_ups[i].kind == LOOK_PENDING)
			job.pending = true;
		else
			job.versions = !opt.pending;
	}
	s->look_ups = job.look_ups;
	s->n_look_ups = opt.find.n;
	if (sort == NULL)
		sort = config_string(&job.perun.config,
		    "format.sort_profiles_by");
	if (sort != NULL && !order_read(&job.order, sort))
		die("'%s' is nothing to sort profiles by", sort);
}

/* The object of an entry, sound; what is wrong with it is told. */
static bool
read_object(struct filter *f, const struct pidx_entry *e)
{
	char hex[2 * STORE_NAME + 1];
	const char *why;

	if (perun_object(&job.perun.store, e->object, &job.packed,
	    &job.object, &why))
		return true;
	hex_encode(hex, e->object, STORE_NAME);
	filter_fail(f, "cannot read the object %s of '%.*s': %s", hex,
	    SPAN_ARG(e->path), why);
	return false;
}

/*
 * Version 1 says little of a profile: the rest is in the profile itself.  The
 * texts are kept by the caller's arena.
 */
static void
complete(struct filter *f, struct pidx_entry *e, struct arena *arena)
{
	struct profile *p = &job.profile;
	const struct rec *r;
	const char *why;

	if (!read_object(f, e))
		return;
	r = recio_parse(job.header, job.object.body, &why);
	if (r == NULL || !profile_describe(p, r, &why)) {
		filter_fail(f, "the object of '%.*s' is no profile: %s",
		    SPAN_ARG(e->path), why);
		return;
	}
	profile_strings(p, arena, e->strings);
}

static void
emit(struct filter *f, const unsigned char *version,
    const struct pidx_entry *e)
{
	struct buf *b;

	if (opt.profiles && !read_object(f, e))
		return;
	if (opt.format != NULL) {
		format_entry(filter_out(f), opt.format, e);
		filter_emit(f);
		return;
	}
	b = filter_begin_record(f, opt.profiles ? "profile" : "entry");
	entry_put(b, version, e);
	if (opt.profiles)
		json_raw(b, "profile", job.object.body);
	filter_end_record(f);
}

/* Marks in job.wanted what is wanted of an index. */
static void
select_from(struct filter *f, const struct pidx *p, bool pending)
{
	const struct look_up *missing;

	job.wanted = mem_grow(job.wanted, &job.wanted_cap, p->n,
	    sizeof *job.wanted);
	if (!select_entries(&opt.selection, &job.order, p, pending,
	    job.wanted, &missing))
		filter_fail(f, "there is no profile %.*s: there are %zu",
		    SPAN_ARG(missing->text), p->n);
}

static void
emit_selected(struct filter *f, const unsigned char *version,
    const struct pidx *p)
{
	select_from(f, p, false);
	for (size_t i = 0; i < p->n; i++)
		if (job.wanted[i])
			emit(f, version, &p->entries[i]);
}

static void
read_version(struct filter *f, const unsigned char *version)
{
	struct arena arena = { 0 };
	struct pidx index;

	if (perun_index(&job.perun.store, version, &job.index, &index,
	    &job.why) == STORE_BAD)
		filter_fail(f, "%s", job.why.data);
	for (size_t i = 0; index.layout == PIDX_1 && i < index.n; i++)
		complete(f, &index.entries[i], &arena);
	emit_selected(f, version, &index);
	pidx_release(&index);
	arena_release(&arena);
}

static void
emit_pending(struct filter *f, struct pending *p, size_t i)
{
	const struct pidx_entry *e = &p->index.entries[i];
	struct span document;
	struct buf *b;
	const char *why;

	if (opt.format != NULL) {
		format_entry(filter_out(f), opt.format, e);
		filter_emit(f);
		return;
	}
	if (opt.profiles && !pending_document(p, e->path.p, &document, &why)) {
		filter_fail(f, "the pending '%s' is gone: %s", e->path.p, why);
		return;
	}
	b = filter_begin_record(f, opt.profiles ? "profile" : "pending");
	if (p->origins[i].n > 0)
		json_str(b, "minor_version", p->origins[i]);
	json_str(b, "path", e->path);
	json_int(b, "time", e->time);
	entry_put_strings(b, e);
	if (opt.profiles)
		json_raw(b, "profile", document);
	filter_end_record(f);
}

static void
read_pending(struct filter *f)
{
	struct pending p;

	pending_read(&p, &job.perun.store);
	for (size_t i = 0; i < p.n_faults; i++)
		filter_fail(f, "the pending '%s' is no profile: %s",
		    p.faults[i].name, p.faults[i].why);
	select_from(f, &p.index, true);
	for (size_t i = 0; i < p.index.n; i++)
		if (job.wanted[i])
			emit_pending(f, &p, i);
	pending_release(&p);
}

static void
read_revision(struct filter *f, const char *name)
{
	unsigned char version[STORE_NAME];
	const char *why;

	if (perun_version(&job.perun, name, version, &why))
		read_version(f, version);
	else
		filter_fail(f, "'%s' is no commit: %s", name, why);
}

/* Something is piped or redirected into standard input. */
static bool
has_input(void)
{
	struct stat st;

	return fstat(STDIN_FILENO, &st) == 0 &&
	    (S_ISFIFO(st.st_mode) || S_ISREG(st.st_mode));
}

static void
read_versions(struct filter *f)
{
	unsigned char version[STORE_NAME];
	const struct rec *r;
	struct span id;

	while ((r = filter_next(f)) != NULL) {
		if (!rec_is(r, "version"))
			continue;
		if (rec_str(r, ID, &id) != REC_OK ||
		    !hex_decode(id, version, STORE_NAME))
			filter_reject(f, "the id of a version is no 40 hex "
			    "digits");
		else
			read_version(f, version);
	}
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

/* Of the commits that are named, of those of a stream, or of HEAD. */
static void
read_indexes(struct filter *f)
{
	const char *name = filter_operand(f);

	if (name == NULL ? has_input() : strcmp(name, "-") == 0)
		read_versions(f);
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

	filter_begin(&f, &about, options, argc, argv);
	if (opt.profiles && opt.format != NULL)
		die("--profiles and --format exclude each other");
	perun_open(&job.perun, opt.directory);
	read_look_ups();
	if ((opt.config != NULL || !job.versions) &&
	    filter_operand(&f) != NULL)
		die("what is pending, and a setting, is of no revision");
	job.header = recio_new(profile_keys);
	profile_init(&job.profile);
	if (opt.config != NULL) {
		write_setting(&f);
	} else {
		if (job.pending)
			read_pending(&f);
		if (job.versions)
			read_indexes(&f);
	}
	profile_release(&job.profile);
	recio_free(job.header);
	perun_close(&job.perun);
	return filter_end(&f);
}
